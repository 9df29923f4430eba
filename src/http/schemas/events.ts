import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { JOB_STATUSES } from '../../domain/job.js';
import { TASK_STATUSES } from '../../domain/task.js';
import { ErrorCodeWire, refTo } from './answers.js';
import { JOB_ID, OTHER_TASK_ID, TASK_ID } from './examples.js';
import { choice, closed, timestamp, uuid } from './fields.js';

const LAST_EVENT_ID = 'Only what happened after the event with this number.';

export const EVENTS_QUERY = closed({
  last_event_id: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 999_999_999_999_999,
      description: `${LAST_EVENT_ID} For clients that cannot set headers; the header wins.`,
    }),
  ),
});

/** For the document: the handler reads it. */
export const EVENTS_HEADERS = Type.Object({
  'Last-Event-ID': Type.Optional(
    Type.String({ pattern: '^\\d{1,15}$', description: `${LAST_EVENT_ID} EventSource sends it when it reconnects.` }),
  ),
});

export const TaskEventWire = Type.Object(
  {
    job_id: uuid('The job.'),
    task_id: uuid('The task that changed.'),
    status: choice(TASK_STATUSES, { description: '`queued` again is a visit that will be repeated.' }),
    attempts: Type.Integer({ description: 'Visits that count against the retry limit.' }),
    code: Type.Optional(refTo(ErrorCodeWire)),
    at: timestamp('When.'),
  },
  { $id: 'TaskEvent', description: '`data` of an event `task`.' },
);

export const JobEventWire = Type.Object(
  { job_id: uuid('The job.'), status: choice(JOB_STATUSES), at: timestamp('When.') },
  { $id: 'JobEvent', description: '`data` of an event `job`.' },
);

export type TaskEventWire = Static<typeof TaskEventWire>;
export type JobEventWire = Static<typeof JobEventWire>;

export const taskEventExample = {
  job_id: JOB_ID,
  task_id: OTHER_TASK_ID,
  status: 'failed',
  attempts: 3,
  code: 'target_server_error',
  at: '2025-06-02T08:15:31.020Z',
};

export const jobEventExample = { job_id: JOB_ID, status: 'partially_completed', at: '2025-06-02T08:15:31.020Z' };

const completed = {
  job_id: JOB_ID,
  task_id: TASK_ID,
  status: 'completed',
  attempts: 1,
  at: '2025-06-02T08:15:30.552Z',
};

const STREAM_EXAMPLE = [
  'retry: 2000',
  '',
  'id: 5',
  'event: task',
  `data: ${JSON.stringify(completed)}`,
  '',
  ': keep-alive',
  '',
  'id: 6',
  'event: task',
  `data: ${JSON.stringify(taskEventExample)}`,
  '',
  'id: 7',
  'event: job',
  `data: ${JSON.stringify(jobEventExample)}`,
  '',
  '',
].join('\n');

export const STREAM_CONTENT = {
  'text/event-stream': { schema: Type.String(), example: STREAM_EXAMPLE },
} satisfies Record<string, { schema: TSchema; example: string }>;
