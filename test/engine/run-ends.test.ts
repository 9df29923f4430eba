import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import BetterSqlite3 from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import { createRunFiles } from '../../src/backends/embedded/run-files.js';
import { systemClock as clock } from '../../src/backends/embedded/system-clock.js';
import { GleanerError } from '../../src/domain/errors.js';
import { RETRIEVAL } from '../../src/domain/retrieval.js';
import type { FetchRequest } from '../../src/ports/fetcher.js';
import { brokenPage, noRecordPage, recordPage } from '../support/court.js';
import { allBut, POLL, useCourtDesk } from '../support/court-desk.js';
import { type CourtEngine, courtWish, openCourtRun, outcomesOf, untilRun } from '../support/court-engine.js';
import { hang } from '../support/engine-harness.js';

/** A page that does not come. */
const never = async (_id: string, request: FetchRequest, signal: AbortSignal): Promise<string> => {
  await hang(request, signal);
  return '';
};

describe('the end of a run', () => {
  const { start, end, at, forgetDatabase, checkpointFile, audit: auditOf } = useCourtDesk('run-ends');
  /** Pages that come when they are let. */
  const gate = () => {
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    return { open, opened };
  };

  it('comes to a run that is cancelled while it rests, though it had stopped early meanwhile', async () => {
    const { open, opened } = gate();
    const first = await start({ fetch: async () => opened.then(() => noRecordPage) });
    const runId = await openCourtRun(first, courtWish(1, 1_000, { stopAfterNoRecords: 3 }));
    await expect.poll(() => first.asked.length).toBeGreaterThan(3);
    await first.engine.planned.pause(runId, RETRIEVAL);
    open();
    await untilRun(first, runId, ({ job }) => job.counts.running === 0);
    await first.engine.planned.cancel(runId, RETRIEVAL);
    const { job } = await untilRun(first, runId);
    expect(job.status).toBe('cancelled');
    expect(job.counts).toMatchObject({ total: 1_000, queued: 0, running: 0 });
    expect(job.counts.completed + job.counts.cancelled).toBe(1_000);
    await expect.poll(() => first.engine.runStats().held).toBe(0);
  });

  it('keeps of a case the last page that came, and none where there is no record', async () => {
    const visits = new Map<string, number>();
    const court = await start({
      parts: { maxAttempts: 2 },
      fetch: async (id) => {
        visits.set(id, (visits.get(id) ?? 0) + 1);
        if (visits.get(id) === 1) return brokenPage;
        if (id === 'IMM-1-25') throw new GleanerError('target_timeout', 'It did not answer.');
        if (id === 'IMM-2-25') throw new GleanerError('target_client_error', 'It answered 410.');
        return id === 'IMM-3-25' ? noRecordPage : recordPage(id);
      },
    });
    const runId = await openCourtRun(court, courtWish(1, 4, { saveHtml: true }));
    await untilRun(court, runId);
    const pageOf = (name: string): string => `retrievals/${runId}/pages/000/${name}.html`;
    const kept = new Map((await outcomesOf(court, runId)).map(({ name, files }) => [name, files.page]));
    expect([...kept].sort()).toEqual([
      ['IMM-1-25', pageOf('IMM-1-25')],
      ['IMM-2-25', null],
      ['IMM-3-25', null],
      ['IMM-4-25', pageOf('IMM-4-25')],
    ]);
    expect(readFileSync(at(pageOf('IMM-1-25')), 'utf8')).toBe(brokenPage);
    expect(readFileSync(at(pageOf('IMM-4-25')), 'utf8')).toContain('IMM-4-25');
    for (const name of ['IMM-2-25', 'IMM-3-25']) expect(existsSync(at(pageOf(name)))).toBe(false);
  });

  it('comes to a cancelled run whose last visit died with the process', async () => {
    const { open, opened } = gate();
    const first = await start({
      window: 3,
      fetch: async (id, request, signal) =>
        id === 'IMM-3-25' ? never(id, request, signal) : opened.then(() => noRecordPage),
    });
    const runId = await openCourtRun(first, courtWish(1, 1_000, { stopAfterNoRecords: 2 }));
    await expect.poll(() => first.asked.length).toBe(3);
    await first.engine.planned.cancel(runId, RETRIEVAL);
    open();
    await untilRun(first, runId, ({ job }) => job.counts.running === 1);
    await end();
    const again = await start();
    const { job } = await untilRun(again, runId);
    expect(job).toMatchObject({ status: 'cancelled', counts: { total: 1_000, completed: 2, cancelled: 998 } });
  });

  it('is in its files, too, where a run that rests is cancelled as a job', async () => {
    const first = await start({ fetch: never });
    const runId = await openCourtRun(first, courtWish(1, 30));
    await expect.poll(() => first.asked.length).toBeGreaterThan(0);
    await first.engine.planned.pause(runId, RETRIEVAL);
    await end();
    const again = await start();
    await again.engine.cancelJob(runId);
    await untilRun(again, runId);
    await expect.poll(() => again.engine.runStats().held).toBe(0);
    expect(auditOf(runId)).toMatchObject({ status: 'cancelled', cancelled_count: 30 });
    await end();
    forgetDatabase();
    const without = await start();
    await expect(without.engine.planned.resume(runId, RETRIEVAL)).rejects.toMatchObject({ code: 'run_over' });
  });

  it('stays what and when it was where only the files are left, and its results can be read again', async () => {
    const first = await start({ fetch: async (id) => (id === 'IMM-2-25' ? noRecordPage : recordPage(id)) });
    const runId = await openCourtRun(first, courtWish(1, 6));
    await untilRun(first, runId);
    await expect.poll(() => first.engine.runStats().held).toBe(0);
    const [audit, outcomes] = [auditOf(runId), await outcomesOf(first, runId)];
    await end();
    forgetDatabase();
    const again = await start();
    const restored = await again.engine.planned.resume(runId, RETRIEVAL);
    expect(restored).toMatchObject({ paused: null, job: { status: 'completed', counts: { completed: 6 } } });
    await expect.poll(() => again.engine.runStats().held).toBe(0);
    expect(again.asked).toEqual([]);
    expect(auditOf(runId)).toEqual({ ...audit, ended_at: expect.any(String), duration_seconds: expect.any(Number) });
    expect(Math.abs(Date.parse(String(auditOf(runId).ended_at)) - Date.parse(String(audit.ended_at)))).toBeLessThan(
      1_000,
    );
    const byName = (list: typeof outcomes) => new Map(list.map(({ n: _n, ...one }) => [one.name, one]));
    expect(byName(await outcomesOf(again, runId))).toEqual(byName(outcomes));
    await expect(again.engine.planned.resume(runId, RETRIEVAL)).rejects.toMatchObject({ code: 'run_over' });
  });

  it('is not told again where its rows have gone and the word of its end has not', async () => {
    const first = await start({ defaultReceiver: 'https://hooks.example/' });
    const runId = await openCourtRun(first, courtWish(1, 3));
    await untilRun(first, runId);
    await expect.poll(() => first.engine.runStats().held, POLL).toBe(0);
    await end();
    const database = new BetterSqlite3(at('gleaner.db'));
    const deliveries = database.prepare('SELECT id FROM deliveries WHERE job_id = ?').pluck();
    const [told] = deliveries.all(runId);
    expect(told).toEqual(expect.any(String));
    for (const table of ['outcomes', 'attempt_notes', 'plans', 'job_events']) {
      database.prepare(`DELETE FROM ${table} WHERE job_id = ?`).run(runId);
    }
    database.prepare('DELETE FROM jobs WHERE id = ?').run(runId);
    const again = await start({ defaultReceiver: 'https://hooks.example/' });
    expect((await again.engine.planned.resume(runId, RETRIEVAL)).job.status).toBe('completed');
    expect(deliveries.all(runId)).toEqual([told]);
    database.close();
  });

  it('is asked for by many at once, and none of them is another process', async () => {
    const first = await start({ fetch: never });
    const runId = await openCourtRun(first, courtWish(1, 30));
    await expect.poll(() => existsSync(checkpointFile(runId))).toBe(true);
    await end();
    forgetDatabase();
    const again = await start();
    const answers = await Promise.all(Array.from({ length: 5 }, () => again.engine.planned.resume(runId, RETRIEVAL)));
    expect(answers.map(({ paused }) => paused)).toEqual([null, null, null, null, null]);
    expect((await untilRun(again, runId)).job.counts.completed).toBe(30);
  });
});

