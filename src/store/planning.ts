import type { Outcome } from '../domain/outcome.js';
import { isTerminal, type Task } from '../domain/task.js';
import type { PlanError, PlanRules, Seen } from '../ports/plans.js';
import type { Sql } from './database.js';
import * as jobs from './jobs.js';
import { insertNote, insertOutcome } from './outcomes.js';
import * as plans from './plans.js';
import * as tasks from './tasks.js';

export interface PlanningParts {
  rules: PlanRules;
  params: plans.PlanParams;
}

type Learnt = ReturnType<PlanRules['learn']>;

/**
 * What a plan does within a transition: it learns from a visit, what has ended becomes an outcome, and the window is
 * filled up. So cursor, outcomes and tasks are always of one moment.
 */
export class Planning {
  constructor(
    private readonly tx: Sql,
    private readonly now: number,
    private readonly parts: PlanningParts,
    private readonly planned: Task[],
  ) {}

  /** A visit has come to something: an end, or a retry. Nothing happens to jobs without a plan. */
  async visited(jobId: string, task: Task): Promise<void> {
    const row = await plans.findPlanRow(this.tx, jobId);
    if (!row) return;
    const learnt = this.parts.rules.learn(await this.placeOf(row), task);
    row.cursor = JSON.stringify(learnt.cursor);
    await this.note(row, task, { ...learnt, end: endOf(task, learnt) });
    if (isTerminal(task.status)) await this.end(row, task, learnt);
    await this.fill(row);
    await plans.savePlan(this.tx, row);
  }

  /** Nobody saw the end of these visits. */
  async interrupted(jobId: string, task: Task): Promise<void> {
    const row = await plans.findPlanRow(this.tx, jobId);
    if (!row) return;
    const { name } = this.parts.rules.learn(await this.placeOf(row), { ...task, status: 'queued' });
    await this.note(row, task, { name, error: null, end: 'interrupted' });
    await plans.savePlan(this.tx, row);
  }

  /** These were cancelled while they were queued, and with them whatever was not even planned. */
  async cancelled(jobId: string, cancelled: readonly Task[]): Promise<void> {
    const row = await plans.findPlanRow(this.tx, jobId);
    if (!row) return;
    for (const task of cancelled) await tasks.deleteTask(this.tx, task.id);
    const { running } = await plans.countOpenTasks(this.tx, jobId);
    // As many as the job was last said to have: a plan that has stopped early meanwhile says so to nobody any more.
    const total = (await jobs.findJob(this.tx, jobId))?.counts.total ?? 0;
    row.cancelled = total - row.completed - row.failed - running;
    await plans.savePlan(this.tx, row);
  }

  /** Sets how the plan goes on, and fills its window if it does. `false`: there is no such plan, or it is not as seen. */
  async turn(jobId: string, paused: string | null, seen?: Seen): Promise<boolean> {
    const row = await plans.findPlanRow(this.tx, jobId);
    if (!row || (seen && row.paused !== seen.paused)) return false;
    row.paused = paused;
    await this.fill(row);
    await plans.savePlan(this.tx, row);
    return true;
  }

  private async end(row: plans.PlanRow, task: Task, { name, outcome, error }: Learnt): Promise<void> {
    await tasks.deleteTask(this.tx, task.id);
    if (outcome === null) {
      row.cancelled += 1;
      return;
    }
    row.ended += 1;
    if (outcome === 'failed') row.failed += 1;
    else row.completed += 1;
    const lastError = this.lastErrorOf(task, outcome, error);
    const files = task.meta?.files ?? { record: null, page: null };
    const { seq, attempts } = task;
    const ended: Outcome = { n: row.ended, seq, name, outcome, attempts, lastError, files, at: this.now };
    await insertOutcome(this.tx, row.job_id, ended);
  }

  /** Of what went well in the end: why it was visited before in vain, if it was. */
  private lastErrorOf(task: Task, outcome: string, error: PlanError | null): Outcome['lastError'] {
    if (outcome !== 'failed') return task.meta?.lastError ?? null;
    return { type: error?.type ?? task.code ?? 'unknown', message: error?.message ?? task.error ?? '', ts: this.now };
  }

  private async fill(row: plans.PlanRow): Promise<void> {
    if (row.paused !== null || (await jobs.statusOf(this.tx, row.job_id)) === 'cancelled') return;
    const place = await this.placeOf(row);
    const { queued, running } = await plans.countOpenTasks(this.tx, row.job_id);
    const room = row.window_size - queued - running;
    if (room > 0) await this.planNext(row, room, place);
    await jobs.setTotal(
      this.tx,
      row.job_id,
      this.parts.rules.total({ ...place, plan: { ...place.plan, cursor: JSON.parse(row.cursor) } }),
    );
  }

  /** A plan that cannot go on rests, with its reason: what was settled stays so. */
  private async planNext(
    row: plans.PlanRow,
    room: number,
    place: Awaited<ReturnType<Planning['placeOf']>>,
  ): Promise<void> {
    let next: ReturnType<PlanRules['next']>;
    try {
      next = this.parts.rules.next(place, room, this.now);
    } catch (error) {
      row.paused = (error as Error).message;
      return;
    }
    for (const task of next.tasks) await tasks.insertTask(this.tx, task);
    this.planned.push(...next.tasks);
    row.cursor = JSON.stringify(next.cursor);
  }

  private async note(
    row: plans.PlanRow,
    task: Task,
    { name, error, end }: { name: string; error: PlanError | null; end: string },
  ): Promise<void> {
    row.attempts += 1;
    await insertNote(this.tx, row.job_id, {
      n: row.attempts,
      line: lineOf(task, { n: row.attempts, name, error, end, now: this.now }),
    });
  }

  private async placeOf(row: plans.PlanRow) {
    return plans.placeOf(row, await this.parts.params(this.tx, row.job_id));
  }
}

/** `retry`: it will be visited again. `interrupted`: we broke the visit off ourselves. */
function endOf(task: Task, { outcome }: Learnt): string {
  if (outcome !== null) return outcome;
  if (task.status === 'cancelled') return 'cancelled';
  return task.meta?.lastError?.type === 'shutting_down' ? 'interrupted' : 'retry';
}

function lineOf(
  task: Task,
  { n, name, error, end, now }: { n: number; name: string; error: PlanError | null; end: string; now: number },
): Record<string, unknown> {
  const { meta } = task;
  const isWell = end !== 'failed' && end !== 'retry';
  const fault = isWell
    ? null
    : (error ?? (task.code ? { type: task.code, message: task.error } : (meta?.lastError ?? null)));
  return {
    n,
    job_id: name,
    attempt: task.visits,
    end,
    error: fault && { type: fault.type, message: fault.message },
    http_status: meta?.httpStatus ?? null,
    rendered_by: meta?.renderedBy ?? null,
    duration_ms: end === 'interrupted' ? null : (meta?.durationMs ?? null),
    ts: new Date(now).toISOString(),
  };
}
