import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { GleanerError } from '../../src/domain/errors.js';
import { type PausedRequest, watchHops } from '../../src/fetching/browser-hops.js';
import type { HopVerdict } from '../../src/ports/fetcher.js';
import { pageOf } from '../support/page-of.js';
import { type PageServer, redirect, startPageServer, target } from '../support/page-server.js';
import { type Site, startSite } from '../support/site.js';
import { jobFacts } from '../support/site-pages.js';
import { type Browsers, request, startBrowsers, until } from './browser-kit.js';

/** `leads` is where every visit begins; `site` is where it may be led. */
let leads: PageServer;
let site: Site;
let browsers: Browsers;
const elsewhere = (path = '/job/4'): string => site.url(path, '127.0.0.2');
const wait = { waitFor: { selectors: ['h1.job-title'], timeoutMs: 5000 } };

const form = (method: string) => (url: URL) =>
  `<p>a form</p><form method=${method} action="${target(url)}"></form><script>document.forms[0].submit()</script>`;

beforeAll(async () => {
  [leads, site, browsers] = await Promise.all([
    startPageServer({
      '/302': redirect(302),
      '/303': redirect(303),
      '/307': redirect(307),
      '/meta': (url) => `<meta http-equiv=refresh content="0; url=${target(url)}"><p>on and on`,
      '/script': (url) => `<p>on and on<script>location.href = ${JSON.stringify(target(url))}</script>`,
      '/late': (url) =>
        `<p>on and on<script>setTimeout(() => location.assign(${JSON.stringify(target(url))}), 200)</script>`,
      '/link': (url) => `<a href="${target(url)}">on</a><script>document.links[0].click()</script>`,
      '/get': form('get'),
      '/ahead': (url, response) => {
        response.setHeader('cache-control', 'max-age=600');
        const rule = JSON.stringify({
          [url.searchParams.get('kind')!]: [{ source: 'list', urls: ['/hidden'], eagerness: 'immediate' }],
        });
        return `<script type=speculationrules>${rule}</script><p>on and on
          <script>setTimeout(() => { location.href = '/hidden' }, 1000)</script>`;
      },
      '/hidden': (_, response) => {
        response.setHeader('cache-control', 'max-age=600');
        return '<h1 class=job-title>hidden</h1>';
      },
      '/post': form('post'),
      '/frame': (url) => `<iframe src="${target(url)}" onload="document.body.id = 'framed'"></iframe>`,
      '/again': `<script>if (!location.search) location.search = 'once'; else if (!sessionStorage.again) {
        sessionStorage.again = 1; location.reload(); } else document.write('<h1 class=job-title>again')</script>`,
      '/still': `<script>location.hash = 'part'; history.pushState(null, '', '/elsewhere');</script><h1 class=job-title>still`,
      '/restless': (url) =>
        `<script>setInterval(() => { location.href = ${JSON.stringify(target(url))} }, 20)</script>`,
    }),
    startSite(),
    startBrowsers({ size: 1, contextsPerBrowser: 3, navigationTimeoutMs: 5000 }),
  ]);
});

/** A request that was let through would arrive before its context is closed. */
const over = (): Promise<void> => until(() => browsers.pool.stats().contexts_open === 0);

afterEach(async () => {
  await over();
  leads.seen.length = 0;
  site.requests.length = 0;
});

afterAll(async () => {
  await browsers.close();
  await Promise.all([leads.close(), site.close()]);
});

/** From a page that leads to `to` in its own way. */
function follow(way: string, to: string, verdict: HopVerdict | ((url: URL) => HopVerdict)) {
  const asked: string[] = [];
  const mayFollow = (url: URL): HopVerdict => {
    asked.push(url.href);
    return typeof verdict === 'function' ? verdict(url) : verdict;
  };
  const visit = browsers.visit(leads.url(`${way}?to=${encodeURIComponent(to)}`), { ...wait, mayFollow });
  return { visit, asked };
}

