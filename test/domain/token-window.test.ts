import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isWindowIdle,
  newTokenWindow,
  returnToken,
  type TokenWindow,
  takeToken,
  throttle,
} from '../../src/domain/token-window.js';

const rate = { tokens: 2, intervalMs: 10_000 };

/** Takes at every moment offered and returns those that were granted. */
function grants(window: TokenWindow, moments: number[], by = rate): number[] {
  return moments.filter((now) => takeToken(window, by, now).granted);
}

describe('the token window', () => {
  it('Property 22: no window of one interval ever sees more grants than tokens, and domains do not share them', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 20_000 }),
        fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.integer({ min: 0, max: 5000 })), { maxLength: 200 }),
        (tokens, intervalMs, asks) => {
          const windows = new Map([
            ['a', newTokenWindow()],
            ['b', newTokenWindow()],
          ]);
          const granted = new Map<string, number[]>([
            ['a', []],
            ['b', []],
          ]);
          const alone = newTokenWindow();
          let now = 0;
          for (const [domain, gap] of asks) {
            now += gap;
            const { granted: yes } = takeToken(windows.get(domain)!, { tokens, intervalMs }, now);
            if (yes) granted.get(domain)!.push(now);
            // The same asks of one domain, without the other beside it, are answered alike.
            if (domain === 'a') expect(takeToken(alone, { tokens, intervalMs }, now).granted).toBe(yes);
          }
          for (const times of granted.values()) {
            for (const start of times) {
              const within = times.filter((at) => at >= start && at < start + intervalMs);
              expect(within.length).toBeLessThanOrEqual(tokens);
            }
          }
        },
      ),
    );
  });

  it('Property 26: a 429 halves the rate for 300 s and gives it back afterwards', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1000, max: 30_000 }), (tokens, intervalMs) => {
        const by = { tokens, intervalMs };
        const window = newTokenWindow();
        throttle(window, 0);
        const step = intervalMs / 4;
        const moments = Array.from({ length: Math.ceil(900_000 / step) }, (_, n) => n * step);
        const taken = grants(window, moments, by);
        const slow = taken.filter((at) => at < 300_000);
        for (const start of slow) {
          const end = Math.min(start + 2 * intervalMs, 300_000);
          expect(slow.filter((at) => at >= start && at < end).length).toBeLessThanOrEqual(tokens);
        }
        const fast = taken.filter((at) => at >= 300_000 + 2 * intervalMs);
        const spanMs = 900_000 - (300_000 + 2 * intervalMs);
        // Restored: as many as an untroubled window grants in the same time, give or take the ends.
        expect(fast.length).toBeGreaterThanOrEqual(Math.floor(spanMs / intervalMs - 1) * tokens);
      }),
    );
  });

  it('says when to come back, and keeps its word', () => {
    const window = newTokenWindow();
    expect(grants(window, [0, 100])).toEqual([0, 100]);
    expect(takeToken(window, rate, 200)).toEqual({ granted: false, notBefore: 10_000 });
    expect(takeToken(window, rate, 9999).granted).toBe(false);
    expect(takeToken(window, rate, 10_000).granted).toBe(true);
    expect(takeToken(window, rate, 10_000)).toEqual({ granted: false, notBefore: 10_100 });
  });

  it('always grants at the moment it named', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 400_000 }), { maxLength: 40 }),
        fc.array(fc.tuple(fc.integer({ min: 0, max: 400_000 }), fc.integer({ min: 0, max: 60_000 })), { maxLength: 3 }),
        (asks, throttles) => {
          const window = newTokenWindow();
          const events = [
            ...asks.map((at) => ({ at, retryAfterMs: null as number | null })),
            ...throttles.map(([at, retryAfterMs]) => ({ at, retryAfterMs })),
          ].sort((a, b) => a.at - b.at);
          for (const { at, retryAfterMs } of events) {
            if (retryAfterMs === null) takeToken(window, rate, at);
            else throttle(window, at, retryAfterMs);
          }
          const now = events.at(-1)?.at ?? 0;
          const answer = takeToken(window, rate, now);
          if (answer.granted) return;
          expect(takeToken(window, rate, answer.notBefore - 1).granted).toBe(false);
          expect(takeToken(window, rate, answer.notBefore).granted).toBe(true);
        },
      ),
    );
  });

  it('grants nothing before the Retry-After of the site, and keeps a gap where one is asked for', () => {
    const window = newTokenWindow();
    throttle(window, 1000, 7000);
    expect(takeToken(window, rate, 1000)).toEqual({ granted: false, notBefore: 8000 });
    expect(takeToken(window, rate, 8000).granted).toBe(true);
    expect(takeToken(window, { ...rate, minGapMs: 5000 }, 8001)).toEqual({ granted: false, notBefore: 13_000 });
  });

  it('takes back a token that was not used', () => {
    const window = newTokenWindow();
    grants(window, [0, 5]);
    returnToken(window, 5);
    expect(takeToken(window, rate, 6).granted).toBe(true);
    expect(takeToken(window, rate, 7).granted).toBe(false);
  });

  it('is idle when a fresh one would answer the same', () => {
    const window = newTokenWindow();
    expect(isWindowIdle(window, 0, 20_000)).toBe(true);
    grants(window, [0]);
    expect(isWindowIdle(window, 19_999, 20_000)).toBe(false);
    expect(isWindowIdle(window, 20_000, 20_000)).toBe(true);
    throttle(window, 20_000);
    expect(isWindowIdle(window, 100_000, 20_000)).toBe(false);
  });
});
