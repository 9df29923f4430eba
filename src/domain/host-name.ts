import { isAddress } from './address.js';
import { hostKey } from './registrable-domain.js';

export const MAX_HOST_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;

/**
 * The host that somebody wrote, as our keys spell it: lower case, punycode, addresses in their short form and without
 * brackets, IPv4 where an IPv6 one only wraps it. `null` for what is more or less than a host: a port, a path, a
 * wildcard, credentials, nothing.
 */
export function hostNamed(text: string): string | null {
  // Two colons or more can only be an IPv6 address; brackets around it are a matter of taste.
  const authority = !text.startsWith('[') && text.split(':').length > 2 ? `[${text}]` : text;
  const isBare = authority.startsWith('[') ? /^\[[0-9a-f:.]+\]$/i.test(authority) : !/[\s/\\?#@%:*[\]]/.test(text);
  if (!isBare || !URL.canParse(`http://${authority}/`)) return null;
  const host = hostKey(new URL(`http://${authority}/`).hostname);
  return isAddress(host) || nameFault(host) === null ? host : null;
}

/**
 * What makes this no host name, as the end of a sentence; `null` if nothing does. Resolvers are more lenient, and not
 * all in the same way. Underscores are against the rules too, but sites have them.
 */
export function nameFault(host: string): string | null {
  if (host.length > MAX_HOST_LENGTH) return `is longer than ${MAX_HOST_LENGTH} characters`;
  const labels = host.split('.');
  if (labels.includes('')) return 'has nothing before or after a dot';
  if (labels.some((label) => label.length > MAX_LABEL_LENGTH))
    return `has a part of over ${MAX_LABEL_LENGTH} characters`;
  if (labels.some((label) => /^-|-$/.test(label))) return 'has a part that begins or ends with a hyphen';
  return /^[a-z0-9_.-]*$/.test(host) ? null : 'has characters that no host name has';
}

/** An address in a name that is kept for examples (RFC 2606): nothing is ever published there. */
export const isPlaceholder = (url: string): boolean =>
  URL.canParse(url) && /(?:^|\.)(?:example|invalid)$/.test(new URL(url).hostname);

/** This very machine, whoever resolves the name: what goes there passes nobody. Takes what `URL.hostname` gives. */
export const isThisMachine = (hostname: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);

/**
 * The same as Chromium draws the line: RFC 6761 keeps every name below `localhost` for this machine. Browsers hold to
 * that; the resolver of a system may ask the network for such a name.
 */
export const isThisMachineToBrowsers = (hostname: string): boolean =>
  isThisMachine(hostname) || /(^|\.)localhost\.?$/.test(hostname);
