import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';

/** Raised when files of the version before can no longer be read as they are. */
export const CHECKPOINT_VERSION = 2;

export const CHECKPOINT_STATES = ['pending', 'running', 'succeeded', 'failed'] as const;

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const time = Type.String({ minLength: 20, maxLength: 40, pattern: '^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+Z$' });

/** One target of a run. `job_id` is its name; `running` has not counted the attempt that is under way. */
export const CheckpointJob = Type.Object({
  job_id: Type.String({ minLength: 1, maxLength: 200 }),
  state: Type.Union(CHECKPOINT_STATES.map((state) => Type.Literal(state))),
  attempts: Type.Integer({ minimum: 0 }),
  last_error: nullable(Type.Object({ type: Type.String(), message: Type.String(), ts: time })),
  /** Only of those that have ended: in the words of the plan, and when. */
  outcome: nullable(Type.String({ minLength: 1, maxLength: 100 })),
  ended_at: nullable(time),
  saved_path: nullable(Type.String()),
  html_snapshot: nullable(Type.String()),
});
export type CheckpointJob = Static<typeof CheckpointJob>;

/**
 * Everything but the jobs. `worker_state` is what it takes to go on where there is nothing but this file. Whom to tell is
 * not in it: the address of a callback is a secret, and stays in the database.
 */
export const CheckpointHead = Type.Object({
  schema_version: Type.Literal(CHECKPOINT_VERSION),
  run_id: Type.String({ minLength: 1, maxLength: 200 }),
  cursor: Type.Object({ last_job_id: nullable(Type.String()), last_job_index: Type.Integer({ minimum: -1 }) }),
  worker_state: Type.Object({
    plan: Type.String(),
    params: Type.Unknown(),
    cursor: Type.Unknown(),
    window: Type.Integer({ minimum: 1 }),
    attempts: Type.Integer({ minimum: 0 }),
    created_at: time,
    /** Then nobody wants what is still pending. */
    is_cancelled: Type.Optional(Type.Literal(true)),
  }),
  updated_at: time,
});
export type CheckpointHead = Static<typeof CheckpointHead>;

export const Checkpoint = Type.Composite([CheckpointHead, Type.Object({ jobs: Type.Array(CheckpointJob) })]);
export type Checkpoint = Static<typeof Checkpoint>;

/** A checkpoint that cannot be gone on from, and why, in words for people. */
export class CheckpointFault extends Error {
  override name = 'CheckpointFault';
}

/** Where the head ends. Nothing in it has a key of this name. */
const JOBS = ',"jobs":[';

/** As it stands in the file, piece by piece: of a long run nobody wants the whole text in memory. */
export async function* printCheckpoint(
  head: CheckpointHead,
  jobs: AsyncIterable<readonly CheckpointJob[]>,
): AsyncGenerator<string> {
  yield `${JSON.stringify(head).slice(0, -1)}${JOBS}`;
  let isFirst = true;
  for await (const some of jobs) {
    if (some.length === 0) continue;
    yield `${isFirst ? '' : ','}\n${some.map((job) => JSON.stringify(job)).join(',\n')}`;
    isFirst = false;
  }
  yield '\n]}\n';
}

/** What the text says, brought up to date where an earlier version wrote it. Throws CheckpointFault. */
export function parseCheckpoint(text: string): Checkpoint {
  const given = migrated(parseJson(text));
  if (Value.Check(Checkpoint, given)) return checked(given);
  if (!('worker_state' in given))
    throw new CheckpointFault('it does not say what the run is about (worker_state), so nobody can go on from it');
  const [first] = Value.Errors(Checkpoint, given);
  throw new CheckpointFault(`it is not as it should be at ${first?.path || '/'}: ${first?.message ?? 'unknown'}`);
}

/** As `parseCheckpoint`, and without a look at the jobs where the file was written as we write it. */
export function parseHead(text: string): CheckpointHead {
  const head = objectIn(`${text.slice(0, Math.max(0, text.indexOf(JOBS)))}}`);
  return Value.Check(CheckpointHead, head) ? head : parseCheckpoint(text);
}

function objectIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function parseJson(text: string): Record<string, unknown> {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw new CheckpointFault('it is not valid JSON, or was cut off');
  }
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given as Record<string, unknown>;
  throw new CheckpointFault('it is not a JSON object');
}

/** Each lifts a file by one version. Before there were versions, there was the first. */
const LIFTS: Record<number, (given: Record<string, unknown>) => Record<string, unknown>> = {
  1: (given) => ({ ...given, jobs: Array.isArray(given.jobs) ? given.jobs.map(withOutcome) : given.jobs }),
};

function migrated(given: Record<string, unknown>): Record<string, unknown> {
  const version = given.schema_version ?? 1;
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) {
    throw new CheckpointFault(`its schema_version is ${JSON.stringify(version)}, not a number from 1 on`);
  }
  if (version > CHECKPOINT_VERSION) {
    throw new CheckpointFault(`it has schema_version ${version}, and this gleaner knows ${CHECKPOINT_VERSION} at most`);
  }
  let lifted = given;
  for (let step = version; step < CHECKPOINT_VERSION; step += 1) {
    lifted = { ...LIFTS[step]?.(lifted), schema_version: step + 1 };
  }
  return lifted;
}

/** The first version knew only states: what had succeeded was a record. */
function withOutcome(job: unknown): unknown {
  if (typeof job !== 'object' || job === null) return job;
  const { state } = job as { state?: unknown };
  const outcome = state === 'succeeded' ? 'success' : state === 'failed' ? 'failed' : null;
  return { last_error: null, outcome, ended_at: null, saved_path: null, html_snapshot: null, ...job };
}

const STATES_OF = { pending: 'open', running: 'open', succeeded: 'well', failed: 'failed' } as const;

function endOf({ outcome }: CheckpointJob): 'open' | 'well' | 'failed' {
  if (outcome === null) return 'open';
  return outcome === 'failed' ? 'failed' : 'well';
}

/** Jobs and cursor must speak of the same moment, and every job of one end. */
function checked(checkpoint: Checkpoint): Checkpoint {
  for (const job of checkpoint.jobs) {
    if (STATES_OF[job.state] !== endOf(job))
      throw new CheckpointFault(`${job.job_id} is ${job.state}, with another end`);
  }
  const { updated_at, worker_state } = checkpoint;
  const times = checkpoint.jobs.flatMap((job) => [job.ended_at, job.last_error?.ts ?? null]);
  const odd = [updated_at, worker_state.created_at, ...times].find((at) => at !== null && Number.isNaN(Date.parse(at)));
  if (odd) throw new CheckpointFault(`${odd} is not a time`);
  const names = new Set(checkpoint.jobs.map((job) => job.job_id));
  if (names.size !== checkpoint.jobs.length) throw new CheckpointFault('a job is in it twice');
  const { last_job_id: last } = checkpoint.cursor;
  if (last !== null && !names.has(last))
    throw new CheckpointFault(`its cursor is at ${last}, which is none of its jobs`);
  return checkpoint;
}
