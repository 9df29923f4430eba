import { GleanerError } from '../domain/errors.js';
import type { KeptFiles } from '../domain/outcome.js';
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
  const earlierPage = task.meta?.files?.page ?? null;
  if (!wanted.record && !wanted.page && earlierPage === null) return ending;
  const kept: Kept = {
    seq: task.seq,
    name: plan.nameOf(planned.params, task.seq),
    record: wanted.record ? record : null,
    page: wanted.page ? (ending.html ?? null) : null,
  };
  const keep = async (): Promise<KeptFiles> => {
    const files = await runFiles.keep(id, kept);
    if (files.page !== null || earlierPage === null) return files;
    if (saysNothing(ending)) return { ...files, page: earlierPage };
    await runFiles.drop(earlierPage);
    return files;
  };
  const files = await untilStored(keep, waiting, {
    fields: { run_id: id, task_id: task.id },
    message: 'a record could not be kept and is tried again',
  });
  if (!files) throw new GleanerError('shutting_down', 'The service is stopping.');
  return { ...ending, meta: { ...ending.meta, files } };
}

/** Then the page of the visit before, such as a broken one, is still the last that is known of the target. */
const saysNothing = (ending: Ending): boolean =>
  ending.kind === 'failed' && ending.error.code !== 'target_client_error';
