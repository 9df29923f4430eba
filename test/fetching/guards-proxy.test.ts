import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GleanerError } from '../../src/domain/errors.js';
import { createProxyGuard } from '../../src/fetching/guards/proxy-guard.js';
import { createProxies, type Proxies } from '../../src/fetching/proxies.js';
import { createProxyMarks } from '../../src/fetching/proxy-marks.js';
import type { Identity, ProxyChoice } from '../../src/ports/fetcher.js';
import { QuietTelemetry } from '../support/quiet-telemetry.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { visitPlan } from '../support/visit-plan.js';

const cooldownMs = 30_000;
const checkIntervalMs = 60_000;
const signal = new AbortController().signal;
const certain = { domain: 'a.example', isSuspicion: false };
const suspicion = (domain: string) => ({ domain, isSuspicion: true });

const choices = (count: number): ProxyChoice[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `${n + 1}:p${n}.example`,
    url: `http://user:hush-hush@p${n}.example:8080`,
    region: n % 2 ? 'DE' : null,
  }));

function setUp(count: number, changes: { cooldownMs?: number; works?: (id: string) => boolean } = {}) {
  const clock = new VirtualClock();
  const { log, lines } = new QuietTelemetry();
  const probed: string[] = [];
  const probe = async ({ id }: ProxyChoice): Promise<void> => {
    probed.push(id);
    if (changes.works?.(id) === false) throw new GleanerError('proxy_failed', `The proxy ${id} could not be used.`);
  };
  const all = choices(count);
  const proxies = createProxies(all, {
    clock,
    cooldownMs: changes.cooldownMs ?? cooldownMs,
    checkIntervalMs,
    probe,
    log,
  });
  return { clock, proxies, all, lines, probed };
}

const idOf = (turn: ReturnType<Proxies['next']>): string | null => (turn.kind === 'proxy' ? turn.proxy.id : null);

