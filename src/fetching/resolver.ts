import { Resolver } from 'node:dns/promises';
import { LRUCache } from 'lru-cache';
import { createHostsFile } from './hosts-file.js';
import { type FoundAddress, familyOf, type LookupAll, onceAtATime } from './lookup.js';

export interface PublicLookupOptions {
  /** Until then an answer is worth waiting for; one family's answer is enough if the other's does not come. */
  timeoutMs: number;
  /** `address:port`; without them, those of the system. */
  servers?: readonly string[];
  hostsPath?: string;
  mono?: () => number;
}

/** Sent at 0, 1 and 3 s: one lost packet costs a second and not the visit. */
const FIRST_TRY_MS = 1000;
const TRIES = 3;
/** Not longer than the pause before a task's second attempt: that one shall really ask. */
const SILENT_MS = 2000;
const MAX_SILENT = 10_000;

/**
 * Looks public names up: in the hosts file, then by DNS. Not by `dns.lookup`: that blocks a thread until the system
 * gives up, and a few dozen names of dead servers would take the threads from everybody. Names are asked for as they
 * are; the search domains of resolv.conf are for names without a dot, which are no public ones.
 *
 * Whoever asks while the same name is being asked for shares the answer. No answer is kept after that.
 */
export function createPublicLookup(options: PublicLookupOptions): LookupAll {
  const { timeoutMs, servers, hostsPath = '/etc/hosts', mono = () => performance.now() } = options;
  const hosts = createHostsFile({ path: hostsPath, mono });
  const silentUntil = new LRUCache<string, number>({ max: MAX_SILENT });

  /** Tasks of a dead name come in hundreds: they shall not each wait until the time is up. */
  const unlessSilent = async (question: string, ask: () => Promise<string[]>): Promise<string[]> => {
    if (mono() < (silentUntil.get(question) ?? 0)) throw noAnswer(question);
    try {
      return await ask();
    } catch (error) {
      if (wasSilent(error)) silentUntil.set(question, mono() + SILENT_MS);
      throw error;
    }
  };

  const askDns = async (name: string): Promise<string[]> => {
    // One for each name: it can be cancelled alone, and it knows today's resolv.conf.
    const resolver = new Resolver({ timeout: FIRST_TRY_MS, tries: TRIES });
    if (servers) resolver.setServers(servers);
    const timer = setTimeout(() => resolver.cancel(), timeoutMs).unref();
    try {
      // Both are waited for, even when one is there: a private address among the other's would condemn the name.
      const outcomes = await Promise.allSettled([
        unlessSilent(`A ${name}`, () => resolver.resolve4(name)),
        unlessSilent(`AAAA ${name}`, () => resolver.resolve6(name)),
      ]);
      return addressesIn(outcomes);
    } finally {
      clearTimeout(timer);
    }
  };

  return onceAtATime(async (name) => {
    const written = await hosts.addressesOf(name);
    return ipv4First(written.length > 0 ? written : await askDns(name));
  });
}

/** What any family has. Where none has an address, the name is only missing if both say so. */
function addressesIn(outcomes: PromiseSettledResult<string[]>[]): string[] {
  const addresses = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
  const faults = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  if (addresses.length > 0 || faults.length === 0) return addresses;
  throw faults.find((fault) => !isMissing(fault)) ?? faults[0];
}

/** Does the error say that there is no such name, or none with an address? */
export const isMissing = (error: unknown): boolean => ['ENOTFOUND', 'ENODATA'].includes(codeOf(error));

/** Not SERVFAIL: that is an answer, and a quick one. */
const wasSilent = (error: unknown): boolean => ['ETIMEOUT', 'ECANCELLED'].includes(codeOf(error));

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException | undefined)?.code);

const noAnswer = (question: string): Error =>
  Object.assign(new Error(`no answer to ${question} a moment ago`), { code: 'ETIMEOUT' });

const ipv4First = (addresses: readonly string[]): FoundAddress[] =>
  addresses.map((address) => ({ address, family: familyOf(address) })).sort((one, other) => one.family - other.family);
