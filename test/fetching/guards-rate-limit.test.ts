import { describe, expect, it } from 'vitest';
import { createLocalLimiter } from '../../src/backends/embedded/local-limiter.js';
import { GleanerError } from '../../src/domain/errors.js';
import { createPolicyBook, DEFAULT_POLICY, type DomainPolicy } from '../../src/domain/policy.js';
import { createRateLimitGuard } from '../../src/fetching/guards/rate-limit-guard.js';
import type { Verdict, VisitPlan } from '../../src/ports/guard.js';
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

function setUp(entries: Record<string, Partial<DomainPolicy>> = {}) {
  const clock = new VirtualClock();
  const policies = createPolicyBook(DEFAULT_POLICY, new Map(Object.entries(entries)));
  const limiter = createLocalLimiter({ clock });
  const guard = createRateLimitGuard({ limiter, policies, clock });
  const checkPlan = async (plan: VisitPlan): Promise<Verdict> => guard.check(plan, signal);
  const check = (url: string, given = {}) => checkPlan(visitPlan(url, given));
  const visit = async (url: string, error: GleanerError | null): Promise<void> => {
    const plan = visitPlan(url);
    expect(await checkPlan(plan)).toMatchObject({ kind: 'go' });
    guard.after!(plan, { error });
  };
  return { clock, guard, limiter, check, checkPlan, visit };
}

const tooMany = (retryAfterMs?: number): GleanerError =>
  new GleanerError('rate_limited', 'x', retryAfterMs === undefined ? {} : { retryAfterMs });

