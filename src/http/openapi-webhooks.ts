import { type TSchema, Type } from '@sinclair/typebox';
import { JOB_STATUSES } from '../domain/job.js';
import { TASK_STATUSES } from '../domain/task.js';
import { choice, nullable, timestamp, uuid } from './schemas/fields.js';
import { DELIVERY_ID, jobPayload, taskPayload } from './schemas/webhook-examples.js';

// What we send, not what we answer: the `webhooks` of the document. Nothing here validates anything.

const UNFINISHED = ['queued', 'running'];
const whole = (description: string) => Type.Integer({ description });

const payload = (id: Record<string, TSchema>, statuses: readonly string[]): TSchema =>
  Type.Object({
    ...id,
    status: choice(statuses.filter((status) => !UNFINISHED.includes(status))),
    summary: Type.Object({
      total: whole('Tasks.'),
      completed: whole('Of these.'),
      failed: whole('Of these. The rest was cancelled.'),
    }),
    results: nullable(
      Type.Array(Type.Unsafe({ $ref: '#/components/schemas/Task' })),
      'The tasks in the order of the request; null where they are too large to send, and for retrievals: then ask for them.',
    ),
  });

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
});

const SIGNATURE = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';

const HEADERS = [
  header(
    'webhook-id',
    'The id of the delivery: the same in every attempt, so that repetitions can be told.',
    DELIVERY_ID,
  ),
  header('webhook-timestamp', 'When this attempt was signed, in seconds since 1970. Refuse what is old.', '1748852131'),
  header(
    'webhook-signature',
    'Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`; several, separated by spaces, while a ' +
      'secret is being replaced.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
  header(
    'X-Webhook-Signature',
    'The hex HMAC-SHA256 of the exact body; several, separated by commas, while a secret is being replaced.',
    SIGNATURE,
  ),
  header('X-Webhook-Attempt', 'From 1.', '1'),
  header('X-Webhook-Event', 'What it tells of, such as `job.completed`, `task.failed` or `ping`.', 'job.completed'),
];

const RESPONSES = {
  '2XX': { description: 'Taken. Answer within seconds, and work on it afterwards.' },
  '410': { description: 'No more of this delivery.' },
  default: { description: 'Anything else, redirects included, is a failure: the same bytes are sent again later.' },
};

const told = (about: {
  operationId: string;
  summary: string;
  description: string;
  schema: TSchema;
  example: unknown;
}) => ({
  post: {
    operationId: about.operationId,
    tags: ['webhooks'],
    summary: about.summary,
    description: about.description,
    security: [],
    parameters: HEADERS,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: about.schema, example: about.example } },
    },
    responses: RESPONSES,
  },
});

export const WEBHOOKS = {
  jobEnded: told({
    operationId: 'onJobEnded',
    summary: 'A job has ended',
    description: "To the job's `callback_url`, or to the default receiver where it has none.",
    schema: payload({ job_id: uuid('The job.') }, JOB_STATUSES),
    example: jobPayload,
  }),
  taskEnded: told({
    operationId: 'onTaskEnded',
    summary: 'A task has ended',
    description: "To the task's `callback_url`; a task on its own that has none is told of to the default receiver.",
    schema: payload({ task_id: uuid('The task.') }, TASK_STATUSES),
    example: taskPayload,
  }),
  ping: told({
    operationId: 'onPing',
    summary: 'Somebody tries out whether this receiver can be reached',
    description: 'Once, because of `POST /api/v1/webhooks/test`.',
    schema: Type.Object({
      event: Type.Literal('ping'),
      delivery_id: uuid('The same as `webhook-id`.'),
      sent_at: timestamp('When.'),
    }),
    example: { event: 'ping', delivery_id: DELIVERY_ID, sent_at: '2025-06-02T08:15:31.000Z' },
  }),
};
