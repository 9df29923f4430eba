import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { uuidv7 } from 'uuidv7';
import { describe, expect, it, vi } from 'vitest';
import { EMPTY_META, type Task } from '../../src/domain/task.js';
import { webhookHeaders } from '../../src/domain/webhook-signature.js';
import type { Settlement } from '../../src/ports/store.js';
import type { WebhookRequest, WebhookSender } from '../../src/ports/webhook-sender.js';
import { openEngine } from '../support/engine-harness.js';
import { openTempStore, type StoreOptions, type TempStore } from '../support/sqlite-store.js';
import { aTask } from '../support/tasks.js';

type End = 'completed' | 'failed' | 'cancelled';

const HOOK = 'https://hooks.example.com/gleaner';

const hexHmac = (secret: string, body: string) => createHmac('sha256', secret).update(body).digest('hex');

/** With the prefix and base64 behind it, or any text at all. */
const secret = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 64 }).map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`),
  fc.string({ unit: 'binary', minLength: 1 }).filter((text) => !text.startsWith('whsec_')),
);
const webhook = fc.record({
  id: fc.uuid(),
  timestamp: fc.nat(),
  attempt: fc.integer({ min: 1, max: 100 }),
  event: fc.constantFrom('job.completed', 'task.failed', 'ping'),
  body: fc.jsonValue({ noUnicodeString: false }).map((payload) => JSON.stringify(payload)),
});

it('Property 40: for every payload and secret, X-Webhook-Signature is HMAC-SHA256 of the body under that secret', () => {
  fc.assert(
    fc.property(webhook, fc.array(secret, { minLength: 1, maxLength: 3 }), (sent, secrets) => {
      const signatures = webhookHeaders(sent, secrets)['x-webhook-signature']?.split(',');
      expect(signatures).toEqual(secrets.map((one) => hexHmac(one, sent.body)));
      // And of nothing else: another body or another secret gives another one.
      expect(signatures).not.toContain(hexHmac(secrets[0]!, `${sent.body} `));
      expect(signatures).not.toContain(hexHmac(`${secrets.join('')}.`, sent.body));
    }),
    { numRuns: 500 },
  );
});

describe('what receivers are told', () => {
  let opened: TempStore;
  let calls: WebhookRequest[];
  const send: WebhookSender['send'] = async (request) => {
    calls.push(request);
    return { status: 200, retryAfterMs: undefined };
  };
  const payloads = () => calls.map(({ body }) => JSON.parse(body));
  /** Opens a job in the store and ends its tasks as told; the real engine takes up the deliveries. */
  const endJob = async (ends: readonly End[], callbackUrl: string | null): Promise<string> => {
    const jobId = uuidv7();
    const tasks = ends.map((_, seq) => aTask({ jobId, seq, jobSize: ends.length }));
    await opened.store.openJob({ id: jobId, totalTasks: ends.length, callbackUrl, createdAt: 1_000 }, tasks);
    for (const [index, end] of ends.entries()) if (end !== 'cancelled') await endTask(tasks[index]!, end);
    if (ends.includes('cancelled')) await opened.store.cancelJob(jobId, 3_000);
    return jobId;
  };
  const endTask = async (task: Task, end: End): Promise<void> => {
    if (end === 'cancelled') return void (await opened.store.cancelTask(task.id, 2_000));
    const { visits } = (await opened.store.claim(task.id, 2_000)) as Task;
    const settlement: Settlement =
      end === 'completed'
        ? { kind: 'completed', result: { job_title: `Task ${task.seq}` }, meta: EMPTY_META }
        : { kind: 'failed', code: 'target_timeout', error: 'Too slow.', notBefore: null, meta: EMPTY_META };
    await opened.store.settle({ taskId: task.id, visits }, settlement, 2_000);
  };
  /** Until everything is told: the real loop over the real ledger. */
  const tellAll = async (work: () => Promise<void>): Promise<void> => {
    const { engine } = openEngine({ ...opened, send });
    await engine.start();
    await work();
    await vi.waitFor(async () => expect((await opened.deliveries.counts()).pending).toBe(0));
    await engine.stop(0);
  };
  const withStore = async (options: StoreOptions, test: () => Promise<void>): Promise<void> => {
    calls = [];
    opened = await openTempStore(options);
    try {
      await test();
    } finally {
      await opened.end();
    }
  };

  const anEnd = fc.constantFrom<End>('completed', 'failed', 'cancelled');
  const hosts = fc.constantFrom('a.example.com', 'b.example.org', 'hooks.example.net');
  const hook = fc.tuple(hosts, fc.nat(999)).map(([host, n]) => `https://${host}/hook/${n}?token=${n}`);

  it('Property 41: up to 100 tasks the payload holds every result in order, above 100 only the summary', async () => {
    const sizes = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(99, 100, 101, 130));
    const settledEnds = sizes.chain((size) =>
      fc.array(fc.constantFrom<End>('completed', 'failed'), { minLength: size, maxLength: size }),
    );
    await fc.assert(
      fc.asyncProperty(settledEnds, (ends) =>
        withStore({}, async () => {
          await tellAll(async () => void (await endJob(ends, HOOK)));
          const [payload] = payloads();
          const completed = ends.filter((end) => end === 'completed').length;
          expect(payload.summary).toEqual({ total: ends.length, completed, failed: ends.length - completed });
          if (ends.length > 100) expect(payload.results).toBeNull();
          else expect(payload.results.map((task: { status: string }) => task.status)).toEqual(ends);
        }),
      ),
      { numRuns: 100 },
    );
  }, 120_000);

  it('Property 42: a callback_url is told instead of the default receiver, which hears of everything else', async () => {
    const submits = fc.array(fc.option(hook), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(submits, fc.option(hook), fc.option(hook), (urls, jobUrl, defaultUrl) =>
        withStore({ defaultReceiver: defaultUrl }, async () => {
          await tellAll(async () => {
            for (const callbackUrl of urls) {
              const task = aTask({ callbackUrl });
              await opened.store.openTask(task);
              await endTask(task, 'completed');
            }
            await endJob(['completed'], jobUrl);
          });
          const wanted = [...urls, jobUrl].map((url) => url ?? defaultUrl).filter((url) => url !== null);
          expect(calls.map(({ url }) => url).sort()).toEqual(wanted.sort());
        }),
      ),
      { numRuns: 100 },
    );
  }, 120_000);

  it('Property 43: every job that ends is told of once, with its id, its final status and its summary', async () => {
    const jobs = fc.array(fc.array(anEnd, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(jobs, (all) =>
        withStore({}, async () => {
          const ids: string[] = [];
          await tellAll(async () => {
            for (const ends of all) ids.push(await endJob(ends, HOOK));
          });
          const told = payloads();
          expect(told.map((payload) => payload.job_id).sort()).toEqual([...ids].sort());
          for (const [index, id] of ids.entries()) {
            const ends = all[index] as End[];
            const count = (end: End): number => ends.filter((one) => one === end).length;
            const payload = told.find((one) => one.job_id === id);
            const summary = { total: ends.length, completed: count('completed'), failed: count('failed') };
            expect(payload).toMatchObject({ status: statusOf(count), summary });
            expect((await opened.store.job(id))?.status).toBe(payload.status);
          }
          expect(new Set(calls.map(({ headers }) => headers['webhook-id'])).size).toBe(ids.length);
        }),
      ),
      { numRuns: 100 },
    );
  }, 120_000);
});

function statusOf(count: (end: End) => number): string {
  if (count('cancelled') > 0) return 'cancelled';
  if (count('failed') === 0) return 'completed';
  return count('completed') === 0 ? 'failed' : 'partially_completed';
}
