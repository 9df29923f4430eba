import type { CredentialScope } from './credential-scope.js';

/**
 * The cookies of one visit. Some sites redirect to themselves until the cookie they set comes back; nothing more is
 * wanted here, so a cookie goes only to the very host that set it, and everything is forgotten with the visit. Those of
 * the credential go where they belong, until the site says something else under their name.
 */
export interface VisitCookies {
  keep(url: URL, setCookie: string | string[] | undefined, now: number): void;
  headerFor(url: URL): string | undefined;
}

const MAX_COOKIES = 50;
const MAX_COOKIE_LENGTH = 4096;

export function createVisitCookies(credential: CredentialScope): VisitCookies {
  const kept = new Map<string, { pair: string; host: string; secureOnly: boolean }>();
  const names = new Set(credential.cookies.map(({ name }) => name));
  const overruled = new Set<string>();

  return {
    keep(url, setCookie, now) {
      for (const line of [setCookie ?? []].flat()) {
        const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
        const name = pair.split('=', 1)[0]!;
        if (!pair.includes('=') || name === '' || pair.length > MAX_COOKIE_LENGTH) continue;
        const key = `${url.hostname} ${name}`;
        if (names.has(name)) overruled.add(key);
        if (isExpired(attributes, now)) kept.delete(key);
        else if (kept.has(key) || kept.size < MAX_COOKIES) {
          kept.set(key, { pair, host: url.hostname, secureOnly: attributes.some((part) => /^secure$/i.test(part)) });
        }
      }
    },
    headerFor(url) {
      const pairs = [...kept.values()]
        .filter(({ host, secureOnly }) => host === url.hostname && (!secureOnly || url.protocol === 'https:'))
        .map(({ pair }) => pair);
      const given = credential
        .cookiesFor(url)
        .filter(({ name }) => !overruled.has(`${url.hostname} ${name}`))
        .map(({ name, value }) => `${name}=${value.reveal()}`);
      return pairs.length + given.length === 0 ? undefined : [...given, ...pairs].join('; ');
    },
  };
}

function isExpired(attributes: string[], now: number): boolean {
  const value = (name: string): string | undefined =>
    attributes.find((part) => part.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1);
  const maxAge = value('max-age');
  if (maxAge !== undefined) return Number(maxAge) <= 0;
  return Date.parse(value('expires') ?? '') <= now;
}
