import { Secret } from '../../src/domain/secret.js';
import type { LookupAll } from '../../src/fetching/egress.js';
import type { Credential } from '../../src/ports/credentials.js';

/** Every name leads to loopback; the names below `localhost` are ones that a credential may be sent to without TLS. */
export const lookup: LookupAll = async () => [{ address: '127.0.0.1', family: 4 }];
export const allow = ['127.0.0.0/8', '*.localhost', '*.example', 'plain.example'];

/** `shop.localhost` and what is below it is the site; the others are not. */
export const SITE = 'www.shop.localhost';
export const SIBLING = 'api.shop.localhost';
export const OTHER = 'other.localhost';
export const PLAIN = 'www.plain.example';

export const COOKIE_VALUE = 'canary-cookie-7f3a';
export const HEADER_VALUE = 'Bearer canary-header-91bc';

interface CookieWish {
  domain?: string | null;
  path?: string;
}

export const cookie = (name: string, { domain = null, path = '/' }: CookieWish = {}) => ({
  name,
  value: new Secret(COOKIE_VALUE),
  domain,
  path,
});

export const credentialOf = (cookies: Credential['cookies'], names: string[] = []): Credential => ({
  provider: 'shop',
  cookies,
  headers: Object.fromEntries(names.map((name) => [name, new Secret(HEADER_VALUE)])),
});

/** Names of the credential's cookies in a Cookie header, in order. */
export const namesIn = (header: string | undefined): string[] =>
  (header ?? '')
    .split('; ')
    .filter((pair) => pair.endsWith(`=${COOKIE_VALUE}`))
    .map((pair) => pair.split('=')[0]!);
