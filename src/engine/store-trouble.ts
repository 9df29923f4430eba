import type { Clock } from '../ports/clock.js';
import type { QueueEntry, TaskQueue } from '../ports/queue.js';
import type { Telemetry } from '../ports/telemetry.js';

const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 30_000;

interface StoreTroubleParts {
  queue: Pick<TaskQueue, 'add' | 'rest'>;
  clock: Pick<Clock, 'mono'>;
  telemetry: Pick<Telemetry, 'log'>;
}

/**
 * Our own fault, almost always the store's: the task is still queued there and goes back to its lane. While the store is
 * in trouble every entry would fail the same way, so the whole queue rests, longer each time, and one line says so.
 */
export class StoreTrouble {
  private faults = 0;
  private restsUntil = 0;

  constructor(private readonly parts: StoreTroubleParts) {}

  isOver(): void {
    this.faults = 0;
  }

  restAfter(error: unknown, entry: QueueEntry): void {
    const { queue, clock, telemetry } = this.parts;
    const now = clock.mono();
    queue.add(entry);
    if (now < this.restsUntil) return;
    const restMs = Math.min(FIRST_REST_MS * 2 ** this.faults, LONGEST_REST_MS);
    this.faults += 1;
    this.restsUntil = now + restMs;
    queue.rest(this.restsUntil);
    telemetry.log.error(
      { err: error, task_id: entry.taskId, rest_ms: restMs },
      'tasks cannot be taken; the queue rests',
    );
  }
}
