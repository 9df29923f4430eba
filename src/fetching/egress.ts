import { lookup as dnsLookup } from 'node:dns/promises';
import { isAddress } from '../domain/address.js';
import { GleanerError } from '../domain/errors.js';
import { bareHost } from '../domain/registrable-domain.js';
import { allowsAddress, allowsHost, hostFault, parseEgressAllow } from '../domain/target-url.js';

export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

/** All addresses of a name, as `dns.lookup(name, { all: true })` gives them. */
export type LookupAll = (hostname: string) => Promise<{ address: string; family: number }[]>;

/**
 * The one gate to the network. Whoever opens a socket asks here and dials the very address it is given: a name that
 * is resolved a second time may lead somewhere else.
 */
export interface Egress {
  /** Rejects with `egress_denied`, `dns_not_found` or `dns_failed`. Takes names and IP literals (with or without brackets). */
  resolve(hostname: string): Promise<ResolvedAddress>;
}

/** A visit to a name that cannot be resolved ends within five seconds; the rest is for whoever tells it. */
const DNS_TIMEOUT_MS = 4500;

interface EgressOptions {
  /** Exceptions: CIDRs, addresses, host names, `*.suffix`. */
  allow: readonly string[];
  lookup?: LookupAll;
  timeoutMs?: number;
}

export function createEgress(options: EgressOptions): Egress {
  const allow = parseEgressAllow(options.allow);
  const { lookup = systemLookup, timeoutMs = DNS_TIMEOUT_MS } = options;

  return {
    async resolve(hostname) {
      const host = bareHost(hostname.toLowerCase());
      const fault = hostFault(host, allow);
      if (fault) throw new GleanerError('egress_denied', fault);
      if (isAddress(host)) return { address: host, family: familyOf(host) };

      const found = await resolveAll(host, () => withinTime(lookup(host), timeoutMs));
      // One bad answer condemns the name: who mixes private addresses into a public name wants us to pick one.
      const bad = allowsHost(host, allow) ? undefined : found.find(({ address }) => !allowsAddress(address, allow));
      if (bad) {
        throw new GleanerError('egress_denied', `The host "${host}" leads to an address that is not a public one.`);
      }
      const chosen = found[0]!;
      return { address: chosen.address, family: familyOf(chosen.address) };
    },
  };
}

const systemLookup: LookupAll = (hostname) => dnsLookup(hostname, { all: true, verbatim: false });

const familyOf = (address: string): 4 | 6 => (address.includes(':') ? 6 : 4);

async function resolveAll(host: string, ask: () => Promise<{ address: string }[]>): Promise<{ address: string }[]> {
  let found: { address: string }[];
  try {
    found = await ask();
  } catch (cause) {
    throw dnsError(host, cause);
  }
  if (found.length === 0) throw new GleanerError('dns_not_found', `The host "${host}" has no address.`);
  return found;
}

/** The system's resolver may take half a minute to give up; the thread it blocks ends on its own. */
async function withinTime<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs).unref();
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

function dnsError(host: string, cause: unknown): GleanerError {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  if (code === 'ENOTFOUND' || code === 'ENODATA') {
    return new GleanerError('dns_not_found', `The host "${host}" does not exist.`, { cause });
  }
  return new GleanerError('dns_failed', `The host "${host}" could not be resolved.`, { cause });
}
