import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createPolicyBook,
  DEFAULT_POLICY,
  isWithinHours,
  nextAllowedTime,
  obeysRobots,
  rateFor,
} from '../../src/domain/policy.js';

const HOUR_MS = 3_600_000;
const hour = fc.integer({ min: 0, max: 23 });

describe('domain policies', () => {
  it('are found by the very host first, then by the registrable domain, then by default', () => {
    const book = createPolicyBook(
      DEFAULT_POLICY,
      new Map([
        ['Example.com', { tokensPerInterval: 1 }],
        ['api.example.com', { tokensPerInterval: 7 }],
        ['127.0.0.2', { tokensPerInterval: 9 }],
        ['::1', { tokensPerInterval: 11 }],
      ]),
    );
    expect(book.forHost('api.example.com').tokensPerInterval).toBe(7);
    expect(book.forHost('API.example.com.').tokensPerInterval).toBe(7);
    expect(book.forHost('www.example.com').tokensPerInterval).toBe(1);
    expect(book.forHost('v2.api.example.com').tokensPerInterval).toBe(1);
    expect(book.forHost('127.0.0.2').tokensPerInterval).toBe(9);
    expect(book.forHost('[::1]').tokensPerInterval).toBe(11);
    expect(book.forHost('example.org')).toEqual(DEFAULT_POLICY);
    expect(book.forHost('www.example.com').intervalSeconds).toBe(DEFAULT_POLICY.intervalSeconds);
  });

  it('inherit what a host does not say from its domain, then from the default', () => {
    const book = createPolicyBook(
      { ...DEFAULT_POLICY, maxDelayMs: 9000 },
      new Map([
        ['api.example.com', { tokensPerInterval: 7, allowedHours: null }],
        ['example.com', { minIntervalMs: 300, allowedHours: { start: 6, end: 22 } }],
      ]),
    );
    const api = { tokensPerInterval: 7, minIntervalMs: 300, maxDelayMs: 9000, allowedHours: null };
    expect(book.forHost('api.example.com')).toMatchObject(api);
    expect(book.forHost('example.com')).toMatchObject({ tokensPerInterval: 2, allowedHours: { start: 6, end: 22 } });
  });

  it('demand browser engines, by any entry or by the default', () => {
    const book = createPolicyBook(
      DEFAULT_POLICY,
      new Map([
        ['example.com', { browserEngine: 'chromium' }],
        ['plain.example.com', { browserEngine: null }],
      ]),
    );
    expect(book.engines()).toEqual(['chromium']);
    expect(book.forHost('www.example.com').browserEngine).toBe('chromium');
    expect(book.forHost('plain.example.com').browserEngine).toBeNull();
    expect(createPolicyBook(DEFAULT_POLICY, new Map()).engines()).toEqual([]);
    expect(createPolicyBook({ ...DEFAULT_POLICY, browserEngine: 'shell' }, new Map()).engines()).toEqual(['shell']);
  });

  it('of a public suffix hold for each domain under it, with tokens and a lane of its own', () => {
    const book = createPolicyBook(
      DEFAULT_POLICY,
      new Map([
        ['github.io', { tokensPerInterval: 1, minDelayMs: 7 }],
        ['b.github.io', { minDelayMs: 8 }],
        ['co.uk', { tokensPerInterval: 5 }],
      ]),
    );
    expect(book.forHost('a.github.io')).toMatchObject({ tokensPerInterval: 1, minDelayMs: 7 });
    expect(book.forHost('b.github.io')).toMatchObject({ tokensPerInterval: 1, minDelayMs: 8 });
    expect(book.forHost('github.io')).toMatchObject({ tokensPerInterval: 1, minDelayMs: 7 });
    expect(book.forHost('www.shop.co.uk').tokensPerInterval).toBe(5);
    expect(book.forHost('github.com')).toEqual(DEFAULT_POLICY);
    const hosts = ['x.b.github.io', 'b.github.io', 'a.github.io', 'www.shop.co.uk', 'github.com', '10.0.0.1'];
    expect(hosts.map(book.entryFor)).toEqual(['b.github.io', 'b.github.io', 'github.io', 'co.uk', null, null]);
    expect([book.limitKey('a.github.io'), book.laneKey('x.a.github.io')]).toEqual(['a.github.io', 'a.github.io']);
    expect([book.limitKey('github.io'), book.laneKey('github.io')]).toEqual(['github.io', 'github.io']);
  });

  it('give tokens of its own only to a host whose entry names a rate, and a lane to every host with an entry', () => {
    const book = createPolicyBook(
      DEFAULT_POLICY,
      new Map<string, Partial<typeof DEFAULT_POLICY>>([
        ['example.com', { tokensPerInterval: 1 }],
        ['night.example.com', { allowedHours: { start: 1, end: 2 } }],
        ['slow.example.com', { minIntervalMs: 5000 }],
        ['narrow.example.com', { maxConcurrent: null }],
        ['10.0.0.1', { minDelayMs: 1 }],
        ['2001:db8::1', { intervalSeconds: 3 }],
      ]),
    );
    const keys = (host: string) => [book.limitKey(host), book.laneKey(host)];
    expect(keys('example.com')).toEqual(['example.com', 'example.com']);
    expect(keys('WWW.example.com.')).toEqual(['example.com', 'example.com']);
    expect(keys('night.example.com')).toEqual(['example.com', 'night.example.com']);
    expect(keys('a.night.example.com')).toEqual(['example.com', 'example.com']);
    expect(keys('slow.example.com')).toEqual(['slow.example.com', 'slow.example.com']);
    expect(keys('narrow.example.com')).toEqual(['narrow.example.com', 'narrow.example.com']);
    expect(keys('10.0.0.1')).toEqual(['10.0.0.1', '10.0.0.1']);
    expect(keys('[::ffff:a00:1]')).toEqual(['10.0.0.1', '10.0.0.1']);
    expect(book.entryFor('[::ffff:10.0.0.1]')).toBe('10.0.0.1');
    expect(keys('10.0.0.2')).toEqual(['10.0.0.2', '10.0.0.2']);
    expect(keys('[2001:db8::1]')).toEqual(['2001:db8::1', '2001:db8::1']);
    expect(keys('[2001:db8::2]')).toEqual(['2001:db8::2', '2001:db8::2']);
    expect(keys('localhost')).toEqual(['localhost', 'localhost']);
  });

  it('never let hosts of one domain have more tokens than their entries say', () => {
    const labels = fc.constantFrom('www', 'api', 'a.b', 'x-1');
    const books = fc.dictionary(labels, fc.constantFrom({ minDelayMs: 1 }, { allowedHours: null }, {}));
    fc.assert(
      fc.property(books, labels, (entries, label) => {
        const named = Object.entries(entries).map(([host, entry]) => [`${host}.example.com`, entry] as const);
        expect(createPolicyBook(DEFAULT_POLICY, new Map(named)).limitKey(`${label}.example.com`)).toBe('example.com');
      }),
    );
  });

  it('are as fast as they say, and no faster than the site asks within one and sixty seconds', () => {
    const policy = { ...DEFAULT_POLICY, minIntervalMs: 4000, maxConcurrent: 3 };
    const rate = { tokens: 2, intervalMs: 10_000, maxConcurrent: 3 };
    for (const [asked, minGapMs] of [
      [null, 4000],
      [undefined, 4000],
      [0, 4000],
      [-5, 4000],
      [Number.NaN, 4000],
      [3, 4000],
      [5, 5000],
      [3600, 60_000],
    ] as const) {
      expect(rateFor(policy, asked)).toEqual({ ...rate, minGapMs });
    }
    expect(rateFor(DEFAULT_POLICY, 0.2).minGapMs).toBe(1000);
    expect(rateFor({ ...policy, minIntervalMs: 90_000 }, 3600).minGapMs).toBe(90_000);
  });

  it('respect robots.txt unless a reason is written down', () => {
    expect(obeysRobots(DEFAULT_POLICY)).toBe(true);
    expect(obeysRobots({ ...DEFAULT_POLICY, respectRobotsTxt: false })).toBe(true);
    expect(obeysRobots({ ...DEFAULT_POLICY, respectRobotsTxt: false, robotsReason: ' ' })).toBe(true);
    expect(obeysRobots({ ...DEFAULT_POLICY, respectRobotsTxt: false, robotsReason: 'our own site' })).toBe(false);
  });

  it('Property 24: a moment is allowed if and only if it lies within the window', () => {
    fc.assert(
      fc.property(hour, hour, fc.integer({ min: 0, max: 4_000_000_000_000 }), (start, end, now) => {
        // Walk the clock from the start of the window to its end: the definition, without arithmetic on wrapping.
        const open = new Set<number>();
        for (let at = start; at !== end || open.size === 0; at = (at + 1) % 24) {
          open.add(at);
          if (open.size === 24) break;
        }
        const hours = { start, end };
        const utcHour = new Date(now).getUTCHours();
        expect(isWithinHours(hours, utcHour)).toBe(open.has(utcHour));
        expect(nextAllowedTime(hours, now) === now).toBe(open.has(utcHour));
      }),
    );
  });

  it('name the first moment of the next window', () => {
    fc.assert(
      fc.property(hour, hour, fc.integer({ min: 0, max: 4_000_000_000_000 }), (start, end, now) => {
        const hours = { start, end };
        const next = nextAllowedTime(hours, now);
        expect(next).toBeGreaterThanOrEqual(now);
        expect(next - now).toBeLessThan(24 * HOUR_MS);
        expect(isWithinHours(hours, new Date(next).getUTCHours())).toBe(true);
        if (next > now) expect(isWithinHours(hours, new Date(next - 1).getUTCHours())).toBe(false);
      }),
    );
    expect(nextAllowedTime(null, 5)).toBe(5);
  });
});
