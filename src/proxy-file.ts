import { parseDocument } from 'yaml';
import { isCountryCode } from './domain/country-code.js';
import type { ProxyChoice } from './ports/fetcher.js';
import { didYouMean, HIDDEN, type SettingFault, shown } from './settings-fault.js';
import { type FileChoice, isMap, readSettingsFile, yamlFaults } from './settings-file.js';

type Endpoint = Pick<ProxyChoice, 'url' | 'region'>;

interface Reading extends FileChoice {
  /** From the variable of this name, as they are written there. */
  endpoints: readonly string[];
  variable: string;
}

export const ENDPOINT_WISH = 'http, https or socks5 URLs with a port, each with `?region=` and a country code if known';

/** The proxies of the variable, then those of the file; never throws. */
export function readProxies({ endpoints, variable, path, isChosen }: Reading): {
  proxies: ProxyChoice[];
  faults: SettingFault[];
} {
  const given = endpoints.flatMap((text) => parseEndpoint(text) ?? []);
  const wrong = endpoints.flatMap((text, place) =>
    parseEndpoint(text) ? [] : [{ key: `${variable}: entry ${place + 1}`, value: HIDDEN, wish: wishFor(text) }],
  );
  const { text, faults: unread } = readSettingsFile({ path, isChosen });
  const { endpoints: filed, faults } = parseProxyFile(text, path);
  return { proxies: choices([...given, ...filed]), faults: [...wrong, ...unread, ...faults] };
}

/** The id is the host and its place in the list: it may be shown, the URL may not. */
const choices = (endpoints: readonly Endpoint[]): ProxyChoice[] =>
  endpoints.map(({ url, region }, place) => ({ id: `${place + 1}:${new URL(url).hostname}`, url, region }));

/** One proxy as it is written: `socks5://user:password@host:1080?region=DE`. `null` if it is not one. */
export function parseEndpoint(text: string): Endpoint | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  // Node drops a default port from `port`, so the text has to be asked.
  const isWhole =
    /:\d+\/?(\?[^#]*)?$/.test(text) && url.hostname !== '' && (url.pathname === '' || url.pathname === '/');
  if (!isWhole || !SCHEMES.includes(url.protocol) || !hasFittingLogin(url)) return null;
  const [region = null, ...more] = url.searchParams.getAll('region');
  if (more.length > 0 || [...url.searchParams.keys()].some((name) => name !== 'region')) return null;
  if (region !== null && !isCountryCode(region.toUpperCase())) return null;
  // The region is our own note, and nothing that a proxy should see.
  return { url: text.replace(/\?.*$/, ''), region: region?.toUpperCase() ?? null };
}

/** What is amiss with an endpoint, without a word of it. */
function wishFor(text: string): string {
  if (!/^(https?|socks5h?):\/\//i.test(text)) return 'a URL that begins with http://, https:// or socks5://';
  if (!URL.canParse(text))
    return 'a URL; in a password `,`, `#`, `/`, `?` and `@` are written as %2C, %23, %2F, %3F and %40';
  const { searchParams } = new URL(text);
  if ([...searchParams.keys()].some((name) => name !== 'region')) return 'no query but `?region=`';
  if (searchParams.has('region') && parseEndpoint(text.replace(/\?.*$/, ''))) {
    return 'one country code of two letters (ISO 3166) as `?region=`';
  }
  return 'scheme://host:port, with the port written out and a user name and password that are percent-encoded';
}

const SCHEMES = ['http:', 'https:', 'socks5:', 'socks5h:'];

/** RFC 1929 has one byte for the length of each, and a percent sign must mean something. */
function hasFittingLogin({ username, password }: URL): boolean {
  try {
    return [username, password].every((part) => Buffer.byteLength(decodeURIComponent(part)) <= 255);
  } catch {
    return false;
  }
}

/** The file's text, with a fault for everything that is not as it should be. No value but a region is ever shown. */
export function parseProxyFile(text: string, source: string): { endpoints: Endpoint[]; faults: SettingFault[] } {
  const faults: SettingFault[] = [];
  const report: Report = (path, value, wish) => {
    faults.push({ key: path === '' ? source : `${source}: ${path}`, value, wish });
  };
  const top = parseYaml(text, report);
  const endpoints: Endpoint[] = [];
  for (const [key, value] of Object.entries(top)) {
    if (key !== 'proxies') report(nameOf(key), HIDDEN, 'only the key `proxies` at the top');
    else if (value !== null && !Array.isArray(value)) report(key, HIDDEN, 'a list of proxies');
    else for (const [place, entry] of (value ?? []).entries()) endpoints.push(...readEntry(entry, place, report));
  }
  return { endpoints, faults };
}

type Report = (path: string, value: string, wish: string) => void;

function parseYaml(text: string, report: Report): Record<string, unknown> {
  const document = parseDocument(text);
  for (const fault of yamlFaults(document)) report('', fault, 'valid YAML');
  if (document.errors.length > 0) return {};
  try {
    const top: unknown = document.toJS() ?? {};
    if (isMap(top)) return top;
  } catch {
    // Aliases that lead nowhere, or multiply.
  }
  report('', HIDDEN, 'a map with the key `proxies`');
  return {};
}

const FIELDS = ['url', 'region'];
const FILE_URL_WISH = 'an http, https or socks5 URL with a port; its region goes into `region`';

function readEntry(entry: unknown, place: number, report: Report): Endpoint[] {
  const path = `proxies[${place}]`;
  if (!isMap(entry)) {
    report(path, HIDDEN, 'a map with `url`, and `region` if it is known');
    return [];
  }
  for (const key of Object.keys(entry).filter((name) => !FIELDS.includes(name))) {
    report(`${path}.${nameOf(key)}`, HIDDEN, `a key that exists${didYouMean(key, FIELDS)}`);
  }
  const { url, region = null } = entry;
  const endpoint = typeof url === 'string' && !url.includes('?') ? parseEndpoint(url) : null;
  if (!endpoint) report(`${path}.url`, url === undefined ? shown(url) : HIDDEN, FILE_URL_WISH);
  const isKnown = region === null || (typeof region === 'string' && isCountryCode(region.toUpperCase()));
  // Unquoted, Norway's code is false.
  if (!isKnown) report(`${path}.region`, shown(region), 'a country code of two letters (ISO 3166), in quotes');
  return endpoint && isKnown ? [{ ...endpoint, region: region?.toUpperCase() ?? null }] : [];
}

/** In a broken file a whole URL may have become a key. */
const nameOf = (key: string): string => (/^\w{1,40}$/.test(key) ? key : HIDDEN);
