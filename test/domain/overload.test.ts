import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CALM, type LoadReading, nextOverload, type Overload } from '../../src/domain/overload.js';

const LIMITS = { loopDelayMs: 500, heapUsed: 0.85, memoryAvailableBytes: 100 };
const WELL: LoadReading = { loopDelayMs: 5, heapUsed: 0.2, memoryAvailableBytes: 1_000 };
const settled = (...readings: Partial<LoadReading>[]): Overload =>
  readings.reduce<Overload>((state, reading) => nextOverload(state, { ...WELL, ...reading }, LIMITS), CALM);

describe('an overload', () => {
  it('is not one late moment, but two in a row', () => {
    const late = { loopDelayMs: 10_000 };
    expect(settled(late).reason).toBeNull();
    expect(settled(late, {}, late).reason).toBeNull();
    expect(settled(late, late).reason).toBe('event_loop');
  });

  it.each([
    ['heap', { heapUsed: 0.86 }],
    ['memory', { memoryAvailableBytes: 99 }],
    ['event_loop', { loopDelayMs: 500 }],
  ] as const)('is told by what is short: %s', (reason, reading) => {
    expect(settled(reading, reading).reason).toBe(reason);
  });

  it('is acted upon at once where the heap is nearly used up', () => {
    expect(settled({ heapUsed: 0.96 }).reason).toBe('heap');
  });

  it('is over only after three readings well below the limits', () => {
    const full = { heapUsed: 0.9 };
    const hardlyBetter = { heapUsed: 0.8 };
    expect(settled(full, full, {}, {}).reason).toBe('heap');
    expect(settled(full, full, {}, {}, {}).reason).toBeNull();
    expect(settled(full, full, hardlyBetter, hardlyBetter, hardlyBetter, hardlyBetter).reason).toBe('heap');
    expect(settled(full, full, {}, {}, hardlyBetter, {}, {}).reason).toBe('heap');
  });

  it('is never declared by a limit that is switched off', () => {
    const off = { loopDelayMs: 0, heapUsed: 0, memoryAvailableBytes: 0 };
    const worst = { loopDelayMs: 60_000, heapUsed: 1, memoryAvailableBytes: 0 };
    expect(nextOverload(nextOverload(CALM, worst, off), worst, off).reason).toBeNull();
  });

  it('does not flap: a state holds for at least two readings', () => {
    const reading = fc.record({
      loopDelayMs: fc.integer({ min: 0, max: 1_000 }),
      heapUsed: fc.double({ min: 0, max: 0.94, noNaN: true }),
      memoryAvailableBytes: fc.integer({ min: 0, max: 300 }),
    });
    fc.assert(
      fc.property(fc.array(reading, { maxLength: 50 }), (readings) => {
        let state = CALM;
        let heldFor = 99;
        for (const one of readings) {
          const next = nextOverload(state, one, LIMITS);
          const hasChanged = (next.reason === null) !== (state.reason === null);
          if (hasChanged) expect(heldFor).toBeGreaterThanOrEqual(2);
          heldFor = hasChanged ? 1 : heldFor + 1;
          state = next;
        }
      }),
    );
  });
});
