import type { JobStatus } from './job.js';
import type { TaskStatus } from './task.js';

/**
 *  pending ──▶ delivered            the receiver answered 2xx
 *    │  ▲
 *    │  └── redelivered by hand ──┐
 *    └────▶ dead ─────────────────┘   tries used up, 410, or out of reach for a day: kept, shown, never dropped
 */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'dead'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

type JobEnd = Exclude<JobStatus, 'queued' | 'running'>;
type TaskEnd = Exclude<TaskStatus, 'queued' | 'running'>;
/** What a receiver is told of, as `X-Webhook-Event` says it. */
export type EventName = `job.${JobEnd}` | `task.${TaskEnd}` | 'ping';

/** One event to tell one receiver. Its id is the event's id, the same in every attempt. */
export interface Delivery {
  id: string;
  event: EventName;
  /** The job it is about or, with a task, the job of that task. */
  jobId: string | null;
  taskId: string | null;
  url: string;
  /** Origin of the URL: what is well or dead, and waits together. */
  receiver: string;
  status: DeliveryStatus;
  /** Attempts begun, ever. */
  attempts: number;
  /** Attempts that failed since it was opened or last redelivered: its place in the schedule. */
  failures: number;
  /** How often it was redelivered: what an attempt of an earlier round came to no longer decides. */
  round: number;
  /** Epoch ms; only while pending. */
  nextAttemptAt: number | null;
  createdAt: number;
  /** When it was delivered or given up. */
  endedAt: number | null;
  /** How the last attempt ended. */
  lastStatus: number | null;
  lastError: string | null;
}

export interface DeliveryAttempt {
  /** From 1, as `X-Webhook-Attempt` says it. */
  attempt: number;
  startedAt: number;
  /** What the receiver answered; `null` if it did not. */
  status: number | null;
  /** `null` while it is under way. */
  durationMs: number | null;
  /** One sentence; `null` if it went well or is under way. */
  error: string | null;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Quick ones for a hiccup, then ever rarer ones for an outage. */
const SCHEDULE_MS = [2 * SECOND, 4 * SECOND, 8 * SECOND, MINUTE, 10 * MINUTE, HOUR, 6 * HOUR];
/** Receivers that failed together are not all called again together. */
const JITTER = 0.1;
/** A receiver may ask for patience, but not for ever. */
const LONGEST_ASKED_MS = 6 * HOUR;

/** As much of the patience that a receiver asks for as it gets. */
export const patienceMs = (askedMs: number | undefined): number => Math.min(askedMs ?? 0, LONGEST_ASKED_MS);

/** How long to wait after the given number of failures; `null`: no more tries. */
export function retryDelayMs(
  failures: number,
  { random, askedMs }: { random: () => number; askedMs?: number | undefined },
): number | null {
  const step = SCHEDULE_MS[failures - 1];
  if (step === undefined) return null;
  return Math.max(patienceMs(askedMs), Math.round(step * (1 + JITTER * random())));
}

/** No retry is planned further away: a stored time beyond it is of a clock that was wrong. */
export const LONGEST_DELAY_MS = Math.ceil(6 * HOUR * (1 + JITTER));

/** While its receiver is out of reach a delivery waits without losing tries; after this it is given up. */
export const LONGEST_ROUND_MS = 24 * HOUR;

/** What a receiver's answer means. Redirects are not followed, so they are failures like everything but 2xx. */
export const isAccepted = (status: number): boolean => status >= 200 && status < 300;
/** Gone: the receiver wants to hear no more of it. */
export const isGone = (status: number): boolean => status === 410;
