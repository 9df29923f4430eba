import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Credential } from '../../src/ports/credentials.js';
import { type PageServer, redirect, startPageServer, target } from '../support/page-server.js';
import { type Browsers, IDENTITY, startBrowsers, until } from './browser-kit.js';
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
let browsers: Browsers;
const done = { waitFor: { selectors: ['#done'], timeoutMs: 5000 } };
const both = credentialOf([cookie('session', { domain: 'shop.localhost' })], ['authorization', 'x-key']);

/** Asks for `/data` at each of the hosts, directly and by way of a redirect of the page's own host. */
const asking = (hosts: string[]): string => `<script type=module>
  const go = (to) => '/go?to=' + encodeURIComponent(to);
  await Promise.all(${JSON.stringify(hosts)}.map((host) => 'http://' + host + ':' + location.port + '/data').flatMap((url) => [
    fetch(url, { credentials: 'include' }), fetch(go(url + '/fetched')), fetch(go(url + '/nocors'), { mode: 'no-cors' }),
    import(go(url + '/module')), new Promise((end) => document.head.append(Object.assign(
      document.createElement('script'), { src: go(url + '/script'), onload: end, onerror: end }))),
  ].map((one) => one.catch(() => {}))));
  document.body.innerHTML = '<p id=done>' + document.cookie;
</script>`;

beforeAll(async () => {
  pages = await startPageServer({
    '/': '<p id=done>home',
    '/in/me': '<p id=done>a profile',
    '/go': redirect(302),
    '/asks': asking([SITE, SIBLING, OTHER]),
    '/frames': (url) => `<iframe src="${target(url)}" onload="document.body.id = 'done'"></iframe>`,
    '/script': (url) => `<script>location.href = ${JSON.stringify(target(url))}</script>`,
    '/broken': (_, response) => {
      response.writeHead(500).end();
      return undefined;
    },
    ...Object.fromEntries(
      ['', '/fetched', '/nocors', '/module', '/script'].map((path) => [
        `/data${path}`,
        (_: URL, response: { setHeader(name: string, value: string): unknown }) => {
          response.setHeader('access-control-allow-origin', `http://${SITE}:${pages.port}`);
          response.setHeader('access-control-allow-credentials', 'true');
          response.setHeader('content-type', 'text/javascript');
          return '1';
        },
      ]),
    ),
  });
  browsers = await startBrowsers({ allow, lookup, size: 1, contextsPerBrowser: 3, navigationTimeoutMs: 5000 });
});

afterEach(async () => {
  await until(() => browsers.pool.stats().contexts_open === 0);
  pages.seen.length = 0;
});

afterAll(async () => {
  await browsers.close();
  await pages.close();
});

const visit = (path: string, credential: Credential | null, host = SITE) =>
  browsers.get(pages.url(path, host), { ...done, credential });
const sentTo = (host: string) => pages.seen.filter((one) => one.host === host);
const to = (host: string, path = '/'): string => `?to=${encodeURIComponent(pages.url(path, host))}`;
const canaries = (host: string): string[] =>
  sentTo(host)
    .filter(({ headers }) => JSON.stringify(headers).includes('canary'))
    .map(({ path }) => path);

it('cookies and headers go along with a visit, and with none after it', async () => {
  await visit('/', both);
  expect(pages.seen[0]!.headers).toMatchObject({
    cookie: `session=${COOKIE_VALUE}`,
    authorization: HEADER_VALUE,
    'x-key': HEADER_VALUE,
    'user-agent': IDENTITY.userAgent,
    'accept-language': IDENTITY.headers['accept-language'],
  });
  pages.seen.length = 0;
  await visit('/', null);
  expect(pages.seen).toHaveLength(1);
  expect(JSON.stringify(pages.seen)).not.toContain('canary');
});

it('visits at the same time know nothing of each other', async () => {
  const [mine, nobodys] = [both, credentialOf([], [])];
  await Promise.all([visit('/', mine), visit('/in/me', nobodys), visit('/', null, SIBLING)]);
  expect(canaries(SITE)).toEqual(['/']);
  expect(canaries(SIBLING)).toEqual([]);
});

