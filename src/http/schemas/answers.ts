import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { type AdapterRegistry, FORMATS, PAGE_NOTES } from '../../domain/adapter.js';
import { ERROR_TABLE, type ErrorCode } from '../../domain/errors.js';
import { JOB_STATUSES } from '../../domain/job.js';
import { RENDER_MODES, TASK_STATUSES } from '../../domain/task.js';
import { choice, nullable, timestamp, uuid } from './fields.js';

const text = (description?: string) => Type.String(description === undefined ? {} : { description });
const whole = (description?: string) => Type.Integer(description === undefined ? {} : { description });

export const RobotsWire = Type.Object(
  {
    allowed: Type.Boolean(),
    basis: choice(['rules', 'absent', 'unreachable', 'policy_off']),
    robots_url: nullable(text()),
    http_status: nullable(whole()),
    rule: nullable(text('The line that decided, if one did.')),
    fetched_at: nullable(timestamp('When the file was read.')),
    crawl_delay_seconds: nullable(Type.Number()),
  },
  { $id: 'RobotsEvidence', description: 'What robots.txt said about the URL, and what that rests on.' },
);

export const FieldSourceWire = Type.Object(
  {
    source: text('Where the value was read, such as `json-ld`, `label` or `heading`.'),
    confidence: Type.Number({ minimum: 0, maximum: 1, description: 'Below 0.5 a field is null.' }),
    agreeing: Type.Array(text(), { description: 'The other places that say the same.' }),
  },
  { $id: 'FieldSource', description: 'Why a field has its value.' },
);

export const VisitMetaWire = Type.Object(
  {
    rendered_by: nullable(choice(['http', 'browser'])),
    final_url: nullable(text('Where the redirects ended.')),
    http_status: nullable(whole('What the target answered.')),
    duration_ms: nullable(Type.Number()),
    adapter: nullable(text()),
    adapter_version: nullable(text()),
    content_hash: nullable(text('Of the bytes the record was read from.')),
    quality: nullable(
      choice(['ok', 'partial', 'empty']),
      '`partial`: the key field is missing or something found was not valid. `empty`: nothing of the kind is there.',
    ),
    provenance: Type.Record(Type.String(), refTo(FieldSourceWire), { description: 'Per field that is not null.' }),
    dropped_fields: Type.Array(text(), { description: 'Fields that were found but could not be made valid.' }),
    notes: Type.Array(choice(PAGE_NOTES), { description: 'What the page is, if not one item of the wanted kind.' }),
    page_sign: nullable(text('What a page that is not the content was known by, such as `cloudflare_challenge`.')),
    proxy: nullable(text()),
    robots: nullable(refTo(RobotsWire)),
  },
  { $id: 'VisitMeta', description: 'How the last visit went and how the result came to be.' },
);

const ERROR_CODES = Object.keys(ERROR_TABLE) as ErrorCode[];

const errorTable = [
  'The closed list of error codes.',
  '',
  '| code | status | retryable | meaning |',
  '| --- | --- | --- | --- |',
  ...ERROR_CODES.map((code) => {
    const { status, retryable, meaning } = ERROR_TABLE[code];
    return `| \`${code}\` | ${status} | ${retryable ? 'yes' : 'no'} | ${meaning} |`;
  }),
].join('\n');

export const ErrorCodeWire = choice(ERROR_CODES, { $id: 'ErrorCode', description: errorTable });

const taskFields = (targetType: TSchema) => ({
  task_id: uuid('The id of the task.'),
  job_id: nullable(uuid('The job it belongs to.')),
  status: choice(TASK_STATUSES),
  target_type: Type.Unsafe<string>(targetType),
  target_url: text(),
  workspace_id: text(),
  requested_fields: nullable(Type.Array(text())),
  render: choice(RENDER_MODES),
  formats: nullable(Type.Array(choice(FORMATS))),
  attempts: whole('Visits that count against the retry limit.'),
  created_at: timestamp('When it was accepted.'),
  started_at: nullable(timestamp('When its last visit began.')),
  completed_at: nullable(timestamp('When it ended.')),
  not_before: nullable(timestamp('It waits until then.')),
  result: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Only of a completed task.' })),
  error: Type.Optional(text('One sentence; only of a failed or cancelled task.')),
  code: Type.Optional(refTo(ErrorCodeWire)),
  meta: nullable(refTo(VisitMetaWire)),
});

/** The type of a task on the wire; its schema with the known target types and records comes from `taskWire`. */
const TaskShape = Type.Object(taskFields(Type.String()));
export type TaskWire = Static<typeof TaskShape>;
export type VisitMetaWire = Static<typeof VisitMetaWire>;
export type RobotsWire = Static<typeof RobotsWire>;

export function taskWire(adapters: AdapterRegistry): TSchema {
  const records = adapters.types().map((type) => Type.Ref(recordId(type)));
  const result = Type.Optional(Type.Unsafe({ anyOf: records, description: 'The record; only of a completed task.' }));
  return Type.Object({ ...taskFields(choice(adapters.types())), result }, { $id: 'Task' });
}

/** The record of each target type, as its adapter describes it. With `requested_fields` only those are there. */
export const recordsWire = (adapters: AdapterRegistry): TSchema[] =>
  adapters.types().map((type) => Type.Partial(adapters.get(type)!.schema, { $id: recordId(type), title: type }));

const recordId = (targetType: string): string =>
  `${targetType
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}Record`;

export const JobWire = Type.Object(
  {
    job_id: uuid('The id of the job.'),
    status: choice(JOB_STATUSES),
    total_tasks: whole('The sum of the five counts below, at any moment.'),
    queued_tasks: whole(),
    running_tasks: whole(),
    completed_tasks: whole(),
    failed_tasks: whole(),
    cancelled_tasks: whole(),
    created_at: timestamp('When it was accepted.'),
    updated_at: timestamp('When it last changed.'),
    completed_at: nullable(timestamp('When its last task ended.')),
  },
  { $id: 'Job' },
);
export type JobWire = Static<typeof JobWire>;

export const QueuedWire = Type.Object({
  task_id: uuid('Poll it at Location.'),
  status: choice(['queued', 'running']),
  not_before: Type.Optional(timestamp('It waits for its turn until then, as far as is known.')),
});

export const OpenedJobWire = Type.Object({
  job_id: uuid('Poll it at Location.'),
  total_tasks: whole(),
  task_ids: Type.Array(uuid('In the order of the targets.')),
});

export const pageOf = (item: TSchema): TSchema =>
  Type.Object({ items: Type.Array(item), next_cursor: nullable(text(), 'For the next page; null on the last.') });

/** A reference by id in the document, the full type in the code. */
export function refTo<T extends TSchema>(schema: T) {
  return Type.Unsafe<Static<T>>(Type.Ref(schema.$id!));
}
