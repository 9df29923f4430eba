import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { GleanerError } from '../../src/domain/errors.js';
import type { HttpFetcher } from '../../src/fetching/http-fetch.js';
import type { HopVerdict } from '../../src/ports/fetcher.js';
import { openHttpFetcher } from '../support/http-fetcher.js';
import { pageOf } from '../support/page-of.js';
import { type Site, startSite } from '../support/site.js';
import { request } from './browser-kit.js';

let site: Site;
let fetcher: HttpFetcher;

beforeAll(async () => {
  site = await startSite();
  fetcher = openHttpFetcher({ maxRedirects: 5 });
});

afterEach(() => {
  site.requests.length = 0;
});

afterAll(async () => {
  await fetcher.close();
  await site.close();
});

const via = (host: string, to: string, code = 302): string =>
  site.url(`/redirect?code=${code}&to=${encodeURIComponent(to)}`, host);

const askedOf = (host: string): number => site.requests.filter((seen) => seen.host === `${host}:${site.port}`).length;

/** Goes from .1 over .2 to .3, and asks `verdict` each time. */
function journey(verdict: (url: URL) => HopVerdict) {
  const asked: string[] = [];
  const mayFollow = (url: URL): HopVerdict => {
    asked.push(url.href);
    return verdict(url);
  };
  const end = site.url('/job/7', '127.0.0.3');
  const middle = via('127.0.0.2', `${end}#part`);
  const visit = fetcher.fetch({ ...request(via('127.0.0.1', middle)), mayFollow }, AbortSignal.timeout(5000));
  return { visit, asked, middle, end };
}

it('every redirect is asked about before it is followed, and the URL of the visit is not', async () => {
  const { visit, asked, middle, end } = journey(() => 'follow');
  const page = pageOf(await visit);
  expect(page.html).toContain('Gardener Grade 7');
  expect(page.finalUrl).toBe(end);
  expect(asked).toEqual([middle, end]);
});

it('a redirect that is to be left ends the visit with where it leads, and is not requested', async () => {
  const first = journey(() => 'leave');
  expect(await first.visit).toEqual({ kind: 'detour', to: first.middle, hops: 1 });
  expect(site.requests).toHaveLength(1);

  const second = journey((url) => (url.hostname === '127.0.0.3' ? 'leave' : 'follow'));
  expect(await second.visit).toEqual({ kind: 'detour', to: second.end, hops: 2 });
  expect(askedOf('127.0.0.2')).toBe(1);
  expect(askedOf('127.0.0.3')).toBe(0);
});

it.each([301, 302, 303, 307, 308])('a %s is a hop like any other', async (code) => {
  const to = site.url('/job/1', '127.0.0.2');
  const visit = fetcher.fetch(
    { ...request(via('127.0.0.1', to, code)), mayFollow: () => 'leave' },
    AbortSignal.timeout(5000),
  );
  expect(await visit).toEqual({ kind: 'detour', to, hops: 1 });
});

it('a redirect that is forbidden fails the visit with that very error, and is not requested', async () => {
  const error = new GleanerError('robots_denied', 'Not there.');
  const { visit } = journey((url) => (url.hostname === '127.0.0.3' ? error : 'follow'));
  await expect(visit).rejects.toBe(error);
  expect(askedOf('127.0.0.3')).toBe(0);
});

it('nobody is asked about what is never followed anyway', async () => {
  const asked: string[] = [];
  const mayFollow = (url: URL): HopVerdict => {
    asked.push(url.href);
    return 'leave';
  };
  for (const to of ['file:///etc/passwd', 'http://user:hush@127.0.0.2/']) {
    const visit = fetcher.fetch({ ...request(via('127.0.0.1', to)), mayFollow }, AbortSignal.timeout(5000));
    await expect(visit).rejects.toMatchObject({ code: 'egress_denied' });
  }
  expect(asked).toEqual([]);
});

it('what is asked for without anybody to ask is followed', async () => {
  const url = via('127.0.0.1', site.url('/job/2', '127.0.0.2'));
  for (const changes of [{}, { mayFollow: null }]) {
    const page = pageOf(await fetcher.fetch({ ...request(url), ...changes }, AbortSignal.timeout(5000)));
    expect(page.redirects).toEqual([url]);
  }
});

it('a redirect to a URL without end is not followed, and nobody is asked about it', async () => {
  const asked: string[] = [];
  const mayFollow = (url: URL): HopVerdict => {
    asked.push(url.href);
    return 'follow';
  };
  const endless = site.url(`/job/1?${'x'.repeat(3000)}`, '127.0.0.2');
  const visit = fetcher.fetch({ ...request(via('127.0.0.1', endless)), mayFollow }, AbortSignal.timeout(5000));
  await expect(visit).rejects.toMatchObject({ code: 'egress_denied' });
  expect(asked).toEqual([]);
});
