import { describe, expect, it } from 'vitest';
import {
  isWindowIdle,
  newTokenWindow,
  nextGrant,
  noteRate,
  relax,
  returnToken,
  type TokenRate,
  type TokenWindow,
  takeToken,
  throttle,
  tokensLeft,
} from '../../src/domain/token-window.js';

const rate: TokenRate = { tokens: 2, intervalMs: 10_000, minGapMs: 0 };
const soon = { grant: 1, lastGrant: 1, retryAfterMs: 0 };

/** Takes at every moment offered and returns those that were granted. */
function grants(window: TokenWindow, moments: number[], by = rate): number[] {
  return moments.filter((now) => {
    noteRate(window, by, now);
    if (nextGrant(window, by, now).at > now) return false;
    takeToken(window, now);
    return true;
  });
}

describe('the token window', () => {
  it('lets each token back one interval after it was taken', () => {
    const window = newTokenWindow();
    expect(grants(window, [0, 100, 200, 9999, 10_000, 10_001, 10_100, 10_101])).toEqual([0, 100, 10_000, 10_100]);
    expect(nextGrant(window, rate, 10_101)).toEqual({ at: 20_000, reason: 'tokens' });
  });

  it('takes back a token that was not used, and the gap that came with it', () => {
    const window = newTokenWindow();
    grants(window, [0, 5]);
    returnToken(window, 5);
    returnToken(window, 6);
    expect(nextGrant(window, { ...rate, minGapMs: 1000 }, 6)).toEqual({ at: 1000, reason: 'gap' });
    expect(grants(window, [6, 7])).toEqual([6]);
  });

  it('grants nothing before the Retry-After of the site, the longest of several', () => {
    const window = newTokenWindow();
    throttle(window, { ...soon, retryAfterMs: 7000 }, 1000);
    throttle(window, { ...soon, retryAfterMs: 2000 }, 2000);
    expect(nextGrant(window, rate, 2000)).toEqual({ at: 8000, reason: 'retry_after' });
    expect(grants(window, [7999, 8000])).toEqual([8000]);
  });

  it('is slow until the Retry-After at least, and at the usual speed at once when both are over', () => {
    const window = newTokenWindow();
    throttle(window, { ...soon, retryAfterMs: 1_000_000 }, 0);
    expect(window.slowdown.until).toBe(1_000_000);
    expect(grants(window, [999_999, 1_000_000, 1_000_000, 1_000_000])).toEqual([1_000_000, 1_000_000]);
  });

  it('does not let the end of a slow time grant more than the usual rate', () => {
    const window = newTokenWindow();
    grants(window, [0]);
    throttle(window, soon, 0);
    const offered = [290_000, 299_999, 300_000, 300_001, 309_999, 310_000];
    expect(grants(window, offered)).toEqual([290_000, 300_000, 300_001, 310_000]);
  });

  it('says how many could be taken at once', () => {
    const window = newTokenWindow();
    expect(tokensLeft(window, rate, 0)).toBe(2);
    expect(tokensLeft(window, { ...rate, minGapMs: 1 }, 0)).toBe(1);
    grants(window, [0]);
    expect(tokensLeft(window, rate, 1)).toBe(1);
    grants(window, [1]);
    expect(tokensLeft(window, rate, 9999)).toBe(0);
    expect(tokensLeft(window, rate, 10_000)).toBe(1);
    throttle(window, soon, 10_000);
    relax(window, 2);
    expect(tokensLeft(window, rate, 10_000)).toBe(0);
    expect(tokensLeft(window, rate, 100_000)).toBe(1);
  });

  it('forgets what no rate asks about any more, but never when the last grant was', () => {
    const window = newTokenWindow();
    const busy: TokenRate = { tokens: 100, intervalMs: 1000, minGapMs: 0 };
    grants(
      window,
      Array.from({ length: 100_000 }, (_, n) => n * 10),
      busy,
    );
    // A minute of grants, and at most as many again until the next clearing.
    expect(window.taken.length).toBeLessThanOrEqual(12_001);
    expect(nextGrant(window, { tokens: 1000, intervalMs: 50_000, minGapMs: 0 }, 1_000_000).at).toBe(
      999_990 - 9990 + 50_000,
    );
    noteRate(window, busy, 2_000_000);
    expect(window.taken).toEqual([]);
    expect(nextGrant(window, { ...busy, minGapMs: 1_500_000 }, 2_000_000).at).toBe(999_990 + 1_500_000);
  });

  it('is idle when a fresh one would answer the same', () => {
    const window = newTokenWindow();
    expect(isWindowIdle(window, 0)).toBe(true);
    grants(window, [0]);
    expect(isWindowIdle(window, 59_999)).toBe(false);
    expect(isWindowIdle(window, 60_000)).toBe(true);
    noteRate(window, { ...rate, intervalMs: 50_000 }, 0);
    expect(isWindowIdle(window, 99_999)).toBe(false);
    expect(isWindowIdle(window, 100_000)).toBe(true);
    throttle(window, { ...soon, retryAfterMs: 500_000 }, 100_000);
    expect(isWindowIdle(window, 599_999)).toBe(false);
    expect(isWindowIdle(window, 600_000)).toBe(true);
  });
});
