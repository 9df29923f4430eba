import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Checkpoint } from '../../src/domain/checkpoint.js';
import { GleanerError } from '../../src/domain/errors.js';
import { RETRIEVAL } from '../../src/domain/retrieval.js';
import { brokenPage, noRecordPage, recordPage } from '../support/court.js';
import { allBut, useCourtDesk } from '../support/court-desk.js';
import { type CourtEngine, courtWish, openCourtRun, outcomesOf, untilRun } from '../support/court-engine.js';

type Changed = Omit<Checkpoint, 'worker_state'> & {
  worker_state: Checkpoint['worker_state'] & { params: object; cursor: { planned: number } };
};

describe('a run of which only the files are left', () => {
  const desk = useCourtDesk('restored-run');
  const resume = (court: CourtEngine, runId: string) => court.engine.planned.resume(runId, RETRIEVAL);

  /** One of each kind: found, found at the second attempt, no record, failed; and one that is open. */
  const runInTheMiddle = async () => {
    let isSlowedDown = false;
    const court = await desk.start({
      parts: { maxAttempts: 1 },
      fetch: async (id, request, signal) => {
        if (id === 'IMM-2-25' && !isSlowedDown) {
          isSlowedDown = true;
          throw new GleanerError('rate_limited', 'court.example answered 429.', { httpStatus: 429 });
        }
        if (id === 'IMM-3-25') return noRecordPage;
        if (id === 'IMM-4-25') return brokenPage;
        return allBut('IMM-5-25')(id, request, signal);
      },
    });
    const runId = await openCourtRun(court, courtWish(1, 5, { saveHtml: true }));
    await untilRun(court, runId, ({ ended }) => ended === 4);
    const outcomes = await outcomesOf(court, runId);
    const { job, cursor } = await court.engine.planned.find(runId, RETRIEVAL);
    await desk.end(court);
    desk.forgetDatabase();
    return { runId, outcomes, job, cursor };
  };

  it('remembers every outcome with its attempts, errors, files and time, and visits only the rest', async () => {
    const { runId, outcomes, job, cursor } = await runInTheMiddle();
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['failed', 'no-record', 'success', 'success']);
    const again = await desk.start();
    await resume(again, runId);
    const run = await untilRun(again, runId);
    expect(again.asked).toEqual(['IMM-5-25']);
    const restored = await outcomesOf(again, runId);
    expect(restored.slice(0, 4)).toEqual(outcomes);
    const of = (name: string) => restored.find((one) => one.name === name);
    expect(of('IMM-1-25')?.files).toEqual({
      record: `retrievals/${runId}/records/000/IMM-1-25.json`,
      page: `retrievals/${runId}/pages/000/IMM-1-25.html`,
    });
    expect(of('IMM-2-25')).toMatchObject({ outcome: 'success', lastError: { type: 'rate_limited' } });
    expect(of('IMM-3-25')).toMatchObject({
      outcome: 'no-record',
      lastError: null,
      files: { record: null, page: null },
    });
    expect(of('IMM-4-25')).toMatchObject({ outcome: 'failed', lastError: { type: 'error_page' } });
    expect(run.job).toMatchObject({ createdAt: job.createdAt, counts: { total: 5, completed: 4, failed: 1 } });
    expect(run.cursor).toMatchObject({
      success: 3,
      noRecord: 1,
      failed: 1,
      errors: (cursor as { errors: object }).errors,
    });
  });

  it.each<[string, (file: Changed) => void, RegExp]>([
    ['is of another run', (file) => void (file.run_id = 'another'), /it is of another run, another/],
    ['is of a plan that nobody knows', (file) => void (file.worker_state.plan = 'travel'), /a plan that is not known/],
    ['does not say what it is about', (file) => void (file.worker_state.params = {}), /\(params\) is not readable/],
    [
      'says how far it has come in other words',
      (file) => void (file.worker_state.cursor = { planned: 5 }),
      /\(cursor\) is not readable/,
    ],
    [
      'does not say what it is about at all',
      (file) => void Reflect.deleteProperty(file, 'worker_state'),
      /does not say what the run is about \(worker_state\)/,
    ],
    ['has a range that goes backwards', (file) => void (casesOf(file).to = 0), /\(params\) has no target at place 0/],
    ['has a list with what is no case', listed(['garbage']), /no target at place 5/],
    ['has a list with a case as nobody writes it', listed(['imm-0006-25']), /no target at place 5/],
    ['has a list with a case that is there twice', listed(['IMM-1-25']), /no target at place 0, or has it twice/],
    ['lacks a job', (file) => void file.jobs.splice(firstEnded(file), 1), /jobs and its cursor do not add up/],
    [
      'lacks a job that is open',
      (file) => {
        file.worker_state.cursor.planned += 1;
      },
      /jobs and its cursor do not add up/,
    ],
    [
      'has a job of another range',
      (file) => void (file.jobs[firstEnded(file)]!.job_id = 'IMM-999-25'),
      /IMM-999-25 is none of the run's targets/,
    ],
  ])('is not gone on with where its checkpoint %s, which stays as it is', async (_what, change, reason) => {
    const { runId } = await runInTheMiddle();
    const file = desk.checkpointFile(runId);
    const changed = JSON.parse(readFileSync(file, 'utf8'));
    change(changed);
    writeFileSync(file, JSON.stringify(changed, null, 3));
    const before = readFileSync(file);
    const again = await desk.start();
    await expect(resume(again, runId)).rejects.toMatchObject({
      code: 'checkpoint_unreadable',
      message: expect.stringMatching(reason),
    });
    expect(await again.store.plans.find(runId)).toBeNull();
    await desk.end(again);
    expect(again.asked).toEqual([]);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('remembers why what is open was visited before in vain', async () => {
    const { runId } = await runInTheMiddle();
    const file = desk.at('checkpoints', runId, 'checkpoint.json');
    const checkpoint = JSON.parse(readFileSync(file, 'utf8'));
    const last_error = { type: 'connect_failed', message: 'Nobody answered.', ts: '2025-11-28T08:00:00.000Z' };
    Object.assign(
      checkpoint.jobs.find(({ job_id }: { job_id: string }) => job_id === 'IMM-5-25'),
      { last_error },
    );
    writeFileSync(file, JSON.stringify(checkpoint));
    const again = await desk.start();
    await resume(again, runId);
    await untilRun(again, runId);
    const outcome = (await outcomesOf(again, runId)).find(({ name }) => name === 'IMM-5-25');
    expect(outcome).toMatchObject({ outcome: 'success', lastError: { type: 'connect_failed' } });
  });

  it('takes a file of the first version, which knew no outcomes, for what it says', async () => {
    const { runId } = await runInTheMiddle();
    const file = desk.checkpointFile(runId);
    const old = JSON.parse(readFileSync(file, 'utf8'));
    old.schema_version = 1;
    for (const job of old.jobs) for (const name of ['outcome', 'ended_at', 'html_snapshot']) delete job[name];
    writeFileSync(file, JSON.stringify(old));
    const again = await desk.start({ fetch: async (id) => recordPage(id) });
    await resume(again, runId);
    await untilRun(again, runId);
    expect(again.asked).toEqual(['IMM-5-25']);
    const restored = await outcomesOf(again, runId);
    expect(restored.find(({ name }) => name === 'IMM-4-25')?.outcome).toBe('failed');
    expect(restored.filter(({ at }) => at === Date.parse(old.updated_at))).toHaveLength(4);
  });
});

/** Not the last one, of which the file's own cursor speaks. */
const firstEnded = ({ jobs, cursor }: Changed): number =>
  jobs.findIndex(({ state, job_id }) => state === 'succeeded' && job_id !== cursor.last_job_id);

function casesOf(file: Changed): { to: number } {
  return (file.worker_state.params as { cases: { to: number } }).cases;
}

/** The same cases as a list, and more. */
function listed(more: string[]) {
  return ({ worker_state }: Changed): void => {
    Object.assign(worker_state.params, { cases: [...[1, 2, 3, 4, 5].map((n) => `IMM-${n}-25`), ...more] });
  };
}
