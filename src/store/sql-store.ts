import { finalJobStatus, isJobOver, type Job } from '../domain/job.js';
import type { Task } from '../domain/task.js';
import type { PageOf, QueuedRow, Settlement, Store } from '../ports/store.js';
import { decodeCursor, encodeCursor } from './cursor.js';
import type { Database, Sql } from './database.js';
import * as jobs from './jobs.js';
import * as tasks from './tasks.js';

const BOOT_PAGE = 1_000;

/** The Store port on any Database: each function here is one transaction or one read. */
export function createSqlStore(database: Database): Store {
  const { read, write } = { read: database.read, write: database.write.bind(database) };
  return {
    openTask: (task) => write((tx) => tasks.insertTask(tx, task)),
    openJob: (job, its) =>
      write(async (tx) => {
        await jobs.insertJob(tx, job);
        for (const task of its) await tasks.insertTask(tx, task);
      }),

    task: (id) => tasks.findTask(read, id),
    job: (id) => jobs.findJob(read, id),
    async jobs(filter, { limit, cursor }) {
      const found = await jobs.listJobs(read, filter, { beforeId: decodeCursor(cursor, 'string'), limit: limit + 1 });
      return pageOf(found, limit, (job) => job.id);
    },
    async jobResults(jobId, { limit, cursor, includeFailed }) {
      const afterSeq = decodeCursor(cursor, 'number') ?? -1;
      const { tasks: items, isLast } = await tasks.endedTasksOfJob(read, jobId, { afterSeq, limit, includeFailed });
      const last = items.at(-1);
      return { items, nextCursor: isLast || !last ? null : encodeCursor(last.seq) };
    },

    claim: (taskId, now) =>
      write(async (tx) => {
        const task = await tasks.claimTask(tx, taskId, now);
        if (task?.jobId) await jobs.markJobRunning(tx, task.jobId, now);
        return task;
      }),
    settle: (claim, settlement, now) => write((tx) => settle(tx, claim, settlement, now)),

    cancelTask: (taskId, now) => write((tx) => tasks.cancelQueuedTask(tx, taskId, now)),
    cancelJob: (jobId, now) => write((tx) => cancelJob(tx, jobId, now)),

    requeueRunning: (options, now) => write((tx) => requeueRunning(tx, options, now)),
    queued: () => pagesOfQueued(read),

    expire: (before, limit) =>
      write(async (tx) => {
        const gone = await tasks.deleteTasksEndedBefore(tx, before, limit);
        // A job takes up to a hundred tasks with it.
        return gone + (await jobs.deleteJobsEndedBefore(tx, before, Math.ceil(limit / 100)));
      }),
    close: () => database.close(),
  };
}

async function settle(
  tx: Sql,
  claim: { taskId: string; visits: number },
  settlement: Settlement,
  now: number,
): Promise<Task | null> {
  const task =
    settlement.kind === 'requeued'
      ? await requeue(tx, claim, settlement, now)
      : await tasks.endTask(tx, claim, settlement, now);
  if (task?.jobId) await updateJob(tx, task.jobId, now);
  return task;
}

/** A task of a cancelled job does not go back to the queue: nobody wants it any more. */
async function requeue(
  tx: Sql,
  claim: { taskId: string; visits: number },
  settlement: Extract<Settlement, { kind: 'requeued' }>,
  now: number,
): Promise<Task | null> {
  const task = await tasks.requeueTask(tx, claim, settlement);
  if (!task?.jobId) return task;
  const job = await jobs.findJob(tx, task.jobId);
  return job?.status === 'cancelled' ? tasks.cancelQueuedTask(tx, task.id, now) : task;
}

async function requeueRunning(tx: Sql, options: { refundAttempt: boolean }, now: number): Promise<number> {
  const interrupted = await tasks.requeueAllRunning(tx, options);
  for (const jobId of await jobs.cancelledButOpenJobs(tx)) {
    await tasks.cancelQueuedTasksOfJob(tx, jobId, now);
    await updateJob(tx, jobId, now);
  }
  return interrupted;
}

async function updateJob(tx: Sql, jobId: string, now: number): Promise<void> {
  const job = await jobs.findJob(tx, jobId);
  if (!job) return;
  if (isJobOver(job.counts)) await jobs.endJob(tx, jobId, finalJobStatus(job.counts), now);
  else await jobs.touchJob(tx, jobId, now);
}

async function cancelJob(tx: Sql, jobId: string, now: number): ReturnType<Store['cancelJob']> {
  const job = await jobs.findJob(tx, jobId);
  if (!job) return null;
  if (job.completedAt !== null || job.status === 'cancelled') return { job, cancelled: [] };
  await jobs.markJobCancelled(tx, jobId, now);
  const cancelled = await tasks.cancelQueuedTasksOfJob(tx, jobId, now);
  await updateJob(tx, jobId, now);
  return { job: (await jobs.findJob(tx, jobId)) as Job, cancelled };
}

async function* pagesOfQueued(read: Sql): AsyncIterable<QueuedRow[]> {
  let after = { createdAt: -1, id: '' };
  for (;;) {
    const rows = await tasks.queuedAfter(read, after, BOOT_PAGE);
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    after = { createdAt: last.createdAt, id: last.id };
  }
}

/** One more than asked for was read: if it is there, there is a next page. */
function pageOf<T>(found: T[], limit: number, placeOf: (item: T) => string | number): PageOf<T> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: found.length > limit && last !== undefined ? encodeCursor(placeOf(last)) : null };
}
