import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import type { HttpFetcher } from '../../src/fetching/http-fetch.js';
import { createRobots } from '../../src/fetching/robots.js';
import type { Clock } from '../../src/ports/clock.js';
import { openHttpFetcher } from '../support/http-fetcher.js';
import { verdictOf } from '../support/robots.js';
import { type Site, startSite } from '../support/site.js';
import { VirtualClock } from '../support/virtual-clock.js';

interface Row {
  id: string;
  name: string;
  server: { status?: number; body?: string; redirects?: number | 'loop'; then?: number };
  expect: { decision?: string };
}

const rows = JSON.parse(readFileSync(new URL('../vectors/robots_fetch.json', import.meta.url), 'utf8')) as Row[];

let site: Site;
let fetcher: HttpFetcher;
const closing: (() => Promise<unknown>)[] = [];

/** Real waiting, but a hundred times as fast: pauses and time limits shrink, everything else is as it is. */
const hurried: Clock = {
  ...systemClock,
  mono: () => performance.now() * 100,
  wait: (ms, signal) => systemClock.wait(ms / 100, signal),
  after: (ms, callback) => systemClock.after(ms / 100, callback),
};

const robotsBy = (clock: Clock) => createRobots({ fetchText: fetcher.fetchText, clock, agent: 'gleaner' });

const ask = (url: string, clock: Clock = systemClock) => verdictOf(robotsBy(clock), url, clock);

const robotsRequests = (): number => site.requests.filter(({ path }) => path === '/robots.txt').length;

