import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Delivery } from '../../src/domain/delivery.js';
import { EMPTY_META, type Task } from '../../src/domain/task.js';
import type { AttemptEnd } from '../../src/ports/deliveries.js';
import type { Settlement, StoreChange } from '../../src/ports/store.js';
import type { StoreOptions, TempStore } from '../support/sqlite-store.js';
import { aTask, requeued } from '../support/tasks.js';

const completed: Extract<Settlement, { kind: 'completed' }> = {
  kind: 'completed',
  result: { job_title: 'Engineer' },
  meta: EMPTY_META,
};
const failed: Settlement = {
  kind: 'failed',
  code: 'target_timeout',
  error: 'Slow.',
  notBefore: null,
  meta: EMPTY_META,
};
const HOOK = 'https://hooks.example.com/gleaner?token=t0ken';
const ORIGIN = 'https://hooks.example.com';

const end = (next: AttemptEnd['next'], changes: Partial<AttemptEnd> = {}): AttemptEnd => ({
  status: next.kind === 'delivered' ? 200 : 500,
  durationMs: 12.4,
  error: next.kind === 'delivered' ? null : 'The receiver answered 500.',
  next,
  ...changes,
});

/** What every pair of Store and Deliveries must do: ends are told exactly once, events have no gaps, keys hold. */
export function outboxContract(name: string, open: (options?: StoreOptions) => Promise<TempStore>): void {
  describe(`the outbox contract on ${name}`, () => {
    let opened: TempStore;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.end());

    const settled = async (task: Task, settlement: Settlement, now = 2_000): Promise<Task | null> => {
      const claimed = await opened.store.claim(task.id, now);
      return opened.store.settle({ taskId: task.id, visits: claimed?.visits ?? -1 }, settlement, now);
    };
    const openJob = async (
      size: number,
      callbackUrl: string | null,
      taskHook: string | null = null,
    ): Promise<Task[]> => {
      const jobId = aTask().id;
      const tasks = Array.from({ length: size }, (_, seq) =>
        aTask({ jobId, seq, jobSize: size, callbackUrl: seq === 0 ? taskHook : null }),
      );
      await opened.store.openJob({ id: jobId, totalTasks: size, callbackUrl, createdAt: 1_000 }, tasks);
      return tasks;
    };
    const all = async (): Promise<Delivery[]> =>
      (await opened.deliveries.list({}, { limit: 100, cursor: null })).items.reverse();
    const aDelivery = async (): Promise<Delivery> => {
      await settledTask();
      return (await all())[0] as Delivery;
    };
    /** The next attempt begins; the delivery as it then is. */
    const begin = async (id: string, body = '{}', now = 3_000) => {
      const seen = (await opened.deliveries.find(id)) as Delivery;
      return opened.deliveries.begin(seen, body, now);
    };
    /** One attempt, from its beginning to its end. */
    const attempt = async (id: string, next: AttemptEnd['next'], now = 3_000): Promise<Delivery | null> => {
      const begun = await begin(id, '{"a":1}', now);
      return opened.deliveries.end(begun?.delivery as Delivery, end(next), now);
    };
    const settledTask = async (): Promise<Task> => {
      const task = aTask({ callbackUrl: HOOK });
      await opened.store.openTask(task);
      await settled(task, completed);
      return task;
    };

    describe('deliveries of ended work', () => {
      it('are opened with the end of a standalone task, one each', async () => {
        const task = await settledTask();
        expect(await all()).toEqual([
          {
            id: expect.any(String),
            event: 'task.completed',
            jobId: null,
            taskId: task.id,
            url: HOOK,
            receiver: ORIGIN,
            status: 'pending',
            attempts: 0,
            failures: 0,
            round: 0,
            nextAttemptAt: 2_000,
            createdAt: 2_000,
            endedAt: null,
            lastStatus: null,
            lastError: null,
          },
        ]);
      });

      it('are not opened by a visit that is repeated, nor by a second settle', async () => {
        const task = aTask({ callbackUrl: HOOK });
        await opened.store.openTask(task);
        await settled(task, requeued());
        expect(await all()).toEqual([]);
        await settled(task, failed);
        expect(await opened.store.settle({ taskId: task.id, visits: 2 }, completed, 3_000)).toBeNull();
        expect((await all()).map(({ event }) => event)).toEqual(['task.failed']);
      });

      it('tell of a job once, when its last task ends, and of those of its tasks that asked for it', async () => {
        const [first, second] = (await openJob(2, HOOK, 'https://other.example/')) as [Task, Task];
        await settled(first, completed);
        expect((await all()).map(({ event }) => event)).toEqual(['task.completed']);
        await settled(second, failed);
        const told = await all();
        expect(told.map(({ event, receiver }) => [event, receiver])).toEqual([
          ['task.completed', 'https://other.example'],
          ['job.partially_completed', ORIGIN],
        ]);
        expect(told.every(({ jobId }) => jobId === first.jobId)).toBe(true);
      });

      it('tell of a cancelled task, and of a cancelled job when what was running has ended', async () => {
        const alone = aTask({ callbackUrl: HOOK });
        await opened.store.openTask(alone);
        await opened.store.cancelTask(alone.id, 5);
        const [running] = (await openJob(3, HOOK)) as [Task];
        const claimed = await opened.store.claim(running.id, 6);
        await opened.store.cancelJob(running.jobId ?? '', 7);
        expect((await all()).map(({ event }) => event)).toEqual(['task.cancelled']);
        await opened.store.settle({ taskId: running.id, visits: claimed?.visits ?? 0 }, completed, 8);
        await opened.store.cancelJob(running.jobId ?? '', 9);
        expect((await all()).map(({ event }) => event)).toEqual(['task.cancelled', 'job.cancelled']);
      });

      it('tell of a task, and of its job, that failed because the service died on it', async () => {
        const [only] = (await openJob(1, HOOK, HOOK)) as [Task];
        for (const now of [6, 7, 8]) {
          await opened.store.claim(only.id, now);
          await opened.reopen();
          await opened.store.requeueRunning({ refundAttempt: false }, now);
        }
        expect((await all()).map(({ event }) => event)).toEqual(['task.failed', 'job.failed']);
      });

      it('tell of a job that a crash cut off while it was being cancelled', async () => {
        const [running] = (await openJob(2, HOOK)) as [Task];
        await opened.store.claim(running.id, 6);
        await opened.store.cancelJob(running.jobId ?? '', 7);
        await opened.reopen();
        await opened.store.requeueRunning({ refundAttempt: false }, 8);
        expect((await all()).map(({ event }) => event)).toEqual(['job.cancelled']);
      });

      it('go to the default receiver where none is named, but not for each task of a job', async () => {
        await opened.end();
        opened = await open({ defaultReceiver: 'http://default.example:8080/hook' });
        const alone = aTask();
        await opened.store.openTask(alone);
        await settled(alone, completed);
        const [inJob] = (await openJob(1, null)) as [Task];
        await settled(inJob, completed);
        await settledTask();
        expect((await all()).map(({ event, receiver }) => [event, receiver])).toEqual([
          ['task.completed', 'http://default.example:8080'],
          ['job.completed', 'http://default.example:8080'],
          ['task.completed', ORIGIN],
        ]);
      });

      it('are undone with the transaction that opened them', async () => {
        const task = aTask({ callbackUrl: 'not a url' });
        await opened.store.openTask(task);
        await expect(settled(task, completed)).rejects.toThrow();
        expect((await opened.store.task(task.id))?.status).toBe('running');
        expect(await all()).toEqual([]);
      });
    });

    it('gives all tasks of a job at once, unless their results are too large together', async () => {
      const tasks = await openJob(3, null);
      for (const task of tasks) await settled(task, { ...completed, result: { text: 'ü'.repeat(1_000) } });
      const jobId = tasks[0]?.jobId ?? '';
      expect((await opened.store.endedTasks(jobId, 6_100))?.map(({ id }) => id)).toEqual(tasks.map(({ id }) => id));
      expect(await opened.store.endedTasks(jobId, 6_000)).toBeNull();
      expect(await opened.store.taskIds(jobId)).toEqual(tasks.map(({ id }) => id));
    });

    describe('the ledger', () => {
      it('counts attempts, fixes the body with the first and keeps what each came to', async () => {
        const { id } = await aDelivery();
        expect(await opened.deliveries.bodyOf(id)).toBeNull();
        const first = await begin(id, '{"a":1}', 3_000);
        expect(first).toMatchObject({ body: '{"a":1}', delivery: { attempts: 1, failures: 0 } });
        const retry = end({ kind: 'retry', afterMs: 1_990 });
        expect(await opened.deliveries.end(first?.delivery as Delivery, retry, 3_010)).toMatchObject({
          status: 'pending',
          failures: 1,
          nextAttemptAt: 5_000,
          lastStatus: 500,
        });
        const second = await begin(id, 'other', 5_000);
        expect(second).toMatchObject({ body: '{"a":1}', delivery: { attempts: 2 } });
        const told = await opened.deliveries.end(second?.delivery as Delivery, end({ kind: 'delivered' }), 5_001);
        expect(told).toMatchObject({ status: 'delivered', attempts: 2, endedAt: 5_001, nextAttemptAt: null });
        expect(told).toMatchObject({ lastStatus: 200, lastError: null });
        expect(await begin(id)).toBeNull();
        expect(await opened.deliveries.attempts(id)).toEqual([
          { attempt: 1, startedAt: 3_000, status: 500, durationMs: 12, error: 'The receiver answered 500.' },
          { attempt: 2, startedAt: 5_000, status: 200, durationMs: 12, error: null },
        ]);
      });

      it('begins no attempt while another is under way, nor for who has seen an older state', async () => {
        const delivery = await aDelivery();
        const [one, other] = await Promise.all([
          opened.deliveries.begin(delivery, '{}', 3_000),
          opened.deliveries.begin(delivery, '{}', 3_000),
        ]);
        expect([one !== null, other]).toEqual([true, null]);
        expect(await begin(delivery.id)).toBeNull();
        await opened.deliveries.end(one?.delivery as Delivery, end({ kind: 'retry', afterMs: 999 }), 3_001);
        expect(await opened.deliveries.begin(delivery, '{}', 5_000)).toBeNull();
        expect(await begin(delivery.id)).not.toBeNull();
      });

      it('begins again where an attempt was lost with whoever made it', async () => {
        const { id } = await aDelivery();
        await begin(id, '{}', 3_000);
        expect(await begin(id, '{}', 62_999)).toBeNull();
        expect(await begin(id, '{}', 63_000)).toMatchObject({ delivery: { attempts: 2 } });
      });

      it('ends an attempt once', async () => {
        const { id } = await aDelivery();
        const begun = (await begin(id))?.delivery as Delivery;
        expect(await opened.deliveries.end(begun, end({ kind: 'delivered' }), 3_001)).not.toBeNull();
        expect(await opened.deliveries.end(begun, end({ kind: 'dead' }), 3_002)).toBeNull();
        expect((await opened.deliveries.find(id))?.status).toBe('delivered');
      });

      it('finds after a crash what was under way, still due and with no failure counted', async () => {
        const { id } = await aDelivery();
        await begin(id, '{"a":1}');
        await opened.reopen();
        expect(await opened.deliveries.recover(4_000)).toBe(1);
        expect(await opened.deliveries.find(id)).toMatchObject({ status: 'pending', attempts: 1, failures: 0 });
        const [first] = await opened.deliveries.attempts(id);
        expect(first).toMatchObject({ error: expect.stringContaining('ended before') });
        expect(await opened.deliveries.receivers()).toEqual([{ receiver: ORIGIN, dueAt: 2_000, hasFailed: false }]);
        expect(await begin(id, 'other')).toMatchObject({ body: '{"a":1}', delivery: { attempts: 2 } });
      });

      it('lists what is pending of a receiver, what is due first in front, and whether it has failed', async () => {
        const { id } = await aDelivery();
        await attempt(id, { kind: 'retry', afterMs: 6_000 });
        await settledTask();
        const pending = await opened.deliveries.pendingOf(ORIGIN, 10);
        expect(pending.map(({ nextAttemptAt }) => nextAttemptAt)).toEqual([2_000, 9_000]);
        expect(await opened.deliveries.pendingOf('https://else.example', 10)).toEqual([]);
        expect(await opened.deliveries.receivers()).toEqual([{ receiver: ORIGIN, dueAt: 2_000, hasFailed: true }]);
      });

      it('redelivers one with the same id and body and a fresh schedule', async () => {
        const { id } = await aDelivery();
        await attempt(id, { kind: 'dead' });
        expect(await opened.deliveries.redeliver(id, 8_000)).toMatchObject({
          status: 'pending',
          failures: 0,
          attempts: 1,
          nextAttemptAt: 8_000,
          endedAt: null,
        });
        expect(await opened.deliveries.redeliver('no-such', 8_000)).toBeNull();
        expect(await begin(id, 'other', 8_000)).toMatchObject({ body: '{"a":1}' });
      });

      it('lets no attempt of an earlier round decide about a redelivery, unless it went well', async () => {
        const { id } = await aDelivery();
        const begun = (await begin(id))?.delivery as Delivery;
        await opened.deliveries.redeliver(id, 4_000);
        const noted = await opened.deliveries.end(begun, end({ kind: 'dead' }), 5_000);
        expect(noted).toMatchObject({ status: 'pending', failures: 0, nextAttemptAt: 4_000, lastStatus: 500 });
        const again = (await begin(id))?.delivery as Delivery;
        await opened.deliveries.redeliver(id, 6_000);
        const told = await opened.deliveries.end(again, end({ kind: 'delivered' }), 7_000);
        expect(told).toMatchObject({ status: 'delivered', nextAttemptAt: null });
      });

      it('redelivers many in bites, each once, and never a ping', async () => {
        const deliveries = [];
        for (let n = 0; n < 5; n += 1) {
          await settledTask();
          deliveries.push((await all()).at(-1)?.id ?? '');
        }
        for (const id of deliveries) await attempt(id, { kind: 'dead' });
        const ping = { id: aTask().id, url: HOOK, receiver: ORIGIN, body: '{}' };
        const opening = await opened.deliveries.openPing(ping, 2_000);
        await opened.deliveries.end(opening, end({ kind: 'dead' }), 2_000);
        const dead = { status: 'dead', since: 2_000 } as const;
        const counts: number[] = [];
        let cursor: string | null = null;
        do {
          const bite: Awaited<ReturnType<typeof opened.deliveries.redeliverBite>> =
            await opened.deliveries.redeliverBite(dead, { cursor, limit: 2 }, 9_000);
          counts.push(bite.count);
          if (bite.count > 0) expect(bite.receivers).toEqual([ORIGIN]);
          cursor = bite.nextCursor;
        } while (cursor !== null);
        expect(counts).toEqual([2, 2, 1]);
        const later = { status: 'pending', since: 2_001 } as const;
        expect((await opened.deliveries.redeliverBite(later, { cursor: null, limit: 9 }, 9_000)).count).toBe(0);
        expect(await opened.deliveries.counts()).toMatchObject({ pending: 5, dead: 0 });
      });

      it('gives up what a receiver did not take for too long, in bites, and nothing else', async () => {
        const old = await aDelivery();
        await opened.deliveries.redeliver(old.id, 50_000);
        for (let n = 0; n < 3; n += 1) await settledTask();
        const options = { roundBefore: 10_000, error: 'Too long.', limit: 2 };
        expect(await opened.deliveries.giveUp(ORIGIN, options, 60_000)).toBe(2);
        expect(await opened.deliveries.giveUp(ORIGIN, options, 60_000)).toBe(1);
        expect((await opened.deliveries.find(old.id))?.status).toBe('pending');
        expect(await opened.deliveries.counts()).toEqual({ pending: 1, dead: 3, oldestPendingAt: 2_000 });
      });

      it('moves retries when the clock is set, and takes times that nobody could have meant for now', async () => {
        const { id } = await aDelivery();
        await attempt(id, { kind: 'retry', afterMs: 6_000 });
        await settledTask();
        const times = async () => (await opened.deliveries.pendingOf(ORIGIN, 10)).map((one) => one.nextAttemptAt);
        // Forward only the retry: what was never tried stays due. Back all of it.
        expect(await opened.deliveries.shift(1_000)).toBe(1);
        expect(await times()).toEqual([2_000, 10_000]);
        expect(await opened.deliveries.shift(-1_500)).toBe(2);
        expect(await times()).toEqual([500, 8_500]);
        expect(await opened.deliveries.bringForward(ORIGIN, 3_000, 2_500)).toBe(1);
        expect(await times()).toEqual([500, 2_500]);
      });

      it('keeps a ping as dead until it is known to be delivered', async () => {
        const ping = { id: aTask().id, url: HOOK, receiver: ORIGIN, body: '{}' };
        const opening = await opened.deliveries.openPing(ping, 1_000);
        expect(opening).toMatchObject({ event: 'ping', status: 'dead', attempts: 1, jobId: null, taskId: null });
        await opened.deliveries.end(opening, end({ kind: 'delivered' }), 1_100);
        expect(await opened.deliveries.find(ping.id)).toMatchObject({ status: 'delivered', endedAt: 1_100 });
      });

      it('pages through deliveries, newest first, by job, task, status, receiver and time', async () => {
        const [inJob] = (await openJob(1, HOOK)) as [Task];
        for (let n = 0; n < 3; n += 1) await settledTask();
        await settled(inJob, completed, 5_000);
        const page = await opened.deliveries.list({}, { limit: 3, cursor: null });
        const rest = await opened.deliveries.list({}, { limit: 3, cursor: page.nextCursor });
        expect([...page.items, ...rest.items].map(({ event }) => event)).toEqual([
          'job.completed',
          ...Array(3).fill('task.completed'),
        ]);
        expect(rest.nextCursor).toBeNull();
        const count = async (filter: object): Promise<number> =>
          (await opened.deliveries.list(filter, { limit: 10, cursor: null })).items.length;
        expect(await count({ jobId: inJob.jobId })).toBe(1);
        expect(await count({ taskId: page.items[1]?.taskId })).toBe(1);
        expect(await count({ status: 'delivered' })).toBe(0);
        expect(await count({ receiver: ORIGIN })).toBe(4);
        expect(await count({ since: 5_000 })).toBe(1);
      });

      it('keeps what a delivery has yet to tell of beyond its retention, and forgets both afterwards', async () => {
        const task = await settledTask();
        const [inJob] = (await openJob(1, HOOK)) as [Task];
        await settled(inJob, completed);
        const expire = (before: number) => opened.store.expire({ before, now: before, limit: 500 });
        await expire(10_000);
        expect(await opened.store.task(task.id)).not.toBeNull();
        expect(await opened.store.job(inJob.jobId ?? '')).not.toBeNull();
        for (const { id } of await all()) await attempt(id, { kind: 'delivered' }, 20_000);
        await expire(10_000);
        expect(await opened.store.task(task.id)).toBeNull();
        expect(await opened.store.job(inJob.jobId ?? '')).toBeNull();
        expect(await all()).toHaveLength(2);
        await expire(20_001);
        expect(await all()).toEqual([]);
      });
    });

    describe('events of a job', () => {
      it('are numbered from 1 without gaps and tell every change in order', async () => {
        const [first, second] = (await openJob(2, null)) as [Task, Task];
        await settled(first, completed);
        await settled(second, requeued());
        await settled(second, failed);
        const events = await opened.store.events(first.jobId ?? '', 0, 100);
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
        expect(
          events.map((event) => (event.kind === 'job' ? event.status : `${event.taskId}:${event.status}`)),
        ).toEqual([
          'queued',
          'running',
          `${first.id}:running`,
          `${first.id}:completed`,
          `${second.id}:running`,
          `${second.id}:queued`,
          `${second.id}:running`,
          `${second.id}:failed`,
          'partially_completed',
        ]);
        expect(events.at(-2)).toMatchObject({ kind: 'task', attempts: 2, code: 'target_timeout' });
        expect(await opened.store.events(first.jobId ?? '', 7, 1)).toEqual([events[7]]);
      });

      it('tell of what was cancelled, interrupted or taken up again', async () => {
        const [first] = (await openJob(2, null)) as [Task];
        await opened.store.claim(first.id, 5);
        await opened.store.requeueRunning({ refundAttempt: false }, 6);
        await opened.store.cancelJob(first.jobId ?? '', 7);
        const events = await opened.store.events(first.jobId ?? '', 3, 100);
        expect(events.map(({ kind, status }) => [kind, status])).toEqual([
          ['task', 'queued'],
          ['job', 'cancelled'],
          ['task', 'cancelled'],
          ['task', 'cancelled'],
          ['job', 'cancelled'],
        ]);
      });

      it('and deliveries are announced once they are durable, to whoever listens', async () => {
        const heard: StoreChange[] = [];
        const stop = opened.store.onChange((change) => heard.push(change));
        const [only] = (await openJob(1, HOOK)) as [Task];
        const { jobId } = only;
        await settled(only, completed);
        expect(heard.map(({ jobs }) => [...jobs])).toEqual([[jobId], [jobId], [jobId]]);
        expect(heard.map(({ receivers }) => [...receivers])).toEqual([[], [], [ORIGIN]]);
        stop();
        await settledTask();
        expect(heard).toHaveLength(3);
      });
    });

    describe('repeatable submits', () => {
      const once = { key: 'k-1', fingerprint: 'f-1' };

      it('open nothing under a key that is known, whoever comes first', async () => {
        const tasks = [aTask(), aTask(), aTask()];
        const answers = await Promise.all(tasks.map((task) => opened.store.openTask(task, once)));
        const known = { fingerprint: 'f-1', taskId: tasks[0]?.id, jobId: null };
        expect(answers).toEqual([null, known, known]);
        expect(await opened.store.task(tasks[1]?.id ?? '')).toBeNull();
        expect(await opened.store.submission('k-1', 1_000)).toEqual(known);
        await opened.reopen();
        expect(await opened.store.submission('k-1', 1_000)).toEqual(known);
      });

      it('open no job under a key that is known, and leave no event of it', async () => {
        await opened.store.openTask(aTask(), once);
        const jobId = aTask().id;
        const job = { id: jobId, totalTasks: 1, callbackUrl: null, createdAt: 1_000 };
        const answer = await opened.store.openJob(job, [aTask({ jobId })], once);
        expect(answer).toMatchObject({ fingerprint: 'f-1', jobId: null });
        expect(await opened.store.job(jobId)).toBeNull();
        expect(await opened.store.events(jobId, 0, 10)).toEqual([]);
      });

      it('keep what a key stands for as long as the key lives', async () => {
        const [task, jobId] = [aTask(), aTask().id];
        await opened.store.openTask(task, once);
        const job = { id: jobId, totalTasks: 1, callbackUrl: null, createdAt: 1_000 };
        const inJob = aTask({ jobId });
        await opened.store.openJob(job, [inJob], { ...once, key: 'k-2' });
        for (const one of [task, inJob]) await settled(one, completed);
        await opened.store.expire({ before: 10_000, now: 10_000, limit: 500 });
        expect([await opened.store.task(task.id), await opened.store.job(jobId)]).not.toContain(null);
        await opened.store.expire({ before: 10_000, now: 1_000 + 24 * 3_600_000, limit: 500 });
        expect([await opened.store.task(task.id), await opened.store.job(jobId)]).toEqual([null, null]);
      });

      it('forget a key after 24 hours', async () => {
        const day = 24 * 3_600_000;
        await opened.store.openTask(aTask(), once);
        expect(await opened.store.submission('k-1', 1_000 + day - 1)).not.toBeNull();
        expect(await opened.store.submission('k-1', 1_000 + day)).toBeNull();
        const later = aTask({ createdAt: 1_000 + day });
        expect(await opened.store.openTask(later, once)).toBeNull();
        expect(await opened.store.submission('k-1', 1_000 + day)).toMatchObject({ taskId: later.id });
      });
    });
  });
}
