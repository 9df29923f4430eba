import { describe, expect, it } from 'vitest';
import { type ErrorCode, GleanerError } from '../../src/domain/errors.js';
import { createBreakerGuard } from '../../src/fetching/guards/breaker-guard.js';
import type { Verdict } from '../../src/ports/guard.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { visitPlan } from '../support/visit-plan.js';

const settings = { windowSize: 10, failureThreshold: 5, cooldownMs: 120_000 };
const signal = new AbortController().signal;
const failure = (code: ErrorCode) => ({ error: new GleanerError(code, 'x') });

function setUp() {
  const clock = new VirtualClock();
  const guard = createBreakerGuard({ settings, clock });
  const check = (url = 'https://a.example/') => guard.check(visitPlan(url), signal) as Verdict;
  const visit = (result: { error: GleanerError | null }, url = 'https://a.example/'): Verdict => {
    const plan = visitPlan(url);
    const verdict = guard.check(plan, signal) as Verdict;
    if (verdict.kind === 'go') guard.after!(plan, result);
    return verdict;
  };
  return { clock, guard, check, visit };
}

describe('the breaker guard', () => {
  it('opens with the sixth failure, for this domain only, and says for how long', () => {
    const { guard, check, visit } = setUp();
    for (let n = 0; n < 5; n += 1) visit(failure('target_server_error'));
    expect(check().kind).toBe('go');
    visit(failure('target_timeout'), 'https://www.a.example/');
    expect(check()).toMatchObject({ kind: 'no', error: { code: 'circuit_open', retryAfterMs: 120_000 } });
    expect(check('https://b.example/').kind).toBe('go');
    expect(guard.troubled()).toEqual([{ domain: 'a.example', state: 'open' }]);
    expect(guard.counts()).toEqual({ closed: 1, open: 1, half_open: 0 });
  });

  it.each([
    'target_client_error',
    'rate_limited',
    'robots_denied',
    'proxy_failed',
    'browser_crashed',
    'pool_exhausted',
  ] as const)('does not count %s against the domain', (code) => {
    const { check, visit } = setUp();
    for (let n = 0; n < 20; n += 1) visit(failure(code));
    expect(check().kind).toBe('go');
  });

  it('lets exactly one of a hundred try after the cooldown, and the others wait for its answer', async () => {
    const { clock, guard, visit } = setUp();
    for (let n = 0; n < 6; n += 1) visit(failure('connect_failed'));
    await clock.advance(120_000);
    expect(guard.counts().half_open).toBe(1);
    const plans = Array.from({ length: 100 }, () => visitPlan('https://a.example/'));
    const verdicts = plans.map((plan) => guard.check(plan, signal) as Verdict);
    expect(verdicts.filter(({ kind }) => kind === 'go')).toHaveLength(1);
    expect(verdicts.filter(({ kind }) => kind === 'wait')).toHaveLength(99);
    guard.after!(plans[0]!, { error: null });
    expect(guard.check(visitPlan('https://a.example/'), signal)).toMatchObject({ kind: 'go' });
    expect(guard.troubled()).toEqual([]);
  });

  it('gives the probe to the next when the first never began or says nothing about the domain', async () => {
    const { clock, guard, visit, check } = setUp();
    for (let n = 0; n < 6; n += 1) visit(failure('connect_failed'));
    await clock.advance(120_000);
    const released = check();
    expect(check().kind).toBe('wait');
    if (released.kind === 'go') released.release?.();
    visit(failure('browser_crashed'));
    const probe = visitPlan('https://a.example/');
    expect(guard.check(probe, signal)).toMatchObject({ kind: 'go' });
    guard.after!(probe, failure('blocked_page'));
    expect(check()).toMatchObject({ kind: 'no', error: { retryAfterMs: 120_000 } });
  });
});