describe('the rate limit guard', () => {
  it('grants two in ten seconds to a domain, whatever its hosts, and leaves others alone', async () => {
    const { clock, check } = setUp();
    expect((await check('https://a.example/')).kind).toBe('go');
    await clock.advance(4000);
    expect((await check('https://www.a.example/')).kind).toBe('go');
    expect(await check('https://a.example/')).toEqual({
      kind: 'wait',
      until: 10_000,
      reason: 'rate limit of the domain',
    });
    expect((await check('https://b.example/')).kind).toBe('go');
    await clock.advance(6000);
    expect((await check('https://a.example/')).kind).toBe('go');
    expect(await check('https://a.example/')).toMatchObject({ kind: 'wait', until: 14_000 });
  });

  it('lets a host with a rate of its own have its own tokens, and any other entry share those of the domain', async () => {
    const { check } = setUp({ 'api.a.example': { tokensPerInterval: 1 }, 'cdn.a.example': { minDelayMs: 1 } });
    expect((await check('https://api.a.example/')).kind).toBe('go');
    expect((await check('https://api.a.example/')).kind).toBe('wait');
    expect((await check('https://cdn.a.example/')).kind).toBe('go');
    expect((await check('https://a.example/')).kind).toBe('go');
    expect((await check('https://cdn.a.example/')).kind).toBe('wait');
  });

  it('waits as long as a 429 asks for, and is slower for five minutes, while others are not', async () => {
    const { clock, guard, check, visit } = setUp();
    await visit('https://a.example/', tooMany(7000));
    expect(await check('https://www.a.example/')).toMatchObject({ kind: 'wait', until: 10_000 });
    expect((await check('https://b.example/')).kind).toBe('go');
    expect(await guard.stats()).toEqual({ domains: 2, throttled: 1 });
    await clock.advance(10_000);
    await visit('https://a.example/', null);
    expect(await check('https://a.example/')).toMatchObject({ kind: 'wait', until: 20_000 });
    await clock.advance(289_999);
    expect((await guard.stats()).throttled).toBe(1);
    await clock.advance(1);
    expect((await guard.stats()).throttled).toBe(0);
  });

  it('does not come before the time the site named, though it is later than its own', async () => {
    const { clock, check, visit } = setUp();
    await visit('https://a.example/', tooMany(47_000));
    expect(await check('https://a.example/')).toEqual({
      kind: 'wait',
      until: 47_000,
      reason: 'the site asked us to come back later',
    });
    await clock.advance(46_999);
    expect((await check('https://a.example/')).kind).toBe('wait');
    await clock.advance(1);
    expect((await check('https://a.example/')).kind).toBe('go');
  });

  it('slows down for a 429 only, and comes back only for pages that were served', async () => {
    const { clock, limiter, visit } = setUp();
    const rate = { tokens: 2, intervalMs: 10_000, minGapMs: 0, maxConcurrent: null };
    const slowdown = async () => (await limiter.state('a.example', rate)).slowdown;
    for (const code of ['target_client_error', 'target_server_error', 'blocked_page', 'browser_crashed'] as const) {
      await visit('https://a.example/', new GleanerError(code, 'x'));
      expect(await slowdown()).toBe(1);
      await clock.advance(10_000);
    }
    await visit('https://a.example/', tooMany());
    await clock.advance(20_000);
    await visit('https://a.example/', tooMany());
    expect(await slowdown()).toBe(4);
    await clock.advance(40_000);
    await visit('https://a.example/', new GleanerError('target_client_error', 'x'));
    expect(await slowdown()).toBe(4);
    await clock.advance(40_000);
    await visit('https://a.example/', null);
    expect(await slowdown()).toBe(3);
  });

  it('keeps a Crawl-delay within one and sixty seconds, or the least interval of the policy if that is longer', async () => {
    for (const [asked, honoured] of [
      [0, 0],
      [0.2, 1000],
      [5, 5000],
      [3600, 60_000],
    ] as const) {
      const { check } = setUp({ 'b.example': { minIntervalMs: 20_000 } });
      const robots = { ...evidence, crawlDelaySeconds: asked };
      expect((await check('https://a.example/', { robots })).kind).toBe('go');
      const second = await check('https://a.example/', { robots });
      expect(second).toMatchObject(honoured === 0 ? { kind: 'go' } : { kind: 'wait', until: honoured });
      await check('https://b.example/', { robots });
      expect(await check('https://b.example/', { robots })).toMatchObject({ until: Math.max(20_000, honoured) });
    }
  });

  it('gives a token back that was not used, and hears of it once', async () => {
    const { guard, check, checkPlan } = setUp();
    await check('https://a.example/');
    const plan = visitPlan('https://a.example/');
    const unused = await checkPlan(plan);
    if (unused.kind === 'go') unused.release?.();
    guard.after!(plan, { error: tooMany(60_000) });
    expect((await check('https://a.example/')).kind).toBe('go');
    expect(await check('https://a.example/')).toMatchObject({ kind: 'wait', until: 10_000 });
  });

  it('keeps the token of a visit that began, even if it is told to give it back afterwards', async () => {
    const { guard, check, checkPlan } = setUp();
    const plan = visitPlan('https://a.example/');
    const used = await checkPlan(plan);
    guard.after!(plan, { error: null });
    if (used.kind === 'go') used.release?.();
    expect((await check('https://a.example/')).kind).toBe('go');
    expect((await check('https://a.example/')).kind).toBe('wait');
  });

  it('lets no more visits be under way than the policy allows', async () => {
    const { guard, check, checkPlan } = setUp({ 'narrow.example': { tokensPerInterval: 100, maxConcurrent: 1 } });
    const plan = visitPlan('https://narrow.example/');
    expect(await checkPlan(plan)).toMatchObject({ kind: 'go' });
    expect(await check('https://narrow.example/')).toMatchObject({ kind: 'wait', until: 250 });
    guard.after!(plan, { error: null });
    expect((await check('https://narrow.example/')).kind).toBe('go');
  });

  it('says how fast to act on the page, once it may be visited', async () => {
    const { checkPlan } = setUp({ 'a.example': { tokensPerInterval: 1, minDelayMs: 70, maxDelayMs: 80 } });
    const [first, second] = [visitPlan('https://a.example/'), visitPlan('https://a.example/')];
    await checkPlan(first);
    expect(first.pace).toEqual({ minDelayMs: 70, maxDelayMs: 80 });
    await checkPlan(second);
    expect(second.pace).toBeNull();
  });

  it('forgets domains that have long been quiet', async () => {
    const { clock, guard, visit } = setUp();
    for (let n = 0; n < 1000; n += 1) await visit(`https://site${n}.example/`, null);
    expect((await guard.stats()).domains).toBe(1000);
    await clock.advance(60_000);
    for (let n = 1000; n < 1600; n += 1) await visit(`https://site${n}.example/`, null);
    expect((await guard.stats()).domains).toBe(600);
  });
});
