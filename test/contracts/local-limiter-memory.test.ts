import { describe, expect, it } from 'vitest';
import { createLocalLimiter } from '../../src/backends/embedded/local-limiter.js';
import { DEFAULT_POLICY, rateFor } from '../../src/domain/policy.js';
import type { Lease, Limiter } from '../../src/ports/limiter.js';

const DEFAULT_RATE = rateFor(DEFAULT_POLICY, null);

/** Time that is set by hand: a virtual clock without timers, cheap enough for a million steps. */
function setUp(given: { maxKeys?: number } = {}) {
  const clock = { at: 0, mono: () => clock.at };
  return { clock, limiter: createLocalLimiter({ clock, ...given }) };
}

async function grant(limiter: Limiter, key: string): Promise<Lease> {
  const answer = await limiter.acquire(key, DEFAULT_RATE);
  if (!answer.granted) throw new Error(`No grant for ${key}: ${answer.reason}`);
  return answer.lease;
}

describe('the memory of the local limiter', () => {
  it('stays small over a million domains, the oldest of which never ends its visit', async () => {
    const { clock, limiter } = setUp();
    const stuck = await grant(limiter, 'stuck.example');
    let most = 0;
    for (let n = 0; n < 1_000_000; n += 1) {
      clock.at += 10;
      await limiter.done(await grant(limiter, `site${n}.example`), 'ok');
      if (n % 50_000 === 0) most = Math.max(most, (await limiter.keys()).length);
    }
    // A hundred new ones each second, each of which matters for a minute: at most half as many wait to be looked at.
    expect(most).toBeLessThan(9000);
    expect(most).toBeGreaterThanOrEqual(6000);
    expect(await limiter.state('stuck.example', DEFAULT_RATE)).toMatchObject({ underWay: 1 });
    await limiter.done(stuck, { throttled: true, retryAfterMs: undefined });
    expect(await limiter.state('stuck.example', DEFAULT_RATE)).toMatchObject({ underWay: 0, slowdown: 2 });
  }, 120_000);

  it('forgets nothing that matters to make room: a new domain is told to wait', async () => {
    const { clock, limiter } = setUp();
    for (let n = 0; n < 100_000; n += 1) await grant(limiter, `site${n}.example`);
    const late = await limiter.acquire('late.example', DEFAULT_RATE);
    expect(late).toEqual({ granted: false, waitMs: 1000, reason: 'busy' });
    expect(await limiter.keys()).toHaveLength(100_000);
    for (let n = 0; n < 100_000; n += 1) {
      const { underWay, tokensLeft } = await limiter.state(`site${n}.example`, DEFAULT_RATE);
      if (underWay !== 1 || tokensLeft !== 1) expect({ n, underWay, tokensLeft }).toBe('remembered');
    }
    // Those it knows are served on.
    expect((await limiter.acquire('site7.example', DEFAULT_RATE)).granted).toBe(true);
    clock.at += 3_600_000;
    expect((await limiter.acquire('late.example', DEFAULT_RATE)).granted).toBe(false);
  }, 60_000);

  it('has room again as soon as something is idle, wherever it stands', async () => {
    const { clock, limiter } = setUp({ maxKeys: 50 });
    const leases: Lease[] = [];
    for (let n = 0; n < 50; n += 1) leases.push(await grant(limiter, `site${n}.example`));
    await limiter.done(leases[31]!, 'neutral');
    clock.at += 60_000;
    expect((await limiter.acquire('late.example', DEFAULT_RATE)).granted).toBe(true);
    expect(await limiter.keys()).toHaveLength(50);
    expect(await limiter.keys()).not.toContain('site31.example');
  });

  it('does not mistake a lease of a forgotten key for one of its successor', async () => {
    const { clock, limiter } = setUp({ maxKeys: 2 });
    const old = await grant(limiter, 'a.example');
    await limiter.done(old, 'ok');
    clock.at += 60_000;
    for (const key of ['b.example', 'c.example']) await limiter.done(await grant(limiter, key), 'ok');
    expect(await limiter.keys()).not.toContain('a.example');
    clock.at += 60_000;
    await grant(limiter, 'a.example');
    await limiter.done(old, { throttled: true, retryAfterMs: 9000 });
    await limiter.giveBack(old);
    expect(await limiter.state('a.example', DEFAULT_RATE)).toMatchObject({ underWay: 1, slowdown: 1, tokensLeft: 1 });
  });

  it('keeps a long least gap, and a rate that was asked for but refused, beyond its usual minute', async () => {
    const { clock, limiter } = setUp({ maxKeys: 1 });
    await limiter.done(await grant(limiter, 'a.example'), 'ok');
    const slow = { ...DEFAULT_RATE, minGapMs: 3_600_000 };
    expect(await limiter.acquire('a.example', slow)).toMatchObject({ granted: false, reason: 'gap' });
    clock.at += 3_599_000;
    expect(await limiter.acquire('b.example', DEFAULT_RATE)).toMatchObject({ reason: 'busy' });
    expect(await limiter.acquire('a.example', slow)).toMatchObject({ granted: false, waitMs: 1000 });
  });
});
