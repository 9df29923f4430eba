import type { PlannedJob, PlanStore, RestoredJob } from '../ports/plans.js';
import { decodeCursor } from './cursor.js';
import type { Database, Sql } from './database.js';
import { findJob, insertJob, setTotal } from './jobs.js';
import { deleteNotes, deleteOutcomesOfJob, insertOutcome, notesOf, outcomesOf } from './outcomes.js';
import { pageOf } from './page.js';
import {
  countAttempts,
  findPlanRow,
  insertPlan,
  markFinished,
  type PlanParams,
  planOf,
  savePlan,
  snapshotOf,
  unfinishedPlans,
} from './plans.js';
import { deleteTasksOfJob, insertTask, queuedTasksOfJob } from './tasks.js';
import type { Transition } from './transition.js';

/** A transaction that changes tasks and jobs. */
type Change = <T>(now: number, unit: (transition: Transition, tx: Sql) => Promise<T>) => Promise<T>;

/** The PlanStore port: each function here is one transaction or one read. */
export function createSqlPlans(database: Database, change: Change, params: PlanParams): PlanStore {
  const { read } = database;
  const find = async (jobId: string): Promise<PlannedJob | null> => {
    // Both in one step, so that no write comes between them.
    const [job, row] = await Promise.all([findJob(read, jobId), findPlanRow(read, jobId)]);
    if (!job || !row) return null;
    const { paused, ended, attempts } = row;
    return { ...planOf(row, await params(read, jobId)), job, paused, ended, attempts };
  };

  return {
    find,
    async unfinished() {
      const found = await Promise.all((await unfinishedPlans(read)).map(find));
      return found.filter((one) => one !== null);
    },
    async outcomes(jobId, { limit, cursor, outcome }) {
      const after = decodeCursor(cursor, 'number') ?? 0;
      return pageOf(await outcomesOf(read, jobId, { after, limit: limit + 1, outcome }), limit, ({ n }) => n);
    },
    outcomesAfter: (jobId, after, limit) => outcomesOf(read, jobId, { after, limit, outcome: null }),
    snapshot: async (jobId) => snapshotOf(read, jobId, await params(read, jobId)),

    pause: (jobId, reason, now, seen) =>
      change(now, async (transition, tx) => {
        if (!(await transition.planning.turn(jobId, reason, seen))) return [];
        return (await queuedTasksOfJob(tx, jobId)).map(({ id }) => id);
      }),
    resume: (jobId, now, seen) =>
      change(now, async (transition, tx) => {
        const rested = await queuedTasksOfJob(tx, jobId);
        if (!(await transition.planning.turn(jobId, null, seen))) return [];
        await transition.refresh(jobId);
        return rested;
      }),
    restore: ({ plan, outcomes, tasks, paused, attempts, completed, failed, endedAt, isCancelled: _, ...job }, now) =>
      change(now, async (transition, tx) => {
        if (await findJob(tx, job.id)) return false;
        await insertJob(tx, { ...job, callbackUrl: null });
        await insertPlan(tx, job.id, plan, { paused, completed, failed, ended: outcomes.length, attempts });
        await insertCourse(tx, job.id, { outcomes, tasks });
        if (endedAt !== null) await transition.endedAt(job.id, endedAt);
        return true;
      }),
    replace: ({ plan, outcomes, tasks, attempts, completed, failed, endedAt, isCancelled, ...job }, now) =>
      change(now, async (transition, tx) => {
        const row = await findPlanRow(tx, job.id);
        if (!row) return;
        await forgetCourse(tx, job.id);
        const cursor = JSON.stringify(plan.cursor);
        const paused = endedAt === null && !isCancelled ? row.paused : null;
        await savePlan(tx, { ...row, cursor, paused, completed, failed, ended: outcomes.length, attempts });
        await setTotal(tx, job.id, job.totalTasks);
        await insertCourse(tx, job.id, { outcomes, tasks });
        if (isCancelled) await transition.cancelJob(job.id);
        else if (endedAt !== null) await transition.endedAt(job.id, endedAt);
        // It may have been written when the run rested, and its window was not full.
        else await transition.planning.turn(job.id, paused);
      }),
    numberFrom: (jobId, attempts) =>
      database.write(async (tx) => {
        await deleteNotes(tx, jobId, attempts);
        await countAttempts(tx, jobId, attempts);
      }),
    finish: (jobId) => database.write((tx) => markFinished(tx, jobId)),

    attemptNotes: (jobId, limit) => notesOf(read, jobId, limit),
    forgetNotes: (jobId, upTo) => database.write((tx) => deleteNotes(tx, jobId, upTo)),
  };
}

/** What has come of a job so far. */
type Course = Pick<RestoredJob, 'outcomes' | 'tasks'>;

async function insertCourse(tx: Sql, jobId: string, { outcomes, tasks }: Course): Promise<void> {
  for (const [index, outcome] of outcomes.entries()) await insertOutcome(tx, jobId, { ...outcome, n: index + 1 });
  for (const task of tasks) await insertTask(tx, task);
}

async function forgetCourse(tx: Sql, jobId: string): Promise<void> {
  await deleteTasksOfJob(tx, jobId);
  await deleteOutcomesOfJob(tx, jobId);
  await deleteNotes(tx, jobId, Number.MAX_SAFE_INTEGER);
}
