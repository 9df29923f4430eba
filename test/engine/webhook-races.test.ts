import { describe, expect, it } from 'vitest';
import { GleanerError } from '../../src/domain/errors.js';
import type { WebhookAnswer } from '../../src/ports/webhook-sender.js';
import { realTurns } from '../support/virtual-clock.js';
import { answer, HOOK, HOUR, MINUTE, ORIGIN, refuse, SECOND, silence, useWebhooks } from './webhook-harness.js';

describe('webhooks, where things come together', () => {
  const hooks = useWebhooks();

  it('silences a receiver for as long as it asked, not for as long as one delivery has to wait', async () => {
    hooks.respond = ({ url }) => (url.endsWith('/old') ? answer(503, SECOND) : answer(200));
    await hooks.submit('https://hooks.example.com/old');
    await hooks.clock.advance(2 * HOUR);
    const submittedAt = hooks.clock.mono();
    await hooks.submit('https://hooks.example.com/new');
    await hooks.clock.advance(MINUTE);
    const told = hooks.calls.find(({ url }) => url.endsWith('/new'));
    expect((told?.at ?? Number.NaN) - submittedAt).toBeLessThan(2 * SECOND);
  });

  it('posts nothing twice when a receiver is forgotten just as it is needed again', async () => {
    await hooks.submit('https://a.example.com/');
    await hooks.clock.advance(2 * HOUR);
    hooks.calls = [];
    hooks.respond = silence;
    // Both end in one commit; the second is a receiver nobody knows yet.
    await Promise.all([hooks.submit('https://a.example.com/'), hooks.submit('https://c.example.com/')]);
    await realTurns();
    await hooks.submit('https://a.example.com/');
    await realTurns(40);
    const ids = hooks.calls.map(({ headers }) => headers['webhook-id']);
    expect(ids.length).toBeGreaterThanOrEqual(2);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('never has more attempts at a receiver under way than it has places, however much comes at once', async () => {
    let atOnce = 0;
    let most = 0;
    hooks.respond = async () => {
      most = Math.max(most, ++atOnce);
      await hooks.clock.wait(5 * SECOND);
      atOnce -= 1;
      return answer(200);
    };
    await Promise.all(Array.from({ length: 8 }, () => hooks.submit()));
    await hooks.clock.advance(100);
    expect(most).toBe(1);
    await hooks.clock.advance(30 * SECOND);
    most = 0;
    await Promise.all(Array.from({ length: 100 }, () => hooks.submit()));
    await hooks.clock.advance(200 * SECOND);
    expect(most).toBe(6);
    expect(hooks.calls).toHaveLength(108);
  });

  it('asks the ledger of a receiver that is left alone once a minute, not for everything that ends', async () => {
    let asked = 0;
    await hooks.restart((real) => ({
      pendingOf: (...args) => {
        asked += 1;
        return real.pendingOf(...args);
      },
      giveUp: (...args) => {
        asked += 1;
        return real.giveUp(...args);
      },
    }));
    hooks.respond = refuse;
    for (let n = 0; n < 10; n += 1) await hooks.submit();
    await hooks.clock.advance(20 * SECOND);
    asked = 0;
    for (let n = 0; n < 100; n += 1) await hooks.submit();
    await hooks.clock.advance(10 * SECOND);
    expect(asked).toBe(0);
    await hooks.clock.advance(2 * MINUTE);
    expect(asked).toBeLessThan(12);
  });

  it('makes a redelivery that was asked for during the last attempt', async () => {
    hooks.respond = async () => {
      await hooks.clock.wait(5 * SECOND);
      return answer(500);
    };
    await hooks.submit();
    while (hooks.calls.length < 8) await hooks.clock.advance(SECOND);
    const { id, status } = await hooks.first();
    expect(status).toBe('pending');
    await hooks.engine.webhooks.redeliver(id);
    hooks.respond = () => answer(200);
    await hooks.clock.advance(MINUTE);
    expect(await hooks.first()).toMatchObject({ status: 'delivered', attempts: 9 });
  });

  it('redelivers at once also where the receiver had asked for hours of patience', async () => {
    hooks.respond = () => answer(503, 6 * HOUR);
    await hooks.submit();
    await hooks.clock.advance(MINUTE);
    hooks.respond = () => answer(200);
    await hooks.engine.webhooks.redeliver((await hooks.first()).id);
    await hooks.clock.advance(0);
    expect(await hooks.first()).toMatchObject({ status: 'delivered' });
  });

  it('keeps to the patience a receiver asked for when the ledger fails meanwhile', async () => {
    let isDown = false;
    await hooks.restart((real) => ({
      find: (...args) => (isDown ? Promise.reject(new Error('The ledger is broken.')) : real.find(...args)),
    }));
    let release = (_: WebhookAnswer): void => {};
    hooks.respond = () =>
      hooks.calls.length === 2
        ? new Promise((resolve) => {
            release = resolve;
          })
        : answer(200);
    await hooks.submit();
    await hooks.clock.advance(SECOND);
    await hooks.submit();
    await hooks.clock.advance(SECOND);
    // One attempt is under way; the next cannot be read, and then the first is asked to wait for an hour.
    isDown = true;
    await hooks.submit();
    await hooks.clock.advance(100);
    release(answer(429, HOUR));
    await hooks.clock.advance(10 * SECOND);
    isDown = false;
    await hooks.clock.advance(50 * MINUTE);
    expect(hooks.calls).toHaveLength(2);
    await hooks.clock.advance(15 * MINUTE);
    expect(hooks.calls.length).toBeGreaterThan(2);
  });

  it('is not delayed after a restart by hundreds of receivers that hung before it', async () => {
    hooks.respond = silence;
    for (let n = 0; n < 320; n += 1) await hooks.submit(`https://dead-${n}.example/`);
    await hooks.clock.advance(5 * MINUTE);
    await hooks.restart();
    hooks.respond = (call, signal) => (call.url === HOOK ? answer(200) : silence(call, signal));
    await hooks.clock.advance(SECOND);
    const submittedAt = hooks.clock.mono();
    await hooks.submit();
    await hooks.clock.advance(15 * SECOND);
    const told = hooks.calls.find(({ url }) => url === HOOK);
    expect((told?.at ?? Number.NaN) - submittedAt).toBeLessThan(SECOND);
  });

  it('ends a stop within its grace, also where an attempt is just beginning', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await hooks.restart((real) => ({
      begin: async (...args) => {
        await held;
        return real.begin(...args);
      },
    }));
    hooks.respond = silence;
    await hooks.submit();
    await hooks.clock.advance(0);
    let isStopped = false;
    const stopping = hooks.engine.stop(SECOND).then(() => {
      isStopped = true;
    });
    await hooks.clock.advance(1_100);
    release();
    await hooks.clock.advance(100);
    expect(isStopped).toBe(true);
    await stopping;
    await hooks.restart();
    expect(await hooks.first()).toMatchObject({ status: 'pending', failures: 0 });
  });
});

describe('webhooks that are redelivered', () => {
  const hooks = useWebhooks();

  it('while they are under way are asked about now and then, not without pause', async () => {
    let begins = 0;
    await hooks.restart((real) => ({
      begin: (...args) => {
        begins += 1;
        return real.begin(...args);
      },
    }));
    hooks.respond = silence;
    const ping = hooks.engine.webhooks.ping(HOOK);
    await realTurns();
    await hooks.engine.webhooks.redeliver((await hooks.first()).id);
    await realTurns(300);
    expect(begins).toBeLessThan(3);
    hooks.respond = () => answer(200);
    await hooks.clock.advance(12 * SECOND);
    await ping;
    expect(await hooks.first()).toMatchObject({ status: 'delivered', attempts: 2 });
  });

  it('after they were given up without a try are still told, as long as they are kept', async () => {
    await hooks.stop();
    await hooks.opened.reopen();
    await hooks.boot({ parts: { resultTtlMs: 72 * HOUR } });
    hooks.respond = refuse;
    for (let n = 0; n < 10; n += 1) await hooks.submit();
    await hooks.clock.advance(10 * SECOND);
    const now = hooks.clock.now();
    const all = { roundBefore: now + 1, error: 'Too long.', limit: 500 };
    await hooks.opened.deliveries.giveUp(ORIGIN, all, now + 24 * HOUR);
    await hooks.clock.advance(73 * HOUR);
    hooks.respond = () => answer(200);
    await hooks.engine.webhooks.redeliverAll({ status: 'dead', since: 0 });
    await hooks.clock.advance(5 * MINUTE);
    expect((await hooks.deliveries()).map(({ status }) => status)).toEqual(Array(10).fill('delivered'));
    await hooks.clock.advance(75 * HOUR);
    expect(await hooks.deliveries()).toEqual([]);
  });

  it('are given up where they cannot be put together, and hold nobody up', async () => {
    await hooks.stop();
    await hooks.opened.reopen();
    let broken = '';
    const { store } = hooks.opened;
    await hooks.boot({
      store: {
        ...store,
        task: async (id) => {
          const task = await store.task(id);
          return task && id === broken ? { ...task, completedAt: Number.NaN } : task;
        },
      },
    });
    hooks.respond = () => answer(200);
    broken = (await hooks.submit()).id;
    await hooks.submit();
    await hooks.clock.advance(SECOND);
    expect((await hooks.deliveries()).map(({ status }) => status).sort()).toEqual(['dead', 'delivered']);
  });
});

describe('webhooks, while the service starts and stops', () => {
  const hooks = useWebhooks({ isBooted: false });

  it('that a crash cut off are sent again at once, and the ledger says what happened', async () => {
    await hooks.boot();
    hooks.respond = () => answer(500);
    await hooks.submit();
    await hooks.clock.advance(SECOND);
    await hooks.stop();
    await hooks.clock.advance(MINUTE);
    // An attempt of a process that died with it.
    await hooks.opened.deliveries.begin(await hooks.first(), null, hooks.clock.now());
    await hooks.opened.reopen();
    hooks.calls = [];
    hooks.respond = () => answer(200);
    await hooks.boot();
    await hooks.clock.advance(0);
    expect(hooks.calls.map(({ headers }) => headers['x-webhook-attempt'])).toEqual(['3']);
    const { delivery, attempts } = await hooks.engine.webhooks.report((await hooks.first()).id);
    expect(delivery).toMatchObject({ status: 'delivered', failures: 1 });
    expect(attempts[1]).toMatchObject({ status: null, error: 'The service ended before the answer came.' });
  });

  it('send no ping before the start nor after the stop', async () => {
    hooks.make();
    await expect(hooks.engine.webhooks.ping(HOOK)).rejects.toMatchObject({ code: 'shutting_down' });
    await hooks.engine.start();
    expect((await hooks.engine.webhooks.ping(HOOK)).delivery.status).toBe('delivered');
    await hooks.stop();
    await expect(hooks.engine.webhooks.ping(HOOK)).rejects.toMatchObject({ code: 'shutting_down' });
    expect(hooks.calls).toHaveLength(1);
  });

  it('break off a ping at a stop, and it counts as not delivered', async () => {
    await hooks.boot();
    hooks.respond = silence;
    const ping = hooks.engine.webhooks.ping(HOOK);
    await hooks.clock.advance(SECOND);
    await hooks.stop(SECOND);
    expect((await ping).delivery).toMatchObject({ status: 'dead', nextAttemptAt: null });
  });

  it('make a redelivery that is asked for during the start once, after it', async () => {
    await hooks.boot();
    await hooks.submit();
    await hooks.clock.advance(0);
    await hooks.stop();
    await hooks.opened.reopen();
    hooks.make();
    hooks.calls = [];
    const waiting: ((said: WebhookAnswer) => void)[] = [];
    hooks.respond = () => new Promise((resolve) => waiting.push(resolve));
    await hooks.engine.webhooks.redeliver((await hooks.first()).id);
    await realTurns();
    expect(hooks.calls).toHaveLength(0);
    await hooks.engine.start();
    await realTurns();
    for (const tell of waiting) tell(answer(200));
    await hooks.clock.advance(MINUTE);
    expect(hooks.calls).toHaveLength(1);
    expect(await hooks.first()).toMatchObject({ status: 'delivered' });
  });
});

describe('webhooks, when the wall clock is set', () => {
  const hooks = useWebhooks();

  it.each([-24 * HOUR, -HOUR, HOUR, 25 * HOUR])('retry after as long as before (%d ms)', async (stepMs) => {
    hooks.respond = () => answer(hooks.calls.length < 4 ? 500 : 200);
    await hooks.submit();
    await hooks.clock.advance(SECOND);
    hooks.clock.jumpWall(stepMs);
    // Something else makes the loop look meanwhile.
    await hooks.submit('https://else.example/');
    await hooks.clock.advance(20 * SECOND);
    const [first, ...retries] = hooks.calls.filter(({ url }) => url === HOOK);
    const waits = retries.map(({ at }, index) => at - ([first, ...retries][index]?.at ?? 0));
    expect(waits.map((ms) => Math.floor(ms / SECOND))).toEqual([2, 4]);
  });

  it('retry at every receiver after as long as before, also where several are due at once', async () => {
    hooks.respond = () => answer(hooks.calls.length <= 2 ? 500 : 200);
    await Promise.all([hooks.submit('https://a.example/'), hooks.submit('https://b.example/')]);
    await hooks.clock.advance(SECOND);
    hooks.clock.jumpWall(-HOUR);
    await hooks.clock.advance(MINUTE);
    expect(hooks.calls).toHaveLength(4);
  });

  it('retry after as long as before, also where the end of an attempt could not be written meanwhile', async () => {
    let isFull = true;
    const fault = new GleanerError('storage_unavailable', 'The store cannot write right now.');
    await hooks.restart((real) => ({ end: (...args) => (isFull ? Promise.reject(fault) : real.end(...args)) }));
    hooks.respond = () => answer(hooks.calls.length === 1 ? 500 : 200);
    await hooks.submit();
    await hooks.clock.advance(SECOND);
    hooks.clock.jumpWall(-HOUR);
    isFull = false;
    await hooks.clock.advance(10 * SECOND);
    expect(await hooks.first()).toMatchObject({ status: 'delivered', attempts: 2 });
  });

  it('do not keep waiting what was never tried', async () => {
    hooks.respond = () => (hooks.calls.length === 1 ? answer(429, 30 * SECOND) : answer(200));
    await hooks.submit();
    await hooks.clock.advance(SECOND);
    await hooks.submit();
    await hooks.clock.advance(SECOND);
    hooks.clock.jumpWall(-HOUR);
    await hooks.clock.advance(5 * MINUTE);
    expect((await hooks.deliveries()).map(({ status }) => status)).toEqual(['delivered', 'delivered']);
  });

  it('are redelivered at once, also as the first thing afterwards', async () => {
    hooks.respond = () => answer(410);
    await hooks.submit();
    await hooks.clock.advance(SECOND);
    hooks.respond = () => answer(200);
    hooks.clock.jumpWall(HOUR);
    await hooks.engine.webhooks.redeliver((await hooks.first()).id);
    await hooks.clock.advance(SECOND);
    expect(await hooks.first()).toMatchObject({ status: 'delivered' });
  });

  it('are not given up because of it', async () => {
    hooks.respond = refuse;
    for (let n = 0; n < 10; n += 1) await hooks.submit();
    await hooks.clock.advance(30 * SECOND);
    hooks.clock.jumpWall(25 * HOUR);
    await hooks.clock.advance(3 * MINUTE);
    expect((await hooks.deliveries()).filter(({ status }) => status === 'dead')).toEqual([]);
  });

  it('tell at once what was written by a clock that was years ahead', async () => {
    hooks.clock.jumpWall(365 * 24 * HOUR);
    hooks.respond = () => answer(500);
    await hooks.submit();
    await hooks.clock.advance(SECOND);
    await hooks.stop();
    hooks.clock.jumpWall(-365 * 24 * HOUR);
    hooks.respond = () => answer(200);
    await hooks.opened.reopen();
    await hooks.boot();
    await hooks.clock.advance(SECOND);
    expect(await hooks.first()).toMatchObject({ status: 'delivered' });
  });
});
