import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLocalLimiter } from '../../src/backends/embedded/local-limiter.js';
import { DEFAULT_POLICY, rateFor } from '../../src/domain/policy.js';
import type { Lease, LimitAnswer, Limiter, LimitRate } from '../../src/ports/limiter.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { limiterContract } from './limiter-contract.js';

limiterContract('the memory of this process', async () => {
  const { limiter, clock } = setUp();
  return {
    limiter,
    advance: async (ms) => {
      clock.at += ms;
    },
    end: async () => {},
  };
});

/** Time that is set by hand: a virtual clock without timers, cheap enough for very many steps. */
function setUp() {
  const clock = { at: 0, mono: () => clock.at };
  return { clock, limiter: createLocalLimiter({ clock }) };
}

const DEFAULT_RATE = rateFor(DEFAULT_POLICY, null);

type Step =
  | { do: 'acquire' | 'give_back' | 'ok' | 'neutral' | 'throttled'; key: 'a' | 'b'; nth: number }
  /** Asks, and after a refusal again: at the moment it was told, or `earlyMs` before. */
  | { do: 'insist'; key: 'a' | 'b'; earlyMs: number }
  | { do: 'wait'; ms: number };

const anyKey = fc.constantFrom('a' as const, 'b');

const stepsWith = (endings: ('give_back' | 'ok' | 'neutral' | 'throttled')[]): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.oneof(
      fc.record({ do: fc.constant('acquire' as const), key: anyKey, nth: fc.constant(0) }),
      fc.record({ do: fc.constant('insist' as const), key: anyKey, earlyMs: fc.constantFrom(0, 0, 1) }),
      fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 5000 }) }),
      fc.record({ do: fc.constantFrom(...endings), key: anyKey, nth: fc.nat({ max: 5 }) }),
    ),
    { maxLength: 150 },
  );

/** A 429 slows everything down for minutes and would hide a grant that comes a little early, so half have none. */
const steps = fc.oneof(
  stepsWith(['give_back', 'ok', 'neutral']),
  stepsWith(['give_back', 'ok', 'neutral', 'throttled']),
);

interface Play {
  rate: LimitRate;
  keys: string[];
  /** When each step began, where that was settled by another play of the same steps. */
  moments?: number[];
}

/** Plays the steps of some keys; returns the grants that were not given back, every answer, and when each step began. */
async function play(script: Step[], { rate, keys, moments }: Play) {
  const { clock, limiter } = setUp();
  const granted: { key: string; at: number; id: string }[] = [];
  const out: Record<string, Lease[]> = { a: [], b: [] };
  const answers: Record<string, LimitAnswer[]> = { a: [], b: [] };
  const begun: number[] = [];

  const ask = async (key: string): Promise<LimitAnswer> => {
    const answer = await limiter.acquire(key, rate);
    answers[key]!.push(answer);
    if (answer.granted) {
      out[key]!.push(answer.lease);
      granted.push({ key, at: clock.at, id: answer.lease.id });
    }
    return answer;
  };

  for (const [index, step] of script.entries()) {
    clock.at = moments?.[index] ?? clock.at;
    begun.push(clock.at);
    if (step.do === 'wait') clock.at += step.ms;
    else if (!keys.includes(step.key)) continue;
    else if (step.do === 'acquire') await ask(step.key);
    else if (step.do === 'insist') {
      const answer = await ask(step.key);
      if (answer.granted) continue;
      clock.at += answer.waitMs - step.earlyMs;
      await ask(step.key);
    } else {
      const [lease] = out[step.key]!.splice(step.nth, 1);
      if (!lease) continue;
      await end(limiter, lease, step.do);
      if (step.do !== 'give_back') continue;
      const place = granted.findIndex(({ id }) => id === lease.id);
      granted.splice(place, 1);
    }
  }
  return { granted, answers, begun };
}

function end(limiter: Limiter, lease: Lease, how: 'give_back' | 'ok' | 'neutral' | 'throttled'): Promise<void> {
  if (how === 'give_back') return limiter.giveBack(lease);
  return limiter.done(lease, how === 'throttled' ? { throttled: true, retryAfterMs: undefined } : how);
}

