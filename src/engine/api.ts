import type { Delivery, DeliveryAttempt, DeliveryStatus } from '../domain/delivery.js';
import type { FieldFault } from '../domain/errors.js';
import type { Job } from '../domain/job.js';
import type { JobEvent } from '../domain/job-event.js';
import type { Task, TaskSpec } from '../domain/task.js';
import type { DeliveryFilter } from '../ports/deliveries.js';
import type { QueueStats } from '../ports/queue.js';
import type { JobFilter, Once, PageOf } from '../ports/store.js';
import type { PlannedApi } from './planned-jobs.js';

/** Who asked, carried into the task and its log lines. */
export interface Caller {
  requestId: string;
  traceparent: string | null;
}

export interface BatchSpec {
  targets: TaskSpec[];
  callbackUrl: string | null;
}

export interface OpenedJob {
  job: Job;
  taskIds: string[];
  /** It is that of an earlier request with the same key. */
  isReplay: boolean;
}

export interface EventsOptions {
  after: number;
  heartbeatMs: number;
  signal: AbortSignal;
}

/** A delivery and everything that was tried. */
export interface DeliveryReport {
  delivery: Delivery;
  attempts: DeliveryAttempt[];
}

/** The webhooks' ledger. Ids that nothing has reject with `delivery_not_found`. */
export interface WebhookApi {
  /** Newest first. */
  list(filter: DeliveryFilter, page: { limit: number; cursor: string | null }): Promise<PageOf<Delivery>>;
  report(id: string): Promise<DeliveryReport>;
  /** The same event again, at once and with a fresh schedule, whatever came of it before. */
  redeliver(id: string): Promise<Delivery>;
  /** All that match; answers how many. */
  redeliverAll(filter: DeliveryFilter & { status: DeliveryStatus }): Promise<number>;
  /** Sends one signed ping, waits for its end and keeps it in the ledger. Field faults name `url`. */
  ping(url: string): Promise<DeliveryReport>;
}

/**
 * What the doors (REST, command line) may ask of the engine. Everything rejects with GleanerError only:
 * `validation_failed` (with fields), `queue_full`, `shutting_down`, `storage_unavailable`, `task_not_found`, `job_not_found`
 * and what each call names.
 */
export interface EngineApi {
  /**
   * Durable when it resolves. Field faults are named as in the request body (`target_url`, `requested_fields[1]`, …).
   * With `once`, a repetition answers the task of the first time (its `requestId` tells), as it is now; the same key with
   * another fingerprint rejects with `idempotency_conflict`.
   */
  submit(spec: TaskSpec, caller: Caller, once?: Once): Promise<Task>;
  /** What is wrong with a batch, without submitting it; targets that are already known to be faulty are `null`. */
  batchFaults(batch: { targets: (TaskSpec | null)[]; callbackUrl: string | null }): FieldFault[];
  /** All or nothing; faults are named `targets[3].target_url`. `once` as with `submit`. */
  submitBatch(batch: BatchSpec, caller: Caller, once?: Once): Promise<OpenedJob>;

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
  /**
   * What happened to the job and its tasks after event number `after` (0: from the beginning) and what happens from now
   * on, in order and without gaps, until the job is over, the service stops or the signal aborts. `null` in between
   * says that nothing happened for `heartbeatMs`. The promise is `null` when the job is over and all has been told;
   * it rejects with `job_not_found` and `too_many_streams`.
   */
  jobEvents(id: string, options: EventsOptions): Promise<AsyncIterable<JobEvent | null> | null>;

  readonly webhooks: WebhookApi;
  /** Jobs with a plan. */
  readonly planned: PlannedApi;

  queueStats(): QueueStats & { averageDurationMs: number };
  /** False once stopping has begun. */
  acceptsWork(): boolean;
}