async function serve(listener: RequestListener): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer(listener);
  server.on('connection', (socket) => {
    sockets.add(socket.on('error', () => {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  site = await startSite();
  fetcher = openHttpFetcher({ headersTimeoutMs: 30_000, bodyTimeoutMs: 30_000 });
});

afterEach(() => {
  site.requests.length = 0;
});

afterAll(async () => {
  await fetcher.close();
  for (const close of closing) await close();
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

  it.each(rows.slice(0, 17))('answers as the vector says: $id $name', async (row) => {
    site.robots = { status: row.server.status!, text: row.server.body ?? '' };
    const evidence = await ask(site.url('/x'), hurried);
    // Where RFC 9309 leaves 401 and 403 to us, they are a refusal.
    const denied = row.expect.decision === 'disallow_all' || [401, 403].includes(row.server.status!);
    const isRule = row.server.body?.includes('Disallow: /x') ?? false;
    expect(evidence.allowed).toBe(!denied && !isRule);
    expect(evidence.basis).toBe(denied ? 'unreachable' : row.server.status! < 300 ? 'rules' : 'absent');
    expect(evidence.httpStatus).toBe(row.server.status);
    expect(robotsRequests()).toBe(row.server.status! >= 500 ? 3 : 1);
  });

  it('is tried three times before the origin counts as unreachable', async () => {
    let asked = 0;
    const origin = await serve((_, response) => {
      asked += 1;
      response.writeHead(asked < 3 ? 503 : 200, { 'content-type': 'text/plain' }).end('User-agent: *\nDisallow: /x');
    });
    expect(await ask(`${origin}/y`, hurried)).toMatchObject({ allowed: true, basis: 'rules' });
    expect(asked).toBe(3);
  });

  it.each([1, 2, 5])('follows %i redirects, and the rules hold for the first origin', async (count) => {
    const origin = await serve((request, response) => {
      const hop = request.url === '/robots.txt' ? 0 : Number(request.url?.slice(1));
      if (hop < count) response.writeHead(302, { location: `/${hop + 1}` }).end();
      else response.writeHead(200, { 'content-type': 'text/plain' }).end('User-agent: *\nDisallow: /x');
    });
    expect(await ask(`${origin}/x`)).toMatchObject({
      allowed: false,
      basis: 'rules',
      robotsUrl: `${origin}/robots.txt`,
    });
  });

  it('fails closed on a redirect loop, after few requests', async () => {
    let asked = 0;
    const origin = await serve((_, response) => {
      asked += 1;
      response.writeHead(302, { location: '/robots.txt' }).end();
    });
    expect(await ask(`${origin}/x`, hurried)).toMatchObject({ allowed: false, basis: 'unreachable' });
    expect(asked).toBeLessThanOrEqual(10);
  });

  it.each(['http://10.0.0.1/robots.txt', 'http://[::1]/robots.txt', 'file:///etc/hosts'])(
    'fails closed on a redirect to %s',
    async (location) => {
      const origin = await serve((_, response) => void response.writeHead(302, { location }).end());
      expect(await ask(`${origin}/x`, hurried)).toMatchObject({
        allowed: false,
        basis: 'unreachable',
        httpStatus: null,
      });
    },
  );

  it('fails closed on a refused, reset or missing connection', async () => {
    const resetting = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 1000 }).write('User-agent');
      setTimeout(() => response.socket?.resetAndDestroy(), 10);
    });
    for (const url of [`${resetting}/x`, 'http://127.0.0.1:1/x', 'https://127.0.0.1:1/x']) {
      expect(await ask(url, hurried)).toMatchObject({ allowed: false, basis: 'unreachable' });
    }
  });

  it('fails closed on a server that hangs or drips, within ten seconds', async () => {
    const hanging = await serve(() => {});
    const dripping = await serve((_, response) => {
      const timer = setInterval(() => response.write('#'), 10);
      response.on('close', () => clearInterval(timer));
    });
    for (const url of [`${hanging}/x`, `${dripping}/x`]) {
      const began = hurried.mono();
      expect(await ask(url, hurried)).toMatchObject({ allowed: false, basis: 'unreachable' });
      // Hurried time; the margin is for the machine.
      expect(hurried.mono() - began).toBeLessThan(10_000 + 20_000);
    }
  });

  it('reads 500 KiB and stops there, packed or not', async () => {
    const rule = 'User-agent: *\nDisallow: /x\n';
    const padded = `${'#'.repeat(511_000 - 1)}\n${rule}`;
    const bodies = new Map([
      ['/late', Buffer.from(padded)],
      ['/packed', gzipSync(padded)],
      ['/bomb', gzipSync(Buffer.alloc(64 * 1024 * 1024, '#'))],
    ]);
    let body = bodies.get('/late')!;
    let encoding = 'identity';
    const origins: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      origins.push(
        await serve((_, response) => void response.writeHead(200, { 'content-encoding': encoding }).end(body)),
      );
    }
    expect((await ask(`${origins[0]}/x`)).allowed).toBe(false);
    [body, encoding] = [bodies.get('/packed')!, 'gzip'];
    expect((await ask(`${origins[1]}/x`)).allowed).toBe(false);
    body = bodies.get('/bomb')!;
    expect((await ask(`${origins[2]}/x`)).basis).toBe('rules');
    const endless = await serve((_, response) => {
      response.writeHead(200);
      const more = (): void => void (response.destroyed || response.write(Buffer.alloc(65536, '#'), more));
      more();
    });
    expect((await ask(`${endless}/x`)).basis).toBe('rules');
  });

  it('does not choke on other charsets', async () => {
    for (const bytes of [
      Buffer.from('User-agent: *\nDisallow: /é', 'latin1'),
      Buffer.from('User-agent: *', 'utf16le'),
      Buffer.alloc(50),
    ]) {
      const origin = await serve((_, response) => void response.writeHead(200).end(bytes));
      expect(await ask(`${origin}/x`)).toMatchObject({ allowed: true, basis: 'rules' });
    }
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
    const verdict = async () => {
      const answer = verdictOf(robots, site.url('/x'), clock);
      // The pauses between tries are virtual.
      for (let n = 0; n < 20; n += 1) {
        await systemClock.wait(10);
        await clock.advance(100);
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
  });

  it('lays a fault of the proxy at the door of whoever takes it, not of the site', async () => {
    const robots = robotsBy(systemClock);
    const url = new URL(site.url('/x'));
    const dead = { id: '1:dead', url: 'http://127.0.0.1:1', region: null };
    expect((await robots.attempt(url, dead)).fault?.code).toBe('proxy_failed');
    expect(robots.known(url)).toBeNull();
    expect(robots.reading(url)).toEqual({ kind: 'idle', notBefore: 0 });
    expect(robots.takeProxyFault(url)?.code).toBe('proxy_failed');
    expect(robots.takeProxyFault(url)).toBeNull();
    expect(robotsRequests()).toBe(0);
  });
});
