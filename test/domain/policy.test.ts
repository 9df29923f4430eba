import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createPolicyBook,
  DEFAULT_POLICY,
  isWithinHours,
  nextAllowedTime,
  obeysRobots,
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
