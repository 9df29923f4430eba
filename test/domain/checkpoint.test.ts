import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CHECKPOINT_VERSION,
  type Checkpoint,
  type CheckpointJob,
  parseCheckpoint,
  printCheckpoint,
} from '../../src/domain/checkpoint.js';

const time = fc.integer({ min: 0, max: 4_000_000_000_000 }).map((at) => new Date(at).toISOString());
const STATE_OF = { success: 'succeeded', 'no-record': 'succeeded', failed: 'failed' } as const;
const job: fc.Arbitrary<CheckpointJob> = fc
  .record({
    job_id: fc.stringMatching(/^[A-Z]{1,4}-[0-9]{1,5}-[0-9]{2}$/),
    open: fc.constantFrom('pending', 'running'),
    attempts: fc.nat(),
    last_error: fc.option(fc.record({ type: fc.string(), message: fc.string({ unit: 'binary' }), ts: time })),
    outcome: fc.option(fc.constantFrom('success', 'no-record', 'failed')),
    ended_at: fc.option(time),
    saved_path: fc.option(fc.string()),
    html_snapshot: fc.option(fc.string()),
  })
  .map(({ open, ...told }) => ({ ...told, state: told.outcome === null ? open : STATE_OF[told.outcome] }));
const checkpoint: fc.Arbitrary<Checkpoint> = fc
  .record({
    jobs: fc.uniqueArray(job, { selector: ({ job_id }) => job_id, maxLength: 30 }),
    run_id: fc.uuid(),
    at: time,
    params: fc.jsonValue(),
    cursor: fc.jsonValue(),
    window: fc.integer({ min: 1, max: 1000 }),
    attempts: fc.nat(),
  })
  .map(({ jobs, run_id, at, ...state }) => ({
    schema_version: CHECKPOINT_VERSION,
    run_id,
    cursor: { last_job_id: jobs.at(-1)?.job_id ?? null, last_job_index: jobs.length - 1 },
    worker_state: { plan: 'retrieval', created_at: at, ...state },
    updated_at: at,
    jobs,
  }));

async function printed({ jobs, ...head }: Checkpoint, pieces = 7): Promise<string> {
  async function* inPieces(): AsyncGenerator<CheckpointJob[]> {
    for (let at = 0; at < jobs.length; at += pieces) yield jobs.slice(at, at + pieces);
  }
  let text = '';
  for await (const piece of printCheckpoint(head, inPieces())) text += piece;
  return text;
}

const some = (changes: object = {}): Checkpoint => ({
  schema_version: CHECKPOINT_VERSION,
  run_id: 'r',
  cursor: { last_job_id: 'IMM-1-25', last_job_index: 0 },
  worker_state: {
    plan: 'retrieval',
    params: {},
    cursor: {},
    window: 5,
    attempts: 1,
    created_at: '2025-11-28T08:00:00.000Z',
  },
  updated_at: '2025-11-28T08:12:00.000Z',
  jobs: [
    {
      job_id: 'IMM-1-25',
      state: 'succeeded',
      attempts: 1,
      last_error: null,
      outcome: 'success',
      ended_at: null,
      saved_path: null,
      html_snapshot: null,
    },
  ],
  ...changes,
});

describe('a checkpoint', () => {
  it('is read back as it was written, in however many pieces', async () => {
    await fc.assert(
      fc.asyncProperty(checkpoint, fc.integer({ min: 1, max: 40 }), async (given, pieces) => {
        const read = parseCheckpoint(await printed(given, pieces));
        // JSON knows no -0.
        expect(read).toEqual(JSON.parse(JSON.stringify(given)));
      }),
    );
  });

  it('that was cut off anywhere is refused, never half believed', async () => {
    const text = await printed(some());
    for (let length = 0; length < text.trimEnd().length; length += 1) {
      expect(() => parseCheckpoint(text.slice(0, length))).toThrow(/JSON|cut off|should be/);
    }
  });

  it('of the first version is lifted: what had succeeded was a record', () => {
    const { jobs: _jobs, ...head } = some();
    const old = { ...head, schema_version: undefined, jobs: [{ job_id: 'IMM-1-25', state: 'succeeded', attempts: 1 }] };
    expect(parseCheckpoint(JSON.stringify(old))).toEqual(some());
    expect(parseCheckpoint(JSON.stringify({ ...old, schema_version: 1 }))).toEqual(some());
  });

  it.each([
    ['of a newer version', some({ schema_version: 99 }), /schema_version 99, and this gleaner knows/],
    ['of no version that exists', some({ schema_version: 'x' }), /schema_version/],
    ['with a wrong type', some({ jobs: 'many' }), /\/jobs/],
    ['with a state nobody knows', some({ jobs: [{ ...some().jobs[0], state: 'lost' }] }), /\/jobs\/0\/state/],
    ['with a job twice', some({ jobs: [some().jobs[0], some().jobs[0]] }), /twice/],
    ['with a cursor beside its jobs', some({ cursor: { last_job_id: 'IMM-9-25', last_job_index: 8 } }), /IMM-9-25/],
    ['that is a list', [], /not a JSON object/],
  ])('%s is refused with a reason', (_what, given, reason) => {
    expect(() => parseCheckpoint(JSON.stringify(given))).toThrow(reason);
  });
});
