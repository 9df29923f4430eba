import type { FastifyRequest } from 'fastify';
import { GleanerError } from '../domain/errors.js';
import { parseUuid } from '../domain/uuid.js';
import type { Caller } from '../engine/api.js';
import { readTrace } from './trace.js';

export const callerOf = (request: FastifyRequest): Caller => ({
  requestId: request.id,
  traceparent: readTrace(request.headers.traceparent)?.traceparent ?? null,
});

const MISSING = {
  task_not_found: 'task',
  job_not_found: 'job',
  delivery_not_found: 'delivery',
  run_not_found: 'run',
} as const;

/** An id from a path, in the form the store knows. A malformed one is an id that nothing has: 404, not another fault. */
export function pathId(id: string, missing: keyof typeof MISSING): string {
  const known = parseUuid(id);
  if (known !== null) return known;
  throw new GleanerError(missing, `No ${MISSING[missing]} has the id ${JSON.stringify(id.slice(0, 100))}.`);
}
