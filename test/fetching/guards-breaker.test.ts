import { describe, expect, it } from 'vitest';
import { type ErrorCode, GleanerError } from '../../src/domain/errors.js';
import { type CircuitNote, createBreakerGuard } from '../../src/fetching/guards/breaker-guard.js';
import type { Verdict } from '../../src/ports/guard.js';
import { memoryNotes } from '../support/memory-notes.js';
import { QuietTelemetry } from '../support/quiet-telemetry.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { visitPlan } from '../support/visit-plan.js';

const settings = { windowSize: 10, failureThreshold: 5, cooldownMs: 120_000 };
const signal = new AbortController().signal;
const failure = (code: ErrorCode) => ({ error: new GleanerError(code, 'x') });

function setUp({ clock = new VirtualClock(), notes = memoryNotes<CircuitNote>() } = {}) {
  const telemetry = new QuietTelemetry();
  const guard = createBreakerGuard({ notes, settings, clock, log: telemetry.log });
  const check = (url = 'https://a.example/') => guard.check(visitPlan(url), signal) as Verdict;
  const visit = (result: { error: GleanerError | null }, url = 'https://a.example/'): Verdict => {
    const plan = visitPlan(url);
    const verdict = guard.check(plan, signal) as Verdict;
    if (verdict.kind === 'go') guard.after!(plan, result);
    return verdict;
  };
  return { clock, guard, check, visit, telemetry };
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

  it.each([-3_600_000, 3_600_000])('does not care when the wall clock is set (%d ms)', async (stepMs) => {
    const { clock, check, visit } = setUp();
    for (let n = 0; n < 3; n += 1) visit(failure('connect_failed'));
    clock.jumpWall(stepMs);
    for (let n = 0; n < 3; n += 1) visit(failure('connect_failed'));
    expect(check()).toMatchObject({ kind: 'no', error: { retryAfterMs: 120_000 } });
    clock.jumpWall(stepMs);
    await clock.advance(119_999);
    expect(check().kind).toBe('no');
    await clock.advance(1);
    expect(check().kind).toBe('go');
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

  it('says in the refusal when the next probe is, by the clock on the wall', async () => {
    const { clock, check, visit } = setUp();
    for (let n = 0; n < 6; n += 1) visit(failure('connect_failed'));
    await clock.advance(20_000);
    clock.jumpWall(3_600_000);
    const refusal = check();
    expect(refusal).toMatchObject({ kind: 'no', error: { retryAfterMs: 100_000 } });
    expect(refusal.kind === 'no' && refusal.error.message).toBe(
      'a.example failed too often lately (last: x) and is left alone; the next probe is at 2026-01-05T13:02:00.000Z.',
    );
  });

  it('reports a domain that nobody has visited as closed, and does not remember having been asked', () => {
    const { guard } = setUp();
    expect(guard.report('a.example')).toEqual({
      state: 'closed',
      failures: 0,
      windowSize: 10,
      reason: null,
      openedAt: null,
      nextProbeMs: null,
      isProbing: false,
    });
    expect(guard.reset('a.example')).toEqual({ before: 'closed' });
    expect([...guard.known()]).toEqual([]);
  });

  it('reports how often it failed, then why and when it opened, then the probe', async () => {
    const { clock, guard, check, visit } = setUp();
    for (let n = 0; n < 5; n += 1) visit(failure('connect_failed'));
    visit({ error: null });
    expect(guard.report('a.example')).toMatchObject({ state: 'closed', failures: 5, reason: null, openedAt: null });
    await clock.advance(1_000);
    visit({ error: new GleanerError('target_server_error', `The target answered 503. ${'x'.repeat(300)}`) });
    await clock.advance(30_000);
    const report = guard.report('a.example');
    expect(report).toMatchObject({ state: 'open', failures: 0, nextProbeMs: 90_000, isProbing: false });
    expect(report.openedAt).toBe(Date.UTC(2026, 0, 5, 12, 0, 1));
    expect(report.reason?.code).toBe('target_server_error');
    expect(report.reason?.sentence).toMatch(/^The target answered 503\. x+…$/);
    expect(report.reason?.sentence).toHaveLength(200);
    await clock.advance(90_000);
    expect(guard.report('a.example')).toMatchObject({ state: 'half_open', nextProbeMs: 0, isProbing: false });
    check();
    expect(guard.report('a.example')).toMatchObject({ state: 'half_open', nextProbeMs: null, isProbing: true });
  });

  it('tells the reason of the last failure, since when, and the operator only when it opens and when it closes', async () => {
    const { clock, guard, visit, telemetry } = setUp();
    for (let n = 0; n < 6; n += 1) visit(failure('connect_failed'));
    await clock.advance(120_000);
    visit(failure('blocked_page'));
    expect(guard.report('a.example')).toMatchObject({
      state: 'open',
      reason: { code: 'blocked_page' },
      openedAt: Date.UTC(2026, 0, 5, 12, 0, 0),
    });
    await clock.advance(120_000);
    visit({ error: null });
    expect(guard.report('a.example')).toMatchObject({ state: 'closed', reason: null, openedAt: null });
    expect(telemetry.lines).toEqual([
      {
        level: 'warn',
        message: 'a circuit breaker opened',
        fields: {
          domain: 'a.example',
          code: 'connect_failed',
          sentence: 'x',
          next_probe_at: '2026-01-05T12:02:00.000Z',
        },
      },
      {
        level: 'info',
        message: 'a circuit breaker closed: the domain answers again',
        fields: { domain: 'a.example' },
      },
    ]);
  });

  it('is closed by a reset with an empty window, and says what it was before', async () => {
    const { clock, guard, check, visit } = setUp();
    for (let n = 0; n < 6; n += 1) visit(failure('connect_failed'));
    expect(guard.reset('a.example')).toEqual({ before: 'open' });
    for (let n = 0; n < 5; n += 1) expect(visit(failure('connect_failed')).kind).toBe('go');
    expect(check().kind).toBe('go');
    visit(failure('connect_failed'));
    await clock.advance(120_000);
    expect(guard.reset('a.example')).toEqual({ before: 'half_open' });
    expect(guard.reset('a.example')).toEqual({ before: 'closed' });
  });

  it('forgets quiet domains as others come, but neither an open circuit nor failures of the last 24 hours', async () => {
    const { clock, guard, visit } = setUp();
    for (let n = 0; n < 6; n += 1) visit(failure('connect_failed'), 'https://open.example/');
    visit(failure('connect_failed'), 'https://failed.example/');
    const remembered = () => [...guard.known()].map(({ domain }) => domain);
    const others = (name: string) => {
      for (let n = 0; n < 50; n += 1) visit({ error: null }, `https://${name}${n}.example/`);
    };
    others('quiet');
    expect(remembered()).toEqual(expect.arrayContaining(['open.example', 'failed.example']));
    expect(remembered().length).toBeLessThan(10);
    await clock.advance(24 * 3_600_000);
    others('calm');
    expect(remembered()).not.toContain('open.example');
    expect(remembered()).not.toContain('failed.example');
  });

  describe('after a restart', () => {
    const openOne = async () => {
      const clock = new VirtualClock();
      const notes = memoryNotes<CircuitNote>();
      const before = setUp({ clock, notes });
      for (let n = 0; n < 6; n += 1) before.visit(failure('connect_failed'));
      const restart = async () => {
        const after = setUp({ clock, notes });
        await after.guard.recall();
        return after;
      };
      return { ...before, notes, restart };
    };

    it('leaves alone what was left alone, for what is left of the time, and says why', async () => {
      const { clock, restart, guard } = await openOne();
      const { openedAt } = guard.report('a.example');
      await clock.advance(20_000);
      const { check, guard: next } = await restart();
      expect(check()).toMatchObject({ kind: 'no', error: { code: 'circuit_open', retryAfterMs: 100_000 } });
      expect(next.report('a.example')).toMatchObject({ state: 'open', openedAt, reason: { code: 'connect_failed' } });
    });

    it('lets one try where the time is over, though another one was trying when the service died', async () => {
      const { clock, check, restart } = await openOne();
      await clock.advance(130_000);
      expect(check().kind).toBe('go');
      const next = await restart();
      expect([next.check(), next.check()].map(({ kind }) => kind)).toEqual(['go', 'wait']);
    });

    it('counts from the last time that it opened, and knows since when it has been so', async () => {
      const { clock, guard, visit, restart } = await openOne();
      const { openedAt } = guard.report('a.example');
      await clock.advance(120_000);
      visit(failure('connect_failed'));
      await clock.advance(100_000);
      const { guard: next } = await restart();
      expect(next.report('a.example')).toMatchObject({ state: 'open', openedAt, nextProbeMs: 20_000 });
    });

    it.each(['a probe that went well', 'the operator'] as const)('knows that it was closed by %s', async (by) => {
      const { clock, guard, visit, restart } = await openOne();
      await clock.advance(120_000);
      if (by === 'the operator') guard.reset('a.example');
      else visit({ error: null });
      await clock.advance(0);
      expect((await restart()).guard.report('a.example')).toMatchObject({ state: 'closed', reason: null });
    });

    it('is no longer than the time itself where the clock was set back', async () => {
      const { clock, restart } = await openOne();
      clock.jumpWall(-3_600_000);
      const { check } = await restart();
      expect(check()).toMatchObject({ kind: 'no', error: { retryAfterMs: 120_000 } });
    });

    it('notes it with the next who asks where the disk would not take it', async () => {
      const clock = new VirtualClock();
      const memory = memoryNotes<CircuitNote>();
      let isFull = true;
      const full = new GleanerError('storage_unavailable', 'The disk is full.');
      const notes = {
        ...memory,
        keep: (...note: Parameters<typeof memory.keep>) => (isFull ? Promise.reject(full) : memory.keep(...note)),
      };
      const { visit, check, telemetry } = setUp({ clock, notes });
      for (let n = 0; n < 6; n += 1) visit(failure('connect_failed'));
      await clock.advance(0);
      expect(telemetry.lines.map(({ message }) => message)).toContain(
        'a restart would not know the state of a circuit breaker',
      );
      isFull = false;
      expect(check().kind).toBe('no');
      await clock.advance(10_000);
      const next = setUp({ clock, notes });
      await next.guard.recall();
      expect(next.check()).toMatchObject({ kind: 'no', error: { retryAfterMs: 110_000 } });
    });
  });
});