const withoutIds = (answers: LimitAnswer[]) => answers.map((one) => (one.granted ? 'granted' : one));

describe('the local limiter', () => {
  it('Property 22: no window of one interval sees more grants than tokens, and keys do not touch each other', async () => {
    const rates = fc.record({
      tokens: fc.integer({ min: 1, max: 5 }),
      intervalMs: fc.integer({ min: 1, max: 20_000 }),
      minGapMs: fc.constantFrom(0, 0, 700),
      maxConcurrent: fc.constantFrom(null, null, 2),
    });
    await fc.assert(
      fc.asyncProperty(rates, steps, async (rate, script) => {
        const { granted, answers, begun } = await play(script, { rate, keys: ['a', 'b'] });
        const within = ({ key, at }: { key: string; at: number }): number =>
          granted.filter((one) => one.key === key && one.at >= at && one.at < at + rate.intervalMs).length;
        expect(Math.max(...granted.map(within), 0)).toBeLessThanOrEqual(rate.tokens);
        const alone = await play(script, { rate, keys: ['a'], moments: begun });
        expect(withoutIds(alone.answers.a!)).toEqual(withoutIds(answers.a!));
      }),
      { numRuns: 200 },
    );
  });

  it('Property 26: a 429 halves the rate for exactly 300 s, and after that nothing is left of it', async () => {
    const times = fc.record({
      tokens: fc.integer({ min: 1, max: 4 }),
      intervalMs: fc.integer({ min: 1000, max: 30_000 }),
      burst: fc.integer({ min: 1, max: 4 }),
      answerMs: fc.integer({ min: 0, max: 999 }),
      throttledAt: fc.integer({ min: 0, max: 100_000 }),
    });
    await fc.assert(
      fc.asyncProperty(times, async ({ tokens, intervalMs, burst, answerMs, throttledAt }) => {
        const rate: LimitRate = { tokens, intervalMs, minGapMs: 0, maxConcurrent: null };
        const { clock, limiter } = setUp();
        // It sees the same grants at the same moments, but no 429.
        const untroubled = createLocalLimiter({ clock });
        clock.at = throttledAt;
        const first = await bothTake(limiter, untroubled, rate);
        const begun = Math.min(burst, tokens);
        for (let n = 1; n < begun; n += 1) await bothTake(limiter, untroubled, rate);
        clock.at += answerMs;
        await limiter.done(first, { throttled: true, retryAfterMs: undefined });

        const slowUntil = clock.at + 300_000;
        const slow = await grantsUntil(slowUntil, { clock, limiter, untroubled, rate });
        const all = [...Array.from({ length: begun }, () => throttledAt), ...slow];
        const slowIntervalMs = 2 * intervalMs;
        const spreadMs = Math.ceil(slowIntervalMs / tokens);
        const within = (at: number): number => all.filter((one) => one > at - slowIntervalMs && one <= at).length;
        expect(Math.max(...slow.map(within))).toBeLessThanOrEqual(tokens);
        // Half as many, and no fewer: evenly as soon as what was taken before the 429 is back, until the very end.
        const gaps = slow.map((at, n) => (slow[n + 1] ?? slowUntil) - at);
        expect(Math.min(...gaps.slice(0, -1), spreadMs)).toBe(spreadMs);
        expect(Math.max(...gaps.filter((_, n) => slow[n]! > throttledAt + slowIntervalMs), 0)).toBeLessThanOrEqual(
          spreadMs,
        );
        expect(slow[0]! - throttledAt).toBeLessThanOrEqual(slowIntervalMs);

        clock.at = slowUntil;
        for (let n = 0; n < 20; n += 1) {
          const [answer, usual] = [await limiter.acquire('a', rate), await untroubled.acquire('a', rate)];
          expect(withoutIds([answer])).toEqual(withoutIds([usual]));
          if (!answer.granted) clock.at += answer.waitMs;
        }
      }),
      { numRuns: 100 },
    );
  });

  it('comes down to a quarter of the start rate within the first minute of nothing but 429s', async () => {
    for (const answerMs of [0, 100, 3000, 9000]) {
      for (const atOnce of [1, 2, 10]) {
        const { asked, slowest } = await visitAngrySite({ answerMs, atOnce });
        const firstMinute = asked.filter((at) => at < 60_000).length;
        expect(firstMinute).toBeLessThanOrEqual(3);
        expect(firstMinute).toBeGreaterThanOrEqual(1);
        expect(slowest).toBe(16);
      }
    }
  });

  it('says a moment at which there is a grant, and none a millisecond before', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const { clock, limiter } = setUp();
        let lease: Lease | null = null;
        for (const step of script) {
          if (step.do === 'wait') clock.at += step.ms;
          else if (step.do === 'acquire' || step.do === 'insist') {
            const answer = await limiter.acquire('a', DEFAULT_RATE);
            if (answer.granted) lease = answer.lease;
          } else if (lease) await end(limiter, lease, step.do);
        }
        const answer = await limiter.acquire('a', DEFAULT_RATE);
        if (answer.granted) return;
        clock.at += answer.waitMs - 1;
        expect((await limiter.acquire('a', DEFAULT_RATE)).granted).toBe(false);
        clock.at += 1;
        expect((await limiter.acquire('a', DEFAULT_RATE)).granted).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('does not care when the wall clock jumps', async () => {
    for (const jumpMs of [3_600_000, -3_600_000]) {
      const clock = new VirtualClock();
      const limiter = createLocalLimiter({ clock });
      for (let n = 0; n < 2; n += 1) await limiter.acquire('a', DEFAULT_RATE);
      await clock.advance(4000);
      clock.jumpWall(jumpMs);
      expect(await limiter.acquire('a', DEFAULT_RATE)).toMatchObject({ granted: false, waitMs: 6000 });
      await clock.advance(6000);
      const answers = [];
      for (let n = 0; n < 4; n += 1) answers.push(await limiter.acquire('a', DEFAULT_RATE));
      expect(answers.filter(({ granted }) => granted)).toHaveLength(2);
    }
  });
});

async function grant(limiter: Limiter, key: string, rate = DEFAULT_RATE): Promise<Lease> {
  const answer = await limiter.acquire(key, rate);
  if (!answer.granted) throw new Error(`No grant for ${key}: ${answer.reason}`);
  return answer.lease;
}

async function bothTake(one: Limiter, other: Limiter, rate: LimitRate): Promise<Lease> {
  await grant(other, 'a', rate);
  return grant(one, 'a', rate);
}

interface Pair {
  clock: { at: number };
  limiter: Limiter;
  untroubled: Limiter;
  rate: LimitRate;
}

/** Takes whatever there is before `end`, coming back each time when it was told to. */
async function grantsUntil(end: number, { clock, limiter, untroubled, rate }: Pair): Promise<number[]> {
  const granted: number[] = [];
  for (;;) {
    const answer = await limiter.acquire('a', rate);
    if (answer.granted) {
      await grant(untroubled, 'a', rate);
      granted.push(clock.at);
    } else if (clock.at + answer.waitMs >= end) return granted;
    else clock.at += answer.waitMs;
  }
}

/** A site that says 429 to the first twenty visits, `answerMs` after each began; others always wait to be visited. */
async function visitAngrySite({ answerMs, atOnce }: { answerMs: number; atOnce: number }) {
  const { clock, limiter } = setUp();
  const asked: number[] = [];
  let underWay: { lease: Lease; answeredAt: number }[] = [];
  let slowest = 0;
  while (asked.length < 20 || underWay.length > 0) {
    const answered = underWay.filter(({ answeredAt }) => answeredAt <= clock.at);
    underWay = underWay.filter((visit) => !answered.includes(visit));
    for (const { lease } of answered) await limiter.done(lease, { throttled: true, retryAfterMs: undefined });
    slowest = Math.max(slowest, (await limiter.state('a', DEFAULT_RATE)).slowdown);
    while (asked.length < 20 && underWay.length < atOnce) {
      const answer = await limiter.acquire('a', DEFAULT_RATE);
      if (!answer.granted) break;
      asked.push(clock.at);
      underWay.push({ lease: answer.lease, answeredAt: clock.at + answerMs });
    }
    clock.at += 100;
  }
  return { asked, slowest };
}
