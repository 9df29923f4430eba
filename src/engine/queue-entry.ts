import type { Task } from '../domain/task.js';
import type { Clock } from '../ports/clock.js';
import type { QueueEntry } from '../ports/queue.js';

/** A stored time further away than this is a clock that was wrong when it was written. */
const LONGEST_DELAY_MS = 24 * 3_600_000;

/** A queued task as the queue takes it. Its age counts from when it was accepted, also after a restart. */
export function entryFor(
  task: Pick<Task, 'id' | 'jobId' | 'targetUrl' | 'jobSize' | 'createdAt' | 'notBefore'>,
  needs: QueueEntry['needs'],
  { clock, laneOf }: { clock: Clock; laneOf: (url: string) => string },
): QueueEntry {
  const now = clock.now();
  const mono = clock.mono();
  return {
    taskId: task.id,
    jobId: task.jobId,
    lane: laneOf(task.targetUrl),
    jobSize: task.jobSize,
    since: mono - Math.max(0, now - task.createdAt),
    notBefore: task.notBefore === null ? 0 : mono + Math.min(Math.max(0, task.notBefore - now), LONGEST_DELAY_MS),
    needs,
    isProbe: false,
    leg: null,
  };
}
