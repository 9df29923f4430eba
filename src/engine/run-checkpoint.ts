import { Value } from '@sinclair/typebox/value';
import {
  CHECKPOINT_VERSION,
  type Checkpoint,
  CheckpointFault,
  type CheckpointHead,
  type CheckpointJob,
  parseCheckpoint,
  parseHead,
  printCheckpoint,
} from '../domain/checkpoint.js';
import type { LastError, Outcome } from '../domain/outcome.js';
import type { Plan, PlanBook } from '../domain/plan.js';
import { EMPTY_META, type Task, type TaskSpec } from '../domain/task.js';
import type { NewPlan, PlanSnapshot, PlanStore, RestoredJob } from '../ports/plans.js';
import { type PlanRulesParts, taskOf } from './plan-rules.js';

const PAGE = 2_000;

const iso = (at: number): string => new Date(at).toISOString();

interface Source {
  plan: Plan;
  snapshot: PlanSnapshot;
  store: Pick<PlanStore, 'outcomesAfter'>;
}

/**
 * The run as its checkpoint file tells it, in pieces: of one moment, though what has ended is read page by page, since
 * an outcome never changes and those that came later are left out.
 */
export async function* checkpointOf(
  runId: string,
  { now, ...source }: Source & { now: number },
): AsyncGenerator<string> {
  const { plan, snapshot } = source;
  const { params, cursor } = snapshot;
  const last = plan.planned(cursor) - 1;
  const head: CheckpointHead = {
    schema_version: CHECKPOINT_VERSION,
    run_id: runId,
    cursor: { last_job_id: last < 0 ? null : plan.nameOf(params, last), last_job_index: last },
    worker_state: {
      plan: snapshot.kind,
      params,
      cursor,
      window: snapshot.window,
      attempts: snapshot.attempts,
      created_at: iso(snapshot.createdAt),
      ...(snapshot.isCancelled && { is_cancelled: true as const }),
    },
    updated_at: iso(now),
  };
  yield* printCheckpoint(head, jobsOf(runId, source));
}

async function* jobsOf(runId: string, { plan, snapshot, store }: Source): AsyncGenerator<CheckpointJob[]> {
  const { params, open } = snapshot;
  const isTold = new Uint8Array(plan.planned(snapshot.cursor));
  for (let after = 0; after < snapshot.ended; ) {
    const page = await store.outcomesAfter(runId, after, Math.min(PAGE, snapshot.ended - after));
    const last = page.at(-1);
    if (!last) break;
    yield page.map(endedJob);
    for (const { seq } of page) isTold[seq] = 1;
    after = last.n;
  }
  yield open.map((one) => openJob(plan.nameOf(params, one.seq), one));
  for (const { seq } of open) isTold[seq] = 1;
  const untold = [...isTold.keys()].filter((seq) => !isTold[seq]);
  // Better the last file than one that tells of a case as open which nobody will ever visit.
  if (untold.length > 0 && !snapshot.isCancelled)
    throw new Error(
      `The store has lost ${untold.length} cases of run ${runId}, such as ${plan.nameOf(params, untold[0] ?? 0)}.`,
    );
  // Planned, and cancelled with the run: nothing became of them, and the cursor is past them.
  yield untold.map((seq) => openJob(plan.nameOf(params, seq), NEVER_VISITED));
}

const NOT_ENDED = { outcome: null, ended_at: null, saved_path: null, html_snapshot: null };
const NEVER_VISITED = { isRunning: false, attempts: 0, lastError: null };

const openJob = (name: string, open: Omit<PlanSnapshot['open'][number], 'seq'>): CheckpointJob => ({
  ...NOT_ENDED,
  job_id: name,
  state: open.isRunning ? 'running' : 'pending',
  // The attempt that is under way is counted by whoever goes on without knowing its end.
  attempts: Math.max(0, open.attempts - (open.isRunning ? 1 : 0)),
  last_error: errorToFile(open.lastError),
});

const endedJob = (outcome: Outcome): CheckpointJob => ({
  job_id: outcome.name,
  state: outcome.outcome === 'failed' ? 'failed' : 'succeeded',
  attempts: outcome.attempts,
  last_error: errorToFile(outcome.lastError),
  outcome: outcome.outcome,
  ended_at: iso(outcome.at),
  saved_path: outcome.files.record,
  html_snapshot: outcome.files.page,
});

const errorToFile = (error: LastError | null): CheckpointJob['last_error'] =>
  error && { type: error.type, message: error.message, ts: iso(error.ts) };

const errorFromFile = (error: CheckpointJob['last_error']): LastError | null =>
  error && { type: error.type, message: error.message, ts: Date.parse(error.ts) };

interface RestoreParts extends PlanRulesParts {
  plans: PlanBook;
}

const RESTORED = 'It was read from its checkpoint and has yet to go on.';

/** Throws CheckpointFault where the file cannot be read, or is of another run. */
export function readCheckpoint(text: string, runId: string): Checkpoint {
  return ofRun(parseCheckpoint(text), runId);
}

/** How many attempts the file knows of. Throws as `readCheckpoint` does. */
export const attemptsIn = (text: string, runId: string): number => ofRun(parseHead(text), runId).worker_state.attempts;

function ofRun<T extends CheckpointHead>(head: T, runId: string): T {
  if (head.run_id === runId) return head;
  throw new CheckpointFault(`it is of another run, ${head.run_id}`);
}

