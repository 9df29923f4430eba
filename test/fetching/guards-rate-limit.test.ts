import { describe, expect, it } from 'vitest';
import { GleanerError } from '../../src/domain/errors.js';
import { createPolicyBook, DEFAULT_POLICY } from '../../src/domain/policy.js';
import { createDomainStates } from '../../src/fetching/guards/domain-states.js';
import { createRateLimitGuard } from '../../src/fetching/guards/rate-limit-guard.js';
import type { Verdict } from '../../src/ports/guard.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { visitPlan } from '../support/visit-plan.js';

const signal = new AbortController().signal;
const evidence = {
  allowed: true,
  basis: 'rules' as const,
  robotsUrl: null,
  httpStatus: 200,
  rule: null,
  fetchedAt: 0,
};

function setUp() {
  const clock = new VirtualClock();
  const policies = createPolicyBook(
    DEFAULT_POLICY,
    new Map([['narrow.example', { tokensPerInterval: 100, maxConcurrent: 1 }]]),
  );
  const guard = createRateLimitGuard({ policies, clock });
  const check = (url: string, given = {}) => guard.check(visitPlan(url, given), signal) as Verdict;
  return { clock, guard, check };
}

describe('the rate limit guard', () => {
  it('grants two in ten seconds to a domain, whatever its hosts, and leaves others alone', async () => {
    const { clock, check } = setUp();
    expect(check('https://a.example/').kind).toBe('go');
    await clock.advance(4000);
    expect(check('https://www.a.example/').kind).toBe('go');
    expect(check('https://a.example/')).toMatchObject({ kind: 'wait', until: 10_000 });
    expect(check('https://b.example/').kind).toBe('go');
    await clock.advance(6000);
    expect(check('https://a.example/').kind).toBe('go');
    expect(check('https://a.example/')).toMatchObject({ kind: 'wait', until: 14_000 });
  });

  it('waits as long as a 429 asks for, and is slower for five minutes', async () => {
    const { clock, guard, check } = setUp();
    const plan = visitPlan('https://a.example/');
    guard.check(plan, signal);
    guard.after!(plan, { error: new GleanerError('rate_limited', 'x', { retryAfterMs: 7000 }) });
    expect(check('https://a.example/')).toMatchObject({ kind: 'wait', until: 7000 });
    expect(guard.stats()).toEqual({ domains: 1, throttled: 1 });
    await clock.advance(7000);
    expect(check('https://a.example/').kind).toBe('go');
    expect(check('https://a.example/')).toMatchObject({ kind: 'wait', until: 20_000 });
    await clock.advance(293_000);
    expect(guard.stats().throttled).toBe(0);
  });

  it('keeps a Crawl-delay within one and sixty seconds', async () => {
    for (const [asked, honoured] of [
      [0, 0],
      [0.2, 1000],
      [5, 5000],
      [3600, 60_000],
    ] as const) {
      const { check } = setUp();
      const robots = { ...evidence, crawlDelaySeconds: asked };
      expect(check('https://a.example/', { robots }).kind).toBe('go');
      const second = check('https://a.example/', { robots });
      expect(second).toMatchObject(honoured === 0 ? { kind: 'go' } : { kind: 'wait', until: honoured });
    }
  });

  it('gives a token back that was not used', () => {
    const { check } = setUp();
    check('https://a.example/');
    const unused = check('https://a.example/');
    if (unused.kind === 'go') unused.release?.();
    expect(check('https://a.example/').kind).toBe('go');
    expect(check('https://a.example/').kind).toBe('wait');
  });

  it('lets no more visits be under way than the policy allows', () => {
    const { guard, check } = setUp();
    const plan = visitPlan('https://narrow.example/');
    expect(guard.check(plan, signal)).toMatchObject({ kind: 'go' });
    expect(check('https://narrow.example/')).toMatchObject({ kind: 'wait', until: 250 });
    guard.after!(plan, { error: null });
    expect(check('https://narrow.example/').kind).toBe('go');
  });

  it('forgets domains that have long been quiet', async () => {
    const { clock, guard } = setUp();
    const visit = (n: number): void => {
      const plan = visitPlan(`https://site${n}.example/`);
      guard.check(plan, signal);
      guard.after!(plan, { error: null });
    };
    for (let n = 0; n < 1000; n += 1) visit(n);
    expect(guard.stats().domains).toBe(1000);
    await clock.advance(60_000);
    for (let n = 1000; n < 1600; n += 1) visit(n);
    expect(guard.stats().domains).toBeLessThan(700);
  });
});

describe('what is remembered per domain', () => {
  it('is bounded even if nothing of it is idle', () => {
    const states = createDomainStates(
      () => ({}),
      () => false,
    );
    for (let n = 0; n < 100_500; n += 1) states.get(`site${n}.example`);
    expect(states.size()).toBe(100_000);
  });
});
