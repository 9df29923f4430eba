import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GleanerError } from '../../src/domain/errors.js';
import { createPolicyBook, DEFAULT_POLICY } from '../../src/domain/policy.js';
import { DispatchRun, type World } from '../support/dispatch-run.js';
import { VirtualClock } from '../support/virtual-clock.js';

const DOWN = new GleanerError('target_server_error', 'The site answered 500.');
const THROTTLED = new GleanerError('rate_limited', 'The site answered 429.');
const HOUR_MS = 3_600_000;

const aDomain = fc.record({
  tookMs: fc.integer({ min: 1, max: 20_000 }),
  /** What its visits end with, over and over. */
  answers: fc.array(fc.constantFrom(null, null, null, DOWN, THROTTLED), { minLength: 1, maxLength: 6 }),
});
const aTask = fc.record({
  domain: fc.nat(),
  jobSize: fc.constantFrom(0, 0, 3, 100, 10_000),
  isBrowser: fc.boolean(),
  /** After the one before it. */
  afterMs: fc.constantFrom(0, 0, 0, 1, 700, 30_000, 400_000),
});

const aWorld = fc
  .record({
    domains: fc.array(aDomain, { minLength: 1, maxLength: 12 }),
    tasks: fc.array(aTask, { minLength: 1, maxLength: 80 }),
  })
  .map(({ domains, tasks }): World => {
    let at = 0;
    const all = tasks.map(({ domain, jobSize, isBrowser, afterMs }, n) => ({
      domain: domain % domains.length,
      url: `https://www.site-${domain % domains.length}.com/${n}`,
      jobSize,
      needs: isBrowser ? ('browser' as const) : ('http' as const),
      arrivesAt: (at += afterMs),
    }));
    const visits = domains.map(() => 0);
    return {
      tasks: all.length,
      domains: domains.length,
      task: (n) => all[n]!,
      visit(domain) {
        const { tookMs, answers } = domains[domain]!;
        return { tookMs, error: answers[visits[domain]!++ % answers.length]! };
      },
    };
  });

const aRate = fc.record({
  tokensPerInterval: fc.integer({ min: 1, max: 4 }),
  intervalSeconds: fc.integer({ min: 1, max: 60 }),
  maxConcurrent: fc.constantFrom(null, 1, 3),
});
const someSlots = fc.record({ http: fc.integer({ min: 1, max: 5 }), browser: fc.integer({ min: 1, max: 2 }) });

describe('queue, breaker and limiter together', () => {
  it('end every task once, pass nobody over and take no token before it is back', async () => {
    await fc.assert(
      fc.asyncProperty(aWorld, aRate, someSlots, async (world, rate, slots) => {
        const policies = createPolicyBook({ ...DEFAULT_POLICY, ...rate }, new Map());
        const run = new DispatchRun({ clock: new VirtualClock(), world, policies, slots });
        run.arrive();
        await run.toTheEnd(48 * HOUR_MS);
        expect([...run.ends].filter((times) => times !== 1)).toEqual([]);
        expect({ early: run.ledger.early, overtaken: run.overtaken }).toEqual({ early: 0, overtaken: 0 });
        expect(run.queue.stats()).toMatchObject({ depth: 0, activeWorkers: 0 });
      }),
      { numRuns: 100 },
    );
  }, 60_000);

  it('let a task of the largest job go though smaller ones come faster than they can be served', async () => {
    const streaming = 2_000;
    const world: World = {
      tasks: streaming + 1,
      domains: streaming + 1,
      task: (n) => ({
        domain: n,
        url: `https://site-${n}.com/`,
        jobSize: n === 1 ? 100_000 : 0,
        needs: 'http',
        // One place, visits of a second, two new ones each second.
        arrivesAt: n * 500,
      }),
      visit: () => ({ tookMs: 1_000, error: null }),
    };
    const policies = createPolicyBook(DEFAULT_POLICY, new Map());
    const run = new DispatchRun({ clock: new VirtualClock(), world, policies, slots: { http: 1, browser: 1 } });
    run.arrive();
    await run.toTheEnd(HOUR_MS);
    // Its handicap is 498 s: whoever came within it goes first, nobody else.
    expect(run.waits[1]).toBeGreaterThan(990_000);
    expect(run.waits[1]).toBeLessThan(1_000_000);
  });
});
