import { ERROR_TABLE, type ErrorCode, type FieldFault, type GleanerError } from '../domain/errors.js';
import { quoteFault } from './quote.js';

/** Every JSON answer has this shape, whatever produced it. */
export interface Success<T> {
  success: true;
  data: T;
  error: null;
  meta: { request_id: string };
}

export interface FailureMeta {
  code: ErrorCode;
  retryable: boolean;
  retry_after_seconds?: number;
  fields?: FieldFault[];
  request_id: string;
  [extra: string]: unknown;
}

export interface Failure {
  success: false;
  data: null;
  error: string;
  meta: FailureMeta;
}

export const success = <T>(requestId: string, data: T): Success<T> => ({
  success: true,
  data,
  error: null,
  meta: { request_id: requestId },
});

export function failure(error: GleanerError, requestId: string, extra: Record<string, unknown> = {}): Failure {
  const retryAfter = retryAfterSeconds(error);
  const meta: FailureMeta = {
    code: error.code,
    retryable: error.retryable,
    ...(retryAfter === null ? {} : { retry_after_seconds: retryAfter }),
    ...(error.fields === undefined ? {} : { fields: error.fields.map(quoteFault) }),
    ...extra,
    request_id: requestId,
  };
  return { success: false, data: null, error: sentence(error), meta };
}

/** When to come back. Every 429 and 503 says so, and anything else that happens to know. */
export function retryAfterSeconds(error: GleanerError): number | null {
  if (error.retryAfterMs !== undefined) return Math.max(1, Math.ceil(error.retryAfterMs / 1000));
  const { status } = ERROR_TABLE[error.code];
  return status === 503 || status === 429 ? (COME_BACK_AFTER[error.code] ?? 5) : null;
}

/** Seconds where nobody knows better: a restart takes longer than a queue takes to move, a free browser is near. */
const COME_BACK_AFTER: Partial<Record<ErrorCode, number>> = {
  queue_full: 5,
  shutting_down: 10,
  pool_exhausted: 2,
  browser_crashed: 1,
};

// Whatever an internal error says about itself is for the log, not for the caller.
const sentence = (error: GleanerError): string =>
  error.code === 'internal_error'
    ? 'Something went wrong on our side.'
    : error.message || ERROR_TABLE[error.code].meaning;
