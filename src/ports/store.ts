import type { ErrorCode } from '../domain/errors.js';
import type { Job, JobStatus } from '../domain/job.js';
import type { JobEvent } from '../domain/job-event.js';
import type { Suspicion } from '../domain/poison.js';
import type { Task, VisitMeta } from '../domain/task.js';
import type { NewPlan, PlanStore } from './plans.js';

/** A job as it is opened; its tasks come beside it. */
export interface NewJob {
  id: string;
  totalTasks: number;
  callbackUrl: string | null;
  createdAt: number;
  /** Where it says what is visited; the tasks are then its first window. */
  plan?: NewPlan;
}

/** What a visit came to, as the store writes it. */
export type Settlement =
  | { kind: 'completed'; result: Record<string, unknown>; meta: VisitMeta }
  /** `notBefore`: when it makes sense to ask again, where that is known. */
  | { kind: 'failed'; code: ErrorCode; error: string; notBefore: number | null; meta: VisitMeta }
  /** Back to the queue. `refundAttempt`: the visit does not count (429, shutdown); `throttles` is the new run of 429s. */
  | {
      kind: 'requeued';
      notBefore: number | null;
      refundAttempt: boolean;
      throttles: number;
      /** What it is suspected of from now on, and how many crashes of its own there are. */
      suspicion: Suspicion | null;
      crashes: number;
      meta: VisitMeta | null;
    };

export interface PageOf<T> {
  items: T[];
  /** Opaque; `null` on the last page. */
  nextCursor: string | null;
}

export interface JobFilter {
  status?: JobStatus;
  createdAfter?: number;
  createdBefore?: number;
}

/** A queued task as the queue needs it after a restart. */
export interface QueuedRow {
  id: string;
  jobId: string | null;
  targetUrl: string;
  jobSize: number;
  render: Task['render'];
  createdAt: number;
  notBefore: number | null;
}

/** Makes a submit repeatable: for 24 hours the same key with the same fingerprint is the same submission. */
export interface Once {
  key: string;
  /** Of the whole request. */
  fingerprint: string;
}

/** What was submitted under a key. */
export interface KnownSubmission {
  fingerprint: string;
  taskId: string | null;
  jobId: string | null;
}

/** What a process that is no more had under way. */
export interface Interrupted {
  running: number;
  /** Those that were not queued again, as they are now: failed with `poison`, or cancelled with their job. */
  ended: Task[];
}

/** What a write has added, for whoever waits for it. */
export interface StoreChange {
  /** Receivers with a new delivery. */
  receivers: ReadonlySet<string>;
  /** Jobs with a new event. */
  jobs: ReadonlySet<string>;
  /** Tasks that plans have added, for the queue. */
  planned: readonly Task[];
}

/**
 * The truth about tasks and jobs. Every write resolves only when it is durable (fsync'ed), and is one transaction:
 * all of it or nothing. Reads see only what is durable. A fault of the store rejects with `storage_unavailable`.
 *
 * Whatever ends a task or a job also opens, in the same transaction, the one delivery that tells of it: to its
 * `callbackUrl`, else (for jobs and standalone tasks) to the default receiver, if there is one. Whatever happens to a
 * job or its tasks is an event of the job, numbered from 1 without gaps, likewise in the same transaction.
 */
export interface Store {
  /** Jobs that are visited by a plan. */
  readonly plans: PlanStore;
  /** With `once`: nothing is opened where the key is known; then that submission is the answer, otherwise `null`. */
  openTask(task: Task, once?: Once): Promise<KnownSubmission | null>;
  /** The job and all its tasks, or none of them. `once` as with `openTask`. */
  openJob(job: NewJob, tasks: Task[], once?: Once): Promise<KnownSubmission | null>;
  /** What a key stands for, if it was used in the last 24 hours. */
  submission(key: string, now: number): Promise<KnownSubmission | null>;

  task(id: string): Promise<Task | null>;
  job(id: string): Promise<Job | null>;
  /** Newest first. */
  jobs(filter: JobFilter, page: { limit: number; cursor: string | null }): Promise<PageOf<Job>>;
  /**
   * In the order of the request. Completed tasks; with `includeFailed` failed ones too. Fewer than `limit` where their
   * results are large.
   */
  jobResults(
    jobId: string,
    page: { limit: number; cursor: string | null; includeFailed: boolean },
  ): Promise<PageOf<Task>>;

  /** Ids of a job's tasks, in the order of the request. */
  taskIds(jobId: string): Promise<string[]>;
  /** All tasks of a job that has ended, in the order of the request; `null` where their results are over `maxBytes`. */
  endedTasks(jobId: string, maxBytes: number): Promise<Task[] | null>;
  /** Events of a job after that number, in order. */
  events(jobId: string, after: number, limit: number): Promise<JobEvent[]>;
  /** Called after every write that added a delivery or an event, once it is durable. It must not throw. Returns what ends it. */
  onChange(listener: (change: StoreChange) => void): () => void;

  /** queued → running, visits + 1, attempts + 1. `null` when it is no longer queued: somebody cancelled it. */
  claim(taskId: string, now: number): Promise<Task | null>;
  /**
   * running → terminal or queued, and the job's end if this was its last task, in one transaction. Counts only if
   * the task is still running with the same `visits`; otherwise `null` and nothing changes (settled exactly once).
   * A requeued task of a cancelled job is cancelled instead.
   */
  settle(claim: { taskId: string; visits: number }, settlement: Settlement, now: number): Promise<Task | null>;

  /** queued → cancelled; `null` when the task was not queued. */
  cancelTask(taskId: string, now: number): Promise<Task | null>;
  /** Cancels what is queued, leaves what runs, marks the job. Repeating it changes nothing. `null`: no such job. */
  cancelJob(jobId: string, now: number): Promise<{ job: Job; cancelled: Task[] } | null>;

  /** The visit waits for its next leg: until that begins, nobody can be harmed by it. `false`: it runs no more. */
  endLeg(claim: { taskId: string; visits: number }): Promise<boolean>;
  /** It goes on; the first leg begins with the claim. */
  beginLeg(claim: { taskId: string; visits: number }): Promise<boolean>;

  /**
   * At boot and at the end of a stop: running → queued, so that it is visited again; what belongs to a cancelled job
   * is cancelled instead. `refundAttempt`: it was ended with grace. Otherwise the process died: who was at work in
   * company is suspected of it from now on, who was at work alone has one crash of its own more, and at the third it
   * fails with `poison`.
   */
  requeueRunning(options: { refundAttempt: boolean }, now: number): Promise<Interrupted>;
  /** The process is about to end, and however that goes, no task is to blame. */
  blameNobody(): Promise<void>;
  /** Everything queued, oldest first, in pages. */
  queued(): AsyncIterable<QueuedRow[]>;

  /**
   * Removes up to `limit` terminal standalone tasks, ended jobs (with their tasks) and ended deliveries older than
   * `before`. What has yet to be told of stays, and what a key stands for, as long as the key lives. Returns how many.
   */
  expire(options: { before: number; now: number; limit: number }): Promise<number>;
  close(): Promise<void>;
}
