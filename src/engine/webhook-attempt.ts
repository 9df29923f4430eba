import { type Delivery, isAccepted, isGone, patienceMs, retryDelayMs } from '../domain/delivery.js';
import { asGleanerError, GleanerError } from '../domain/errors.js';
import type { Job } from '../domain/job.js';
import type { Secret } from '../domain/secret.js';
import type { Task } from '../domain/task.js';
import { webhookHeaders } from '../domain/webhook-signature.js';
import type { Clock, Random } from '../ports/clock.js';
import type { AttemptEnd } from '../ports/deliveries.js';
import type { Store } from '../ports/store.js';
import type { WebhookSender } from '../ports/webhook-sender.js';

/** What is told, in the words of the wire. */
export interface WebhookPayloads {
  /** `null` in place of tasks: too many or too large, whoever wants them asks for them. */
  job(job: Job, tasks: Task[] | null): object;
  task(task: Task): object;
}

export interface AttemptParts {
  store: Store;
  sender: WebhookSender;
  payloads: WebhookPayloads;
  /** Newest first; all of them sign. */
  secrets: readonly Secret[];
  clock: Clock;
  random: Random;
}

const TIMEOUT_MS = 10_000;
/** Larger jobs are told of without their results. */
const MAX_TASKS_TOLD = 100;
/** As much as one page of results holds. */
const MAX_RESULT_BYTES = 8 * 1024 * 1024;

/** The body of a delivery, made from what has ended; `null`: it is no longer there. */
export async function composeBody({ store, payloads }: AttemptParts, delivery: Delivery): Promise<string | null> {
  if (delivery.taskId !== null) {
    const task = await store.task(delivery.taskId);
    return task && JSON.stringify(payloads.task(task));
  }
  const job = delivery.jobId === null ? null : await store.job(delivery.jobId);
  if (!job) return null;
  // Of a job with a plan there are only outcomes left, and those may be many.
  const isTold = job.plan === undefined && job.counts.total <= MAX_TASKS_TOLD;
  return JSON.stringify(payloads.job(job, isTold ? await store.endedTasks(job.id, MAX_RESULT_BYTES) : null));
}

/** The outcome of one attempt, and what it says about the receiver: `null` if nothing. */
export interface Attempted {
  end: AttemptEnd;
  isWell: boolean | null;
  /** The receiver asked that nobody calls before that time has passed. */
  quietMs: number;
}

/** Signs and posts, once. Never rejects. Aborting `over` ends it; where the service stops, with `shutting_down`. */
export async function attempt(
  parts: AttemptParts,
  { delivery, body }: { delivery: Delivery; body: string },
  over: AbortController,
): Promise<Attempted> {
  const { clock, sender } = parts;
  const begun = clock.mono();
  const disarm = clock.after(TIMEOUT_MS, () =>
    over.abort(new GleanerError('target_timeout', 'The receiver did not answer within 10 s.')),
  );
  try {
    const headers = headersOf(parts, delivery, body);
    const answer = await sender.send({ url: delivery.url, headers, body }, over.signal);
    return judged(parts, delivery, { ...answer, durationMs: clock.mono() - begun });
  } catch (error) {
    return failed(parts, delivery, { error: asGleanerError(error), durationMs: clock.mono() - begun });
  } finally {
    disarm();
  }
}

/** The time is that of the attempt: whoever refuses old signatures still takes a late retry. */
const headersOf = ({ clock, secrets }: AttemptParts, delivery: Delivery, body: string): Record<string, string> =>
  webhookHeaders(
    {
      id: delivery.id,
      timestamp: Math.floor(clock.now() / 1_000),
      attempt: delivery.attempts,
      event: delivery.event,
      body,
    },
    secrets.map((secret) => secret.reveal()),
  );

function judged(
  parts: AttemptParts,
  delivery: Delivery,
  { status, retryAfterMs, durationMs }: { status: number; retryAfterMs: number | undefined; durationMs: number },
): Attempted {
  const isWell = status < 500;
  if (isAccepted(status)) {
    return { end: { status, durationMs, error: null, next: { kind: 'delivered' } }, isWell, quietMs: 0 };
  }
  const error = isGone(status)
    ? 'The receiver answered 410 and wants to hear no more of it.'
    : `The receiver answered ${status}.`;
  const next = isGone(status) ? ({ kind: 'dead' } as const) : afterFailure(parts, delivery, retryAfterMs);
  // Too many is too many for all that goes there; how long this one waits beyond that is its own affair.
  return { end: { status, durationMs, error, next }, isWell, quietMs: patienceMs(retryAfterMs) };
}

function failed(
  parts: AttemptParts,
  delivery: Delivery,
  { error, durationMs }: { error: GleanerError; durationMs: number },
): Attempted {
  const isOurs = error.code === 'shutting_down';
  const isAgain = isOurs && delivery.event !== 'ping';
  const next = isAgain ? ({ kind: 'interrupted' } as const) : afterFailure(parts, delivery);
  const end = { status: null, durationMs, error: error.message, next };
  return { end, isWell: isOurs ? null : false, quietMs: 0 };
}

/** Of a ping there is only one. */
function afterFailure({ random }: AttemptParts, { event, failures }: Delivery, askedMs?: number): AttemptEnd['next'] {
  const afterMs = event === 'ping' ? null : retryDelayMs(failures + 1, { random, askedMs });
  return afterMs === null ? { kind: 'dead' } : { kind: 'retry', afterMs };
}
