import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import type { RobotsEvidence } from '../../src/domain/robots.js';
import type { HttpFetcher } from '../../src/fetching/http-fetch.js';
import { createRobots } from '../../src/fetching/robots.js';
import type { Clock } from '../../src/ports/clock.js';
import { openHttpFetcher } from '../support/http-fetcher.js';
import { verdictOf } from '../support/robots.js';
import { type Site, startSite } from '../support/site.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { leaping, serve } from './robots-kit.js';

let site: Site;
let fetcher: HttpFetcher;

const robotsBy = (clock: Clock) => createRobots({ fetchText: fetcher.fetchText, clock, agent: 'gleaner' });

const ask = (url: string, clock: Clock = systemClock) => verdictOf(robotsBy(clock), url, clock);

const robotsRequests = (): number => site.requests.filter(({ path }) => path === '/robots.txt').length;

beforeAll(async () => {
  site = await startSite();
  fetcher = openHttpFetcher({ headersTimeoutMs: 30_000, bodyTimeoutMs: 30_000 });
});

afterEach(() => {
  site.requests.length = 0;
});

afterAll(async () => {
  await fetcher.close();
  await site.close();
});

describe('robots.txt', () => {
  it('Property 25: a URL may be visited if and only if the rules of its origin permit it', async () => {
    const segment = fc.constantFrom('a', 'b', 'ab', 'c');
    const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => `/${parts.join('/')}`);
    const rule = fc.record({ allow: fc.boolean(), path });
    await fc.assert(
      fc.asyncProperty(fc.array(rule, { maxLength: 5 }), path, async (rules, visited) => {
        const lines = rules.map(({ allow, path: prefix }) => `${allow ? 'Allow' : 'Disallow'}: ${prefix}`);
        site.robots = `User-agent: other\nDisallow: /\n\nUser-agent: gleaner\n${lines.join('\n')}\n`;
        const matching = rules.filter(({ path: prefix }) => visited.startsWith(prefix));
        const longest = Math.max(0, ...matching.map(({ path: prefix }) => prefix.length));
        const decisive = matching.filter(({ path: prefix }) => prefix.length === longest);
        const permitted = decisive.length === 0 || decisive.some(({ allow }) => allow);
        expect((await ask(site.url(visited))).allowed).toBe(permitted);
      }),
    );
  });

  it('is asked for under our name, and its verdict carries the evidence', async () => {
    site.robots = 'User-agent: *\nDisallow: /private\nCrawl-delay: 4\n';
    const before = Date.now();
    const evidence = await ask(site.url('/private/x'));
    expect(evidence).toMatchObject({
      allowed: false,
      basis: 'rules',
      robotsUrl: `${site.origin}/robots.txt`,
      httpStatus: 200,
      rule: 'Disallow: /private',
      crawlDelaySeconds: 4,
    });
    expect(evidence.fetchedAt).toBeGreaterThanOrEqual(before);
    expect(site.requests[0]!.headers['user-agent']).toBe('gleaner');
  });

  it('is tried three times before the origin counts as unreachable', async () => {
    const { origin, asked } = await serve((_, response) => {
      response.writeHead(asked() < 3 ? 503 : 200, { 'content-type': 'text/plain' }).end('User-agent: *\nDisallow: /x');
    });
    expect(await ask(`${origin}/y`, leaping)).toMatchObject({ allowed: true, basis: 'rules' });
    expect(asked()).toBe(3);
  });

  it.each(['http://10.0.0.1/robots.txt', 'http://[::1]/robots.txt', 'file:///etc/hosts'])(
    'fails closed on a redirect to %s',
    async (location) => {
      const { origin } = await serve((_, response) => void response.writeHead(302, { location }).end());
      expect(await ask(`${origin}/x`, leaping)).toMatchObject({
        allowed: false,
        basis: 'unreachable',
        httpStatus: null,
      });
    },
  );

  it('takes no permission from half a line', async () => {
    const head = 'User-agent: *\nDisallow: /\n#';
    const tail = '\nAllow: /public/and/more';
    const padding = '#'.repeat(500 * 1024 - head.length - '\nAllow: /pub'.length);
    const { origin } = await serve((_, response) => void response.writeHead(200).end(head + padding + tail));
    expect(await ask(`${origin}/publisher`)).toMatchObject({ allowed: false, basis: 'rules' });
  });

  it('fails closed on a body that goes on for ever and unpacks to nothing', async () => {
    const nothing = Buffer.concat(Array.from({ length: 1000 }, () => gzipSync('')));
    let sent = 0;
    const { origin } = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      const more = (): void => {
        if (response.destroyed) return;
        sent += nothing.length;
        response.write(nothing, more);
      };
      more();
    });
    expect(await ask(`${origin}/x`)).toMatchObject({ allowed: false, basis: 'unreachable' });
    expect(sent).toBeLessThan(32 * 1024 * 1024);
  });
});

