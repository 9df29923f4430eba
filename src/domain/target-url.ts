import { type AddressRange, isAddress, isInRange, isPublicAddress, parseRange } from './address.js';
import { hostNamed, nameFault } from './host-name.js';
import { bareHost } from './registrable-domain.js';

/** Exceptions from the egress rule: address ranges, exact host names, and suffixes (with their leading dot). */
export interface EgressAllow {
  readonly ranges: readonly AddressRange[];
  readonly hosts: ReadonlySet<string>;
  readonly suffixes: readonly string[];
}

export const MAX_URL_LENGTH = 2048;

/** Reads `10.0.0.0/8`, `127.0.0.1`, `wiki.internal` and `*.corp.example`. Throws for what is none of these. */
export function parseEgressAllow(entries: readonly string[]): EgressAllow {
  const ranges: AddressRange[] = [];
  const hosts = new Set<string>();
  const suffixes: string[] = [];
  for (const entry of entries.map((text) => text.trim().toLowerCase()).filter((text) => text !== '')) {
    const range = parseRange(entry);
    if (range) ranges.push(range);
    else if (!isHostPattern(entry)) {
      throw new RangeError(`"${entry}" is not a CIDR, an IP address, a host name or *.suffix.`);
    } else if (entry.startsWith('*.')) suffixes.push(entry.slice(1));
    else hosts.add(entry);
  }
  return { ranges, hosts, suffixes };
}

/** A name that a URL would turn into something else (`127.1`, `10.0.0.256`) opens nothing; better to say so at once. */
function isHostPattern(entry: string): boolean {
  const name = entry.replace(/^\*\./, '');
  return hostNamed(name) === name && !isAddress(name);
}

/**
 * May this URL be visited, as far as its text tells? What its name resolves to is checked when it is dialled.
 * The fault is one sentence that quotes what was received, never a password or a query string.
 */
export function checkUrl(raw: string, allow: EgressAllow): { url: URL } | { fault: string } {
  if (raw.length > MAX_URL_LENGTH) {
    return { fault: `The URL is ${raw.length} characters long; at most ${MAX_URL_LENGTH} are accepted.` };
  }
  // URL parsers silently drop or turn these; two parsers that disagree about the host are how filters are passed.
  if (hasOddCharacters(raw)) {
    return { fault: `The URL ${quoteUrl(raw)} contains white space, control characters or a backslash.` };
  }
  const url = URL.canParse(raw) ? new URL(raw) : null;
  if (!url) return { fault: `${quoteUrl(raw)} is not a URL.` };
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { fault: `The URL ${quoteUrl(raw)} must start with http:// or https://.` };
  }
  if (url.username !== '' || url.password !== '') {
    return { fault: `The URL ${quoteUrl(raw)} must not carry a user name or password.` };
  }
  const fault = hostFault(url.hostname, allow);
  return fault ? { fault } : { url };
}

/** Why this host may not be visited, as far as its name tells; `null` if it may. */
export function hostFault(hostname: string, allow: EgressAllow): string | null {
  const host = bareHost(hostname);
  if (isAddress(host)) {
    return allowsAddress(host, allow) ? null : `The address ${host} is not a public one.`;
  }
  const fault = nameFault(host);
  if (fault) return `"${clip(host)}" is not a host name: it ${fault}.`;
  if (allowsHost(host, allow)) return null;
  const labels = host.split('.');
  if (
    labels.length === 1 ||
    host === 'home.arpa' ||
    host.endsWith('.home.arpa') ||
    LOCAL_SUFFIXES.has(labels.at(-1)!)
  ) {
    return `The host "${clip(host)}" is a local name, not a public one.`;
  }
  return null;
}

export const allowsHost = (host: string, allow: EgressAllow): boolean =>
  allow.hosts.has(host) || allow.suffixes.some((suffix) => host.endsWith(suffix) && host.length > suffix.length);

/** May this address be dialled? Public ones may, and those an exception names. */
export const allowsAddress = (ip: string, allow: EgressAllow): boolean =>
  isPublicAddress(ip) || allow.ranges.some((range) => isInRange(ip, range));

/** A URL as it may be shown: no credentials, no query, no fragment, nothing unprintable, not endless. */
export function quoteUrl(raw: string): string {
  // Up to the last @, wherever it stands: in a URL that does not parse nobody can say where a password ends.
  const withoutSecrets = raw.replace(/^([a-z][a-z0-9+.-]*:[\\/]*)?[\s\S]*@/i, '$1[redacted]@');
  return JSON.stringify(clip(withoutSecrets.replace(/[?#][\s\S]*$/, '')));
}

/** Suffixes that home and company networks use for themselves; none exists in the public DNS. */
const LOCAL_SUFFIXES = new Set([
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
]);

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const hasOddCharacters = (raw: string): boolean => /[\u0000-\u0020\u007f-\u00a0\u2028\u2029]|^[^?#]*\\/.test(raw);

const clip = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);
