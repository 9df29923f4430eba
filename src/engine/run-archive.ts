import { GleanerError } from '../domain/errors.js';
import type { Task } from '../domain/task.js';
import type { Clock } from '../ports/clock.js';
import type { Kept, RunFiles } from '../ports/run-files.js';
import type { Log } from '../ports/telemetry.js';
import type { KeptRun } from './run-keeper.js';
import { untilStored } from './until-stored.js';
import type { Ending } from './visit.js';

interface ArchiveParts {
  runFiles: RunFiles;
  clock: Clock;
  log: Log;
  /** Then nobody waits for the disk any more. */
  stopping: AbortSignal;
}

/** What a plan wants to have kept is on the disk before the outcome speaks of it. */
export async function archive(
  { plan, planned }: KeptRun,
  { task, ending }: { task: Task; ending: Ending },
  { runFiles, ...waiting }: ArchiveParts,
): Promise<Ending> {
  const { id } = planned.job;
  const record = ending.kind === 'completed' ? ending.record : null;
  const wanted = plan.keeps(planned.params, {
    isRecord: record !== null,
    isPage: ending.html !== undefined,
    notes: ending.meta.notes,
  });
  if (!wanted.record && !wanted.page) return ending;
  const kept: Kept = {
    seq: task.seq,
    name: plan.nameOf(planned.params, task.seq),
    record: wanted.record ? record : null,
    page: wanted.page ? (ending.html ?? null) : null,
  };
  const files = await untilStored(() => runFiles.keep(id, kept), waiting, {
    fields: { run_id: id, task_id: task.id },
    message: 'a record could not be kept and is tried again',
  });
  if (!files) throw new GleanerError('shutting_down', 'The service is stopping.');
  return { ...ending, meta: { ...ending.meta, files } };
}
