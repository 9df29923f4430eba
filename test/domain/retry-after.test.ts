import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retryAfterMs } from '../../src/domain/retry-after.js';

const NOW = Date.parse('2025-03-01T12:00:00Z');
const DAY_MS = 86_400_000;

describe('Retry-After', () => {
  it.each([
    ['7', 7000],
    [' 0 ', 0],
    ['1.5', 1500],
    ['999999999999', DAY_MS],
    ['Sat, 01 Mar 2025 12:00:30 GMT', 30_000],
    ['Saturday, 01-Mar-25 12:00:30 GMT', 30_000],
    ['Sat Mar  1 12:00:30 2025', 30_000],
    ['Sat, 01 Mar 2025 11:00:00 GMT', 0],
    ['Sun, 01 Mar 2099 12:00:00 GMT', DAY_MS],
  ])('of "%s" is understood', (header, ms) => {
    expect(retryAfterMs(header, NOW)).toBe(ms);
  });

  it.each(['', 'soon', '-1', '7 apples', '2025-03-01', 'Mon, nonsense 99:99:99 GMT', null, undefined])(
    'of %j is no statement',
    (header) => {
      expect(retryAfterMs(header, NOW)).toBeUndefined();
    },
  );

  it('is within a day, whatever is written there', () => {
    const text = fc.oneof(
      fc.string(),
      fc.nat().map(String),
      fc.date({ noInvalidDate: true }).map((d) => d.toUTCString()),
    );
    fc.assert(
      fc.property(text, (header) => {
        const ms = retryAfterMs(header, NOW);
        expect(ms === undefined || (Number.isInteger(ms) && ms >= 0 && ms <= DAY_MS)).toBe(true);
      }),
    );
  });
});
