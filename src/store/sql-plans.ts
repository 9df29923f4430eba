import type { PlannedJob, PlanStore } from '../ports/plans.js';
import { decodeCursor } from './cursor.js';
import type { Database, Sql } from './database.js';
import { findJob, insertJob } from './jobs.js';
import { deleteNotes, insertOutcome, notesOf, outcomesOf } from './outcomes.js';
import { pageOf } from './page.js';
import {
  findPlanRow,
  insertPlan,
  markFinished,
  type PlanParams,
  planOf,
  snapshotOf,
  unfinishedPlans,
} from './plans.js';
import { insertTask, queuedTasksOfJob } from './tasks.js';
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
    restore: ({ plan, outcomes, tasks, paused, attempts, completed, failed, endedAt, ...job }, now) =>
      change(now, async (transition, tx) => {
        if (await findJob(tx, job.id)) return false;
        await insertJob(tx, { ...job, callbackUrl: null });
        await insertPlan(tx, job.id, plan, { paused, completed, failed, ended: outcomes.length, attempts });
        for (const [index, outcome] of outcomes.entries())
          await insertOutcome(tx, job.id, { ...outcome, n: index + 1 });
        for (const task of tasks) await insertTask(tx, task);
        if (endedAt !== null) await transition.endedAt(job.id, endedAt);
        return true;
      }),
    finish: (jobId) => database.write((tx) => markFinished(tx, jobId)),

    attemptNotes: (jobId, limit) => notesOf(read, jobId, limit),
    forgetNotes: (jobId, upTo) => database.write((tx) => deleteNotes(tx, jobId, upTo)),
  };
}