describe('proxies', () => {
  it('Property 18: healthy ones take turns, an unhealthy one is never chosen', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }), (healthy) => {
        const { proxies, all } = setUp(healthy.length);
        for (const [n, isHealthy] of healthy.entries()) if (!isHealthy) proxies.failed(all[n]!.id, certain);
        const expected = all.filter((_, n) => healthy[n]).map(({ id }) => id);
        expect(proxies.healthyCount()).toBe(expected.length);
        if (expected.length === 0) {
          expect(proxies.next('a.example')).toEqual({ kind: 'none', until: checkIntervalMs });
          return;
        }
        const turns = Array.from({ length: expected.length * 2 }, (_, n) => idOf(proxies.next(`d${n}.example`)));
        expect(turns).toEqual([...expected, ...expected]);
      }),
    );
  });

  it('Property 19: one that failed is left out until a health check restores it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 6 }),
        fc.nat(5),
        fc.integer({ min: 0, max: 3 }),
        async (count, which, deadRounds) => {
          let failures = 0;
          const { id } = choices(count)[which % count]!;
          const { clock, proxies } = setUp(count, {
            cooldownMs: 0,
            works: (probed) => probed !== id || failures++ >= deadRounds,
          });
          const chosen = () => Array.from({ length: count * 2 }, () => idOf(proxies.next('a.example')));
          proxies.failed(id, certain);
          // Time alone restores nothing.
          await clock.advance(10 * checkIntervalMs);
          expect(chosen()).not.toContain(id);

          proxies.start();
          await clock.advance(0);
          for (let round = 0; round < deadRounds; round += 1) {
            expect(chosen()).not.toContain(id);
            await clock.advance(checkIntervalMs);
          }
          expect(chosen()).toContain(id);
          expect(proxies.healthyCount()).toBe(count);
          await proxies.stop();
        },
      ),
    );
  });

  it('Property 20: one that was used for a domain is not used for it again within the cooldown', async () => {
    const step = fc.record({ domain: fc.constantFrom('a.example', 'b.example', 'c.example'), passMs: fc.nat(20_000) });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 60_000 }),
        fc.array(step, { minLength: 1, maxLength: 40 }),
        async (count, cooldown, steps) => {
          const { clock, proxies } = setUp(count, { cooldownMs: cooldown });
          const usedAt = new Map<string, number>();
          for (const { domain, passMs } of steps) {
            const now = clock.mono();
            const last = (id: string): number => usedAt.get(`${id} ${domain}`) ?? Number.NEGATIVE_INFINITY;
            const turn = proxies.next(domain);
            if (turn.kind === 'proxy') {
              expect(now - last(turn.proxy.id)).toBeGreaterThanOrEqual(cooldown);
              usedAt.set(`${turn.proxy.id} ${domain}`, now);
            } else {
              // And nobody waits in vain: all were used too lately, and the first is free at the time named.
              const freeAt = choices(count).map(({ id }) => last(id) + cooldown);
              expect(turn).toEqual({ kind: 'cooling', until: Math.min(...freeAt) });
              expect(Math.min(...freeAt)).toBeGreaterThan(now);
            }
            await clock.advance(passMs);
          }
        },
      ),
    );
  });

  it('Property 21: successes and failures are counted as they were recorded', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(2), fc.constantFrom('success', 'failure', 'suspicion')), { maxLength: 100 }),
        (records) => {
          const { proxies, all } = setUp(3);
          for (const [which, kind] of records) {
            if (kind === 'success') proxies.succeeded(all[which]!.id);
            else proxies.failed(all[which]!.id, { domain: 'a.example', isSuspicion: kind === 'suspicion' });
          }
          for (const [which, { id }] of all.entries()) {
            const own = records.filter(([by]) => by === which);
            const successes = own.filter(([, kind]) => kind === 'success').length;
            expect(proxies.stats()[which]).toMatchObject({ id, successes, failures: own.length - successes });
          }
        },
      ),
    );
  });

  it('are direct egress where none is configured: one healthy way', async () => {
    const { proxies, clock } = setUp(0);
    proxies.start();
    expect(clock.pendingTimers).toBe(0);
    expect(proxies.next('a.example')).toEqual({ kind: 'direct' });
    expect(proxies.auxiliary('a.example')).toEqual({ kind: 'direct' });
    expect(proxies.healthyCount()).toBe(1);
    await proxies.stop();
  });

  it('are as good as unused when the visit did not begin after all', () => {
    const { proxies } = setUp(1);
    const turn = proxies.next('a.example');
    expect(proxies.next('a.example').kind).toBe('cooling');
    if (turn.kind === 'proxy') turn.release();
    const again = proxies.next('a.example');
    expect(again.kind).toBe('proxy');
    // A second call takes back nothing of the next use.
    if (turn.kind === 'proxy') turn.release();
    expect(proxies.next('a.example').kind).toBe('cooling');
  });

  it('serve what belongs to a visit without taking a turn, during a cooldown too', () => {
    const { proxies, all } = setUp(2);
    expect(proxies.auxiliary('a.example')).toEqual({ kind: 'proxy', proxy: all[0] });
    expect(proxies.auxiliary('a.example')).toEqual({ kind: 'proxy', proxy: all[0] });
    expect(idOf(proxies.next('a.example'))).toBe(all[0]!.id);
    expect(proxies.auxiliary('a.example')).toEqual({ kind: 'proxy', proxy: all[1] });
    expect(idOf(proxies.next('a.example'))).toBe(all[1]!.id);
    expect(proxies.next('a.example').kind).toBe('cooling');
    expect(proxies.auxiliary('a.example')).toEqual({ kind: 'proxy', proxy: all[0] });
    for (const { id } of all) proxies.failed(id, certain);
    expect(proxies.auxiliary('a.example')).toEqual({ kind: 'none', until: checkIntervalMs });
  });

  it('tell who waits for a domain, and for how long yet', async () => {
    const { proxies, clock, all } = setUp(3);
    proxies.next('a.example');
    await clock.advance(10_000);
    proxies.failed(all[1]!.id, suspicion('a.example'));
    expect(proxies.cooldowns('a.example')).toEqual([
      { id: all[0]!.id, untilMs: cooldownMs - 10_000 },
      { id: all[1]!.id, untilMs: checkIntervalMs },
    ]);
    expect(proxies.cooldowns('b.example')).toEqual([]);
  });
});

