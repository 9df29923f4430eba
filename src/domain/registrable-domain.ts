import { getDomain, getPublicSuffix } from 'tldts';
import { plainAddress } from './address.js';

/**
 * Names that break the rules are read all the same: resolvers answer for some of them, and a host that were its own
 * domain would get its own share of everything.
 */
const READING = { allowPrivateDomains: true, validateHostname: false };

/**
 * The registrable domain of a URL: the key of limits, breakers and policies. Private suffixes count, so two
 * `github.io` sites are two domains. An IP address is its own domain, and so is a host that has none
 * (`localhost`, a bare public suffix). Never a port.
 */
export function domainOf(url: URL | string): string {
  return domainOfHost(typeof url === 'string' ? new URL(url).hostname : url.hostname);
}

/** The same for a host name as `URL.hostname` gives it. */
export function domainOfHost(hostname: string): string {
  const host = hostKey(hostname);
  // With nothing between two dots it is no name at all, and nobody resolves it.
  if (/^\.|\.\.|:/.test(host)) return host;
  return getDomain(host, READING) ?? host;
}

/** What the domain is registered under, such as `co.uk` or `github.io`; `null` for an IP address. */
export function suffixOfHost(hostname: string): string | null {
  return getPublicSuffix(hostKey(hostname), READING);
}

/** One spelling for all that lead to the same place: lower case, bare, and an IPv4 address never as an IPv6 one. */
export const hostKey = (hostname: string): string => plainAddress(bareHost(hostname.toLowerCase()));

/** Without the brackets of an IPv6 literal and without the dot of a fully qualified name. */
export function bareHost(hostname: string): string {
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
}
