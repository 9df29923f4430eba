import { isAddress } from './address.js';
import { bareHost } from './registrable-domain.js';

const LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
const NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);
const MAX_NAME = 253;

/**
 * The host that somebody wrote, as every URL spells it: lower case, punycode, addresses in their short form and without
 * brackets. `null` for what is more or less than a host: a port, a path, a wildcard, credentials, nothing.
 */
export function hostNamed(text: string): string | null {
  // Two colons or more can only be an IPv6 address; brackets around it are a matter of taste.
  const authority = !text.startsWith('[') && text.split(':').length > 2 ? `[${text}]` : text;
  const isBare = authority.startsWith('[') ? /^\[[0-9a-f:.]+\]$/i.test(authority) : !/[\s/\\?#@%:*[\]]/.test(text);
  if (!isBare || !URL.canParse(`http://${authority}/`)) return null;
  const host = bareHost(new URL(`http://${authority}/`).hostname);
  return isAddress(host) || (host.length <= MAX_NAME && NAME.test(host)) ? host : null;
}