const WAYS = ['/302', '/303', '/307', '/meta', '/script', '/late', '/link', '/get'];
/** A form that is sent by GET replaces the query of its target. */
const reached = (way: string): string => (way === '/get' ? `${elsewhere()}?` : elsewhere());

describe.each(WAYS)('a page that leads on by %s', (way) => {
  it('is followed where that is right', async () => {
    const { visit, asked } = follow(way, elsewhere(), 'follow');
    const page = pageOf(await visit);
    expect(page.finalUrl).toBe(reached(way));
    expect(page.html).toContain(jobFacts(4).title);
    expect(asked).toEqual([reached(way)]);
  });

  it('is left where that is right, and nothing is asked of its target', async () => {
    const { visit } = follow(way, elsewhere(), 'leave');
    expect(await visit).toEqual({ kind: 'detour', to: reached(way), hops: 1 });
    await over();
    expect(site.requests).toEqual([]);
    expect(leads.seen).toHaveLength(1);
  });

  it('fails with the error that forbids it, and nothing is asked of its target', async () => {
    const error = new GleanerError('robots_denied', 'Not there.');
    await expect(follow(way, elsewhere(), error).visit).rejects.toBe(error);
    await over();
    expect(site.requests).toEqual([]);
  });
});

describe.each(['prefetch', 'prerender'])('a page that has the next one loaded ahead (%s)', (kind) => {
  it.each([
    ['leave', { kind: 'detour', hops: 1 }],
    ['follow', { html: expect.stringContaining('hidden') }],
  ] as const)('cannot pass by what is asked before a hop: %s', async (verdict, expected) => {
    const mayFollow = (): HopVerdict => verdict;
    expect(await browsers.visit(leads.url(`/ahead?kind=${kind}`), { ...wait, mayFollow })).toMatchObject(expected);
  });

  it('fails with the error that forbids the hop', async () => {
    const error = new GleanerError('robots_denied', 'Not there.');
    const mayFollow = (): HopVerdict => error;
    await expect(browsers.visit(leads.url(`/ahead?kind=${kind}`), { ...wait, mayFollow })).rejects.toBe(error);
  });
});

it('a page does not lead to a URL without end', async () => {
  const { visit, asked } = follow('/script', elsewhere(`/job/4?${'x'.repeat(3000)}`), 'follow');
  await expect(visit).rejects.toMatchObject({ code: 'egress_denied' });
  expect(asked).toEqual([]);
});

describe('a form that is posted', () => {
  it('may go to its target', async () => {
    const page = pageOf(await follow('/post', elsewhere(), 'follow').visit);
    expect(page.finalUrl).toBe(elsewhere());
    expect(site.requests.map(({ method }) => method)).toContain('POST');
  });

  it('is not sent elsewhere, and the page stays', async () => {
    const mayFollow = (): HopVerdict => 'leave';
    const url = leads.url(`/post?to=${encodeURIComponent(elsewhere())}`);
    const page = await browsers.get(url, { waitFor: { selectors: ['#never'], timeoutMs: 500 }, mayFollow });
    expect(page).toMatchObject({ finalUrl: url, httpStatus: 200 });
    expect(page.html).toContain('a form');
    await over();
    expect(site.requests).toEqual([]);
  });

  it('fails the visit where it is forbidden', async () => {
    const error = new GleanerError('robots_denied', 'Not there.');
    await expect(follow('/post', elsewhere(), error).visit).rejects.toBe(error);
    await over();
    expect(site.requests).toEqual([]);
  });

  it('may be answered with a place to go to, which is left', async () => {
    const between = site.url(`/redirect?code=303&to=${encodeURIComponent(elsewhere())}`);
    const { visit } = follow('/post', between, (url) => (url.hostname === '127.0.0.2' ? 'leave' : 'follow'));
    expect(await visit).toEqual({ kind: 'detour', to: elsewhere(), hops: 2 });
    await over();
    expect(site.requests.map(({ host }) => host)).toEqual([`127.0.0.1:${site.port}`]);
  });
});