describe('a proxy that is only suspected', () => {
  it('is set aside for the domain it did not reach, and stays in use for others', async () => {
    const { proxies, clock, all } = setUp(2, { cooldownMs: 0 });
    proxies.failed(all[0]!.id, suspicion('a.example'));
    const chosen = (domain: string) => [proxies.next(domain), proxies.next(domain)].map(idOf);
    expect(chosen('a.example')).toEqual([all[1]!.id, all[1]!.id]);
    expect(chosen('b.example').sort()).toEqual(all.map(({ id }) => id));
    expect(proxies.auxiliary('a.example')).toMatchObject({ proxy: all[1] });
    await clock.advance(checkIntervalMs);
    expect(chosen('a.example').sort()).toEqual(all.map(({ id }) => id));
  });

  it('is unhealthy once it did not reach a second domain, unless it succeeded in between', () => {
    const { proxies, all } = setUp(2);
    const { id } = all[0]!;
    const isHealthy = () => proxies.stats()[0]!.healthy;
    proxies.failed(id, suspicion('a.example'));
    proxies.failed(id, suspicion('a.example'));
    expect(isHealthy()).toBe(true);
    proxies.succeeded(id);
    proxies.failed(id, suspicion('b.example'));
    expect(isHealthy()).toBe(true);
    proxies.failed(id, suspicion('c.example'));
    expect(isHealthy()).toBe(false);
  });

  it('is looked at in the next round of health checks', async () => {
    let isDead = false;
    const { proxies, clock, all, probed } = setUp(3, { works: (id) => !isDead || id !== '2:p1.example' });
    proxies.start();
    await clock.advance(0);
    expect(probed).toEqual(all.map(({ id }) => id));
    isDead = true;
    proxies.failed(all[0]!.id, suspicion('a.example'));
    proxies.failed(all[1]!.id, suspicion('a.example'));
    await clock.advance(checkIntervalMs);
    expect(probed.slice(3)).toEqual([all[0]!.id, all[1]!.id]);
    expect(proxies.stats().map(({ healthy }) => healthy)).toEqual([true, false, true]);
    // Cleared: another domain is a first suspicion again.
    proxies.failed(all[0]!.id, suspicion('b.example'));
    expect(proxies.stats()[0]!.healthy).toBe(true);
    await proxies.stop();
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('health checks', () => {
  it('look at all proxies at the start and then only at the unhealthy ones, and say what changed', async () => {
    let dead = ['2:p1.example'];
    const { proxies, clock, all, probed, lines } = setUp(3, { works: (id) => !dead.includes(id) });
    proxies.start();
    proxies.start();
    await clock.advance(0);
    expect(probed).toEqual(all.map(({ id }) => id));
    expect(proxies.stats()[1]).toMatchObject({ healthy: false, region: 'DE', failures: 0 });
    expect(proxies.stats()[1]!.last_changed_at).toBe(new Date(clock.now()).toISOString());
    expect(proxies.stats()[0]!.last_changed_at).toBeNull();

    await clock.advance(checkIntervalMs);
    expect(probed.slice(3)).toEqual(['2:p1.example']);
    dead = [];
    await clock.advance(checkIntervalMs);
    expect(proxies.stats()[1]!.healthy).toBe(true);
    await clock.advance(5 * checkIntervalMs);
    expect(probed).toHaveLength(5);
    expect(lines).toEqual([
      {
        level: 'warn',
        fields: { proxy: '2:p1.example', reason: 'The proxy 2:p1.example could not be used.' },
        message: 'a proxy is unhealthy and is left out',
      },
      {
        level: 'info',
        fields: { proxy: '2:p1.example', reason: 'the health check succeeded' },
        message: 'a proxy is healthy again',
      },
    ]);
    expect(JSON.stringify([lines, proxies.stats()])).not.toContain('hush');
    await proxies.stop();
  });

  it('run eight at a time, and one that never ends fails after ten seconds', async () => {
    const clock = new VirtualClock();
    let [running, most] = [0, 0];
    const ends: (() => void)[] = [];
    const proxies = createProxies(choices(20), {
      clock,
      cooldownMs,
      checkIntervalMs,
      log: new QuietTelemetry().log,
      async probe(_, stop) {
        running += 1;
        most = Math.max(most, running);
        await new Promise<void>((resolve) => ends.push(resolve));
        running -= 1;
        expect(stop.aborted).toBe(true);
      },
    });
    proxies.failed('1:p0.example', certain);
    proxies.start();
    await clock.advance(0);
    expect([running, most]).toEqual([8, 8]);
    await clock.advance(10_000);
    expect(proxies.healthyCount()).toBe(12);
    // What comes too late changes nothing.
    for (const end of ends.splice(0, 8)) end();
    await clock.advance(0);
    expect(proxies.healthyCount()).toBe(12);
    await proxies.stop();
    expect(clock.pendingTimers).toBe(0);
    expect(proxies.healthyCount()).toBe(12);
  });
});

describe('the memory of uses', () => {
  it('does not grow with the number of domains', { timeout: 120_000 }, async () => {
    const clock = new VirtualClock();
    const marks = createProxyMarks({ clock, durationMs: cooldownMs });
    let most = 0;
    for (let n = 0; n < 1_000_000; n += 1) {
      marks.add(`d${n}.example`, '1:p');
      if (n % 10_000 === 0) await clock.advance(10_000);
      most = Math.max(most, marks.size());
    }
    expect(most).toBeLessThanOrEqual(40_000);
    expect(marks.until('d999999.example', '1:p')).toBe(clock.mono() + cooldownMs);
    expect(marks.until('d0.example', '1:p')).toBe(0);
  });

  it('tells when it is full instead of forgetting what still counts', async () => {
    const clock = new VirtualClock();
    const marks = createProxyMarks({ clock, durationMs: cooldownMs, max: 2 });
    marks.add('a.example', '1:p');
    await clock.advance(1000);
    expect(marks.roomAt()).toBe(0);
    marks.add('b.example', '1:p');
    expect(marks.roomAt()).toBe(cooldownMs);
    await clock.advance(cooldownMs - 1000);
    expect(marks.roomAt()).toBe(0);
    expect(marks.size()).toBe(1);
    for (const domain of ['c', 'd', 'e']) marks.add(`${domain}.example`, '1:p');
    expect(marks.size()).toBe(2);
  });
});

describe('the proxy guard', () => {
  const guarded = (count: number, changes: Parameters<typeof setUp>[1] = {}) => {
    const parts = setUp(count, changes);
    return { ...parts, guard: createProxyGuard(parts) };
  };

  it('hands out the next proxy and learns from how the visit went', () => {
    const { proxies, guard } = guarded(2, { cooldownMs: 0 });
    const visit = (error: GleanerError | null): string | undefined => {
      const plan = visitPlan('https://a.example/');
      guard.check(plan, signal);
      guard.after!(plan, { error });
      return plan.proxy?.id;
    };
    expect(visit(null)).toBe('1:p0.example');
    expect(visit(new GleanerError('connect_failed', 'x'))).toBe('2:p1.example');
    expect(visit(new GleanerError('proxy_failed', 'x'))).toBe('1:p0.example');
    // The target's answer is a success of the proxy, whatever it says.
    expect(visit(new GleanerError('target_server_error', 'x', { httpStatus: 500 }))).toBe('2:p1.example');
    expect(visit(new GleanerError('proxy_failed', 'x'))).toBe('2:p1.example');
    expect(guard.check(visitPlan('https://a.example/'), signal)).toMatchObject({
      kind: 'no',
      error: { code: 'no_healthy_proxies', retryAfterMs: checkIntervalMs },
    });
    expect(proxies.stats()).toMatchObject([
      { id: '1:p0.example', region: null, healthy: false, successes: 1, failures: 1 },
      { id: '2:p1.example', region: 'DE', healthy: false, successes: 1, failures: 1 },
    ]);
  });

  it('lets the domain wait while every proxy has just been used for it, and no other', () => {
    const { guard } = guarded(1);
    expect(guard.check(visitPlan('https://a.example/'), signal)).toMatchObject({ kind: 'go' });
    const waiting = guard.check(visitPlan('https://www.a.example/2'), signal);
    expect(waiting).toMatchObject({ kind: 'wait', until: cooldownMs });
    expect(waiting).not.toHaveProperty('holds', 'task');
    expect(guard.check(visitPlan('https://b.example/'), signal)).toMatchObject({ kind: 'go' });
  });

  it('gives back the use of a visit that never began', () => {
    const { guard } = guarded(1);
    const verdict = guard.check(visitPlan('https://a.example/'), signal) as { release?: () => void };
    verdict.release!();
    expect(guard.check(visitPlan('https://a.example/'), signal)).toMatchObject({ kind: 'go' });
  });

  it('goes on through the proxy of the leg before, past its cooldown, which begins anew', async () => {
    const { guard, clock } = guarded(2);
    const first = visitPlan('https://a.example/');
    guard.check(first, signal);
    await clock.advance(1_000);
    const earlier = { identity: {} as Identity, proxy: first.proxy };
    const second = visitPlan('https://a.example/', { earlier, needs: 'browser' });
    expect(guard.check(second, signal)).toMatchObject({ kind: 'go' });
    expect(second.proxy).toEqual(first.proxy);
    // It took nobody's turn; and then both were used a moment ago.
    const other = visitPlan('https://a.example/');
    guard.check(other, signal);
    expect(other.proxy?.id).toBe('2:p1.example');
    expect(guard.check(visitPlan('https://a.example/'), signal)).toMatchObject({
      kind: 'wait',
      until: 1_000 + cooldownMs,
    });
  });

  it('takes another where that one is no longer well or did not reach the domain', () => {
    for (const failure of [certain, suspicion('a.example')]) {
      const { guard, proxies } = guarded(2);
      const first = visitPlan('https://a.example/');
      guard.check(first, signal);
      proxies.failed(first.proxy!.id, failure);
      const second = visitPlan('https://a.example/', { earlier: { identity: {} as Identity, proxy: first.proxy } });
      guard.check(second, signal);
      expect(second.proxy?.id).toBe('2:p1.example');
    }
  });

  it('keeps a proxy that did not reach one domain away from that domain only', () => {
    const { guard, proxies } = guarded(1, { cooldownMs: 0 });
    const plan = visitPlan('https://a.example/');
    guard.check(plan, signal);
    guard.after!(plan, { error: new GleanerError('proxy_failed', 'x', { isSuspicion: true }) });
    expect(proxies.healthyCount()).toBe(1);
    expect(guard.check(visitPlan('https://a.example/'), signal)).toMatchObject({
      kind: 'wait',
      until: checkIntervalMs,
    });
    expect(guard.check(visitPlan('https://b.example/'), signal)).toMatchObject({ kind: 'go' });
  });
});
