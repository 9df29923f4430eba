import { describe, expect, it } from 'vitest';
import { GleanerError } from '../../src/domain/errors.js';
import { aPage } from '../support/engine-harness.js';
import { aSpec, CALLER } from '../support/tasks.js';
import { answer, HOOK, HOUR, ORIGIN, refuse, SECOND, silence, useWebhooks } from './webhook-harness.js';

describe('telling receivers what has ended', () => {
  const hooks = useWebhooks();
  const gaps = (): number[] => hooks.calls.slice(1).map((call, index) => call.at - (hooks.calls[index]?.at ?? 0));

  it('posts a standalone task once, as the API shows it', async () => {
    const { id } = await hooks.submit();
    await hooks.clock.advance(0);
    expect(hooks.calls).toHaveLength(1);
    const body = JSON.parse(hooks.calls[0]?.body ?? '');
    expect(body).toEqual({
      task_id: id,
      status: 'completed',
      summary: { total: 1, completed: 1, failed: 0 },
      results: [
        expect.objectContaining({
          task_id: id,
          status: 'completed',
          result: { job_title: 'Engineer', company_name: null },
        }),
      ],
    });
    const [delivery] = await hooks.deliveries();
    expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, lastStatus: 200 });
    expect(hooks.calls[0]?.headers).toMatchObject({
      'webhook-id': delivery?.id,
      'x-webhook-attempt': '1',
      'x-webhook-event': 'task.completed',
    });
    await hooks.clock.advance(24 * HOUR);
    expect(hooks.calls).toHaveLength(1);
  });

  it('posts a job with all its tasks in the order of the request, failed and cancelled ones too', async () => {
    await hooks.stop();
    await hooks.boot({
      http: async (request) => {
        if (request.url.endsWith('/1')) throw new GleanerError('target_client_error', 'The target answered 404.');
        return aPage(request, 'Engineer');
      },
    });
    const targets = ['0', '1', '2'].map((path) => aSpec({ targetUrl: `https://jobs.example.com/${path}` }));
    const { job, taskIds } = await hooks.engine.submitBatch({ targets, callbackUrl: HOOK }, CALLER);
    await hooks.clock.advance(0);
    const body = JSON.parse(hooks.calls[0]?.body ?? '');
    expect(body).toMatchObject({
      job_id: job.id,
      status: 'partially_completed',
      summary: { total: 3, completed: 2, failed: 1 },
    });
    expect(body.results.map((task: { task_id: string }) => task.task_id)).toEqual(taskIds);
    expect(body.results.map((task: { status: string }) => task.status)).toEqual(['completed', 'failed', 'completed']);
    expect(hooks.calls).toHaveLength(1);
  });

  it('tries again after 2, 4 and 8 s, then 1 min, 10 min, 1 h and 6 h, each at most a tenth later, and then gives up', async () => {
    hooks.respond = () => answer(500);
    await hooks.submit();
    await hooks.clock.advance(24 * HOUR);
    const steps = [2, 4, 8, 60, 600, 3_600, 21_600].map((seconds) => seconds * SECOND);
    expect(hooks.calls).toHaveLength(steps.length + 1);
    for (const [index, gap] of gaps().entries()) {
      expect(gap).toBeGreaterThanOrEqual(steps[index] as number);
      expect(gap).toBeLessThanOrEqual((steps[index] as number) * 1.1);
    }
    expect(await hooks.deliveries()).toMatchObject([{ status: 'dead', attempts: 8, failures: 8, lastStatus: 500 }]);
    expect(hooks.calls.map(({ headers }) => headers['x-webhook-attempt'])).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
      '7',
      '8',
    ]);
  });

  it('sends the same id and the same bytes every time, with a fresh time and signature', async () => {
    hooks.respond = () => answer(hooks.calls.length < 3 ? 503 : 204);
    await hooks.submit();
    await hooks.clock.advance(HOUR);
    expect(new Set(hooks.calls.map(({ body }) => body)).size).toBe(1);
    expect(new Set(hooks.calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(hooks.calls.map(({ headers }) => headers['x-webhook-signature'])).size).toBe(1);
    expect(new Set(hooks.calls.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(3);
    expect(new Set(hooks.calls.map(({ headers }) => headers['webhook-signature'])).size).toBe(3);
    expect(await hooks.deliveries()).toMatchObject([{ status: 'delivered', attempts: 3 }]);
  });

  it.each([301, 302, 307, 400, 401, 404, 422, 500, 503])('takes %d for a failure and tries again', async (status) => {
    hooks.respond = () => answer(hooks.calls.length === 1 ? status : 200);
    await hooks.submit();
    await hooks.clock.advance(3 * SECOND);
    expect(await hooks.deliveries()).toMatchObject([{ status: 'delivered', attempts: 2 }]);
  });

  it('stops at 410', async () => {
    hooks.respond = () => answer(410);
    await hooks.submit();
    await hooks.clock.advance(24 * HOUR);
    expect(hooks.calls).toHaveLength(1);
    expect(await hooks.deliveries()).toMatchObject([{ status: 'dead', attempts: 1, lastStatus: 410 }]);
  });

  it('waits as long as the receiver asks, for everything that goes there, but not for ever', async () => {
    hooks.respond = () => answer(hooks.calls.length === 1 ? 429 : 200, 30 * SECOND);
    await hooks.submit();
    await hooks.clock.advance(SECOND);
    await hooks.submit();
    await hooks.submit('https://else.example/');
    await hooks.clock.advance(25 * SECOND);
    expect(hooks.calls.map(({ url }) => url)).toEqual([HOOK, 'https://else.example/']);
    await hooks.clock.advance(10 * SECOND);
    expect(hooks.calls).toHaveLength(4);

    hooks.calls = [];
    hooks.respond = () => answer(hooks.calls.length === 1 ? 503 : 200, 100 * 24 * HOUR);
    await hooks.submit();
    await hooks.clock.advance(6 * HOUR - SECOND);
    expect(hooks.calls).toHaveLength(1);
    await hooks.clock.advance(2 * SECOND);
    expect(hooks.calls).toHaveLength(2);
  });

  it('gives an attempt 10 s and then tries again', async () => {
    hooks.respond = silence;
    await hooks.submit();
    await hooks.clock.advance(15 * SECOND);
    expect(gaps()[0]).toBeGreaterThanOrEqual(12 * SECOND);
    const [delivery] = await hooks.deliveries();
    const { attempts } = await hooks.engine.webhooks.report(delivery?.id ?? '');
    expect(attempts[0]).toMatchObject({
      status: null,
      durationMs: 10 * SECOND,
      error: expect.stringContaining('10 s'),
    });
  });

  it('leaves a receiver that fails alone for a minute at a time, and asks it with one attempt only', async () => {
    hooks.respond = refuse;
    for (let n = 0; n < 50; n += 1) await hooks.submit();
    await hooks.clock.advance(10 * SECOND);
    const before = hooks.calls.length;
    expect(before).toBe(6);
    await hooks.clock.advance(45 * SECOND);
    expect(hooks.calls).toHaveLength(before);
    await hooks.clock.advance(20 * SECOND);
    expect(hooks.calls).toHaveLength(before + 1);
    // What waits meanwhile has lost nothing.
    expect((await hooks.deliveries()).filter(({ failures }) => failures === 0).length).toBeGreaterThan(40);
    hooks.respond = () => answer(200);
    await hooks.clock.advance(2 * 60 * SECOND);
    expect((await hooks.deliveries()).filter(({ status }) => status === 'delivered').length).toBe(50);
  });

  it('gives up what a receiver did not take within a day', async () => {
    hooks.respond = refuse;
    for (let n = 0; n < 400; n += 1) await hooks.submit();
    await hooks.clock.advance(25 * HOUR);
    const statuses = new Set(
      (await hooks.engine.webhooks.list({}, { limit: 500, cursor: null })).items.map((one) => one.status),
    );
    expect(statuses).toEqual(new Set(['dead']));
  });

  it('is not delayed by a hundred receivers that hang', async () => {
    const told: number[] = [];
    hooks.respond = (call, signal) => {
      if (call.url === HOOK) {
        told.push(hooks.clock.mono());
        return answer(200);
      }
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    await hooks.submit();
    await hooks.clock.advance(SECOND);
    for (let n = 0; n < 100; n += 1) await hooks.submit(`https://dead-${n}.example/`);
    await hooks.clock.advance(30 * SECOND);
    const begun = hooks.clock.mono();
    for (let n = 0; n < 20; n += 1) await hooks.submit();
    await hooks.clock.advance(SECOND);
    expect(told).toHaveLength(21);
    expect(Math.max(...told) - begun).toBeLessThan(SECOND);
  });

  it('is not delayed by a thousand deliveries to one receiver that is dead', { timeout: 60_000 }, async () => {
    const told: number[] = [];
    let refused = 0;
    hooks.respond = (call) => {
      if (call.url === HOOK) {
        told.push(hooks.clock.mono());
        return answer(200);
      }
      refused += 1;
      return refuse();
    };
    await hooks.submit();
    for (let n = 0; n < 1_000; n += 1) {
      await hooks.submit('https://dead.example/hook');
      if (n % 100 === 99) await hooks.clock.advance(SECOND);
    }
    const begun = hooks.clock.mono();
    for (let n = 0; n < 20; n += 1) await hooks.submit();
    await hooks.clock.advance(SECOND);
    expect(told).toHaveLength(21);
    expect(Math.max(...told) - begun).toBeLessThan(SECOND);
    // And the dead one is not hammered either.
    expect(refused).toBeLessThan(20);
  });

  it('asks a receiver for several at once only when it has answered before', async () => {
    let atOnce = 0;
    let most = 0;
    hooks.respond = async () => {
      most = Math.max(most, ++atOnce);
      await hooks.clock.wait(100);
      atOnce -= 1;
      return answer(200);
    };
    for (let n = 0; n < 30; n += 1) await hooks.submit();
    await hooks.clock.advance(50);
    expect(most).toBe(1);
    await hooks.clock.advance(10 * SECOND);
    expect(most).toBe(6);
    expect(hooks.calls).toHaveLength(30);
  });

  it('goes on after a restart where the schedule was', async () => {
    hooks.respond = () => answer(500);
    await hooks.submit();
    await hooks.clock.advance(3 * SECOND);
    expect(hooks.calls).toHaveLength(2);
    await hooks.stop();
    await hooks.opened.reopen();
    await hooks.boot();
    await hooks.clock.advance(SECOND);
    expect(hooks.calls).toHaveLength(2);
    await hooks.clock.advance(3 * SECOND);
    expect(hooks.calls).toHaveLength(3);
    expect(hooks.calls[2]?.headers['x-webhook-attempt']).toBe('3');
    expect(hooks.calls[2]?.body).toBe(hooks.calls[0]?.body);
  });

  it('breaks off what is under way when the service stops, loses no try, and makes it again at once', async () => {
    hooks.respond = silence;
    await hooks.submit();
    await hooks.clock.advance(SECOND);
    await hooks.stop(2 * SECOND);
    await hooks.opened.reopen();
    hooks.respond = () => answer(200);
    await hooks.boot();
    await hooks.clock.advance(0);
    expect(hooks.calls).toHaveLength(2);
    const [delivery] = await hooks.deliveries();
    expect(delivery).toMatchObject({ status: 'delivered', attempts: 2, failures: 0 });
    const { attempts } = await hooks.engine.webhooks.report(delivery?.id ?? '');
    expect(attempts[0]).toMatchObject({ error: 'The service is starting or stopping.', durationMs: 3 * SECOND });
  });

  it('lets what is under way end within the grace', async () => {
    hooks.respond = async () => {
      await hooks.clock.wait(SECOND);
      return answer(200);
    };
    await hooks.submit();
    await hooks.clock.advance(100);
    await hooks.stop(5 * SECOND);
    await hooks.opened.reopen();
    await hooks.boot();
    expect(await hooks.deliveries()).toMatchObject([{ status: 'delivered', attempts: 1 }]);
  });

  it('holds on to how an attempt went until the store takes it', async () => {
    let isFull = true;
    const fault = new GleanerError('storage_unavailable', 'The store cannot write right now.');
    await hooks.restart((real) => ({ end: (...args) => (isFull ? Promise.reject(fault) : real.end(...args)) }));
    await hooks.submit();
    await hooks.clock.advance(5 * SECOND);
    expect(hooks.calls).toHaveLength(1);
    isFull = false;
    await hooks.clock.advance(2 * SECOND);
    expect(await hooks.deliveries()).toMatchObject([{ status: 'delivered', attempts: 1 }]);
    expect(hooks.telemetry.lines.some(({ message }) => message.includes('could not be stored'))).toBe(true);
  });

  it('goes on by itself when the ledger could not be read for a while', async () => {
    let isDown = true;
    const fault = new GleanerError('storage_unavailable', 'The store cannot be read right now.');
    await hooks.restart((real) => ({
      pendingOf: (...args) => (isDown ? Promise.reject(fault) : real.pendingOf(...args)),
    }));
    await hooks.submit();
    await hooks.clock.advance(5 * SECOND);
    expect(hooks.calls).toHaveLength(0);
    expect(hooks.telemetry.lines.filter(({ level }) => level === 'error').length).toBeLessThan(10);
    isDown = false;
    await hooks.clock.advance(2 * SECOND);
    expect(hooks.calls).toHaveLength(1);
  });

  it('redelivers one by hand, at once and whatever came of it, also to a receiver that was left alone', async () => {
    hooks.respond = refuse;
    for (let n = 0; n < 8; n += 1) await hooks.submit();
    await hooks.clock.advance(10 * SECOND);
    expect(hooks.engine.webhookStats().receiversInTrouble).toBe(1);
    const [delivery] = await hooks.deliveries();
    hooks.calls = [];
    hooks.respond = () => answer(200);
    expect(await hooks.engine.webhooks.redeliver(delivery?.id ?? '')).toMatchObject({ status: 'pending', failures: 0 });
    await hooks.clock.advance(0);
    expect(hooks.calls.some(({ headers }) => headers['webhook-id'] === delivery?.id)).toBe(true);
    expect(hooks.engine.webhookStats().receiversInTrouble).toBe(0);
    await expect(hooks.engine.webhooks.redeliver('0192d3a5-0000-7000-8000-000000000000')).rejects.toMatchObject({
      code: 'delivery_not_found',
    });
  });

  it('redelivers everything that was given up since an outage', async () => {
    hooks.respond = () => answer(410);
    for (let n = 0; n < 3; n += 1) await hooks.submit();
    await hooks.clock.advance(HOUR);
    const since = hooks.clock.now();
    for (let n = 0; n < 1_203; n += 1) {
      await hooks.submit();
      if (n % 100 === 0) await hooks.clock.advance(0);
    }
    for (let turn = 0; turn < 500 && hooks.calls.length < 1_206; turn += 1) await hooks.clock.advance(1);
    hooks.calls = [];
    hooks.respond = () => answer(200);
    expect(await hooks.engine.webhooks.redeliverAll({ since, status: 'dead' })).toBe(1_203);
    for (let turn = 0; turn < 500 && hooks.calls.length < 1_203; turn += 1) await hooks.clock.advance(1);
    expect(new Set(hooks.calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1_203);
    expect(await hooks.engine.webhooks.redeliverAll({ since, status: 'dead' })).toBe(0);
  });

  it('sends a ping once and says how it went', async () => {
    const report = await hooks.engine.webhooks.ping(HOOK);
    expect(report.delivery).toMatchObject({ event: 'ping', status: 'delivered', receiver: ORIGIN });
    expect(report.attempts).toMatchObject([{ attempt: 1, status: 200, error: null }]);
    expect(JSON.parse(hooks.calls[0]?.body ?? '')).toMatchObject({ event: 'ping', delivery_id: report.delivery.id });
    hooks.respond = () => answer(500);
    const failed = await hooks.engine.webhooks.ping(HOOK);
    expect(failed.delivery).toMatchObject({ status: 'dead', lastStatus: 500, nextAttemptAt: null });
    await hooks.clock.advance(24 * HOUR);
    expect(hooks.calls).toHaveLength(2);
    await expect(hooks.engine.webhooks.ping('http://127.0.0.1/')).rejects.toMatchObject({
      code: 'validation_failed',
      fields: [{ field: 'url', value: 'http://127.0.0.1/' }],
    });
  });

  it('leaves out results that are more than a request can hold', async () => {
    await hooks.stop();
    const asked: number[] = [];
    const store = {
      ...hooks.opened.store,
      endedTasks: async (_jobId: string, maxBytes: number) => {
        asked.push(maxBytes);
        return null;
      },
    };
    await hooks.boot({ store });
    const targets = Array.from({ length: 40 }, (_, n) => aSpec({ targetUrl: `https://jobs.example.com/${n}` }));
    await hooks.engine.submitBatch({ targets, callbackUrl: HOOK }, CALLER);
    await hooks.clock.advance(SECOND);
    expect(JSON.parse(hooks.calls[0]?.body ?? '')).toMatchObject({
      status: 'completed',
      summary: { total: 40, completed: 40, failed: 0 },
      results: null,
    });
    expect(asked).toEqual([8 * 1024 * 1024]);
  });

  it('keeps no timer and no place when there is nothing left to tell', async () => {
    for (let n = 0; n < 10; n += 1) await hooks.submit();
    await hooks.clock.advance(SECOND);
    expect(hooks.engine.webhookStats()).toEqual({ underWay: 0, receiversInTrouble: 0 });
    // The retention's.
    expect(hooks.clock.pendingTimers).toBe(1);
  });
});
