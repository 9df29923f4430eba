import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type LimitBounds,
  type MachineReading,
  newVisitLimit,
  nextVisitLimit,
  type VisitLimit,
} from '../../src/domain/visit-limit.js';

const GIB = 1024 ** 3;
const CALM: MachineReading = {
  cpuBusy: 0.2,
  loopDelayMs: 5,
  memoryAvailableBytes: 4 * GIB,
  memoryTotalBytes: 8 * GIB,
  running: 0,
  isMoreReady: false,
};
const BOUNDS: LimitBounds = { size: 5, max: 20, cores: 2 };

interface Machine {
  bounds: LimitBounds;
  seconds: number;
  read: (limit: number, second: number) => MachineReading;
}

/** One reading a second; every limit there was, the first included. */
function run({ bounds, seconds, read }: Machine, from = newVisitLimit(bounds)): VisitLimit[] {
  const limits = [from];
  for (let second = 1; second <= seconds; second++) {
    const before = limits.at(-1)!;
    limits.push(nextVisitLimit(before, read(before.limit, second), { bounds, nowMs: second * 1_000 }));
  }
  return limits;
}

const last = (limits: VisitLimit[]): VisitLimit => limits.at(-1)!;
/** More wait than can run, and each takes this share of the processors. */
const fullOf = (share: number) => (limit: number) => ({
  ...CALM,
  running: limit,
  isMoreReady: true,
  cpuBusy: Math.min(1, share * limit),
});

const bounds = fc
  .record({
    size: fc.integer({ min: 1, max: 20 }),
    more: fc.nat(30),
    cores: fc.double({ min: 0.1, max: 16, noNaN: true }),
  })
  .map(({ size, more, cores }) => ({ size, max: size + more, cores }));

const reading: fc.Arbitrary<MachineReading> = fc.record({
  cpuBusy: fc.double({ min: 0, max: 1, noNaN: true }),
  loopDelayMs: fc.double({ min: 0, max: 2_000, noNaN: true }),
  memoryAvailableBytes: fc.integer({ min: 0, max: 8 * GIB }),
  memoryTotalBytes: fc.constant(8 * GIB),
  running: fc.nat(60),
  isMoreReady: fc.boolean(),
});

describe('the limit of browser visits', () => {
  it('stays between one and the maximum, and moves up by one at most, whatever is read', () => {
    fc.assert(
      fc.property(bounds, fc.array(reading, { minLength: 1, maxLength: 100 }), (within, readings) => {
        const limits = run({ bounds: within, seconds: readings.length, read: (_, second) => readings[second - 1]! });
        for (const [at, { limit }] of limits.entries()) {
          expect(Number.isInteger(limit)).toBe(true);
          expect(limit).toBeGreaterThanOrEqual(1);
          expect(limit).toBeLessThanOrEqual(within.max);
          expect(limit - (limits[at - 1]?.limit ?? limit)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it('comes back to the number of processors after a lack of memory, however busy or tight it stays', () => {
    const within = { size: 5, max: 20, cores: 4 };
    const dip = { ...CALM, memoryAvailableBytes: 0.1 * GIB };
    for (const after of [
      { ...CALM, memoryAvailableBytes: 0.8 * GIB },
      { ...CALM, cpuBusy: 0.93 },
      { ...CALM, cpuBusy: 1 },
    ]) {
      const limits = run({ bounds: within, seconds: 120, read: (_, second) => (second < 5 ? dip : after) });
      expect(limits[4]).toMatchObject({ limit: 1, reason: 'memory' });
      expect(last(limits).limit).toBeGreaterThanOrEqual(4);
    }
  });

  it('comes down to the number of processors under full load, not below, and returns to its size', () => {
    fc.assert(
      fc.property(bounds, (within) => {
        const pressed = run({ bounds: within, seconds: 60, read: () => ({ ...CALM, cpuBusy: 1 }) });
        expect(last(pressed)).toMatchObject({ limit: Math.min(within.size, Math.max(1, Math.floor(within.cores))) });
        const recovered = run({ bounds: within, seconds: 120, read: () => CALM }, last(pressed));
        expect(last(recovered).limit).toBe(within.size);
      }),
    );
  });

  it('goes to one at once when memory runs out, and says why', () => {
    const short = { ...CALM, memoryAvailableBytes: 0.1 * GIB };
    expect(last(run({ bounds: BOUNDS, seconds: 1, read: () => short }))).toMatchObject({ limit: 1, reason: 'memory' });
  });

  it('does not grow while memory is tight', () => {
    const tight = (limit: number): MachineReading => ({ ...fullOf(0.01)(limit), memoryAvailableBytes: GIB });
    expect(last(run({ bounds: BOUNDS, seconds: 60, read: tight })).limit).toBe(5);
  });

  it('comes down when our own event loop is late', () => {
    const late = { ...CALM, loopDelayMs: 400 };
    expect(last(run({ bounds: BOUNDS, seconds: 20, read: () => late }))).toMatchObject({
      limit: 2,
      reason: 'event_loop',
    });
  });

  it('grows up to the maximum while visits wait and processors are idle, and rests when none does', () => {
    const grown = run({ bounds: BOUNDS, seconds: 60, read: fullOf(0.01) });
    expect(last(grown).limit).toBe(20);
    expect(last(run({ bounds: BOUNDS, seconds: 60, read: () => CALM }, last(grown))).limit).toBe(5);
  });

  it('does not grow for visits that do not come', () => {
    expect(last(run({ bounds: BOUNDS, seconds: 60, read: () => CALM })).limit).toBe(5);
  });

  it('takes no notice of a single reading of busy processors', () => {
    const now = (_: number, second: number) => ({ ...CALM, cpuBusy: second % 2 });
    expect(run({ bounds: BOUNDS, seconds: 60, read: now }).every(({ limit }) => limit === 5)).toBe(true);
  });

  it('does not swing: under any steady load it moves at most twice in thirty seconds once it has settled', () => {
    fc.assert(
      fc.property(bounds, fc.double({ min: 0.005, max: 1, noNaN: true }), (within, share) => {
        const limits = run({ bounds: within, seconds: 300, read: fullOf(share) }).map(({ limit }) => limit);
        const moves = limits.map((limit, at) => at > 0 && limit !== limits[at - 1]);
        for (let from = 120; from <= 270; from++) {
          expect(moves.slice(from, from + 30).filter(Boolean).length).toBeLessThanOrEqual(2);
        }
      }),
    );
  });
});
