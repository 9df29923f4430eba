import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRunFiles } from '../../src/backends/embedded/run-files.js';
import { systemClock as clock } from '../../src/backends/embedded/system-clock.js';
import { parseCheckpoint } from '../../src/domain/checkpoint.js';
import { RETRIEVAL } from '../../src/domain/retrieval.js';
import { recordPage } from '../support/court.js';
import { courtWish, openCourtEngine, openCourtRun, outcomesOf, untilRun } from '../support/court-engine.js';
import { tempDir } from '../support/temp-dir.js';
import { troubledDisk } from '../support/troubled-disk.js';

const CASES = 30;
/** Of one checkpoint: its text comes in four pieces (head, what has ended, what is open, end). */
const PIECES = 4;
const WRITES = Array<string>(PIECES).fill('write');
const CALLS = ['mkdir', 'open', ...WRITES, 'sync', 'close', 'rename', 'open', 'sync', 'close'];
/** Checkpoints that go well before the one in which the process dies. */
const BEFORE = 2;

describe('a run whose process and database are lost in the middle of a checkpoint', () => {
  let directory: ReturnType<typeof tempDir>;
  beforeEach(() => {
    directory = tempDir('checkpoint-crash');
  });
  afterEach(() => directory.remove());

  /** Resolves once the run's process has died at that call; its files are as it left them. */
  const runUntilDeath = async (at: number): Promise<{ runId: string; calls: string[] }> => {
    mkdirSync(join(directory.path, 'lost'));
    const files = createRunFiles({ dataDir: directory.path, clock });
    let written = 0;
    let isDead = false;
    const { disk, calls } = troubledDisk(at, 'dies');
    const dying = createRunFiles({ dataDir: directory.path, clock, disk });
    const first = await openCourtEngine({
      dataDir: directory.path,
      storeDir: join(directory.path, 'lost'),
      queue: { laneWidth: () => 2 },
      fetch: async (id) => {
        // However slow the machine: a third of the cases for each checkpoint, and the last ones of all for none.
        const number = Number(id.split('-')[1]);
        const third = Math.ceil((3 * (number - 2)) / CASES);
        do await new Promise((resolve) => setTimeout(resolve, 5));
        while (number > CASES - 4 ? !isDead : written < third - 1);
        return recordPage(id);
      },
      runFiles: {
        ...files,
        async writeCheckpoint(runId, pieces) {
          if (isDead) throw new Error('dead');
          const all = await piecesOf(pieces);
          written += 1;
          // Before the first case has ended there is a piece less.
          const isLast = written > BEFORE && all.length === PIECES;
          if (!isLast) return files.writeCheckpoint(runId, inTurn(all));
          try {
            await dying.writeCheckpoint(runId, inTurn(all));
          } finally {
            isDead = true;
          }
        },
      },
    });
    await first.engine.start();
    const runId = await openCourtRun(first, courtWish(1, CASES));
    await expect.poll(() => isDead, { timeout: 10_000 }).toBe(true);
    await first.end();
    return { runId, calls };
  };

  it.each(CALLS.map((call, at) => [at, call] as const))(
    'goes on from its file when the process dies at call %i (%s) of a checkpoint',
    async (at) => {
      const { runId, calls } = await runUntilDeath(at);
      // It was that very call, and none came after it.
      expect(calls).toEqual(CALLS.slice(0, at + 1));
      const file = join(directory.path, 'checkpoints', runId, 'checkpoint.json');
      const kept = parseCheckpoint(readFileSync(file, 'utf8'));
      const ended = kept.jobs.filter(({ state }) => state === 'succeeded').map(({ job_id }) => job_id);
      const attempts = new Map(kept.jobs.map((job) => [job.job_id, job.attempts + (job.state === 'running' ? 1 : 0)]));

      const again = await openCourtEngine({ dataDir: directory.path });
      await again.engine.start();
      await again.engine.planned.resume(runId, RETRIEVAL);
      await untilRun(again, runId);
      const outcomes = await outcomesOf(again, runId);
      expect(new Set(outcomes.map(({ name }) => name)).size).toBe(CASES);
      expect(outcomes).toHaveLength(CASES);
      // What had ended by then was not asked for again; everything else was, once.
      expect(again.asked.filter((id) => ended.includes(id))).toEqual([]);
      expect([...again.asked, ...ended].sort()).toEqual(outcomes.map(({ name }) => name).sort());
      for (const id of again.asked) {
        expect(outcomes.find(({ name }) => name === id)?.attempts).toBe((attempts.get(id) ?? 0) + 1);
      }
      await again.end();
      expect(existsSync(`${file}.tmp`)).toBe(false);
    },
  );
});

async function piecesOf(pieces: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
}

async function* inTurn(pieces: readonly string[]): AsyncGenerator<string> {
  yield* pieces;
}
