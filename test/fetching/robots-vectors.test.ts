import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { promisify } from 'node:util';
import { constants, createGzip, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import type { RobotsEvidence } from '../../src/domain/robots.js';
import type { HttpFetcher } from '../../src/fetching/http-fetch.js';
import { createRobots } from '../../src/fetching/robots.js';
import type { Clock } from '../../src/ports/clock.js';
import { openHttpFetcher } from '../support/http-fetcher.js';
import { verdictOf } from '../support/robots.js';
import { TLS_CERT } from '../support/tls.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { bytesReadDuring, flood, leaping, serve } from './robots-kit.js';

interface Row {
  id: string;
  name: string;
  server: { status?: number; type?: string; body?: string; redirects?: number };
  expect: {
    decision?: string;
    within_ms?: number;
    requests_max?: number;
    robots_requests?: number;
    internal_connections?: number;
    bytes_read_max?: number;
    bytes_decoded_max?: number;
  };
}

/** A row whose test stands in another file, because it is about more than the reading: the titles of the tests. */
interface Elsewhere {
  file: string;
  titles: string[];
}

type Plan = ((row: Row) => Promise<void>) | Elsewhere;

const rows = JSON.parse(readFileSync(new URL('../vectors/robots_fetch.json', import.meta.url), 'utf8')) as Row[];

const RULES = 'User-agent: *\nDisallow: /x\n';
const MIB = 1024 * 1024;
/** What sender and receiver of one loopback connection may hold between them, at most, on a Linux as it comes. */
const SOCKET_BUFFERS = 12 * MIB;

let fetcher: HttpFetcher;
const opened: HttpFetcher[] = [];

function open(options: Parameters<typeof openHttpFetcher>[0]): HttpFetcher {
  const made = openHttpFetcher(options);
  opened.push(made);
  return made;
}

beforeAll(() => {
  fetcher = open({ headersTimeoutMs: 30_000, bodyTimeoutMs: 30_000 });
});

afterAll(async () => {
  await Promise.all(opened.map((one) => one.close()));
});

const robotsBy = (by = fetcher, clock: Clock = leaping) =>
  createRobots({ fetchText: by.fetchText, clock, agent: 'gleaner' });

const ask = (url: string, by = fetcher): Promise<RobotsEvidence> => verdictOf(robotsBy(by), url, leaping);

const DENIED = { allowed: false, basis: 'unreachable', httpStatus: null };

/** The rules that were read hold for the origin that was asked: /x is forbidden, /y is not. */
async function expectRules(origin: string, by = fetcher): Promise<void> {
  const robots = robotsBy(by);
  const robotsUrl = `${origin}/robots.txt`;
  const verdict = await verdictOf(robots, `${origin}/x`, leaping);
  expect(verdict).toMatchObject({ allowed: false, basis: 'rules', rule: 'Disallow: /x', robotsUrl });
  expect(await verdictOf(robots, `${origin}/y`, leaping)).toMatchObject({ allowed: true, basis: 'rules', robotsUrl });
}

/** Where RFC 9309 leaves 401 and 403 to us, they are a refusal. */
const REFUSALS = [401, 403];

async function status({ server, expect: { decision } }: Row): Promise<void> {
  const code = server.status!;
  const { origin, asked } = await serve((_, response) => {
    response.writeHead(code, { 'content-type': server.type ?? 'text/plain' }).end(server.body);
  });
  const denied = decision === 'disallow_all' || REFUSALS.includes(code);
  const basis = denied ? 'unreachable' : code < 300 ? 'rules' : 'absent';
  expect(await ask(`${origin}/x`)).toMatchObject({ allowed: !denied && decision !== 'rules', basis, httpStatus: code });
  expect(asked()).toBe(code >= 500 ? 3 : 1);
  if (decision === 'rules') await expectRules(origin);
}

/** No answer at all: the fault that is expected, and then a refusal. */
async function expectFault(url: string, code: string, by = fetcher): Promise<void> {
  expect((await robotsBy(by).attempt(new URL(url))).fault?.code).toBe(code);
  expect(await ask(url, by)).toMatchObject(DENIED);
}

const lookup = async () => [{ address: '127.0.0.1', family: 4 }];

async function noSuchName(): Promise<void> {
  let lookups = 0;
  const lost = open({
    lookup: async () => {
      lookups += 1;
      throw Object.assign(new Error('getaddrinfo ENOTFOUND no-such.example'), { code: 'ENOTFOUND' });
    },
  });
  await expectFault('http://no-such.example/x', 'dns_not_found', lost);
  expect(lookups).toBe(2);
}

async function untrusted(): Promise<void> {
  const { origin, asked } = await serve((_, response) => void response.end(RULES), { secure: true });
  await expectFault(`${origin}/x`, 'tls_failed', open({ allow: ['tls.example'], lookup }));
  expect(asked()).toBe(0);
  await expectRules(origin, open({ allow: ['tls.example'], lookup, ca: TLS_CERT }));
}

/** Time goes on only while something waits for it, so that a slow machine makes no verdict late. */
async function expectDeniedInTime(listener: RequestListener, withinMs: number): Promise<void> {
  const { origin, asked } = await serve(listener);
  const clock = new VirtualClock();
  let verdict: RobotsEvidence | undefined;
  void verdictOf(robotsBy(fetcher, clock), `${origin}/x`, clock).then((told) => {
    verdict = told;
  });
  while (!verdict) {
    await systemClock.wait(1);
    if (clock.pendingTimers > 0 && asked() > 0) await clock.advance(25);
  }
  expect(verdict).toMatchObject(DENIED);
  expect(clock.mono()).toBeLessThanOrEqual(withinMs);
}

const drip: RequestListener = (_, response) => {
  const timer = setInterval(() => response.write('#'), 10);
  response.on('close', () => clearInterval(timer));
};

const resetAfterTenBytes: RequestListener = (_, response) => {
  response.writeHead(200, { 'content-length': 1000 }).write('User-agent');
  setTimeout(() => response.socket?.resetAndDestroy(), 10);
};

/** `count` redirects, one after the other, and then the rules. */
const redirecting =
  (count: number): RequestListener =>
  (request, response) => {
    const hop = request.url === '/robots.txt' ? 0 : Number(request.url?.slice(1));
    if (hop < count) response.writeHead(302, { location: `/${hop + 1}` }).end();
    else response.writeHead(200, { 'content-type': 'text/plain' }).end(RULES);
  };

async function redirects({ server }: Row): Promise<void> {
  const { origin, asked } = await serve(redirecting(server.redirects!));
  await expectRules(origin);
  expect(asked()).toBe(server.redirects! + 1);
}

/** RFC 9309 lets us take more than five for "no file"; we take it for "nobody could say", and do not go on. */
async function tooManyRedirects({ server }: Row): Promise<void> {
  const { origin, asked } = await serve(redirecting(server.redirects!));
  expect(await ask(`${origin}/x`)).toMatchObject(DENIED);
  expect(await ask(`${origin}/y`)).toMatchObject(DENIED);
  expect(asked()).toBe(2 * 6);
}

async function redirectLoop(row: Row): Promise<void> {
  const { origin, asked } = await serve((_, response) => {
    response.writeHead(302, { location: '/robots.txt' }).end();
  });
  expect(await ask(`${origin}/x`)).toMatchObject(DENIED);
  expect(asked()).toBeLessThanOrEqual(row.expect.requests_max!);
}

async function otherHost(): Promise<void> {
  const target = await serve((_, response) => void response.end(RULES), { host: '127.0.0.2' });
  const location = `${target.origin}/robots.txt`;
  const { origin } = await serve((_, response) => void response.writeHead(301, { location }).end());
  await expectRules(origin);
  // What the other host says about itself was not asked.
  const robots = robotsBy();
  await verdictOf(robots, `${origin}/x`, leaping);
  expect(robots.known(new URL(`${target.origin}/x`))).toBeNull();
}

async function inwards(row: Row): Promise<void> {
  const inside = await serve((_, response) => void response.end('User-agent: *\nAllow: /'));
  const { origin } = await serve((_, response) => void response.writeHead(302, { location: inside.origin }).end(), {
    host: '127.0.0.2',
  });
  expect(await ask(`${origin}/x`, open({ allow: ['127.0.0.2'] }))).toMatchObject(DENIED);
  expect(inside.connections()).toBe(row.expect.internal_connections);
  // Nothing but the address is in the way.
  expect(await ask(`${origin}/x`)).toMatchObject({ allowed: true, basis: 'rules' });
}

async function lateRule(): Promise<void> {
  const padded = `${'#'.repeat(511_000 - 1)}\n${RULES}`;
  await expectRules((await serve((_, response) => void response.end(padded))).origin);
  const packed = gzipSync(padded);
  await expectRules(
    (await serve((_, response) => void response.setHeader('content-encoding', 'gzip').end(packed))).origin,
  );
}

/** A file that has no end to speak of is read to our limit, and the connection is let go. */
async function expectFloodCut(block: Buffer, { times, encoding }: { times: number; encoding: string }): Promise<void> {
  const sent: Promise<number>[] = [];
  const { origin } = await serve((_, response) => {
    response.writeHead(200, { 'content-encoding': encoding });
    sent.push(flood(response, block, times));
  });
  const read = await bytesReadDuring(async () => {
    expect(await ask(`${origin}/y`)).toMatchObject({ allowed: true, basis: 'rules' });
  });
  expect(read).toBeLessThanOrEqual(MIB);
  expect(sent).toHaveLength(1);
  expect(await sent[0]).toBeLessThanOrEqual(MIB + SOCKET_BUFFERS);
}

async function endless(row: Row): Promise<void> {
  expect(row.expect.bytes_read_max).toBe(MIB);
  await expectFloodCut(Buffer.alloc(65_536, '#'), { times: 160_000, encoding: 'identity' });
}

const PIECE_BYTES = 65_536;

/**
 * What was unpacked cannot be seen from outside, so here the bomb comes in pieces of 64 KiB each, and time enough to
 * unpack one before the next: no more can have been unpacked than was sent.
 */
async function bomb(row: Row): Promise<void> {
  let pieces = 0;
  const { origin } = await serve(async (_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
    gzip.pipe(response);
    const write = promisify((piece: Buffer, done: () => void) => void gzip.write(piece, done));
    for (; !response.destroyed; pieces += 1) {
      await write(Buffer.alloc(PIECE_BYTES));
      await systemClock.wait(100);
    }
    gzip.destroy();
  });
  expect(await ask(`${origin}/y`)).toMatchObject({ allowed: true, basis: 'rules' });
  expect(pieces * PIECE_BYTES).toBeLessThanOrEqual(row.expect.bytes_decoded_max!);
  // All at once: ten gigabytes, sixteen megabytes a member.
  await expectFloodCut(gzipSync(Buffer.alloc(16 * MIB)), { times: 640, encoding: 'gzip' });
}

async function perOrigin(row: Row): Promise<void> {
  const file = (path: string) => `User-agent: *\nDisallow: ${path}\n`;
  const secure = await serve((_, response) => void response.end(file('/secure')), { secure: true });
  const plain = await serve((_, response) => void response.end(file('/plain')));
  const other = await serve((_, response) => void response.end(file('/other')));
  const robots = robotsBy(open({ allow: ['tls.example'], lookup, ca: TLS_CERT }));
  const places = [secure.origin, `http://tls.example:${plain.port}`, `http://tls.example:${other.port}`];
  for (const [n, origin] of places.entries()) {
    for (const [m, path] of ['/secure', '/plain', '/other'].entries()) {
      expect((await verdictOf(robots, origin + path, leaping)).allowed).toBe(n !== m);
    }
  }
  expect(secure.asked() + plain.asked() + other.asked()).toBe(row.expect.robots_requests);
}

async function charsets(): Promise<void> {
  for (const bytes of [
    Buffer.from('User-agent: *\nDisallow: /é', 'latin1'),
    Buffer.from('User-agent: *', 'utf16le'),
    Buffer.alloc(50),
  ]) {
    const { origin } = await serve((_, response) => void response.end(bytes));
    expect(await ask(`${origin}/x`)).toMatchObject({ allowed: true, basis: 'rules' });
  }
}

const memory = (title: string): Elsewhere => ({ file: './robots.test.ts', titles: [title] });
const matching = (title: string): Elsewhere => ({ file: '../domain/robots-rules.test.ts', titles: [title] });

const statusIds = Array.from({ length: 17 }, (_, n) => `rf-${n + 1}`);

const PLANS: Record<string, Plan> = {
  ...Object.fromEntries(statusIds.map((id) => [id, status])),
  'rf-18': () => expectFault('http://127.0.0.1:1/x', 'connect_failed'),
  'rf-19': noSuchName,
  'rf-20': untrusted,
  'rf-21': (row) => expectDeniedInTime(() => {}, row.expect.within_ms!),
  'rf-22': async () => expectFault(`${(await serve(resetAfterTenBytes)).origin}/x`, 'body_truncated'),
  'rf-23': redirects,
  'rf-24': redirects,
  'rf-25': redirects,
  'rf-26': redirects,
  'rf-27': redirects,
  'rf-28': tooManyRedirects,
  'rf-29': redirectLoop,
  'rf-30': otherHost,
  'rf-31': inwards,
  'rf-32': lateRule,
  'rf-33': endless,
  'rf-34': bomb,
  'rf-35': (row) => expectDeniedInTime(drip, row.expect.within_ms!),
  'rf-36': memory('lasts a day, per origin'),
  'rf-37': memory('lasts a day, per origin'),
  'rf-38': memory('keeps the old copy while the file cannot be reached, and asks again before long'),
  'rf-39': memory('asks once for a hundred at the same time'),
  'rf-40': perOrigin,
  'rf-41': {
    file: './guards-robots.test.ts',
    titles: [
      'reads for a token of the domain, once for everybody who asks',
      'counts for the breaker, and does not read while the circuit is open',
    ],
  },
  'rf-42': charsets,
  'rf-43': matching('decide a hostile pattern without backtracking'),
  // A hundred thousand fit into no file that we read: 20,000 are decided, and more are a refusal.
  'rf-44': matching('decide as many rules as we keep'),
};

describe('reading robots.txt, row by row', () => {
  it('has a plan for every row, and none too many', () => {
    expect(rows).toHaveLength(44);
    expect(Object.keys(PLANS).sort()).toEqual(rows.map(({ id }) => id).sort());
  });

  for (const row of rows) {
    const plan = PLANS[row.id];
    if (typeof plan === 'function') {
      it(`goes as the vector says: ${row.id} ${row.name}`, () => plan(row));
      continue;
    }
    it(`is tested elsewhere: ${row.id} ${row.name}`, () => {
      const source = readFileSync(new URL(plan!.file, import.meta.url), 'utf8');
      expect(plan!.titles.filter((title) => !source.includes(`it('${title}'`))).toEqual([]);
    });
  }
});
