import { readFile, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { GleanerError } from '../../domain/errors.js';
import type { Clock } from '../../ports/clock.js';
import type { RunLock } from '../../ports/run-files.js';
import { makeDirectory, writeDurably } from './durable-file.js';

const HEARTBEAT_MS = 5_000;

/**
 * One process per run. The lock is the system's, as that of the data directory: it is free the moment its owner dies,
 * and cannot be lost by an owner that is only slow. Beside it stands who the owner is and when it last gave a sign of
 * life, for whoever is refused and for whoever takes over.
 */
export async function lockRun(directory: string, runId: string, clock: Clock): Promise<RunLock> {
  await makeDirectory(directory);
  const ownerFile = join(directory, 'owner.json');
  const lock = new BetterSqlite3(join(directory, 'run.lock'), { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    lock.close();
    const owner = (await ownerIn(ownerFile)) ?? 'another process';
    throw new GleanerError('run_locked', `The run ${runId} is being worked on by ${owner}.`, { cause });
  }
  const takenFrom = await ownerIn(ownerFile);
  const beat = (): Promise<void> => writeDurably(ownerFile, [ownerText(clock.now())]);
  let isReleased = false;
  let disarm = (): void => {};
  let beating: Promise<void> = beat();
  const arm = (): void => {
    disarm = clock.after(HEARTBEAT_MS, () => {
      // A sign of life that cannot be given is no reason to stop.
      beating = beat().catch(() => undefined);
      if (!isReleased) arm();
    });
  };
  try {
    await beating;
  } catch (error) {
    lock.close();
    throw error;
  }
  arm();
  /** The lock is free in the end, whatever the disk says to the rest. */
  const release = async (leftOver: string): Promise<void> => {
    if (isReleased) return;
    isReleased = true;
    disarm();
    await beating;
    try {
      await rm(leftOver, { recursive: true, force: true });
    } finally {
      lock.close();
    }
  };
  return { takenFrom, release: () => release(ownerFile), discard: () => release(directory) };
}

const ownerText = (now: number): string =>
  `${JSON.stringify({ pid: process.pid, host: hostname(), heartbeat_at: new Date(now).toISOString() })}\n`;

/** `null`: nobody, or nobody who can be named. */
async function ownerIn(file: string): Promise<string | null> {
  try {
    const { pid, host, heartbeat_at: at } = JSON.parse(await readFile(file, 'utf8'));
    return `process ${pid} on ${host} (last sign of life ${at})`;
  } catch {
    return null;
  }
}
