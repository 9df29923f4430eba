import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Lease, LimitAnswer, Limiter, LimitRate } from '../../src/ports/limiter.js';

export interface OpenedLimiter {
  limiter: Limiter;
  /** Lets time pass: at once on a virtual clock, by waiting on a real one. */
  advance: (ms: number) => Promise<void>;
  end: () => Promise<void>;
}

interface ContractOptions {
  /** Real time: what takes minutes is left out, and a wait may be this much shorter than on paper when it is read. */
  slackMs?: number;
}

const RATE: LimitRate = { tokens: 2, intervalMs: 1000, minGapMs: 0, maxConcurrent: null };

/** What every Limiter must do, wherever it keeps its state. */
export function limiterContract(
  name: string,
  open: () => Promise<OpenedLimiter>,
  { slackMs = 0 }: ContractOptions = {},
): void {
  describe(`the limiter contract on ${name}`, () => {
    const longIt = it.skipIf(slackMs > 0);
    let limiter: Limiter;
    let opened: OpenedLimiter;
    beforeEach(async () => {
      opened = await open();
      limiter = opened.limiter;
    });
    afterEach(() => opened.end());

    const advance = (ms: number): Promise<void> => opened.advance(ms);
    const ask = (rate: Partial<LimitRate> = {}, key = 'a.example') => limiter.acquire(key, { ...RATE, ...rate });
    const take = async (rate: Partial<LimitRate> = {}, key = 'a.example'): Promise<Lease> => {
      const answer = await ask(rate, key);
      if (!answer.granted) throw new Error(`No grant: ${JSON.stringify(answer)}`);
      return answer.lease;
    };
    const slowdown = async (): Promise<number> => (await limiter.state('a.example', RATE)).slowdown;
    const throttled = (lease: Lease, retryAfterMs?: number) => limiter.done(lease, { throttled: true, retryAfterMs });
    const expectWait = (answer: LimitAnswer, waitMs: number, reason: string): void => {
      expect(answer).toMatchObject({ granted: false, reason });
      if (answer.granted) return;
      expect(answer.waitMs).toBeLessThanOrEqual(waitMs);
      expect(answer.waitMs).toBeGreaterThanOrEqual(waitMs - slackMs);
    };

    it('grants the tokens of an interval, then says how long to wait, and keeps its word', async () => {
      await take();
      await advance(400);
      await take();
      expectWait(await ask(), 600, 'tokens');
      await advance(600);
      await take();
      // Each token comes back one interval after it was taken, not both at once.
      expectWait(await ask(), 400, 'tokens');
      await advance(400);
      await take();
    });

    it('grants no more than the tokens to any number of asks at the same time', async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, () => ask({ tokens: 7 })));
      const leases = answers.flatMap((answer) => (answer.granted ? [answer.lease] : []));
      expect(leases).toHaveLength(7);
      expect(new Set(leases.map(({ id }) => id)).size).toBe(7);
      expect(new Set(leases.map(({ key }) => key))).toEqual(new Set(['a.example']));
    });

    it('keeps keys apart', async () => {
      await take();
      await throttled(await take(), 60_000);
      expectWait(await ask(), 60_000, 'retry_after');
      await take({}, 'b.example');
      await take({}, 'b.example');
      expect(await limiter.state('b.example', RATE)).toMatchObject({ underWay: 2, slowdown: 1 });
      expect((await limiter.keys()).sort()).toEqual(['a.example', 'b.example']);
    });

    it('takes a grant back as if it had never been, and only once', async () => {
      await take();
      const unused = await take({ maxConcurrent: 2 });
      expect((await ask()).granted).toBe(false);
      await limiter.giveBack(unused);
      await limiter.giveBack(unused);
      await limiter.done(unused, 'ok');
      expect(await limiter.state('a.example', RATE)).toMatchObject({ underWay: 1, tokensLeft: 1 });
      await take({ maxConcurrent: 2 });
      expect((await ask()).granted).toBe(false);
    });

    it('frees the place but not the token of a visit that is over, and only once', async () => {
      const rate = { tokens: 9, maxConcurrent: 2 };
      const [first] = [await take(rate), await take(rate)];
      expect(await ask(rate)).toMatchObject({ granted: false, reason: 'places' });
      await limiter.done(first, 'neutral');
      await limiter.done(first, 'neutral');
      await limiter.giveBack(first);
      expect(await limiter.state('a.example', { ...RATE, ...rate })).toMatchObject({ underWay: 1, tokensLeft: 7 });
      await take(rate);
      expect(await ask(rate)).toMatchObject({ granted: false, reason: 'places' });
    });

    it('hears of a throttling once, however often it is told', async () => {
      const lease = await take();
      await throttled(lease);
      await throttled(lease);
      await limiter.done({ key: 'a.example', id: 'no-such' }, { throttled: true, retryAfterMs: 5000 });
      expect(await slowdown()).toBe(2);
    });

    it('keeps the least gap between two grants', async () => {
      await take({ tokens: 9, minGapMs: 300 });
      expectWait(await ask({ tokens: 9, minGapMs: 300 }), 300, 'gap');
      await advance(300);
      await take({ tokens: 9, minGapMs: 300 });
    });

    it('judges each ask by its own rate and by all grants, whatever rate those had', async () => {
      await take();
      await advance(100);
      await take();
      // A Crawl-delay learned later counts from the last grant; fewer tokens from all of them.
      expectWait(await ask({ tokens: 9, minGapMs: 700 }), 700, 'gap');
      expectWait(await ask({ tokens: 1 }), 1000, 'tokens');
      expectWait(await ask({ intervalMs: 3000 }), 2900, 'tokens');
      await advance(1100);
      // The looser rate would grant now; the longer interval still sees both.
      expectWait(await ask({ intervalMs: 3000 }), 1800, 'tokens');
      await take();
    });

    it('grants nothing before the Retry-After of the site, whatever is asked meanwhile', async () => {
      const other = await take();
      await throttled(await take(), 3000);
      await throttled(other, 1000);
      expectWait(await ask(), 3000, 'retry_after');
      await advance(2700);
      expectWait(await ask({ tokens: 1000, intervalMs: 1 }), 300, 'retry_after');
      await advance(300);
      await take();
    });

    it('is half as fast after a 429, and spreads what it grants', async () => {
      await throttled(await take());
      expect(await slowdown()).toBe(2);
      // Two in two seconds now, so one each second.
      expectWait(await ask(), 1000, 'gap');
      await advance(1000);
      await take();
      expectWait(await ask(), 1000, slackMs > 0 ? expect.any(String) : 'tokens');
    });

    it('slows the least gap down too, where that is what sets the pace', async () => {
      await throttled(await take({ tokens: 100, minGapMs: 500 }));
      expectWait(await ask({ tokens: 100, minGapMs: 500 }), 1000, 'gap');
    });

    it('doubles again for a visit that was granted when it was slow already, but not for older ones', async () => {
      const older = [await take({ tokens: 9 }), await take({ tokens: 9 }), await take({ tokens: 9 })] as const;
      await throttled(older[0]);
      await throttled(older[1]);
      expect(await slowdown()).toBe(2);
      await advance(1000);
      await throttled(await take({ tokens: 9 }));
      expect(await slowdown()).toBe(4);
      await throttled(older[2]);
      expect(await slowdown()).toBe(4);
      // The site gets one whole slowed interval of quiet.
      expectWait(await ask({ tokens: 9 }), 4000, 'tokens');
    });

    it('takes a step back for each visit that went well since, but not to the usual speed', async () => {
      const older = await take();
      await throttled(await take());
      await limiter.done(older, 'ok');
      await advance(2000);
      await throttled(await take());
      expect(await slowdown()).toBe(4);
      await advance(4000);
      await limiter.done(await take(), 'ok');
      expect(await slowdown()).toBe(3);
      for (let n = 0; n < 3; n += 1) {
        await advance(2000);
        await limiter.done(await take(), 'ok');
      }
      expect(await slowdown()).toBe(2);
      await advance(2000);
      await limiter.done(await take(), 'neutral');
      expect(await slowdown()).toBe(2);
    });

    longIt('is never slower than sixteen times, and at the usual speed 300 s after the last 429', async () => {
      for (const factor of [2, 4, 8, 16, 16]) {
        await throttled(await take());
        expect(await slowdown()).toBe(factor);
        await advance(factor * 1000);
      }
      expect(await limiter.state('a.example', RATE)).toMatchObject({ slowdown: 16, slowMs: 300_000 - 16_000 });
      await advance(300_000 - 16_000 - 1);
      await take();
      expectWait(await ask(), 1, 'gap');
      await advance(1);
      expect(await limiter.state('a.example', RATE)).toMatchObject({ slowdown: 1, slowMs: 0, tokensLeft: 1 });
      await take();
      expectWait(await ask(), 999, 'tokens');
    });

    longIt('counts its keys, and those that are slower than usual now', async () => {
      expect(await limiter.counts()).toEqual({ keys: 0, slowed: 0 });
      await throttled(await take());
      await limiter.done(await take({}, 'b.example'), 'ok');
      expect(await limiter.counts()).toEqual({ keys: 2, slowed: 1 });
      // Twice as slow or four times is one key all the same.
      await advance(2000);
      await throttled(await take());
      await throttled(await take({}, 'b.example'));
      expect(await limiter.counts()).toEqual({ keys: 2, slowed: 2 });
      await advance(299_999);
      expect(await limiter.counts()).toEqual({ keys: 2, slowed: 2 });
      await advance(1);
      expect(await limiter.counts()).toEqual({ keys: 2, slowed: 0 });
    });

    longIt('is prolonged by every 429, old news or not', async () => {
      const older = await take();
      await throttled(await take());
      await advance(200_000);
      await throttled(older);
      await advance(299_999);
      expect(await slowdown()).toBe(2);
      await advance(1);
      expect(await slowdown()).toBe(1);
    });

    it('shows what it would answer, and changes nothing by showing it', async () => {
      const fresh = { key: 'new.example', tokensLeft: 2, nextGrantMs: 0, underWay: 0, slowdown: 1, slowMs: 0 };
      expect(await limiter.state('new.example', RATE)).toEqual({ ...fresh, tokens: 2, intervalMs: 1000 });
      expect(await limiter.keys()).toEqual([]);
      await take();
      expect(await limiter.state('a.example', RATE)).toMatchObject({ tokensLeft: 1, nextGrantMs: 0, underWay: 1 });
      expect(await limiter.state('a.example', { ...RATE, maxConcurrent: 1 })).toMatchObject({
        tokensLeft: 1,
        nextGrantMs: expect.toSatisfy((ms: number) => ms > 0),
      });
      await take();
      const { tokensLeft, nextGrantMs } = await limiter.state('a.example', RATE);
      expect(tokensLeft).toBe(0);
      expectWait(await ask(), nextGrantMs, 'tokens');
    });
  });
}
