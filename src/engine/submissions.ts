import { type FieldFault, GleanerError } from '../domain/errors.js';
import type { Job } from '../domain/job.js';
import type { Task, TaskSpec } from '../domain/task.js';
import type { Clock, NewId } from '../ports/clock.js';
import type { TaskQueue } from '../ports/queue.js';
import type { KnownSubmission, NewJob, Once, Store } from '../ports/store.js';
import type { Telemetry } from '../ports/telemetry.js';
import { type AdmissionRules, faultsOf, newTask, refuseIfFaulty, urlFaults } from './admission.js';
import type { BatchSpec, Caller, EngineApi, OpenedJob } from './api.js';
import type { AutoRender } from './auto-render.js';
import { entryFor } from './queue-entry.js';

export interface SubmissionParts extends AdmissionRules {
  store: Store;
  queue: TaskQueue;
  clock: Clock;
  telemetry: Telemetry;
  newId: NewId;
  auto: AutoRender;
  laneOf: (url: string) => string;
}

/** New work, on its way in: asked whether it came before, checked, given room, written, queued. */
export class Submissions {
  constructor(private readonly parts: SubmissionParts) {}

  /** The id of the task: a new one, or the one of an earlier request with the same key. */
  async submit(spec: TaskSpec, caller: Caller, once?: Once): Promise<Task | { earlier: string }> {
    const { newId, clock, adapters, store } = this.parts;
    const earlier = await this.earlierOf(once);
    if (earlier) return { earlier: earlier.taskId ?? '' };
    refuseIfFaulty(faultsOf(spec, this.parts));
    const task = newTask(spec, caller, { adapters, newId, now: clock.now(), jobId: null, seq: 0, jobSize: 0 });
    const other = await this.admit([task], () => store.openTask(task, once));
    return other ? { earlier: sameRequest(other, once).taskId ?? '' } : task;
  }

  async submitBatch(batch: BatchSpec, caller: Caller, once?: Once): Promise<OpenedJob | { earlier: string }> {
    const { newId, clock, store, adapters } = this.parts;
    const earlier = await this.earlierOf(once);
    if (earlier) return { earlier: earlier.jobId ?? '' };
    refuseIfFaulty(this.batchFaults(batch));
    const now = clock.now();
    const jobId = newId();
    const jobSize = batch.targets.length;
    const tasks = batch.targets.map((spec, seq) =>
      newTask(spec, caller, { adapters, newId, now, jobId, seq, jobSize }),
    );
    const { callbackUrl } = batch;
    const opening = { id: jobId, totalTasks: jobSize, callbackUrl, createdAt: now };
    const other = await this.admit(tasks, () => store.openJob(opening, tasks, once));
    if (other) return { earlier: sameRequest(other, once).jobId ?? '' };
    return {
      job: freshJob(jobId, { size: jobSize, callbackUrl, now }),
      taskIds: tasks.map(({ id }) => id),
      isReplay: false,
    };
  }

  /** The job that this key stands for, if any. */
  async earlierJob(once: Once | undefined): Promise<string | null> {
    const earlier = await this.earlierOf(once);
    return earlier && (earlier.jobId ?? '');
  }

  /** A job with a plan and its first window. Answers the id of an earlier one with the same key, where there is one. */
  async openPlanned(
    opening: NewJob,
    tasks: Task[],
    { once, onOpened }: { once?: Once | undefined; onOpened: (job: Job) => void },
  ): Promise<string | null> {
    const { id, totalTasks: size, callbackUrl, createdAt: now } = opening;
    const persist = async (): Promise<KnownSubmission | null> => {
      const known = await this.parts.store.openJob(opening, tasks, once);
      // Before anything of it can be visited.
      if (!known) onOpened(freshJob(id, { size, callbackUrl, now }));
      return known;
    };
    const other = await this.admit(tasks, persist);
    return other ? (sameRequest(other, once).jobId ?? '') : null;
  }

  batchFaults: EngineApi['batchFaults'] = ({ targets, callbackUrl }) => [
    ...targets.flatMap((spec, index) => (spec ? faultsOf(spec, this.parts, `targets[${index}].`) : [])),
    ...urlFaults('callback_url', callbackUrl, this.parts.egressAllow),
    ...sizeFaults(targets.length, this.parts.queue.capacity),
  ];

  /** Throws `queue_full`. Whoever has reserved gives back what it has not used. */
  reserve(count: number): void {
    const { queue, telemetry } = this.parts;
    if (queue.reserve(count)) return;
    telemetry.workShed('queue_full');
    throw new GleanerError('queue_full', `The queue has no room for ${count} more.`, { retryAfterMs: 5_000 });
  }

  /** What was submitted under this key before, if anything. */
  private async earlierOf(once: Once | undefined): Promise<KnownSubmission | null> {
    const known = once ? await this.parts.store.submission(once.key, this.parts.clock.now()) : null;
    return known && sameRequest(known, once);
  }

  /**
   * Room first, then disk, then the queue: what is refused is nowhere, what is accepted survives anything. What turns
   * out to have been submitted before is answered, and nothing was admitted.
   */
  private async admit(tasks: Task[], persist: () => Promise<KnownSubmission | null>): Promise<KnownSubmission | null> {
    const { queue, telemetry, auto } = this.parts;
    this.reserve(tasks.length);
    let known: KnownSubmission | null = null;
    let isOpened = false;
    try {
      known = await persist();
      isOpened = known === null;
    } finally {
      if (!isOpened) queue.unreserve(tasks.length);
    }
    for (const task of isOpened ? tasks : []) {
      queue.add(entryFor(task, auto.needsOf(task), this.parts), { reserved: true });
      telemetry.taskAccepted(task);
    }
    return known;
  }
}

const freshJob = (
  id: string,
  { size, callbackUrl, now }: { size: number; callbackUrl: string | null; now: number },
): Job => ({
  id,
  status: 'queued',
  callbackUrl,
  createdAt: now,
  updatedAt: now,
  completedAt: null,
  counts: { total: size, queued: size, running: 0, completed: 0, failed: 0, cancelled: 0 },
});

/** A key stands for one request; with another one it is a mistake of the caller's. */
function sameRequest(known: KnownSubmission, once: Once | undefined): KnownSubmission {
  if (known.fingerprint === once?.fingerprint) return known;
  throw new GleanerError('idempotency_conflict', 'This Idempotency-Key was used with another request.');
}

/** What can never fit is the caller's fault; what does not fit now is `queue_full`. */
function sizeFaults(size: number, capacity: number): FieldFault[] {
  return size <= capacity
    ? []
    : [{ field: 'targets', message: `must be at most ${capacity}, the whole queue`, value: size }];
}
