import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer as createHttpsServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { HttpFetcher } from '../../src/fetching/http-fetch.js';
import type { Credential } from '../../src/ports/credentials.js';
import { openHttpFetcher } from '../support/http-fetcher.js';
import { type PageServer, redirect, startPageServer } from '../support/page-server.js';
import { TLS_CERT, TLS_KEY } from '../support/tls.js';
import { IDENTITY, request } from './browser-kit.js';
import {
  allow,
  COOKIE_VALUE,
  cookie,
  credentialOf,
  HEADER_VALUE,
  lookup,
  namesIn,
  OTHER,
  PLAIN,
  SIBLING,
  SITE,
} from './credential-kit.js';

let pages: PageServer;
let secure: Server;
let fetcher: HttpFetcher;

beforeAll(async () => {
  pages = await startPageServer({
    '/': 'home',
    '/go': redirect(302),
    '/in/me': 'a profile',
    '/input': 'not a profile',
    '/broken': (_, response) => {
      response.writeHead(500).end();
      return undefined;
    },
    '/logout': (_, response) => {
      response.writeHead(302, { location: '/', 'set-cookie': 'session=; Max-Age=0' }).end();
      return undefined;
    },
    '/renew': (_, response) => {
      response.writeHead(302, { location: '/', 'set-cookie': 'session=renewed' }).end();
      return undefined;
    },
  });
  secure = createHttpsServer({ cert: TLS_CERT, key: TLS_KEY }, ({ headers }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(headers));
  });
  secure.listen(0, '127.0.0.1');
  await once(secure, 'listening');
  fetcher = openHttpFetcher({ allow, lookup, maxRedirects: 5, ca: TLS_CERT });
});

afterEach(() => {
  pages.seen.length = 0;
});

afterAll(async () => {
  await fetcher.close();
  await pages.close();
  secure.close();
});

/** The headers of each request of a visit, in order. */
async function sent(url: string, credential: Credential): Promise<IncomingHttpHeaders[]> {
  pages.seen.length = 0;
  await fetcher.fetch({ ...request(url), credential }, AbortSignal.timeout(5000));
  return pages.seen.map(({ headers }) => headers);
}

const to = (host: string, path = '/'): string => `/go?to=${encodeURIComponent(pages.url(path, host))}`;

it('cookies and headers go along with a visit, and with no other', async () => {
  const [headers] = await sent(pages.url('/', SITE), credentialOf([cookie('session')], ['authorization', 'x-csrf']));
  expect(headers).toMatchObject({
    cookie: `session=${COOKIE_VALUE}`,
    authorization: HEADER_VALUE,
    'x-csrf': HEADER_VALUE,
  });
  pages.seen.length = 0;
  await fetcher.fetch(request(pages.url('/', SITE)), AbortSignal.timeout(5000));
  expect(pages.seen[0]!.headers).not.toHaveProperty('cookie');
  expect(pages.seen[0]!.headers).not.toHaveProperty('authorization');
});

it('a cookie goes where it belongs: its host, or its domain and what is below it', async () => {
  const cookies = [
    cookie('bare'),
    cookie('site', { domain: 'shop.localhost' }),
    cookie('dotted', { domain: '.Shop.localhost' }),
    cookie('own', { domain: SITE }),
    cookie('sibling', { domain: SIBLING }),
    cookie('__Host-bound', { domain: 'shop.localhost' }),
  ];
  const [first, second] = await sent(pages.url(to(SIBLING), SITE), credentialOf(cookies));
  expect(namesIn(first?.cookie)).toEqual(['bare', 'site', 'dotted', 'own', '__Host-bound']);
  expect(namesIn(second?.cookie)).toEqual(['site', 'dotted', 'sibling']);
});

it('a cookie of another site, or of all sites, is never sent', async () => {
  const cookies = [OTHER, 'localhost', 'hop.localhost', `x.${OTHER}`, ''].map((domain, n) =>
    cookie(`c${n}`, { domain }),
  );
  const requests = await sent(pages.url(to(OTHER), SITE), credentialOf(cookies));
  expect(requests).toHaveLength(2);
  for (const { cookie: header } of requests) expect(header).toBe(undefined);
});

it('a cookie goes to its path and what is below it, the most specific first', async () => {
  const credential = credentialOf([cookie('all'), cookie('deep', { path: '/in' }), cookie('me', { path: '/in/me' })]);
  expect(namesIn((await sent(pages.url('/in/me', SITE), credential))[0]?.cookie)).toEqual(['me', 'deep', 'all']);
  expect(namesIn((await sent(pages.url('/input', SITE), credential))[0]?.cookie)).toEqual(['all']);
});

it('nothing travels to another site by a redirect, and all is back when one leads home', async () => {
  const credential = credentialOf([cookie('site', { domain: 'shop.localhost' })], ['authorization']);
  const back = `/go?to=${encodeURIComponent(pages.url(to(SIBLING), OTHER))}`;
  const [first, second, third] = await sent(pages.url(back, SITE), credential);
  expect(first).toMatchObject({ cookie: `site=${COOKIE_VALUE}`, authorization: HEADER_VALUE });
  expect(JSON.stringify(second)).not.toContain('canary');
  expect(third).toMatchObject({ cookie: `site=${COOKIE_VALUE}`, authorization: HEADER_VALUE });
});

it('plain HTTP carries nothing, except to this very machine', async () => {
  const credential = credentialOf([cookie('session')], ['authorization']);
  expect(JSON.stringify(await sent(pages.url('/', PLAIN), credential))).not.toContain('canary');
  expect((await sent(pages.url('/', '127.0.0.1'), credential))[0]).toMatchObject({ authorization: HEADER_VALUE });
});

it('TLS carries all of it', async () => {
  const { port } = secure.address() as AddressInfo;
  const credential = credentialOf([cookie('session')], ['authorization']);
  const page = await fetcher.fetch(
    { ...request(`https://tls.example:${port}/`), credential },
    AbortSignal.timeout(5000),
  );
  expect(JSON.parse((page as { html: string }).html)).toMatchObject({
    cookie: `session=${COOKIE_VALUE}`,
    authorization: HEADER_VALUE,
  });
});

it('the site has the last word about a cookie', async () => {
  const credential = credentialOf([cookie('session'), cookie('other')]);
  const afterLogout = (await sent(pages.url('/logout', SITE), credential))[1];
  expect(afterLogout?.cookie).toBe(`other=${COOKIE_VALUE}`);
  const afterRenewal = (await sent(pages.url('/renew', SITE), credential))[1];
  expect(afterRenewal?.cookie).toBe(`other=${COOKIE_VALUE}; session=renewed`);
});

it('a header never changes who we are', async () => {
  const [headers] = await sent(pages.url('/', SITE), credentialOf([], ['user-agent', 'accept-language', 'x-key']));
  expect(headers).toMatchObject({ 'user-agent': IDENTITY.userAgent, 'x-key': HEADER_VALUE });
  expect(headers?.['accept-language']).toBe(IDENTITY.headers['accept-language']);
});

it('no error names a secret', async () => {
  const credential = credentialOf([cookie('session')], ['authorization']);
  for (const url of [pages.url('/broken', SITE), `http://${SITE}:1/`, pages.url('/go?to=file:///', SITE)]) {
    const error: unknown = await fetcher
      .fetch({ ...request(url), credential }, AbortSignal.timeout(5000))
      .catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(Error);
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('canary');
  }
});
