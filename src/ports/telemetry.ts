import type { Delivery } from '../domain/delivery.js';
import type { ErrorCode } from '../domain/errors.js';
import type { OverloadReason } from '../domain/overload.js';
import type { Beginning, Continuation } from '../domain/render-experience.js';
import type { Task } from '../domain/task.js';
import type { AttemptEnd } from './deliveries.js';

/** Structured log: fields first, then the sentence. Values pass a scrubber on their way out. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface SettledVisit {
  task: Task;
  /** `completed`, `failed` or `retried` (back to the queue). */
  end: 'completed' | 'failed' | 'retried';
  code: ErrorCode | null;
  reason: string | null;
  /** What lies beneath a fault of ours, for the log only. */
  cause?: unknown;
  durationMs: number;
  proxyUsed: string;
  renderedBy: 'http' | 'browser' | null;
  /** Names of the fields that came back non-null; never their values. */
  fieldsExtracted: string[];
}

export type AutoDecision = Beginning | Exclude<Continuation, 'escalate'>;

/** The delivery as it is after the attempt. */
export interface AttemptedDelivery {
  delivery: Delivery;
  end: AttemptEnd;
}

/** What the engine and the fetchers tell the operator. Nothing here may throw or block. */
export interface Telemetry {
  readonly log: Log;
  taskAccepted(task: Task): void;
  taskCancelled(task: Task): void;
  /** It has failed with `poison` because the service died on it: there is no visit to tell of. */
  taskConvicted(task: Task): void;
  /** New work was refused because there is too much of it: the queue is full, or something is short. */
  workShed(reason: 'queue_full' | OverloadReason): void;
  visitSettled(visit: SettledVisit): void;
  /** A guard made a task wait. */
  guardWaited(guard: string, waitMs: number): void;
  /** How `render: auto` begins a visit, or goes on where that is not the usual. */
  autoDecided(task: Task, decision: AutoDecision): void;
  /** `render: auto` opens a browser after all; `sign`: what about the page spoke for one, if anything did. */
  escalated(task: Task, sign: string | null): void;
  /** It need not have been opened, or would not have needed to be. */
  browserNotNeeded(task: Task, found: 'brought_no_more' | 'http_is_enough'): void;
  /** A webhook was attempted, and the ledger knows how it went. */
  deliveryAttempted(attempted: AttemptedDelivery): void;
  /** A browser left the pool: page limit, age, crash, hang, stop. */
  browserRetired(reason: string): void;
}
