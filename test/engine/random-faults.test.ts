import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GleanerError } from '../../src/domain/errors.js';
import type { Engine } from '../../src/engine/engine.js';
import type { Fetcher, FetchRequest } from '../../src/ports/fetcher.js';
import type { WebhookSender } from '../../src/ports/webhook-sender.js';
import { aPage, hang, openEngine } from '../support/engine-harness.js';
import { mortal } from '../support/mortal-store.js';
import { openTempStore } from '../support/sqlite-store.js';
import { aSpec, CALLER } from '../support/tasks.js';
import { VirtualClock } from '../support/virtual-clock.js';

const ANSWERS = ['ok', 'error', 'busy', 'hang', 'refuse', 'crash'] as const;
type Answer = (typeof ANSWERS)[number];

const FATES = ['ok', 'shell', 'server_error', 'throttled', 'not_found', 'hang', 'crash'] as const;
type Fate = (typeof FATES)[number];

describe('the engine under random faults', () => {
  it('ends every task once, keeps counts that add up, and tells of every job once, whatever fails or dies', {
    timeout: 120_000,
  }, async () => {
    const plan = fc.record({
      batches: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 4 }),
      fates: fc.array(fc.constantFrom<Fate>(...FATES), { minLength: 8, maxLength: 60 }),
      // One more, and a delivery may rightly be given up.
      answers: fc.array(fc.constantFrom<Answer>(...ANSWERS), { maxLength: 7 }),
      kills: fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 3 }),
      cancelAt: fc.option(fc.integer({ min: 0, max: 10_000 })),
    });
    await fc.assert(fc.asyncProperty(plan, run), { numRuns: 100 });
  });
});

async function run(plan: {
  batches: number[];
  fates: Fate[];
  answers: Answer[];
  kills: number[];
  cancelAt: number | null;
}): Promise<void> {
  const clock = new VirtualClock();
  const opened = await openTempStore();
  const fates = [...plan.fates];
  const answers = [...plan.answers];
  const told = new Map<string, { ids: Set<string>; bodies: Set<string>; accepted: number }>();
  const ends = new Map<string, string[]>();
  let restart = false;

  const http: Fetcher['fetch'] = async (request, signal) => {
    await clock.wait(150);
    switch (fates.shift() ?? 'ok') {
      case 'shell':
        return aPage(request, 'shell');
      case 'server_error':
        throw new GleanerError('target_server_error', 'The target answered 503.');
      case 'throttled':
        throw new GleanerError('rate_limited', 'Too many requests.', { retryAfterMs: 400 });
      case 'not_found':
        throw new GleanerError('target_client_error', 'The target answered 404.');
      case 'hang':
        return hang(request, signal);
      case 'crash':
        restart = true;
        return hang(request, signal);
      default:
        return aPage(request, 'Engineer');
    }
  };
  const send: WebhookSender['send'] = async ({ headers, body }, signal) => {
    const { job_id: jobId } = JSON.parse(body);
    const one = told.get(jobId) ?? { ids: new Set(), bodies: new Set(), accepted: 0 };
    told.set(jobId, one);
    one.ids.add(headers['webhook-id'] ?? '');
    one.bodies.add(body);
    const never = (): Promise<never> => hang({} as FetchRequest, signal) as Promise<never>;
    switch (answers.shift() ?? 'ok') {
      case 'error':
        return { status: 500, retryAfterMs: undefined };
      case 'busy':
        return { status: 429, retryAfterMs: 5_000 };
      case 'hang':
        return never();
      case 'refuse':
        throw new GleanerError('connect_failed', 'The connection failed.');
      case 'crash':
        // It has arrived, and nobody lives to write that down.
        restart = true;
        return never();
      default:
        one.accepted += 1;
        return { status: 200, retryAfterMs: undefined };
    }
  };
  const boot = async (): Promise<{ engine: Engine; die: () => void }> => {
    const { die, ...mortals } = mortal(opened);
    const { engine, telemetry } = openEngine({
      ...mortals,
      clock,
      http,
      send,
      parts: { resultTtlMs: 10 * 24 * 3_600_000 },
      queue: { httpConcurrency: 3, browserConcurrency: 1 },
    });
    const ended = (id: string, how: string): unknown => ends.set(id, [...(ends.get(id) ?? []), how]);
    telemetry.visitSettled = ({ task, end }) => {
      if (end !== 'retried') ended(task.id, end);
    };
    // By the next start, not by a visit: what took the process down once too often.
    telemetry.taskConvicted = ({ id }) => ended(id, 'failed');
    await engine.start();
    return { engine, die };
  };

  let current = await boot();
  const jobs: { id: string; taskIds: string[] }[] = [];
  for (const size of plan.batches) {
    const targets = Array.from({ length: size }, (_, n) =>
      aSpec({ render: 'auto', targetUrl: `https://d${n % 3}.com/${n}` }),
    );
    const { job, taskIds } = await current.engine.submitBatch(
      { targets, callbackUrl: 'https://hooks.example.com/' },
      CALLER,
    );
    jobs.push({ id: job.id, taskIds });
  }
  const kills = [...plan.kills].sort((a, b) => a - b);
  for (let at = 0; at < 600_000; at += 500) {
    await clock.advance(500);
    for (const { id, taskIds } of jobs) {
      const { counts } = await current.engine.job(id);
      expect(counts.queued + counts.running + counts.completed + counts.failed + counts.cancelled).toBe(taskIds.length);
    }
    if (plan.cancelAt !== null && at <= plan.cancelAt && plan.cancelAt < at + 500)
      await current.engine.cancelJob(jobs[0]?.id ?? '');
    if (restart || (kills[0] ?? Number.POSITIVE_INFINITY) <= at) {
      kills.shift();
      restart = false;
      current.die();
      current = await boot();
    }
    if ((await Promise.all(jobs.map(({ id }) => current.engine.job(id)))).every((job) => job.completedAt !== null))
      break;
  }
  const isTold = async (): Promise<boolean> =>
    (await current.engine.webhooks.list({ status: 'delivered' }, { limit: 100, cursor: null })).items.length ===
    jobs.length;
  for (let minute = 0; minute < 12 * 60 && !(await isTold()); minute += 1) {
    await clock.advance(60_000);
    if (!restart) continue;
    restart = false;
    current.die();
    current = await boot();
  }
  for (const { id, taskIds } of jobs) {
    const job = await current.engine.job(id);
    expect(job.completedAt).not.toBeNull();
    const { ids, bodies, accepted } = told.get(id) ?? {};
    expect([ids?.size, bodies?.size]).toEqual([1, 1]);
    expect(accepted).toBeGreaterThanOrEqual(1);
    const events = await opened.store.events(id, 0, 10_000);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.at(-1)).toMatchObject({ kind: 'job', status: job.status });
    for (const taskId of taskIds) {
      const task = await current.engine.task(taskId);
      expect(['completed', 'failed', 'cancelled']).toContain(task.status);
      expect(ends.get(taskId) ?? []).toEqual(task.status === 'cancelled' ? [] : [task.status]);
    }
  }
  const stopping = current.engine.stop(0);
  await clock.advance(0);
  await stopping;
  await opened.end();
}
