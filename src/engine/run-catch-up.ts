import { Value } from '@sinclair/typebox/value';
import { CheckpointFault } from '../domain/checkpoint.js';
import type { PlannedJob } from '../ports/plans.js';
import type { PlannedParts } from './planned-jobs.js';
import { attemptsIn, readCheckpoint, restoredFrom } from './run-checkpoint.js';
import { unreadable } from './run-restore.js';

type CatchUpParts = Pick<PlannedParts, 'store' | 'runFiles' | 'clock' | 'telemetry' | 'plans' | 'adapters' | 'newId'>;

const INSTEAD = ' It is left as it is; once it is out of the way, the run goes on from the database.';

/**
 * The store is the truth, unless it is older than the files: it was put back from a copy, or lost its last commits with
 * the power. Then what the checkpoint says takes the place of the run, before anything of it is written over, and the
 * numbers of attempts go on after the last that is told. For whoever has just got the lock of a run of which nothing
 * runs. Rejects with `checkpoint_unreadable` where nobody can say which of them is older.
 */
export async function catchUp(planned: PlannedJob, parts: CatchUpParts): Promise<PlannedJob> {
  const { store, runFiles, telemetry } = parts;
  const { id, createdAt } = planned.job;
  if (planned.job.completedAt !== null) return planned;
  const told = await runFiles.lastAttempt({ runId: id, createdAt });
  const known = await attemptsBefore(planned, parts);
  // Attempts are told before a checkpoint counts them: it is no further either, whatever has become of it.
  if (told <= known) return planned;
  const text = await runFiles.readCheckpoint(id);
  const seen = { run_id: id, attempts_told: told, attempts_in_database: planned.attempts };
  try {
    const inFile = text === null ? 0 : attemptsIn(text, id);
    if (text !== null && inFile > known) {
      await replace(planned, text, told, parts);
      const fields = { ...seen, attempts_in_checkpoint: inFile };
      telemetry.log.warn(
        fields,
        'the database is older than the checkpoint of a run, which goes on from the checkpoint',
      );
    } else if (told > planned.attempts) {
      await store.plans.numberFrom(id, told);
      telemetry.log.warn(
        seen,
        'the database is older than the attempts of a run that are told; what it lacks is visited again',
      );
    }
  } catch (error) {
    throw error instanceof CheckpointFault ? unreadable(id, error, INSTEAD) : error;
  }
  return (await store.plans.find(id)) ?? planned;
}

/** Without those of which the start has found that nobody saw their end: the file may know better. */
async function attemptsBefore({ job, attempts }: PlannedJob, { store }: CatchUpParts): Promise<number> {
  const untold = await store.plans.attemptNotes(job.id, attempts);
  return attempts - untold.filter(({ line }) => line.end === 'interrupted').length;
}

async function replace(planned: PlannedJob, text: string, told: number, parts: CatchUpParts): Promise<void> {
  const { id } = planned.job;
  const checkpoint = readCheckpoint(text, id);
  const { plan, params } = checkpoint.worker_state;
  if (plan !== planned.kind || !Value.Equal(params, planned.params))
    throw new CheckpointFault('the database knows the run, and it is about something else');
  const now = parts.clock.now();
  const restored = restoredFrom(checkpoint, parts, now);
  await parts.store.plans.replace({ ...restored, attempts: Math.max(restored.attempts, told) }, now);
}