describe('the files of a run', () => {
  const desk = useCourtDesk('run-files');

  it('have every attempt once and whole, also where the disk took only half of a line', async () => {
    const files = createRunFiles({ dataDir: desk.at(), clock });
    let troubles = 3;
    const court = await desk.start({
      runFiles: {
        ...files,
        async appendAttempts(run, lines) {
          if (troubles === 0) return files.appendAttempts(run, lines);
          troubles -= 1;
          await files.appendAttempts(run, lines.slice(0, 1));
          const name = readdirSync(desk.at('retrievals', run.runId)).find((file) => file.startsWith('attempts_'));
          await appendFile(desk.at('retrievals', run.runId, name ?? ''), '{"n":99,"job_id":"IMM-');
          throw new GleanerError('storage_unavailable', 'Disk full.');
        },
      },
    });
    const runId = await openCourtRun(court, courtWish(1, 8));
    await untilRun(court, runId);
    await expect.poll(() => court.engine.runStats().held, POLL).toBe(0);
    expect(desk.attempts(runId).map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('are written one after the other, however many want the run to rest at once', async () => {
    const court = await desk.start({ fetch: never });
    const runId = await openCourtRun(court, courtWish(1, 30));
    const pauses = Array.from({ length: 30 }, () => court.engine.planned.pause(runId, RETRIEVAL));
    for (const run of await Promise.all(pauses)) expect(run.paused).toBe('It was asked to.');
    expect(desk.audit(runId)).toMatchObject({ status: 'paused' });
  });
});

describe('a checkpoint that contradicts itself', () => {
  const desk = useCourtDesk('torn');
  let court: CourtEngine;
  let runId: string;
  beforeEach(async () => {
    const first = await desk.start({ fetch: allBut('IMM-3-25') });
    runId = await openCourtRun(first, courtWish(1, 20));
    await untilRun(first, runId, ({ ended }) => ended === 19);
    await first.engine.planned.pause(runId, RETRIEVAL);
    await desk.end(first);
    desk.forgetDatabase();
    court = await desk.start();
  });

  /** As far as it is spoilt here. */
  interface Spoilt {
    cursor: { last_job_id: string; last_job_index: number };
    worker_state: { cursor: { success: number; failed: number }; params: { cases: { to: number } } };
    jobs: { job_id: string; outcome: string | null; ended_at: string | null }[];
  }
  type Spoil = (text: Spoilt) => unknown;
  const job = (name: string, text: Spoilt) => text.jobs.find(({ job_id }) => job_id === name)!;

  it.each<[string, Spoil]>([
    ['has a job too few', (text) => text.jobs.pop()],
    ['counts other outcomes than it has', (text) => (text.worker_state.cursor.success += 1)],
    ['counts an outcome as another', (text) => (text.worker_state.cursor.failed += 1)],
    ['has its cursor elsewhere', (text) => (text.cursor.last_job_index -= 1)],
    ['has its cursor at another job', (text) => (text.cursor.last_job_id = 'IMM-1-25')],
    ['has an outcome that no plan knows', (text) => (job('IMM-1-25', text).outcome = 'banana')],
    ['says that what failed succeeded', (text) => (job('IMM-1-25', text).outcome = 'failed')],
    ['has an end of what is open', (text) => (job('IMM-3-25', text).outcome = 'success')],
    ['has a time that is none', (text) => (job('IMM-1-25', text).ended_at = '2025-99-99T00:00:00.000Z')],
    [
      'has a job beyond its cursor instead of one before it',
      (text) => {
        text.worker_state.params.cases.to = 40;
        job('IMM-5-25', text).job_id = 'IMM-30-25';
      },
    ],
  ])('is refused and left as it is where it %s', async (_what, spoil) => {
    const file = desk.checkpointFile(runId);
    const text = JSON.parse(readFileSync(file, 'utf8'));
    spoil(text);
    const spoilt = JSON.stringify(text);
    writeFileSync(file, spoilt);
    await expect(court.engine.planned.resume(runId, RETRIEVAL)).rejects.toMatchObject({
      code: 'checkpoint_unreadable',
    });
    expect(readFileSync(file, 'utf8')).toBe(spoilt);
  });

  it('is none as it was written', async () => {
    await court.engine.planned.resume(runId, RETRIEVAL);
    expect((await untilRun(court, runId)).job.counts.completed).toBe(20);
  });
});
