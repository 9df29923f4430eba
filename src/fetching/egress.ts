import { isAddress } from '../domain/address.js';
import { GleanerError } from '../domain/errors.js';
import { bareHost } from '../domain/registrable-domain.js';
import { allowsAddress, allowsHost, hostFault, parseEgressAllow } from '../domain/target-url.js';
import { unlessAborted } from './abort.js';
import { createSystemLookup, type FoundAddress, familyOf, type LookupAll } from './lookup.js';
import { createPublicLookup, isMissing, type PublicLookupOptions } from './resolver.js';

export type { LookupAll } from './lookup.js';

export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

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
  /** In place of DNS and the system's resolver, for all names. */
  lookup?: LookupAll;
  /** Where public names are asked for; without it, as the system is set up. */
  dns?: Omit<PublicLookupOptions, 'timeoutMs'>;
  timeoutMs?: number;
}

export function createEgress(options: EgressOptions): Egress {
  const allow = parseEgressAllow(options.allow);
  const { lookup, dns, timeoutMs = DNS_TIMEOUT_MS } = options;
  const inTime =
    (unbounded: LookupAll): LookupAll =>
    (host) =>
      unlessAborted(unbounded(host), AbortSignal.timeout(timeoutMs));
  // Names of the operator's own may be known to this machine only. All others are strangers, and may be dead.
  const lookupOwn = inTime(lookup ?? createSystemLookup({ timeoutMs }));
  const lookupPublic = lookup ? inTime(lookup) : createPublicLookup({ ...dns, timeoutMs });

  return {
    async resolve(hostname) {
      const host = bareHost(hostname.toLowerCase());
      const fault = hostFault(host, allow);
      if (fault) throw new GleanerError('egress_denied', fault);
      if (isAddress(host)) return { address: host, family: familyOf(host) };

      const isOwn = allowsHost(host, allow);
      const found = await resolveAll(host, isOwn ? lookupOwn : lookupPublic);
      // One bad answer condemns the name: who mixes private addresses into a public name wants us to pick one.
      const bad = isOwn ? undefined : found.find(({ address }) => !allowsAddress(address, allow));
      if (bad) {
        throw new GleanerError('egress_denied', `The host "${host}" leads to an address that is not a public one.`);
      }
      const chosen = found[0]!;
      return { address: chosen.address, family: familyOf(chosen.address) };
    },
  };
}

async function resolveAll(host: string, lookup: LookupAll): Promise<FoundAddress[]> {
  let found: FoundAddress[];
  try {
    found = await lookup(host);
  } catch (cause) {
    throw dnsError(host, cause);
  }
  if (found.length === 0) throw new GleanerError('dns_not_found', `The host "${host}" has no address.`);
  return found;
}

function dnsError(host: string, cause: unknown): GleanerError {
  if (isMissing(cause)) {
    return new GleanerError('dns_not_found', `The host "${host}" does not exist.`, { cause });
  }
  return new GleanerError('dns_failed', `The host "${host}" could not be resolved.`, { cause });
}
