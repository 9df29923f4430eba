import { isThisMachineToBrowsers } from '../domain/host-name.js';
import { bareHost, domainOf, domainOfHost } from '../domain/registrable-domain.js';
import type { Secret } from '../domain/secret.js';
import type { Credential, CredentialCookie } from '../ports/credentials.js';

/** A cookie of a credential, with the place it belongs to. */
export interface ScopedCookie {
  name: string;
  value: Secret;
  host: string;
  /** Only the very host, not those below it. */
  isHostOnly: boolean;
  path: string;
}

/** What of a credential goes where, on the visit of one URL. Nothing in it ever goes to another site than that URL's. */
export interface CredentialScope {
  /** Of the whole site; those of other sites are left out. */
  readonly cookies: readonly ScopedCookie[];
  readonly hasHeaders: boolean;
  cookiesFor(url: URL): ScopedCookie[];
  headersFor(url: URL): [name: string, value: Secret][];
}

export function scopeOf(credential: Credential | null | undefined, home: URL): CredentialScope {
  const site = domainOf(home);
  const cookies = (credential?.cookies ?? [])
    .map((cookie) => placed(cookie, home))
    .filter(({ host }) => domainOfHost(host) === site)
    .sort((a, b) => b.path.length - a.path.length);
  const headers = Object.entries(credential?.headers ?? {});
  const isHome = (url: URL): boolean => domainOf(url) === site && isPrivateWay(url);
  return {
    cookies,
    hasHeaders: headers.length > 0,
    cookiesFor: (url) => (isHome(url) ? cookies.filter((cookie) => belongsTo(cookie, url)) : []),
    headersFor: (url) => (isHome(url) ? headers : []),
  };
}

/** A `__Host-` cookie is of one host by its name, whatever is said beside it. */
function placed({ name, value, domain, path }: CredentialCookie, home: URL): ScopedCookie {
  const isHostOnly = domain === null || name.startsWith('__Host-');
  const host = isHostOnly ? home.hostname : domain.toLowerCase().replace(/^\./, '');
  return { name, value, host: bareHost(host), isHostOnly, path };
}

/** RFC 6265: the host or one below it (an address has none below), and the path or one below it. */
function belongsTo(cookie: ScopedCookie, url: URL): boolean {
  const host = bareHost(url.hostname);
  const isThere = host === cookie.host || (!cookie.isHostOnly && host.endsWith(`.${cookie.host}`));
  return isThere && isBelow(url.pathname, cookie.path);
}

const isBelow = (path: string, parent: string): boolean =>
  path === parent || path.startsWith(parent.endsWith('/') ? parent : `${parent}/`);

/**
 * Over plain HTTP everybody on the way could read a credential. To this very machine there is no way. Chromium draws
 * the same line for cookies marked as secure.
 */
const isPrivateWay = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || isThisMachineToBrowsers(hostname);