describe('the memory of robots.txt', () => {
  it('lasts a day, per origin', async () => {
    const clock = new VirtualClock();
    const robots = robotsBy(clock);
    site.robots = 'User-agent: *\nDisallow: /x\n';
    await verdictOf(robots, site.url('/1'), clock);
    await clock.advance(24 * 3_600_000 - 1);
    await verdictOf(robots, site.url('/2'), clock);
    expect(robotsRequests()).toBe(1);
    await verdictOf(robots, site.url('/2', '127.0.0.2'), clock);
    expect(robotsRequests()).toBe(2);
    await clock.advance(1);
    await verdictOf(robots, site.url('/3'), clock);
    expect(robotsRequests()).toBe(3);
  });

  it('asks once for a hundred at the same time', async () => {
    const robots = robotsBy(systemClock);
    const verdicts = await Promise.all(Array.from({ length: 100 }, (_, n) => verdictOf(robots, site.url(`/${n}`))));
    expect(verdicts.every(({ allowed }) => allowed)).toBe(true);
    expect(robotsRequests()).toBe(1);
  });

  it('keeps the old copy while the file cannot be reached, and asks again before long', async () => {
    const clock = new VirtualClock();
    const robots = robotsBy(clock);
    const url = site.url('/x');
    const verdict = async () => {
      let told: RobotsEvidence | null = null;
      const answer = verdictOf(robots, url, clock).then((one) => {
        told = one;
        return one;
      });
      // The pauses between tries are virtual, the tries are not.
      while (!told) {
        await systemClock.wait(1);
        if (robots.reading(new URL(url)).kind === 'idle') await clock.advance(25);
      }
      return answer;
    };
    site.robots = 'User-agent: *\nDisallow: /x\n';
    expect(await verdict()).toMatchObject({ allowed: false, basis: 'rules' });
    await clock.advance(24 * 3_600_000);
    site.robots = { status: 500 };
    expect(await verdict()).toMatchObject({ allowed: false, basis: 'rules', rule: 'Disallow: /x' });
    site.robots = 'User-agent: *\nAllow: /\n';
    await clock.advance(300_000);
    expect(await verdict()).toMatchObject({ allowed: true, basis: 'rules' });
  });

  it('says what it knows about the origins of a domain', async () => {
    const clock = new VirtualClock();
    const robots = robotsBy(clock);
    site.robots = 'User-agent: *\nDisallow: /\nCrawl-delay: 7\n';
    expect(robots.origins('127.0.0.1')).toEqual([]);
    await verdictOf(robots, site.url('/x'), clock);
    await verdictOf(robots, site.url('/x', '127.0.0.2'), clock);
    await clock.advance(1000);
    expect(robots.origins('127.0.0.1')).toEqual([
      {
        origin: site.origin,
        basis: 'rules',
        httpStatus: 200,
        fetchedAt: clock.now() - 1000,
        freshUntil: clock.now() - 1000 + 24 * 3_600_000,
        crawlDelaySeconds: 7,
        rootAllowed: false,
        rule: 'Disallow: /',
      },
    ]);
    await verdictOf(robots, site.url('/x', '[::ffff:127.0.0.2]'), clock);
    const origins = robots.origins('127.0.0.2').map(({ origin }) => origin);
    expect(origins).toEqual([site.url('', '[::ffff:7f00:2]'), site.url('', '127.0.0.2')]);
  });

  it('lays a fault of the proxy at the door of whoever takes it, not of the site', async () => {
    const robots = robotsBy(systemClock);
    const url = new URL(site.url('/x'));
    const dead = { id: '1:dead', url: 'http://127.0.0.1:1', region: null };
    expect((await robots.attempt(url, { proxy: dead })).fault?.code).toBe('proxy_failed');
    expect(robots.known(url)).toBeNull();
    expect(robots.reading(url)).toEqual({ kind: 'idle', notBefore: 0 });
    expect(robots.takeProxyFault(url)?.code).toBe('proxy_failed');
    expect(robots.takeProxyFault(url)).toBeNull();
    expect(robotsRequests()).toBe(0);
  });
});
