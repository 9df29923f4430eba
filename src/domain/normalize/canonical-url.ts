/**
 * One spelling for all spellings of an address: `https`, lower-case host, no default port, no fragment, no credentials,
 * no trailing slash, no tracking or empty parameters, the rest sorted by name. It is a key for comparing and a value
 * for results, never the address to fetch. `null` for what is not an absolute http(s) URL, or an endless one.
 */
export function canonicalUrl(text: string): string | null {
  if (text.length > MAX_LENGTH) return null;
  const url = httpUrl(text);
  if (url === null) return null;
  url.protocol = 'https:';
  url.username = '';
  url.password = '';
  url.hash = '';
  url.pathname = withoutTrailingSlashes(url.pathname);
  url.search = meaningfulQuery(url.search);
  // Encoding makes it longer; what would be refused the next time is refused now.
  return url.href.length > MAX_LENGTH ? null : url.href;
}

const MAX_LENGTH = 4096;

function httpUrl(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  return (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '' ? url : null;
}

// All of them at once, or a second pass would find another one to remove.
function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (end > 1 && path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}

function meaningfulQuery(search: string): string {
  const kept = search
    .slice(1)
    .split('&')
    .map(readPair)
    .filter(([name, value]) => value !== '' && !isTracking(name.toLowerCase()));
  kept.sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
  return kept.map(([name, value]) => `${encodeBytes(name)}=${encodeBytes(value)}`).join('&');
}

function readPair(pair: string): [name: string, value: string] {
  const at = pair.indexOf('=');
  return at === -1 ? [decodeBytes(pair), ''] : [decodeBytes(pair.slice(0, at)), decodeBytes(pair.slice(at + 1))];
}

// Byte for byte, and not as URLSearchParams does it: not every site speaks UTF-8, and read as such `%E8` and `%E9` would
// both become the replacement character, and two pages one.
const decodeBytes = (text: string): string =>
  text
    .replaceAll('+', ' ')
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

const encodeBytes = (bytes: string): string =>
  bytes.replace(/[^A-Za-z0-9*._-]/g, (byte) =>
    byte === ' ' ? '+' : `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );

const isTracking = (name: string): boolean => name.startsWith('utm_') || TRACKING.has(name);

const TRACKING: ReadonlySet<string> = new Set(
  (
    'fbclid gclid gclsrc dclid gbraid wbraid msclkid yclid twclid ttclid li_fat_id igshid igsh srsltid mc_cid mc_eid ' +
    'mkt_tok _hsenc _hsmi _ga _gl epik s_kwcid vero_id oly_anon_id oly_enc_id wickedid ref source campaign'
  ).split(' '),
);
