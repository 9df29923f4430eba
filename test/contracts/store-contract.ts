import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GleanerError } from '../../src/domain/errors.js';
import { EMPTY_META, type Task } from '../../src/domain/task.js';
import type { QueuedRow, Settlement, Store } from '../../src/ports/store.js';
import { aTask, requeued } from '../support/tasks.js';

const completed = (result = { job_title: 'Engineer' }): Settlement => ({ kind: 'completed', result, meta: EMPTY_META });
const failed: Settlement = {
  kind: 'failed',
  code: 'target_timeout',
  error: 'Too slow.',
  notBefore: null,
  meta: EMPTY_META,
};

/** What every Store must do, whatever database is beneath it. `reopen` closes and opens the same data again. */
export function storeContract(
  name: string,
  open: () => Promise<{ store: Store; reopen: () => Promise<Store>; end: () => Promise<void> }>,
): void {
  describe(`the store contract on ${name}`, () => {
    let store: Store;
    let opened: Awaited<ReturnType<typeof open>>;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.end());

    const openJob = async (size: number): Promise<{ jobId: string; tasks: Task[] }> => {
      const jobId = aTask().id;
      const tasks = Array.from({ length: size }, (_, seq) => aTask({ jobId, seq, jobSize: size }));
      await store.openJob({ id: jobId, totalTasks: size, callbackUrl: null, createdAt: 1_000 }, tasks);
      return { jobId, tasks };
    };
    const runTo = async (task: Task, settlement: Settlement, now = 2_000): Promise<Task | null> => {
      const claimed = await store.claim(task.id, now);
      return store.settle({ taskId: task.id, visits: claimed?.visits ?? -1 }, settlement, now);
    };

    it('gives back exactly what was put in, also after it was closed and opened again', async () => {
      const task = aTask({ requestedFields: ['job_title'], callbackUrl: 'https://cb.example/x', traceparent: 't' });
      await store.openTask(task);
      expect(await store.task(task.id)).toEqual(task);
      store = await opened.reopen();
      expect(await store.task(task.id)).toEqual(task);
      expect(await store.task('no-such')).toBeNull();
    });

    it('opens a job whole or not at all', async () => {
      const twin = aTask();
      const jobId = aTask().id;
      const tasks = [aTask({ jobId }), { ...twin, jobId }, { ...twin, jobId }];
      const opening = store.openJob({ id: jobId, totalTasks: 3, callbackUrl: null, createdAt: 1 }, tasks);
      await expect(opening).rejects.toMatchObject({ code: 'storage_unavailable' });
      expect(await store.job(jobId)).toBeNull();
      expect(await store.task(tasks[0]?.id ?? '')).toBeNull();
    });

    it('lets a failing write harm none of its neighbours', async () => {
      const good = [aTask(), aTask(), aTask()];
      const [first] = good as [Task, Task, Task];
      const writes = await Promise.allSettled([...good, first].map((task) => store.openTask(task)));
      expect(writes.map((write) => write.status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
      for (const task of good) expect(await store.task(task.id)).not.toBeNull();
    });

    it('claims a task once, counting the attempt and marking its job as running', async () => {
      const { jobId, tasks } = await openJob(2);
      const id = tasks[0]?.id ?? '';
      const claims = await Promise.all([store.claim(id, 5), store.claim(id, 5)]);
      expect(claims.filter((claim) => claim !== null)).toHaveLength(1);
      expect(await store.task(id)).toMatchObject({ status: 'running', attempts: 1, visits: 1, startedAt: 5 });
      expect(await store.job(jobId)).toMatchObject({ status: 'running', counts: { running: 1, queued: 1, total: 2 } });
    });

    it('answers a settle with the task as it is kept from now on', async () => {
      for (const settlement of [completed(), failed, requeued()]) {
        const task = aTask();
        await store.openTask(task);
        expect(await runTo(task, settlement)).toEqual(await store.task(task.id));
      }
    });

    it('settles exactly once: a second or an outdated settle changes nothing', async () => {
      const task = aTask();
      await store.openTask(task);
      const claimed = await store.claim(task.id, 1);
      const claim = { taskId: task.id, visits: claimed?.visits ?? 0 };
      expect(await store.settle({ ...claim, visits: 99 }, failed, 2)).toBeNull();
      expect(await store.settle(claim, completed(), 3)).toMatchObject({ status: 'completed', completedAt: 3 });
      expect(await store.settle(claim, failed, 4)).toBeNull();
      expect(await store.task(task.id)).toMatchObject({
        status: 'completed',
        result: { job_title: 'Engineer' },
        code: null,
      });
    });

    it('refuses the late result of a visit that was already begun again', async () => {
      const task = aTask();
      await store.openTask(task);
      const first = await store.claim(task.id, 1);
      await store.requeueRunning({ refundAttempt: false }, 2);
      const second = await store.claim(task.id, 3);
      expect(second?.visits).toBe(2);
      expect(await store.settle({ taskId: task.id, visits: first?.visits ?? 0 }, completed(), 4)).toBeNull();
      expect(await store.settle({ taskId: task.id, visits: second?.visits ?? 0 }, failed, 5)).not.toBeNull();
    });

    it('sends a task back to the queue, with or without counting the attempt', async () => {
      const task = aTask();
      await store.openTask(task);
      expect(await runTo(task, requeued({ notBefore: 9_000 }))).toMatchObject({
        status: 'queued',
        attempts: 1,
        notBefore: 9_000,
      });
      expect(await runTo(task, requeued({ refundAttempt: true, throttles: 1 }))).toMatchObject({
        status: 'queued',
        attempts: 1,
        visits: 2,
        throttles: 1,
        notBefore: null,
      });
    });

    it('ends a job with its last task, in the same transaction', async () => {
      const { jobId, tasks } = await openJob(2);
      await runTo(tasks[0] as Task, completed());
      expect(await store.job(jobId)).toMatchObject({ status: 'running', completedAt: null });
      await runTo(tasks[1] as Task, failed, 7_000);
      expect(await store.job(jobId)).toMatchObject({ status: 'partially_completed', completedAt: 7_000 });
    });

    it('cancels what is queued and leaves what runs, as often as it is asked', async () => {
      const { jobId, tasks } = await openJob(3);
      const claimed = await store.claim(tasks[0]?.id ?? '', 1);
      const ending = await store.cancelJob(jobId, 2);
      expect(ending?.cancelled.map((task) => task.seq).sort()).toEqual([1, 2]);
      expect(ending?.job).toMatchObject({
        status: 'cancelled',
        completedAt: null,
        counts: { running: 1, cancelled: 2 },
      });
      expect((await store.cancelJob(jobId, 3))?.cancelled).toEqual([]);
      await store.settle({ taskId: tasks[0]?.id ?? '', visits: claimed?.visits ?? 0 }, completed(), 4);
      expect(await store.job(jobId)).toMatchObject({
        status: 'cancelled',
        completedAt: 4,
        counts: { completed: 1, cancelled: 2 },
      });
      expect(await store.cancelJob('no-such', 5)).toBeNull();
    });

    it('leaves a job that has ended as it is when it is cancelled too late', async () => {
      const { jobId, tasks } = await openJob(1);
      await runTo(tasks[0] as Task, completed());
      expect((await store.cancelJob(jobId, 9))?.job.status).toBe('completed');
    });

    it('does not send a task of a cancelled job back to the queue', async () => {
      const { jobId, tasks } = await openJob(1);
      const claimed = await store.claim(tasks[0]?.id ?? '', 1);
      await store.cancelJob(jobId, 2);
      const settled = await store.settle({ taskId: tasks[0]?.id ?? '', visits: claimed?.visits ?? 0 }, requeued(), 3);
      expect(settled).toMatchObject({ status: 'cancelled', code: 'cancelled' });
      expect(await store.job(jobId)).toMatchObject({ status: 'cancelled', completedAt: 3 });
    });

    it('cancels a single task only while it is queued', async () => {
      const task = aTask();
      await store.openTask(task);
      expect(await store.cancelTask(task.id, 2)).toMatchObject({ status: 'cancelled', completedAt: 2 });
      expect(await store.claim(task.id, 3)).toBeNull();
      expect(await store.cancelTask(task.id, 4)).toBeNull();
    });

    it('takes up after a restart: running is queued again, ended stays ended', async () => {
      const [done, running, waiting] = [aTask(), aTask(), aTask({ notBefore: 77 })] as [Task, Task, Task];
      for (const task of [done, running, waiting]) await store.openTask(task);
      await runTo(done, completed());
      await store.claim(running.id, 3);
      store = await opened.reopen();
      expect(await store.requeueRunning({ refundAttempt: false }, 4)).toEqual({ running: 1, ended: [] });
      const rows: QueuedRow[] = [];
      for await (const page of store.queued()) rows.push(...page);
      expect(rows.map((row) => [row.id, row.notBefore])).toEqual([
        [running.id, 2_004],
        [waiting.id, 77],
      ]);
      expect(await store.task(running.id)).toMatchObject({ status: 'queued', attempts: 1 });
    });

    const died = async (now: number): Promise<{ running: number; ended: Task[] }> => {
      store = await opened.reopen();
      return store.requeueRunning({ refundAttempt: false }, now);
    };

    it('suspects all who were at work together when the process died, and counts it for none of them', async () => {
      const { tasks } = await openJob(2);
      for (let kill = 1; kill <= 5; kill++) {
        for (const { id } of tasks) await store.claim(id, kill * 1_000);
        expect(await died(kill * 1_000 + 1)).toEqual({ running: 2, ended: [] });
        for (const { id } of tasks) {
          expect(await store.task(id)).toMatchObject({ status: 'queued', suspicion: 'service', crashes: 0 });
        }
      }
    });

    it('counts it for the one suspect among others, who are suspected from then on', async () => {
      const { tasks } = await openJob(3);
      const [first, second, third] = tasks as [Task, Task, Task];
      const dieWith = async (those: Task[], now: number): Promise<void> => {
        for (const { id } of those) await store.claim(id, now - 1);
        expect(await died(now)).toEqual({ running: those.length, ended: [] });
      };
      await dieWith([first, second], 1_000);
      await dieWith([first, third], 2_000);
      expect(await store.task(first.id)).toMatchObject({ suspicion: 'service', crashes: 1, notBefore: 4_000 });
      expect(await store.task(second.id)).toMatchObject({ suspicion: 'service', crashes: 0, notBefore: null });
      expect(await store.task(third.id)).toMatchObject({ suspicion: 'service', crashes: 0, notBefore: null });
    });

    it('counts a crash for who was at work alone, lets it rest, and fails it with poison at the third', async () => {
      const { jobId, tasks } = await openJob(2);
      const [poisonous, bystander] = tasks as [Task, Task];
      for (const [crashes, restMs] of [
        [1, 2_000],
        [2, 30_000],
      ] as const) {
        await store.claim(poisonous.id, 2_000);
        expect(await died(3_000)).toEqual({ running: 1, ended: [] });
        expect(await store.task(poisonous.id)).toMatchObject({
          status: 'queued',
          suspicion: 'service',
          crashes,
          attempts: crashes,
          notBefore: 3_000 + restMs,
        });
      }
      await store.claim(poisonous.id, 4_000);
      const { running, ended } = await died(5_000);
      expect(running).toBe(1);
      expect(ended).toMatchObject([{ id: poisonous.id, status: 'failed', code: 'poison', crashes: 3 }]);
      expect(await store.task(poisonous.id)).toMatchObject({ status: 'failed', code: 'poison', completedAt: 5_000 });
      expect((await store.job(jobId))?.completedAt).toBeNull();
      await runTo(bystander, completed(), 6_000);
      expect(await store.job(jobId)).toMatchObject({ status: 'partially_completed', completedAt: 6_000 });
      const told = (await store.events(jobId, 0, 100)).filter(
        (event) => event.kind === 'task' && event.code === 'poison',
      );
      expect(told).toHaveLength(1);
    });

    it('blames nobody who only waited for the next leg of its visit', async () => {
      const { tasks } = await openJob(2);
      const [waiting, working] = tasks as [Task, Task];
      const claim = { taskId: waiting.id, visits: (await store.claim(waiting.id, 2))?.visits ?? 0 };
      expect(await store.endLeg(claim)).toBe(true);
      await store.claim(working.id, 3);
      expect(await died(4)).toMatchObject({ running: 2 });
      expect(await store.task(waiting.id)).toMatchObject({ status: 'queued', suspicion: null, crashes: 0 });
      // So the other one was alone.
      expect(await store.task(working.id)).toMatchObject({ status: 'queued', suspicion: 'service', crashes: 1 });
    });

    it('counts for who has gone on with its next leg, and knows the legs of no visit but the one that runs', async () => {
      const task = aTask();
      await store.openTask(task);
      const claim = { taskId: task.id, visits: (await store.claim(task.id, 2))?.visits ?? 0 };
      await store.endLeg(claim);
      expect(await store.beginLeg({ ...claim, visits: 99 })).toBe(false);
      expect(await store.beginLeg(claim)).toBe(true);
      await died(3);
      expect(await store.task(task.id)).toMatchObject({ crashes: 1 });
      expect(await store.beginLeg(claim)).toBe(false);
    });

    it('counts no crash for whoever was stopped with grace, or while it stopped', async () => {
      const task = aTask({ crashes: 2 });
      await store.openTask(task);
      await store.claim(task.id, 2);
      await store.requeueRunning({ refundAttempt: true }, 3);
      expect(await store.task(task.id)).toMatchObject({ status: 'queued', crashes: 2, attempts: 0 });
      await store.claim(task.id, 4);
      await store.blameNobody();
      expect(await died(5)).toEqual({ running: 1, ended: [] });
      expect(await store.task(task.id)).toMatchObject({ status: 'queued', crashes: 2, suspicion: null });
    });

    it('ends the job of a poisonous task that was its last', async () => {
      const jobId = aTask().id;
      const task = aTask({ jobId, jobSize: 1, crashes: 2 });
      await store.openJob({ id: jobId, totalTasks: 1, callbackUrl: null, createdAt: 1_000 }, [task]);
      await store.claim(task.id, 2);
      await store.requeueRunning({ refundAttempt: false }, 3);
      expect(await store.job(jobId)).toMatchObject({ status: 'failed', completedAt: 3 });
    });

    it('says whom it cancelled instead of queueing it again', async () => {
      const { jobId, tasks } = await openJob(1);
      await store.claim(tasks[0]?.id ?? '', 2);
      await store.cancelJob(jobId, 3);
      const { ended } = await died(4);
      expect(ended).toMatchObject([{ id: tasks[0]?.id, status: 'cancelled' }]);
    });

    it('keeps what is known against a task when its visit sends it back', async () => {
      const task = aTask();
      await store.openTask(task);
      const back = (changes: object): Promise<Task | null> => runTo(task, requeued(changes));
      expect(await back({ suspicion: 'browser', crashes: 1 })).toMatchObject({ suspicion: 'browser', crashes: 1 });
      expect(await back({ suspicion: null, crashes: 1 })).toMatchObject({ suspicion: null, crashes: 1 });
      await store.claim(task.id, 3);
      await died(4);
      expect(await store.task(task.id)).toMatchObject({ suspicion: 'service', crashes: 2 });
    });

    it('hands out everything queued in pages, oldest first', async () => {
      const { tasks } = await openJob(2_500);
      const rows: QueuedRow[] = [];
      for await (const page of store.queued()) rows.push(...page);
      expect(rows.map((row) => row.id)).toEqual(tasks.map((task) => task.id));
    });

    it('pages through results in the order of the request', async () => {
      const { jobId, tasks } = await openJob(5);
      for (const task of [...tasks].reverse()) await runTo(task, task.seq === 2 ? failed : completed());
      const seen: number[] = [];
      let cursor: string | null = null;
      do {
        const page = await store.jobResults(jobId, { limit: 2, cursor, includeFailed: false });
        seen.push(...page.items.map((task) => task.seq));
        cursor = page.nextCursor;
      } while (cursor);
      expect(seen).toEqual([0, 1, 3, 4]);
      const all = await store.jobResults(jobId, { limit: 10, cursor: null, includeFailed: true });
      expect(all.items.map((task) => task.code)).toEqual([null, null, 'target_timeout', null, null]);
    });

    it('gives fewer results at a time where they are large, and always one', async () => {
      const { jobId, tasks } = await openJob(5);
      const sizes = [1, 5, 5, 20, 1];
      for (const task of tasks)
        await runTo(task, completed({ job_title: 'x'.repeat((sizes[task.seq] ?? 0) * 1_000_000) }));
      const pages: number[][] = [];
      let cursor: string | null = null;
      do {
        const page = await store.jobResults(jobId, { limit: 10, cursor, includeFailed: false });
        pages.push(page.items.map((task) => task.seq));
        cursor = page.nextCursor;
      } while (cursor);
      expect(pages).toEqual([[0, 1], [2], [3], [4]]);
    });

    it('lists jobs newest first, by status and time', async () => {
      const jobs = [await openJob(1), await openJob(1), await openJob(1)];
      await runTo(jobs[1]?.tasks[0] as Task, completed());
      const page = await store.jobs({}, { limit: 2, cursor: null });
      expect(page.items.map((job) => job.id)).toEqual([jobs[2]?.jobId, jobs[1]?.jobId]);
      const rest = await store.jobs({}, { limit: 2, cursor: page.nextCursor });
      expect(rest).toMatchObject({ items: [{ id: jobs[0]?.jobId }], nextCursor: null });
      const done = await store.jobs(
        { status: 'completed', createdAfter: 0, createdBefore: 5_000 },
        { limit: 9, cursor: null },
      );
      expect(done.items.map((job) => job.id)).toEqual([jobs[1]?.jobId]);
    });

    it('refuses a cursor that is not its own', async () => {
      const refusal = await store.jobs({}, { limit: 1, cursor: 'bm9uc2Vuc2U' }).catch((error: GleanerError) => error);
      expect(refusal).toMatchObject({ code: 'validation_failed', fields: [{ field: 'cursor' }] });
    });

    it('forgets what ended before the retention, and nothing else', async () => {
      const [old, fresh, open_] = [aTask(), aTask(), aTask()] as [Task, Task, Task];
      for (const task of [old, fresh, open_]) await store.openTask(task);
      await runTo(old, completed(), 100);
      await runTo(fresh, completed(), 900);
      const job = await openJob(2);
      for (const task of job.tasks) await runTo(task, completed(), 100);
      const running = await openJob(1);
      expect(await store.expire({ before: 500, now: 500, limit: 10 })).toBe(2);
      expect(await store.task(old.id)).toBeNull();
      expect(await store.job(job.jobId)).toBeNull();
      expect(await store.task(job.tasks[0]?.id ?? '')).toBeNull();
      for (const id of [fresh.id, open_.id, running.tasks[0]?.id ?? '']) expect(await store.task(id)).not.toBeNull();
    });
  });
}
