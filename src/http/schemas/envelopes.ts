import { type TSchema, Type } from '@sinclair/typebox';
import { ERROR_TABLE, type ErrorCode, GleanerError } from '../../domain/errors.js';
import { failure } from '../envelope.js';
import { ErrorCodeWire, refTo } from './answers.js';
import { STREAM_CONTENT } from './events.js';
import { REQUEST_ID, success, TASK_ID } from './examples.js';

export const FieldFaultWire = Type.Object(
  {
    field: Type.String({ description: 'As it is written in the request, such as `targets[3].target_url`.' }),
    message: Type.String({ description: 'What is wished for.' }),
    value: Type.Optional(Type.Unknown({ description: 'What was received, shortened; secrets are hidden.' })),
  },
  { $id: 'FieldFault' },
);

export const FailureMetaWire = Type.Object(
  {
    code: refTo(ErrorCodeWire),
    retryable: Type.Boolean({ description: 'Whether the same request may succeed later.' }),
    retry_after_seconds: Type.Optional(Type.Integer({ description: 'The same as the Retry-After header.' })),
    fields: Type.Optional(Type.Array(refTo(FieldFaultWire))),
    task_id: Type.Optional(Type.String({ format: 'uuid', description: 'The task that failed, where there is one.' })),
    request_id: Type.String({ format: 'uuid', description: 'The same as the X-Request-ID header.' }),
  },
  { $id: 'FailureMeta', additionalProperties: true },
);

export const FailureWire = Type.Object(
  {
    success: Type.Literal(false),
    data: Type.Null(),
    error: Type.String({ description: 'One sentence.' }),
    meta: refTo(FailureMetaWire),
  },
  { $id: 'Failure', description: 'Every refusal and every fault.' },
);

const REQUEST_ID_HEADER = { type: 'string', format: 'uuid', description: 'Finds the request in the logs.' };
const LOCATION_HEADER = { type: 'string', description: 'Where to ask for the task or job.' };
const RETRY_AFTER_HEADER = { type: 'integer', description: 'Seconds.' };
const REPLAYED_HEADER = {
  type: 'string',
  const: 'true',
  description: 'Only where the `Idempotency-Key` was known: the answer is about what was submitted with it before.',
};

/** The answer of a route that went well. */
export function successAnswer(
  data: TSchema,
  about: { description: string; example: unknown; location?: boolean; replayable?: boolean },
): TSchema {
  const schema = Type.Object({
    success: Type.Literal(true),
    data,
    error: Type.Null(),
    meta: Type.Object({ request_id: Type.String({ format: 'uuid' }) }),
  });
  return {
    description: about.description,
    headers: {
      'X-Request-ID': REQUEST_ID_HEADER,
      ...(about.location && { Location: LOCATION_HEADER }),
      ...(about.replayable && { 'Idempotent-Replayed': REPLAYED_HEADER }),
    },
    content: { 'application/json': { schema, example: success(about.example) } },
  } as unknown as TSchema;
}

// Answers without an envelope: bytes, a stream of events, and nothing at all.

export const pictureAnswer = (description: string): TSchema =>
  ({
    description,
    headers: { 'X-Request-ID': REQUEST_ID_HEADER },
    content: { 'image/png': { schema: { type: 'string', format: 'binary' } } },
  }) as unknown as TSchema;

export const streamAnswer = (description: string): TSchema =>
  ({ description, headers: { 'X-Request-ID': REQUEST_ID_HEADER }, content: STREAM_CONTENT }) as unknown as TSchema;

export const emptyAnswer = (description: string): TSchema =>
  Type.Null({ description, headers: { 'X-Request-ID': REQUEST_ID_HEADER } });

/** The refusals of a route by status, each with an example of every code that leads to it. */
export function failureAnswers(codes: readonly ErrorCode[]): Record<number, TSchema> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) {
    const { status } = ERROR_TABLE[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries([...byStatus].map(([status, group]) => [status, failureAnswer(status, group)]));
}

const DOOR_ONLY: readonly ErrorCode[] = [
  'malformed_request',
  'unauthorized',
  'not_found',
  'task_not_found',
  'job_not_found',
  'screenshot_not_found',
  'delivery_not_found',
  'run_not_found',
  'run_over',
  'run_locked',
  'checkpoint_unreadable',
  'method_not_allowed',
  'request_timeout',
  'payload_too_large',
  'uri_too_long',
  'headers_too_large',
  'unsupported_media_type',
  'validation_failed',
  'idempotency_conflict',
  'too_many_streams',
];

/** Codes that may end a visit: what the synchronous route can answer beside the refusals of the door. */
export const VISIT_CODES = (Object.keys(ERROR_TABLE) as ErrorCode[]).filter((code) => !DOOR_ONLY.includes(code));

function failureAnswer(status: number, codes: ErrorCode[]): TSchema {
  const examples = Object.fromEntries(codes.map((code) => [code, { value: failureExample(code) }]));
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_TABLE[code].meaning}`).join('\n\n'),
    headers: { 'X-Request-ID': REQUEST_ID_HEADER, ...(status === 503 ? { 'Retry-After': RETRY_AFTER_HEADER } : {}) },
    content: { 'application/json': { schema: refTo(FailureWire), examples } },
  } as unknown as TSchema;
}

function failureExample(code: ErrorCode): unknown {
  const fields =
    code === 'validation_failed'
      ? [{ field: 'render', message: 'must be one of auto, http, browser.', value: 'fast' }]
      : undefined;
  const error = new GleanerError(code, ERROR_TABLE[code].meaning, fields === undefined ? {} : { fields });
  return failure(error, REQUEST_ID, ERROR_TABLE[code].charges === 'target' ? { task_id: TASK_ID } : {});
}
