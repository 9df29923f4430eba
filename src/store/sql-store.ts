import type { PlanRules } from '../ports/plans.js';
import type { KnownSubmission, QueuedRow, Store, StoreChange } from '../ports/store.js';
import { decodeCursor, encodeCursor } from './cursor.js';
import type { Database, Sql } from './database.js';
import { deleteDeliveriesEndedBefore } from './deliveries.js';
import { eventsAfter } from './events.js';
import * as jobs from './jobs.js';
import { createOutbox, type OutboxOptions } from './outbox.js';
import { deleteOutcomesOf } from './outcomes.js';
import { pageOf } from './page.js';
import { createPlanParams } from './plans.js';
import { deleteOldNotes } from './site-notes.js';
import { createSqlPlans } from './sql-plans.js';
import { deleteOldKeys, findSubmission, takeKey } from './submissions.js';
import * as tasks from './tasks.js';
import { type Gathered, Transition } from './transition.js';

const BOOT_PAGE = 1_000;

export interface StoreOptions extends OutboxOptions {
  /** What the plans of jobs say; without them there are no such jobs. */
  plans?: PlanRules;
}

/** The Store port on any Database: each function here is one transaction or one read. */
export function createSqlStore(database: Database, options: StoreOptions): Store {
  const { read } = database;
  const params = createPlanParams();
  const planning = { rules: options.plans ?? NO_PLANS, params };
  const outbox = createOutbox(options);
  const listeners = new Set<(change: StoreChange) => void>();

  /** A transaction that changes tasks and jobs; who listens is told once it is durable. */
  const change = async <T>(now: number, unit: (transition: Transition, tx: Sql) => Promise<T>): Promise<T> => {
    const gathered: Gathered = { receivers: new Set(), jobs: new Set(), planned: [] };
    const value = await database.write((tx) => unit(new Transition(tx, now, outbox, gathered, planning), tx));
    if (gathered.receivers.size + gathered.jobs.size + gathered.planned.length > 0)
      for (const listener of listeners) listener(gathered);
    return value;
  };

  return {
    plans: createSqlPlans(database, change, params),
    openTask: (task, once) =>
      database.write(async (tx): Promise<KnownSubmission | null> => {
        const known = await takeKey(tx, once, { taskId: task.id, jobId: null, now: task.createdAt });
        if (!known) await tasks.insertTask(tx, task);
        return known;
      }),
    openJob: (job, its, once) =>
      change(job.createdAt, async (transition, tx) => {
        const known = await takeKey(tx, once, { taskId: null, jobId: job.id, now: job.createdAt });
        if (!known) await transition.open(job, its);
        return known;
      }),
    submission: (key, now) => findSubmission(read, key, now),

    task: (id) => tasks.findTask(read, id),
    job: (id) => jobs.findJob(read, id),
    async jobs(filter, { limit, cursor }) {
      const found = await jobs.listJobs(read, filter, { beforeId: decodeCursor(cursor, 'string'), limit: limit + 1 });
      return pageOf(found, limit, (job) => job.id);
    },
    jobResults: (jobId, page) => pageOfResults(read, jobId, page),
    taskIds: (jobId) => tasks.idsOfJob(read, jobId),
    endedTasks: (jobId, maxBytes) => tasks.tasksOfJob(read, jobId, maxBytes),
    events: (jobId, after, limit) => eventsAfter(read, jobId, after, limit),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    claim: (taskId, now) => change(now, (transition) => transition.claim(taskId)),
    settle: (claim, settlement, now) => change(now, (transition) => transition.settle(claim, settlement)),
    cancelTask: (taskId, now) => change(now, (transition) => transition.cancelTask(taskId)),
    cancelJob: (jobId, now) => change(now, (transition) => transition.cancelJob(jobId)),
    requeueRunning: (refund, now) => change(now, (transition) => transition.requeueRunning(refund)),
    endLeg: (claim) => database.write((tx) => tasks.noteAtWork(tx, claim, false)),
    beginLeg: (claim) => database.write((tx) => tasks.noteAtWork(tx, claim, true)),
    blameNobody: () => database.write((tx) => tasks.noteNobodyAtWork(tx)),
    queued: () => pagesOfQueued(read),

    expire: ({ before, now, limit }) =>
      database.write(async (tx) => {
        await deleteOldKeys(tx, now, limit);
        await deleteOldNotes(tx, now);
        const told = await deleteDeliveriesEndedBefore(tx, before, limit);
        const gone = await tasks.deleteTasksEndedBefore(tx, before, limit);
        const outcomes = await deleteOutcomesOf(tx, { text: jobs.EXPIRED_JOBS, before }, limit);
        // A job takes up to a hundred tasks with it.
        return told + gone + outcomes + (await jobs.deleteJobsEndedBefore(tx, before, Math.ceil(limit / 100)));
      }),
    close: () => database.close(),
  };
}

const noPlans = (): never => {
  throw new Error('No plans are known here.');
};
const NO_PLANS: PlanRules = { learn: noPlans, next: noPlans, total: noPlans };

async function pageOfResults(
  read: Sql,
  jobId: string,
  { limit, cursor, includeFailed }: Parameters<Store['jobResults']>[1],
): ReturnType<Store['jobResults']> {
  const afterSeq = decodeCursor(cursor, 'number') ?? -1;
  const { tasks: items, isLast } = await tasks.endedTasksOfJob(read, jobId, { afterSeq, limit, includeFailed });
  const last = items.at(-1);
  return { items, nextCursor: isLast || !last ? null : encodeCursor(last.seq) };
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
