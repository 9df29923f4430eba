import { Readable } from 'node:stream';
import type { FastifyBaseLogger } from 'fastify';
import { GleanerError } from '../domain/errors.js';
import type { JobEvent } from '../domain/job-event.js';
import { iso } from './iso.js';
import type { JobEventWire, TaskEventWire } from './schemas/events.js';

/** How soon a client that lost its stream should come back. */
const RETRY_MS = 2_000;
const KEEP_ALIVE = ': keep-alive\n\n';

interface Telling {
  jobId: string;
  events: AsyncIterable<JobEvent | null>;
  /** Says that nobody reads any more. */
  signal: AbortSignal;
  log: FastifyBaseLogger;
}

/** The events as Server-Sent Events. They are asked for one by one, as fast as the client reads. */
export const eventStream = (telling: Telling): Readable => Readable.from(chunks(telling));

async function* chunks({ jobId, events, signal, log }: Telling): AsyncGenerator<string> {
  // At once, so that the client knows it is connected even if nothing happens for long.
  yield `retry: ${RETRY_MS}\n\n`;
  try {
    for await (const event of events) yield event === null ? KEEP_ALIVE : chunk(jobId, event);
  } catch (err) {
    // The status is long gone. The stream ends, and the client comes back with the last number it saw.
    if (!signal.aborted && !isForgotten(err)) log.error({ err, job_id: jobId }, 'An event stream ended early');
  }
}

/** The job's retention has passed while somebody followed it. */
const isForgotten = (error: unknown): boolean => error instanceof GleanerError && error.code === 'job_not_found';

const chunk = (jobId: string, event: JobEvent): string =>
  `id: ${event.seq}\nevent: ${event.kind}\ndata: ${JSON.stringify(eventToWire(jobId, event))}\n\n`;

function eventToWire(jobId: string, event: JobEvent): JobEventWire | TaskEventWire {
  const at = iso(event.at);
  if (event.kind === 'job') return { job_id: jobId, status: event.status, at };
  const { taskId, status, attempts, code } = event;
  return { job_id: jobId, task_id: taskId, status, attempts, ...(code !== null && { code }), at };
}
