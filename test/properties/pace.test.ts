import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actionDelayMs } from '../../src/domain/pace.js';
import { DEFAULT_POLICY } from '../../src/domain/policy.js';

/** Uniform in [0, 1), both of its ends often. */
const chance = fc.oneof(
  fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  fc.constantFrom(0, 1 - Number.EPSILON / 2),
);

const range = fc
  .tuple(fc.integer({ min: 0, max: 60_000 }), fc.integer({ min: 0, max: 60_000 }))
  .map(([minDelayMs, more]) => ({ minDelayMs, maxDelayMs: minDelayMs + more }));

it('Property 17: a pause between two actions lies within the configured range, which is 500 to 2000 ms by default', () => {
  fc.assert(
    fc.property(range, chance, ({ minDelayMs, maxDelayMs }, drawn) => {
      const delayMs = actionDelayMs({ minDelayMs, maxDelayMs }, () => drawn);
      expect(Number.isInteger(delayMs)).toBe(true);
      expect(delayMs).toBeGreaterThanOrEqual(minDelayMs);
      expect(delayMs).toBeLessThanOrEqual(maxDelayMs);

      const usualMs = actionDelayMs(DEFAULT_POLICY, () => drawn);
      expect(usualMs).toBeGreaterThanOrEqual(500);
      expect(usualMs).toBeLessThanOrEqual(2000);
    }),
    { numRuns: 1000 },
  );
});

it('both ends of a range of pauses are drawn, the last one as often as any other', () => {
  fc.assert(
    fc.property(range, ({ minDelayMs, maxDelayMs }) => {
      const values = maxDelayMs - minDelayMs + 1;
      expect(actionDelayMs({ minDelayMs, maxDelayMs }, () => 0)).toBe(minDelayMs);
      // The middle of the last of `values` equal parts of [0, 1).
      expect(actionDelayMs({ minDelayMs, maxDelayMs }, () => 1 - 0.5 / values)).toBe(maxDelayMs);
    }),
  );
});

it('a range of one value gives that value, whatever is drawn', () => {
  fc.assert(
    fc.property(fc.nat(60_000), chance, (ms, drawn) => {
      expect(actionDelayMs({ minDelayMs: ms, maxDelayMs: ms }, () => drawn)).toBe(ms);
    }),
  );
});
