import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLastingLimiter, type LastingLimiter } from '../../src/backends/embedded/lasting-limiter.js';
import { createLocalLimiter } from '../../src/backends/embedded/local-limiter.js';
import { GleanerError } from '../../src/domain/errors.js';
import type { WindowNote } from '../../src/domain/window-note.js';
import type { LimitRate } from '../../src/ports/limiter.js';
import type { Notes } from '../../src/ports/notes.js';
import { memoryNotes } from '../support/memory-notes.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { limiterContract } from './limiter-contract.js';

limiterContract('notes that outlive the process', async () => {
  const clock = new VirtualClock();
  const limiter = await open(clock, memoryNotes());
  return { limiter, advance: (ms) => clock.advance(ms), end: async () => {} };
});

async function open(clock: VirtualClock, notes: Notes<WindowNote>): Promise<LastingLimiter> {
  const limiter = createLastingLimiter({ limiter: createLocalLimiter({ clock }), notes, clock });
  await limiter.recall();
  return limiter;
}

const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('ask' as const), times: fc.integer({ min: 1, max: 30 }) }),
    fc.record({ do: fc.constant('throttled' as const), times: fc.constant(1) }),
    fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 8_000 }) }),
    fc.record({ do: fc.constant('kill' as const), downMs: fc.integer({ min: 0, max: 3_000 }) }),
  ),
  { maxLength: 60 },
);

describe('a limiter that is killed and started again', () => {
  it('exceeds no window, whenever it dies', async () => {
    const rates = fc.record<LimitRate>({
      tokens: fc.constantFrom(1, 2, 5, 16, 40),
      intervalMs: fc.integer({ min: 100, max: 20_000 }),
      minGapMs: fc.constantFrom(0, 0, 300),
      maxConcurrent: fc.constant(null),
    });
    await fc.assert(
      fc.asyncProperty(rates, steps, async (rate, script) => {
        const clock = new VirtualClock();
        const notes = memoryNotes<WindowNote>();
        let limiter = await open(clock, notes);
        const granted: number[] = [];
        for (const step of script) {
          if (step.do === 'wait') await clock.advance(step.ms);
          else if (step.do === 'kill') {
            await clock.advance(step.downMs);
            limiter = await open(clock, notes);
          } else {
            for (let n = 0; n < step.times; n += 1) {
              const answer = await limiter.acquire('a.example', rate);
              if (!answer.granted) break;
              granted.push(clock.mono());
              const outcome = step.do === 'ask' ? 'neutral' : { throttled: true as const, retryAfterMs: 900 };
              await limiter.done(answer.lease, outcome);
            }
          }
        }
        for (const [n, at] of granted.entries()) {
          const earlier = granted[n - rate.tokens];
          if (earlier !== undefined) expect(at - earlier).toBeGreaterThanOrEqual(rate.intervalMs);
          if (n > 0) expect(at - granted[n - 1]!).toBeGreaterThanOrEqual(rate.minGapMs);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('keeps to a Retry-After and to the slower pace after it', async () => {
    const clock = new VirtualClock();
    const notes = memoryNotes<WindowNote>();
    const rate: LimitRate = { tokens: 10, intervalMs: 10_000, minGapMs: 0, maxConcurrent: null };
    const first = await open(clock, notes);
    const answer = await first.acquire('a.example', rate);
    if (answer.granted) await first.done(answer.lease, { throttled: true, retryAfterMs: 60_000 });
    await clock.advance(5_000);
    const second = await open(clock, notes);
    expect(await second.acquire('a.example', rate)).toEqual({ granted: false, waitMs: 55_000, reason: 'retry_after' });
    expect(await second.state('a.example', rate)).toMatchObject({ slowdown: 2 });
    expect(await second.acquire('b.example', rate)).toMatchObject({ granted: true });
  });

  it('writes once for a sixteenth of many tokens, and for each of few', async () => {
    const clock = new VirtualClock();
    let writes = 0;
    const notes: Notes<WindowNote> = { ...memoryNotes(), keep: async () => void (writes += 1) };
    const limiter = await open(clock, notes);
    const ask = async (tokens: number): Promise<void> => {
      const rate = { tokens, intervalMs: 60_000, minGapMs: 0, maxConcurrent: null };
      for (let n = 0; n < tokens; n += 1)
        expect(await limiter.acquire(`${tokens}.example`, rate)).toHaveProperty('lease');
    };
    await ask(10);
    expect(writes).toBe(10);
    await ask(1_600);
    expect(writes).toBeLessThanOrEqual(10 + 16);
  });

  it('grants nothing that it cannot note, and takes no token for it', async () => {
    const clock = new VirtualClock();
    let isFull = true;
    const memory = memoryNotes<WindowNote>();
    const full = new GleanerError('storage_unavailable', 'The disk is full.');
    const notes: Notes<WindowNote> = {
      ...memory,
      keep: (...note) => (isFull ? Promise.reject(full) : memory.keep(...note)),
    };
    const limiter = await open(clock, notes);
    const rate: LimitRate = { tokens: 20, intervalMs: 60_000, minGapMs: 0, maxConcurrent: 1 };
    for (let n = 0; n < 30; n += 1) await expect(limiter.acquire('a.example', rate)).rejects.toBe(full);
    isFull = false;
    expect(await limiter.state('a.example', rate)).toMatchObject({ tokensLeft: 20, underWay: 0 });
    expect(await limiter.acquire('a.example', rate)).toMatchObject({ granted: true });
  });

  it('writes down a 429 with the next visit that ends where the disk would not take it', async () => {
    const clock = new VirtualClock();
    const memory = memoryNotes<WindowNote>();
    let isFull = false;
    const keep: Notes<WindowNote>['keep'] = (...note) =>
      isFull ? Promise.reject(new Error('full')) : memory.keep(...note);
    const notes = { ...memory, keep };
    const rate: LimitRate = { tokens: 10, intervalMs: 10_000, minGapMs: 0, maxConcurrent: null };
    const first = await open(clock, notes);
    const [one, other] = [await first.acquire('a.example', rate), await first.acquire('a.example', rate)];
    isFull = true;
    if (one.granted) await first.done(one.lease, { throttled: true, retryAfterMs: 60_000 });
    isFull = false;
    expect(await (await open(clock, notes)).state('a.example', rate)).toMatchObject({ slowdown: 1 });
    if (other.granted) await first.done(other.lease, 'ok');
    expect(await (await open(clock, notes)).state('a.example', rate)).toMatchObject({ slowdown: 2 });
  });

  it('grants nothing on the word of a note that is not on the disk', async () => {
    const clock = new VirtualClock();
    const arrivals: ((error: Error | null) => void)[] = [];
    const notes: Notes<WindowNote> = {
      ...memoryNotes(),
      keep: () =>
        new Promise((resolve, reject) => arrivals.push((error) => (error === null ? resolve() : reject(error)))),
    };
    const limiter = await open(clock, notes);
    const rate: LimitRate = { tokens: 64, intervalMs: 60_000, minGapMs: 0, maxConcurrent: null };
    const answers = Promise.allSettled([limiter.acquire('a.example', rate), limiter.acquire('a.example', rate)]);
    await clock.advance(1);
    expect(arrivals).toHaveLength(1);
    arrivals[0]!(new Error('full'));
    expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await limiter.state('a.example', rate)).toMatchObject({ tokensLeft: 64 });
  });
});