it('a page asks its own site with them, and no other site ever sees them', async () => {
  await visit('/asks', both);
  const own = sentTo(SITE).filter(({ path }) => path !== '/favicon.ico');
  expect(own.length).toBeGreaterThan(10);
  for (const { headers } of own) expect(headers).toMatchObject({ authorization: HEADER_VALUE });
  expect(sentTo(SIBLING).find(({ path }) => path === '/data')!.headers).toMatchObject({
    cookie: `session=${COOKIE_VALUE}`,
    authorization: HEADER_VALUE,
    'x-key': HEADER_VALUE,
  });
  // Every kind of request has reached the other site, so that its silence means something.
  expect(new Set(sentTo(OTHER).map(({ path }) => path))).toEqual(
    new Set(['/data', '/data/fetched', '/data/nocors', '/data/module', '/data/script']),
  );
  expect(canaries(OTHER)).toEqual([]);
});

it('scripts of the page cannot read the cookies', async () => {
  const page = await visit('/asks', credentialOf([cookie('session')]));
  expect(namesIn(sentTo(SITE)[0]!.headers.cookie)).toEqual(['session']);
  expect(page.html).not.toContain(COOKIE_VALUE);
});

it.each(['/go', '/script'])('nothing travels to another site by %s', async (way) => {
  await visit(`${way}${to(OTHER)}`, both);
  expect(canaries(SITE)).toEqual([way]);
  expect(sentTo(OTHER).map(({ path }) => path)).toContain('/');
  expect(canaries(OTHER)).toEqual([]);
});

it('a page of another site that was led to cannot ask in their name, nor can a foreign frame', async () => {
  await visit(`/go${to(OTHER, '/asks')}`, both);
  expect(sentTo(SITE).length).toBeGreaterThan(1);
  expect(canaries(SITE)).toEqual(['/go']);
  pages.seen.length = 0;
  await visit(`/frames${to(OTHER, `/frames${to(SITE)}`)}`, both);
  expect(sentTo(SITE).map(({ path }) => path)).toContain('/');
  expect(canaries(SITE)).toEqual(['/frames']);
  expect(canaries(OTHER)).toEqual([]);
});

it('a cookie goes where it belongs', async () => {
  const credential = credentialOf([
    cookie('bare'),
    cookie('site', { domain: 'shop.localhost' }),
    cookie('sibling', { domain: SIBLING }),
    cookie('deep', { domain: 'shop.localhost', path: '/in' }),
    cookie('__Host-bound', { domain: 'shop.localhost' }),
    cookie('other', { domain: OTHER }),
    cookie('all', { domain: 'localhost' }),
  ]);
  await visit(`/go${to(SIBLING, '/in/me')}`, credential);
  expect(namesIn(sentTo(SITE)[0]!.headers.cookie).sort()).toEqual(['__Host-bound', 'bare', 'site']);
  expect(namesIn(sentTo(SIBLING)[0]!.headers.cookie).sort()).toEqual(['deep', 'sibling', 'site']);
});

it('an address is a site of its own', async () => {
  await visit('/', credentialOf([cookie('bare'), cookie('named', { domain: '127.0.0.1' })], ['x-key']), '127.0.0.1');
  expect(namesIn(pages.seen[0]!.headers.cookie).sort()).toEqual(['bare', 'named']);
  expect(pages.seen[0]!.headers['x-key']).toBe(HEADER_VALUE);
});

it('plain HTTP carries nothing to another machine', async () => {
  await visit('/', credentialOf([cookie('bare'), cookie('site', { domain: 'plain.example' })], ['x-key']), PLAIN);
  expect(sentTo(PLAIN)).not.toEqual([]);
  expect(canaries(PLAIN)).toEqual([]);
});

it('a header never changes who we are', async () => {
  await visit('/', credentialOf([], ['user-agent', 'accept', 'x-key']));
  expect(pages.seen[0]!.headers).toMatchObject({ 'user-agent': IDENTITY.userAgent, 'x-key': HEADER_VALUE });
  expect(pages.seen[0]!.headers.accept).toContain('text/html');
});

it('no error names a secret', async () => {
  for (const url of [pages.url('/broken', SITE), `http://${SITE}:1/`, pages.url('/go?to=file:///', SITE)]) {
    const error = await browsers.fault(url, { ...done, credential: both });
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('canary');
  }
});
