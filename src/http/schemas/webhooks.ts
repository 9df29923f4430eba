import { type Static, Type } from '@sinclair/typebox';
import { DELIVERY_STATUSES, type EventName } from '../../domain/delivery.js';
import { JOB_ID } from './examples.js';
import { choice, closed, nullable, printable, timestamp, uuid } from './fields.js';
import { idFilter, PAGE_QUERY, time, withExample } from './requests.js';
import { CALLBACK_URL } from './webhook-examples.js';

const text = (description: string) => Type.String({ description });
const whole = (description: string) => Type.Integer({ description });

const EVENT_NAMES = [
  'job.completed',
  'job.partially_completed',
  'job.failed',
  'job.cancelled',
  'task.completed',
  'task.failed',
  'task.cancelled',
  'ping',
] as const satisfies readonly EventName[];

export const DELIVERY_PARAMS = Type.Object({
  deliveryId: Type.String({ description: 'The id of the delivery (UUID); receivers know it as `webhook-id`.' }),
});

const receiver = () =>
  printable({
    minLength: 1,
    maxLength: 2048,
    description: 'Only this receiver: any http(s) URL, of which the origin counts.',
  });

export const DELIVERIES_QUERY = closed({
  ...PAGE_QUERY,
  job_id: Type.Optional(idFilter('Only what tells of this job or its tasks.')),
  task_id: Type.Optional(idFilter('Only what tells of this task.')),
  status: Type.Optional(choice(DELIVERY_STATUSES, { description: 'Only deliveries in this state.' })),
  receiver: Type.Optional(receiver()),
  since: Type.Optional(time('Only deliveries created at or after this time (ISO 8601).')),
});

const redeliverExample = {
  since: '2025-06-02T00:00:00Z',
  status: 'dead',
  receiver: 'https://hooks.example.net',
  job_id: JOB_ID,
};

export const REDELIVER_BODY = withExample(
  closed({
    since: time('Only deliveries created at or after this time (ISO 8601).'),
    status: Type.Optional(
      choice(DELIVERY_STATUSES, { default: 'dead', description: 'Only deliveries in this state.' }),
    ),
    receiver: Type.Optional(receiver()),
    job_id: Type.Optional(idFilter('Only what tells of this job or its tasks.')),
  }),
  redeliverExample,
);

export const TEST_BODY = withExample(
  closed({
    url: printable({
      minLength: 1,
      maxLength: 2048,
      description: 'Absolute http(s) URL without credentials, leading to a public address.',
    }),
  }),
  { url: CALLBACK_URL },
);

const deliveryFields = {
  delivery_id: uuid('The same in every attempt; receivers know it as `webhook-id`.'),
  event: choice(EVENT_NAMES, { description: 'What it tells of; receivers know it as `X-Webhook-Event`.' }),
  job_id: nullable(uuid('The job it tells of or, with a task, the job of that task.')),
  task_id: nullable(uuid('The task it tells of.')),
  receiver: text('The origin of the URL it goes to. The whole URL may hold a secret and is not shown.'),
  status: choice(DELIVERY_STATUSES, {
    description:
      '`pending`: there will be an attempt. `delivered`: the receiver answered 2xx. `dead`: given up; it can be redelivered.',
  }),
  attempts: whole('Begun, ever.'),
  failed_attempts: whole('Since it was opened or last redelivered.'),
  next_attempt_at: nullable(timestamp('Only while pending.')),
  created_at: timestamp('When what it tells of happened.'),
  ended_at: nullable(timestamp('When it was delivered or given up.')),
  last_http_status: nullable(whole('What the receiver answered to the last attempt, if it did.')),
  last_error: nullable(text('Why the last attempt failed, in one sentence.')),
};

export const DeliveryWire = Type.Object(deliveryFields, {
  $id: 'Delivery',
  description: 'One event to tell one receiver.',
});

const AttemptWire = Type.Object({
  attempt: whole('From 1; receivers know it as `X-Webhook-Attempt`.'),
  started_at: timestamp('When it began.'),
  http_status: nullable(whole('What the receiver answered, if it did.')),
  duration_ms: nullable(Type.Number({ description: 'Null while it is under way.' })),
  error: nullable(text('One sentence; null if it went well or is under way.')),
});

export const DeliveryReportWire = Type.Object(
  { ...deliveryFields, history: Type.Array(AttemptWire, { description: 'Every attempt, in order.' }) },
  { $id: 'DeliveryReport', description: 'A delivery and everything that was tried.' },
);

export const RedeliveredWire = Type.Object({ redelivered: whole('How many are due again.') });

export type DeliveryWire = Static<typeof DeliveryWire>;
export type DeliveryReportWire = Static<typeof DeliveryReportWire>;
export type DeliveriesQuery = Static<typeof DELIVERIES_QUERY>;
