import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BreakerSettings, BreakerState } from '../../src/domain/breaker.js';
import { GleanerError } from '../../src/domain/errors.js';
import { type BreakerGuard, createBreakerGuard } from '../../src/fetching/guards/breaker-guard.js';
import type { Verdict, VisitPlan } from '../../src/ports/guard.js';
import { memoryNotes } from '../support/memory-notes.js';
import { QuietTelemetry } from '../support/quiet-telemetry.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { visitPlan } from '../support/visit-plan.js';

const signal = new AbortController().signal;
const URL_OF_ALL = 'https://a.example/';

/** What the breaker should do, told as plainly as possible: the whole history, and times to compare with. */
class Model {
  private history: boolean[] = [];
  private openedAt: number | null = null;
  private probe: VisitPlan | null = null;

  constructor(private readonly settings: BreakerSettings) {}

  state(now: number): BreakerState {
    if (this.openedAt === null) return 'closed';
    return this.probe === null && now < this.openedAt + this.settings.cooldownMs ? 'open' : 'half_open';
  }

  check(plan: VisitPlan, now: number): Verdict['kind'] {
    const state = this.state(now);
    if (state === 'closed') return 'go';
    if (state === 'open') return 'no';
    if (this.probe !== null) return 'wait';
    this.probe = plan;
    return 'go';
  }

  end(plan: VisitPlan, failed: boolean | null, now: number): void {
    if (this.openedAt === null) {
      this.count(failed, now);
      return;
    }
    if (this.probe !== plan) return;
    this.probe = null;
    if (failed === true) this.openedAt = now;
    if (failed === false) this.reset();
  }

  reset(): void {
    this.history = [];
    this.openedAt = null;
    this.probe = null;
  }

  private count(failed: boolean | null, now: number): void {
    if (failed !== null) this.history.push(failed);
    const failures = this.history.slice(-this.settings.windowSize).filter(Boolean).length;
    if (failures > this.settings.failureThreshold) this.openedAt = now;
  }
}

type Step =
  | { kind: 'arrive'; count: number }
  | { kind: 'end'; which: number; outcome: 'ok' | 'failed' | 'ours' | 'never began' }
  | { kind: 'pass'; ms: number }
  | { kind: 'reset' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('arrive' as const), count: fc.constantFrom(1, 1, 2, 2, 3, 100) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      which: fc.nat(),
      outcome: fc.constantFrom('failed', 'failed', 'ok', 'ours', 'never began'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(1, 499, 500, 1000) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'reset' as const }) },
);

const RESULTS = {
  ok: { error: null },
  failed: { error: new GleanerError('target_server_error', 'x') },
  ours: { error: new GleanerError('browser_crashed', 'x') },
};

interface Visit {
  plan: VisitPlan;
  release: () => void;
}

describe('the breaker beside a model of it', () => {
  it('answers the same to any order of arrivals, answers, time and resets', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.record({ windowSize: fc.integer({ min: 1, max: 6 }), failureThreshold: fc.nat(4) }),
        fc.array(step, { minLength: 10, maxLength: 60 }),
        async (sizes, steps) => {
          const settings = { ...sizes, cooldownMs: 1000 };
          const clock = new VirtualClock();
          const guard = createBreakerGuard({ notes: memoryNotes(), settings, clock, log: new QuietTelemetry().log });
          const model = new Model(settings);
          const underWay: Visit[] = [];
          for (const one of steps) {
            if (one.kind === 'pass') await clock.advance(one.ms);
            else if (one.kind === 'reset') {
              expect(guard.reset('a.example').before).toBe(model.state(clock.mono()));
              model.reset();
            } else if (one.kind === 'arrive') seen.add(arrive(one.count, { guard, model, clock, underWay }));
            else if (underWay.length > 0) {
              const [visit] = underWay.splice(one.which % underWay.length, 1);
              end(visit!, one.outcome, { guard, model, clock });
            }
            const { state } = guard.report('a.example');
            expect(state).toBe(model.state(clock.mono()));
            seen.add(state);
          }
          // However it stands by now: so many failures open it if anything can, and then a hundred are waiting.
          for (const visit of underWay.splice(0)) end(visit, 'failed', { guard, model, clock });
          arrive(10, { guard, model, clock, underWay });
          for (const visit of underWay.splice(0)) end(visit, 'failed', { guard, model, clock });
          await clock.advance(1000);
          seen.add(arrive(100, { guard, model, clock, underWay }));
        },
      ),
      { numRuns: 120 },
    );
    // Otherwise the steps above would prove little.
    expect([...seen]).toEqual(expect.arrayContaining(['closed', 'open', 'half_open', 'one probe of 100']));
  });
});

function arrive(
  count: number,
  { guard, model, clock, underWay }: { guard: BreakerGuard; model: Model; clock: VirtualClock; underWay: Visit[] },
): string {
  const before = model.state(clock.mono());
  const plans = Array.from({ length: count }, () => visitPlan(URL_OF_ALL));
  const verdicts = plans.map((plan) => guard.check(plan, signal) as Verdict);
  expect(verdicts.map(({ kind }) => kind)).toEqual(plans.map((plan) => model.check(plan, clock.mono())));
  let gone = 0;
  for (const [n, verdict] of verdicts.entries()) {
    if (verdict.kind !== 'go') continue;
    gone += 1;
    underWay.push({ plan: plans[n]!, release: verdict.release! });
  }
  if (before !== 'closed') expect(gone).toBeLessThanOrEqual(1);
  return before === 'half_open' && count === 100 && gone === 1 ? 'one probe of 100' : 'arrived';
}

function end(
  { plan, release }: Visit,
  outcome: 'ok' | 'failed' | 'ours' | 'never began',
  { guard, model, clock }: { guard: BreakerGuard; model: Model; clock: VirtualClock },
): void {
  if (outcome === 'never began') release();
  else guard.after!(plan, RESULTS[outcome]);
  const failed = outcome === 'ok' ? false : outcome === 'failed' ? true : null;
  model.end(plan, failed, clock.mono());
}
