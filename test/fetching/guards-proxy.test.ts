import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GleanerError } from '../../src/domain/errors.js';
import { createProxyGuard } from '../../src/fetching/guards/proxy-guard.js';
import { createProxies, proxyChoices } from '../../src/fetching/proxies.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { visitPlan } from '../support/visit-plan.js';

const restoreAfterMs = 60_000;
const choices = (count: number) => proxyChoices(Array.from({ length: count }, (_, n) => `http://p${n}.example:8080`));
const signal = new AbortController().signal;

describe('proxies', () => {
  it('Property 18: healthy ones take turns, an unhealthy one is never chosen', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }), (healthy) => {
        const proxies = createProxies(choices(healthy.length), { clock: new VirtualClock(), restoreAfterMs });
        const all = choices(healthy.length);
        for (const [n, isHealthy] of healthy.entries()) if (!isHealthy) proxies.failed(all[n]!.id);
        const expected = all.filter((_, n) => healthy[n]);
        expect(proxies.healthyCount()).toBe(expected.length);
        if (expected.length === 0) {
          expect(proxies.next()).toEqual({ kind: 'none', until: restoreAfterMs });
          return;
        }
        const turns = Array.from({ length: expected.length * 2 }, () => proxies.next());
        expect(turns).toEqual([...expected, ...expected].map((proxy) => ({ kind: 'proxy', proxy })));
      }),
    );
  });

  it('Property 19: one that failed is left out until it is restored', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 6 }),
        fc.nat(5),
        fc.nat(restoreAfterMs - 1),
        async (count, which, waited) => {
          const clock = new VirtualClock();
          const proxies = createProxies(choices(count), { clock, restoreAfterMs });
          const { id } = choices(count)[which % count]!;
          proxies.failed(id);
          await clock.advance(waited);
          for (let n = 0; n < count * 2; n += 1) expect(proxies.next()).not.toMatchObject({ proxy: { id } });
          await clock.advance(restoreAfterMs - waited);
          expect(proxies.healthyCount()).toBe(count);
        },
      ),
    );
  });

  it('Property 21: successes and failures are counted as they were recorded', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(2), fc.boolean()), { maxLength: 100 }), (records) => {
        const proxies = createProxies(choices(3), { clock: new VirtualClock(), restoreAfterMs });
        const all = choices(3);
        for (const [which, succeeded] of records) {
          if (succeeded) proxies.succeeded(all[which]!.id);
          else proxies.failed(all[which]!.id);
        }
        for (const [which, { id }] of all.entries()) {
          const own = records.filter(([by]) => by === which);
          const successes = own.filter(([, succeeded]) => succeeded).length;
          expect(proxies.stats()[which]).toMatchObject({ id, successes, failures: own.length - successes });
        }
      }),
    );
  });

  it('are direct egress where none is configured: one healthy way', () => {
    const proxies = createProxies([], { clock: new VirtualClock(), restoreAfterMs });
    expect(proxies.next()).toEqual({ kind: 'direct' });
    expect(proxies.healthyCount()).toBe(1);
  });

  it('are shown by host and place, never by URL', () => {
    const [first, second] = proxyChoices(['http://user:hush@p.example:8080', 'socks5://user:other@p.example:1080']);
    expect([first!.id, second!.id]).toEqual(['1:p.example', '2:p.example']);
  });
});

describe('the proxy guard', () => {
  it('hands out the next proxy and learns from how the visit went', () => {
    const clock = new VirtualClock();
    const proxies = createProxies(choices(2), { clock, restoreAfterMs });
    const guard = createProxyGuard({ proxies, clock });
    const visit = (error: GleanerError | null): string | undefined => {
      const plan = visitPlan('https://a.example/');
      guard.check(plan, signal);
      guard.after!(plan, { error });
      return plan.proxy?.id;
    };
    expect(visit(null)).toBe('1:p0.example');
    expect(visit(new GleanerError('target_server_error', 'x'))).toBe('2:p1.example');
    expect(visit(new GleanerError('proxy_failed', 'x'))).toBe('1:p0.example');
    expect(visit(null)).toBe('2:p1.example');
    expect(visit(new GleanerError('proxy_failed', 'x'))).toBe('2:p1.example');
    expect(guard.check(visitPlan('https://a.example/'), signal)).toMatchObject({
      kind: 'no',
      error: { code: 'no_healthy_proxies', retryAfterMs: restoreAfterMs },
    });
    expect(proxies.stats()).toEqual([
      { id: '1:p0.example', healthy: false, successes: 1, failures: 1 },
      { id: '2:p1.example', healthy: false, successes: 1, failures: 1 },
    ]);
  });
});
