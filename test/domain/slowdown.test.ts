import { describe, expect, it } from 'vitest';
import { factorAt, newSlowdown, slowDown, speedUp, stretched } from '../../src/domain/slowdown.js';

describe('a slowdown', () => {
  it('doubles at each 429 that is news, sixteen times at most, for 300 s', () => {
    const slowdown = newSlowdown();
    expect(factorAt(slowdown, 0)).toBe(1);
    const factors = [1, 2, 3, 4, 5, 6].map((grant) => {
      slowDown(slowdown, { grant, lastGrant: grant, now: 1000 * grant });
      return factorAt(slowdown, 1000 * grant);
    });
    expect(factors).toEqual([2, 4, 8, 16, 16, 16]);
    expect(factorAt(slowdown, 305_999)).toBe(16);
    expect(factorAt(slowdown, 306_000)).toBe(1);
  });

  it('only gets longer by a 429 to a visit that began before the last one', () => {
    const slowdown = newSlowdown();
    slowDown(slowdown, { grant: 3, lastGrant: 7, now: 0 });
    slowDown(slowdown, { grant: 7, lastGrant: 9, now: 5000 });
    expect(slowdown).toEqual({ factor: 2, since: 0, lastGrant: 7, until: 305_000 });
    slowDown(slowdown, { grant: 8, lastGrant: 9, now: 6000 });
    expect(slowdown).toEqual({ factor: 4, since: 6000, lastGrant: 9, until: 306_000 });
  });

  it('begins anew at two when the last one is over, whoever hears of it', () => {
    const slowdown = newSlowdown();
    slowDown(slowdown, { grant: 1, lastGrant: 5, now: 0 });
    slowDown(slowdown, { grant: 6, lastGrant: 6, now: 1 });
    slowDown(slowdown, { grant: 2, lastGrant: 9, now: 300_001 });
    expect(slowdown).toEqual({ factor: 2, since: 300_001, lastGrant: 9, until: 600_001 });
  });

  it('goes one step back for each visit since that went well, down to two', () => {
    const slowdown = newSlowdown();
    slowDown(slowdown, { grant: 1, lastGrant: 1, now: 0 });
    slowDown(slowdown, { grant: 2, lastGrant: 5, now: 0 });
    speedUp(slowdown, 5);
    expect(slowdown.factor).toBe(4);
    const factors = [6, 7, 8].map((grant) => {
      speedUp(slowdown, grant);
      return slowdown.factor;
    });
    expect(factors).toEqual([3, 2, 2]);
  });

  it('stretches time up to its end, not beyond', () => {
    const slowdown = newSlowdown();
    slowDown(slowdown, { grant: 1, lastGrant: 1, now: 0 });
    expect(stretched(slowdown, 1000, { usualMs: 10_000, now: 5000 })).toBe(21_000);
    expect(stretched(slowdown, 290_000, { usualMs: 10_000, now: 295_000 })).toBe(300_000);
  });
});
