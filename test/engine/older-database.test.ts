import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { RETRIEVAL } from '../../src/domain/retrieval.js';
import { recordPage } from '../support/court.js';
import { allBut, POLL, useCourtDesk } from '../support/court-desk.js';
import { type CourtEngine, courtWish, outcomesOf, untilRun } from '../support/court-engine.js';
import { hang } from '../support/engine-harness.js';
import { CALLER } from '../support/tasks.js';

const CASES = 20;
const HOOK = 'https://hooks.example/here';

/** Records up to that case; the pages of the others never come. */
const upTo = (last: number): ReturnType<typeof allBut> => {
  return async (id, request, signal) => {
    if (Number(id.split('-')[1]) > last) await hang(request, signal);
    return recordPage(id);
  };
};

describe('a database that is older than the files of a run', () => {
  const desk = useCourtDesk('older-database');
  const find = (court: CourtEngine, runId: string) => court.engine.planned.find(runId, RETRIEVAL);
  const textOf = (runId: string): string => readFileSync(desk.checkpointFile(runId), 'utf8');
  const backUp = (): void => {
    const database = new BetterSqlite3(desk.at('gleaner.db'));
    database.exec(`VACUUM INTO '${desk.at('backup.db')}'`);
    database.close();
  };
  const putBack = (): void => {
    desk.forgetDatabase();
    copyFileSync(desk.at('backup.db'), desk.at('gleaner.db'));
  };
  const open = async (court: CourtEngine): Promise<string> => {
    const wish = { kind: RETRIEVAL, wish: courtWish(1, CASES), callbackUrl: HOOK };
    return (await court.engine.planned.open(wish, CALLER)).planned.job.id;
  };
  /** Five had ended when the copy was made, and the next five were being visited unless it rested. */
  const copiedEarly = async ({ isPaused = false } = {}): Promise<string> => {
    const first = await desk.start({ fetch: upTo(5) });
    const runId = await open(first);
    await untilRun(first, runId, ({ ended, job }) => ended === 5 && job.counts.running === 5);
    if (isPaused) await first.engine.planned.pause(runId, RETRIEVAL);
    // While nothing runs, or while the five do.
    if (isPaused) await desk.end(first);
    backUp();
    if (!isPaused) await desk.end(first);
    return runId;
  };
  /** Then it went on, and one case is left. */
  const goneOn = async (runId: string): Promise<void> => {
    const second = await desk.start({ fetch: allBut(`IMM-${CASES}-25`) });
    if ((await find(second, runId)).paused !== null) await second.engine.planned.resume(runId, RETRIEVAL);
    await untilRun(second, runId, ({ ended }) => ended === CASES - 1);
    await desk.end(second);
  };
  const isWholeRun = async (court: CourtEngine, runId: string, toldBefore: number): Promise<void> => {
    const { job, attempts } = await untilRun(court, runId);
    await expect.poll(() => court.engine.runStats().held, POLL).toBe(0);
    expect(court.asked).toEqual([`IMM-${CASES}-25`]);
    expect(job).toMatchObject({ callbackUrl: HOOK, counts: { total: CASES, completed: CASES, failed: 0, queued: 0 } });
    const outcomes = await outcomesOf(court, runId);
    expect(outcomes.map(({ n }) => n)).toEqual(Array.from({ length: CASES }, (_, index) => index + 1));
    expect(new Set(outcomes.map(({ name }) => name)).size).toBe(CASES);
    const lines = desk.attempts(runId);
    expect(lines.map(({ n }) => n)).toEqual(Array.from({ length: toldBefore + 1 }, (_, index) => index + 1));
    expect(attempts).toBe(toldBefore + 1);
    expect(desk.audit(runId)).toMatchObject({ attempts: toldBefore + 1, success_count: CASES });
    expect(desk.checkpoint(runId).jobs).toHaveLength(CASES);
  };

  it.each(['was going on', 'rested'])('gives way to them at a start or a resume, where the run %s', async (how) => {
    const isPaused = how === 'rested';
    const runId = await copiedEarly({ isPaused });
    await goneOn(runId);
    const told = desk.attempts(runId).length;
    putBack();
    const third = await desk.start();
    if (isPaused) {
      expect(await find(third, runId)).toMatchObject({ paused: 'It was asked to.', ended: 5 });
      await third.engine.planned.resume(runId, RETRIEVAL);
    }
    await isWholeRun(third, runId, told);
    const warnings = third.telemetry.lines.filter(({ level }) => level === 'warn');
    expect(warnings.map(({ message }) => message)).toEqual([expect.stringContaining('goes on from the checkpoint')]);
    expect(warnings[0]?.fields).toEqual({
      run_id: runId,
      attempts_told: told,
      attempts_in_checkpoint: told,
      // At a start, those that were being visited count as well.
      attempts_in_database: 10,
    });
  });

  it('is older, too, where it counts visits whose end it has not seen, and the file knows better', async () => {
    let last = 5;
    let goOn = (): void => {};
    const isCopied = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const first = await desk.start({
      fetch: async (id, request, signal) => {
        const number = Number(id.split('-')[1]);
        if (number > 5) await Promise.race([isCopied, hang(request, signal)]);
        if (number > last) await hang(request, signal);
        return recordPage(id);
      },
    });
    const runId = await open(first);
    await untilRun(first, runId, ({ ended, job }) => ended === 5 && job.counts.running === 5);
    backUp();
    last = 8;
    goOn();
    await expect.poll(() => desk.checkpoint(runId).worker_state.attempts, POLL).toBe(8);
    await expect.poll(() => desk.attempts(runId).length, POLL).toBe(8);
    // As a kill leaves them: nobody has told of the five that were being visited.
    const files = [desk.checkpointFile(runId), desk.attemptsFile(runId)].map(
      (file) => [file, readFileSync(file)] as const,
    );
    await desk.end(first);
    for (const [file, bytes] of files) writeFileSync(file, bytes);
    putBack();
    const second = await desk.start();
    await untilRun(second, runId);
    await expect.poll(() => second.engine.runStats().held, POLL).toBe(0);
    expect(second.asked).toHaveLength(CASES - 8);
    expect(desk.attempts(runId).map(({ n }) => n)).toEqual(Array.from({ length: CASES }, (_, index) => index + 1));
  });

  it('goes on from files that were written when the run rested, with nothing planned any more', async () => {
    const runId = await copiedEarly();
    let goOn = (): void => {};
    const isPaused = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const second = await desk.start({ fetch: async (id) => isPaused.then(() => recordPage(id)) });
    await untilRun(second, runId, ({ job }) => job.counts.running === 5);
    await second.engine.planned.pause(runId, RETRIEVAL);
    goOn();
    await untilRun(second, runId, ({ ended }) => ended === 10);
    await desk.end(second);
    expect(desk.checkpoint(runId).jobs).toHaveLength(10);
    putBack();
    const third = await desk.start();
    await untilRun(third, runId);
    expect(third.asked).toHaveLength(CASES - 10);
  });

  it('learns of a run that it was cancelled, and visits nothing of it', async () => {
    const runId = await copiedEarly();
    const second = await desk.start({ fetch: upTo(12) });
    await untilRun(second, runId, ({ ended }) => ended === 12);
    await second.engine.planned.cancel(runId, RETRIEVAL);
    await desk.end(second);
    putBack();
    const third = await desk.start();
    const { job } = await untilRun(third, runId);
    expect(job).toMatchObject({ status: 'cancelled', counts: { total: CASES, completed: 12, cancelled: 8 } });
    expect(third.asked).toEqual([]);
    await expect.poll(() => third.engine.runStats().held, POLL).toBe(0);
    expect(desk.checkpoint(runId).worker_state.is_cancelled).toBe(true);
  });

  it('learns of a run that it was over, and when', async () => {
    const runId = await copiedEarly();
    const second = await desk.start();
    const { job } = await untilRun(second, runId);
    await expect.poll(() => second.engine.runStats().held, POLL).toBe(0);
    await desk.end(second);
    putBack();
    const third = await desk.start();
    await expect.poll(() => third.engine.runStats().held, POLL).toBe(0);
    const known = await find(third, runId);
    expect(known).toMatchObject({ paused: null, job: { status: 'completed', counts: { completed: CASES } } });
    expect(Math.abs((known.job.completedAt ?? 0) - (job.completedAt ?? 0))).toBeLessThan(1_000);
    expect(third.asked).toEqual([]);
    await expect(third.engine.planned.resume(runId, RETRIEVAL)).rejects.toMatchObject({ code: 'run_over' });
  });

  it.each<[string, (text: string) => string, RegExp]>([
    ['was cut off', (text) => text.slice(0, -20), /not valid JSON, or was cut off/],
    ['is not readable from its beginning', (text) => `#${text}`, /not valid JSON, or was cut off/],
    ['is of another run', (text) => text.replace(/"run_id":"/, '"run_id":"x'), /it is of another run/],
    ['is about other cases', (text) => text.replace('"to":20', '"to":21'), /it is about something else/],
    ['was written by a newer version', (text) => text.replace('"schema_version":2', '"schema_version":3'), /knows 2/],
  ])(
    'does not overwrite a checkpoint that %s: the run rests until it is out of the way',
    async (_how, spoil, reason) => {
      const runId = await copiedEarly();
      await goneOn(runId);
      const told = desk.attempts(runId).length;
      const spoilt = spoil(textOf(runId));
      expect(spoilt).not.toBe(textOf(runId));
      writeFileSync(desk.checkpointFile(runId), spoilt);
      putBack();
      const third = await desk.start();
      expect((await find(third, runId)).paused).toMatch(reason);
      const refused = { code: 'checkpoint_unreadable', message: expect.stringMatching(reason) };
      await expect(third.engine.planned.resume(runId, RETRIEVAL)).rejects.toMatchObject(refused);
      await expect(third.engine.planned.cancel(runId, RETRIEVAL)).rejects.toMatchObject(refused);
      await desk.end(third);
      expect(textOf(runId)).toBe(spoilt);
      expect(third.asked).toEqual([]);

      // Then the database is all there is, and what it lacks is visited again, under numbers of its own.
      rmSync(desk.checkpointFile(runId));
      const fourth = await desk.start();
      await fourth.engine.planned.resume(runId, RETRIEVAL);
      await untilRun(fourth, runId);
      await expect.poll(() => fourth.engine.runStats().held, POLL).toBe(0);
      expect(fourth.asked).toHaveLength(CASES - 5);
      expect(desk.attempts(runId).map(({ n }) => n)).toEqual(
        Array.from({ length: told + CASES - 5 }, (_, index) => index + 1),
      );
      expect(fourth.telemetry.lines).toContainEqual(
        expect.objectContaining({ level: 'warn', message: expect.stringContaining('what it lacks is visited again') }),
      );
    },
  );

  it('is not older for a checkpoint that was spoilt: the run goes on, and its checkpoint is made anew', async () => {
    const runId = await copiedEarly();
    writeFileSync(desk.checkpointFile(runId), textOf(runId).slice(0, -20));
    const second = await desk.start();
    await untilRun(second, runId);
    await expect.poll(() => second.engine.runStats().held, POLL).toBe(0);
    expect(second.asked).toHaveLength(CASES - 5);
    expect(desk.checkpoint(runId).jobs).toHaveLength(CASES);
  });
});