/** A run as it goes on from its file alone. Throws CheckpointFault where it cannot. */
export function restoredFrom(checkpoint: Checkpoint, parts: RestoreParts, now: number): RestoredJob {
  const { run_id: runId, worker_state: state, updated_at: updatedAt } = checkpoint;
  const plan = planIn(checkpoint, parts.plans);
  const kept: NewPlan = {
    kind: state.plan,
    params: state.params,
    cursor: state.cursor,
    window: state.window,
    requestId: runId,
    traceparent: null,
  };
  const placed = checkpoint.jobs.map((job) => ({ job, seq: placeOf(plan, state.params, job) }));
  refuseIfTorn(checkpoint, plan, placed);
  const total = plan.total(state.params, state.cursor);
  const createdAt = Date.parse(state.created_at);
  const outcomes = placed.flatMap((one) => outcomeIn(one, Date.parse(updatedAt)));
  const failed = outcomes.filter(({ outcome }) => outcome === 'failed').length;
  const isOver = outcomes.length === total;
  return {
    id: runId,
    paused: isOver ? null : RESTORED,
    totalTasks: total,
    createdAt,
    plan: kept,
    attempts: state.attempts,
    completed: outcomes.length - failed,
    failed,
    outcomes,
    endedAt: isOver ? outcomes.reduce((last, { at }) => Math.max(last, at), createdAt) : null,
    isCancelled: state.is_cancelled === true,
    // Nobody wants those of a cancelled one any more.
    tasks: (state.is_cancelled ? [] : placed)
      .filter(({ job }) => job.outcome === null)
      .map(({ job, seq }) => {
        const spec = targetAt(plan, state.params, seq);
        return reopened(taskOf(parts, { jobId: runId, plan: kept }, { seq, spec, total, now }), job);
      }),
  };
}

interface Placed {
  job: CheckpointJob;
  seq: number;
}

/** None of what is open. The first version of the file did not say when a job ended. */
function outcomeIn({ job, seq }: Placed, updatedAt: number): RestoredJob['outcomes'] {
  if (job.outcome === null) return [];
  return [
    {
      seq,
      name: job.job_id,
      outcome: job.outcome,
      attempts: Math.max(1, job.attempts),
      lastError: errorFromFile(job.last_error),
      files: { record: job.saved_path, page: job.html_snapshot },
      at: job.ended_at === null ? updatedAt : Date.parse(job.ended_at),
    },
  ];
}

/** Nobody knows how the attempt ended that was under way: it counts. */
function reopened(task: Task, job: CheckpointJob): Task {
  const attempts = job.attempts + (job.state === 'running' ? 1 : 0);
  const lastError = errorFromFile(job.last_error);
  return { ...task, attempts, visits: attempts, meta: lastError && { ...EMPTY_META, lastError } };
}

function targetAt(plan: Plan, params: unknown, seq: number): TaskSpec {
  try {
    return plan.targetAt(params, seq);
  } catch (error) {
    throw new CheckpointFault((error as Error).message);
  }
}

/** Cursor and jobs of two moments: whoever went on from it would miss a case, or count one twice. */
function refuseIfTorn({ cursor, worker_state: state }: Checkpoint, plan: Plan, placed: readonly Placed[]): void {
  const planned = plan.planned(state.cursor);
  const last = planned === 0 ? null : plan.nameOf(state.params, planned - 1);
  const outcomes = new Map<string, number>();
  for (const { outcome } of placed.map(({ job }) => job)) {
    if (outcome !== null) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  const isWhole =
    placed.length === planned &&
    placed.every(({ seq }) => seq < planned) &&
    cursor.last_job_index === planned - 1 &&
    cursor.last_job_id === last &&
    plan.agrees(state.cursor, outcomes);
  if (!isWhole) throw new CheckpointFault('its jobs and its cursor do not add up');
}

function planIn({ worker_state: { plan: kind, params, cursor } }: Checkpoint, plans: PlanBook): Plan {
  const plan = plans.get(kind);
  if (!plan) throw new CheckpointFault(`it is of a plan that is not known, ${kind}`);
  if (!Value.Check(plan.paramsSchema, params))
    throw new CheckpointFault('what the run is about (params) is not readable');
  if (!Value.Check(plan.cursorSchema, cursor))
    throw new CheckpointFault('how far the run has come (cursor) is not readable');
  refuseIfOdd(plan, params);
  return plan;
}

/** What no caller could have wished: targets that are none, or that are there twice. */
function refuseIfOdd(plan: Plan, params: unknown): void {
  const total = plan.total(params, plan.begin(params));
  let odd = total < 1 ? 0 : -1;
  for (let seq = 0; seq < total && odd === -1; seq += 1) {
    if (!isSound(plan, params, seq)) odd = seq;
  }
  if (odd !== -1)
    throw new CheckpointFault(`what the run is about (params) has no target at place ${odd}, or has it twice`);
}

function isSound(plan: Plan, params: unknown, seq: number): boolean {
  try {
    return plan.seqOf(params, plan.nameOf(params, seq)) === seq;
  } catch {
    return false;
  }
}

function placeOf(plan: Plan, params: unknown, { job_id: name }: CheckpointJob): number {
  const seq = plan.seqOf(params, name);
  if (seq === null) throw new CheckpointFault(`${name} is none of the run's targets`);
  return seq;
}
