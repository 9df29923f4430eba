import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { type Checkpoint, parseCheckpoint } from '../../src/domain/checkpoint.js';
import { recordPage } from './court.js';
import { type CourtEngine, type CourtEngineOptions, openCourtEngine } from './court-engine.js';
import { hang } from './engine-harness.js';
import { tempDir } from './temp-dir.js';
import { VirtualClock } from './virtual-clock.js';

export interface AttemptLine {
  n: number;
  job_id: string;
  attempt: number;
  end: string;
  error: { type: string; message: string } | null;
  http_status: number | null;
  rendered_by: string | null;
  duration_ms: number | null;
  ts: string;
}

export interface CourtDesk {
  at(...parts: string[]): string;
  /** Ended with the test, if not before. */
  start(options?: Partial<CourtEngineOptions>): Promise<CourtEngine>;
  /** All of them, unless one is named. */
  end(court?: CourtEngine): Promise<void>;
  forgetDatabase(): void;
  checkpointFile(runId: string): string;
  checkpoint(runId: string): Checkpoint;
  attemptsFile(runId: string): string;
  /** As far as they are in the file: none, where there is no file yet. */
  attempts(runId: string): AttemptLine[];
  audit(runId: string): Record<string, unknown>;
}

const ATTEMPTS = /^attempts_\d{8}_\d{6}\.ndjson$/;

/** However slow the machine. */
export const POLL = { timeout: 20_000 };

/** A data directory for each test, the engines that were opened on it, and the files that they left. */
export function useCourtDesk(name: string): CourtDesk {
  let directory: ReturnType<typeof tempDir>;
  const open = new Map<CourtEngine, Partial<CourtEngineOptions>>();
  beforeEach(() => {
    directory = tempDir(name);
  });
  afterEach(async () => {
    await desk.end();
    directory.remove();
  });
  const fileOf = (runId: string, kind: RegExp): string | null => {
    const folder = desk.at('retrievals', runId);
    const file = readdirSync(folder).find((one) => kind.test(one));
    return file === undefined ? null : join(folder, file);
  };
  const textOf = (runId: string, kind: RegExp): string => {
    const file = fileOf(runId, kind);
    return file === null ? '' : readFileSync(file, 'utf8');
  };
  const desk: CourtDesk = {
    at: (...parts) => join(directory.path, ...parts),
    async start(options = {}) {
      const court = await openCourtEngine({ dataDir: directory.path, ...options });
      open.set(court, options);
      await court.engine.start();
      return court;
    },
    async end(court) {
      if (!court) {
        for (const one of [...open.keys()]) await desk.end(one);
        return;
      }
      const clock = open.get(court)?.clock;
      open.delete(court);
      const ended = court.end();
      if (clock instanceof VirtualClock) await untilSettled(ended, () => clock.advance(0));
      await ended;
    },
    forgetDatabase() {
      const files = readdirSync(directory.path).filter((file) => file.startsWith('gleaner.db'));
      expect(files).not.toEqual([]);
      for (const file of files) rmSync(desk.at(file));
    },
    checkpointFile: (runId) => desk.at('checkpoints', runId, 'checkpoint.json'),
    checkpoint: (runId) => parseCheckpoint(readFileSync(desk.checkpointFile(runId), 'utf8')),
    attemptsFile: (runId) => fileOf(runId, ATTEMPTS) ?? '',
    attempts(runId) {
      try {
        const lines = textOf(runId, ATTEMPTS).split('\n');
        // What stands behind the last line break is of a write that is under way.
        return lines.slice(0, -1).map((line) => JSON.parse(line));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
        throw error;
      }
    },
    audit: (runId) => JSON.parse(textOf(runId, /^audit_\d{8}_\d{6}\.json$/)),
  };
  return desk;
}

/** Time that somebody else moves has to be moved for what waits for it. */
export async function untilSettled<T>(work: Promise<T>, move: () => Promise<unknown>): Promise<T> {
  let isSettled = false;
  const settle = (): void => {
    isSettled = true;
  };
  work.then(settle, settle);
  while (!isSettled) await move();
  return work;
}

/** A page that never comes, and records of all other cases. */
export const allBut =
  (id: string): NonNullable<CourtEngineOptions['fetch']> =>
  async (asked, request, signal) => {
    if (asked === id) await hang(request, signal);
    return recordPage(asked);
  };
