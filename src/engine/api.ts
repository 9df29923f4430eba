import type { FieldFault } from '../domain/errors.js';
import type { Job } from '../domain/job.js';
import type { Task, TaskSpec } from '../domain/task.js';
import type { QueueStats } from '../ports/queue.js';
import type { JobFilter, PageOf } from '../ports/store.js';

/** Who asked, carried into the task and its log lines. */
export interface Caller {
  requestId: string;
  traceparent: string | null;
}

export interface BatchSpec {
  targets: TaskSpec[];
  callbackUrl: string | null;
}

/**
 * What the doors (REST, command line) may ask of the engine. Everything rejects with GleanerError only:
 * `validation_failed` (with fields), `queue_full`, `shutting_down`, `storage_unavailable`, `task_not_found`, `job_not_found`.
 */
export interface EngineApi {
  /** Durable when it resolves. Field faults are named as in the request body (`target_url`, `requested_fields[1]`, …). */
  submit(spec: TaskSpec, caller: Caller): Promise<Task>;
  /** What is wrong with a batch, without submitting it; targets that are already known to be faulty are `null`. */
  batchFaults(batch: { targets: (TaskSpec | null)[]; callbackUrl: string | null }): FieldFault[];
  /** All or nothing; faults are named `targets[3].target_url`. */
  submitBatch(batch: BatchSpec, caller: Caller): Promise<{ job: Job; taskIds: string[] }>;

  task(id: string): Promise<Task>;
  /** The picture of a task that asked for one (PNG); rejects with `screenshot_not_found` too. */
  screenshot(taskId: string): Promise<Uint8Array>;
  /** Resolves with the task as soon as it is terminal, or as it is when `waitMs` has passed or the signal aborts. */
  awaitTask(id: string, waitMs: number, signal?: AbortSignal): Promise<Task>;
  /** Cancels a task that nobody waits for any more; only while it is queued. Answers whether it did. */
  abandon(taskId: string): Promise<boolean>;

  job(id: string): Promise<Job>;
  jobs(filter: JobFilter, page: { limit: number; cursor: string | null }): Promise<PageOf<Job>>;
  jobResults(id: string, page: { limit: number; cursor: string | null; includeFailed: boolean }): Promise<PageOf<Task>>;
  cancelJob(id: string): Promise<Job>;

  queueStats(): QueueStats & { averageDurationMs: number };
  /** False once stopping has begun. */
  acceptsWork(): boolean;
}