describe('several hops', () => {
  it('are asked about one by one, and the first that is to be left ends the visit', async () => {
    const end = site.url('/job/4', '127.0.0.3');
    const middle = elsewhere(`/redirect?to=${encodeURIComponent(end)}`);
    for (const way of ['/302', '/script']) {
      const { visit, asked } = follow(way, middle, (url) => (url.hostname === '127.0.0.3' ? 'leave' : 'follow'));
      expect(await visit).toEqual({ kind: 'detour', to: end, hops: 2 });
      expect(asked).toEqual([middle, end]);
    }
    await over();
    expect(new Set(site.requests.map(({ host }) => host))).toEqual(new Set([`127.0.0.2:${site.port}`]));
  });

  it('are asked about no more once one of them was left, or the page is read', async () => {
    const asked: string[] = [];
    const mayFollow = (url: URL): HopVerdict => {
      asked.push(url.pathname);
      return 'leave';
    };
    const paused = (url: string): PausedRequest => ({
      requestId: '1',
      frameId: 'main',
      resourceType: 'Document',
      request: { url, method: 'GET', headers: {} },
    });
    const left = watchHops({ ...request('http://a.test/'), mayFollow }, { url: 'http://a.test/', frameId: 'main' });
    expect(['/', '/b', '/c'].map((path) => left.admit(paused(`http://a.test${path}`)))).toEqual([true, false, false]);
    expect(await left.end).toEqual({ kind: 'detour', to: 'http://a.test/b', hops: 1 });
    const read = watchHops({ ...request('http://a.test/'), mayFollow }, { url: 'http://a.test/', frameId: 'main' });
    expect(read.admit(paused('http://a.test/'))).toBe(true);
    read.stop();
    expect(read.admit(paused('http://a.test/d'))).toBe(false);
    expect(asked).toEqual(['/b']);
  });

  it('are none any more for a restless page that was left', async () => {
    const { visit } = follow('/restless', elsewhere(), 'leave');
    expect(await visit).toMatchObject({ kind: 'detour', hops: 1 });
    await over();
    expect(site.requests).toEqual([]);
  });

  it('name a user and password to nobody', async () => {
    const { visit, asked } = follow('/script', `http://user:hush@127.0.0.2:${site.port}/job/4`, 'leave');
    const error = await visit.then(String, (fault: GleanerError) => fault);
    expect(error).toMatchObject({ code: 'egress_denied' });
    expect((error as GleanerError).message).not.toContain('hush');
    expect(asked).toEqual([]);
  });
});

describe('no hop', () => {
  it('is the page that was asked for, nor a frame within it', async () => {
    const asked: string[] = [];
    const page = await browsers.get(leads.url(`/frame?to=${encodeURIComponent(elsewhere())}`), {
      waitFor: { selectors: ['#framed'], timeoutMs: 5000 },
      mayFollow: (url) => {
        asked.push(url.href);
        return 'leave';
      },
    });
    expect(page.html).toContain('id="framed"');
    expect(site.requests.map(({ host }) => host)).toEqual([`127.0.0.2:${site.port}`]);
    expect(asked).toEqual([]);
  });

  it('is a change of the address without a request', async () => {
    const { visit, asked } = follow('/still', '', 'leave');
    expect(pageOf(await visit).finalUrl).toBe(leads.url('/elsewhere'));
    expect(asked).toEqual([]);
  });
});

it('a page that loads itself again is asked about like any other', async () => {
  const asked: string[] = [];
  const page = await browsers.get(leads.url('/again'), {
    ...wait,
    mayFollow: (url) => {
      asked.push(url.href);
      return 'follow';
    },
  });
  expect(page.html).toContain('again');
  expect(asked).toEqual([leads.url('/again?once'), leads.url('/again?once')]);
});

it('a visit that was left gives everything back', async () => {
  await follow('/302', elsewhere('/hang'), 'leave').visit;
  await until(() => browsers.pool.stats().in_use === 0, 2000);
  await over();
  expect(browsers.telemetry.retired).toEqual([]);
});
