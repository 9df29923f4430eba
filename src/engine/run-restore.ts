import { CheckpointFault } from '../domain/checkpoint.js';
import { GleanerError } from '../domain/errors.js';
import type { RestoredJob } from '../ports/plans.js';
import type { PlannedParts } from './planned-jobs.js';
import { readCheckpoint, restoredFrom } from './run-checkpoint.js';

export const runMissing = (id: string): GleanerError => new GleanerError('run_not_found', `There is no run ${id}.`);
export const runOver = (id: string, status: string): GleanerError =>
  new GleanerError('run_over', `The run ${id} is over: ${status}.`);

/** A run of which the store knows nothing, from its checkpoint into the store, where it rests. */
export async function restoreRun(id: string, parts: PlannedParts): Promise<void> {
  const { runFiles, store, clock } = parts;
  if ((await runFiles.readCheckpoint(id)) === null) throw runMissing(id);
  const lock = await runFiles.lock(id, clock.now());
  try {
    const restored = readRun(id, (await runFiles.readCheckpoint(id)) ?? '', parts);
    // Attempts that came after the checkpoint are told of already, and their numbers are taken.
    const told = await runFiles.lastAttempt({ runId: id, createdAt: restored.createdAt });
    await store.plans.restore({ ...restored, attempts: Math.max(restored.attempts, told) }, clock.now());
  } finally {
    await lock.release();
  }
}

/** Is there a checkpoint, and is it of a run that is not over? What cannot be read may be mended by somebody. */
export async function mayGoOn(id: string, parts: PlannedParts): Promise<boolean> {
  try {
    const text = await parts.runFiles.readCheckpoint(id);
    if (text === null) return false;
    const checkpoint = readCheckpoint(text, id);
    return !checkpoint.worker_state.is_cancelled && restoredFrom(checkpoint, parts, parts.clock.now()).endedAt === null;
  } catch {
    return true;
  }
}

function readRun(id: string, text: string, parts: PlannedParts): RestoredJob {
  try {
    const checkpoint = readCheckpoint(text, id);
    if (checkpoint.worker_state.is_cancelled) throw runOver(id, 'cancelled');
    return restoredFrom(checkpoint, parts, parts.clock.now());
  } catch (error) {
    throw error instanceof CheckpointFault ? unreadable(id, error) : error;
  }
}

export const unreadable = (id: string, { message }: CheckpointFault, more = ''): GleanerError =>
  new GleanerError(
    'checkpoint_unreadable',
    `The checkpoint of run ${id} cannot be used: ${message.replace(/\.$/, '')}.${more}`,
  );
