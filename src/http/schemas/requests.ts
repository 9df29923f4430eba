import { type Static, Type } from '@sinclair/typebox';
import { type AdapterRegistry, FORMATS, fieldsOf } from '../../domain/adapter.js';
import { JOB_STATUSES } from '../../domain/job.js';
import { RENDER_MODES } from '../../domain/task.js';
import { TARGET_URL, WORKSPACE_ID } from './examples.js';
import { choice, closed, nullable, printable } from './fields.js';

export const DEFAULT_TIMEOUT_SECONDS = 60;
export const DEFAULT_PAGE_SIZE = 50;
export const MAX_BATCH_SIZE = 100;

const example = {
  target_type: 'job_posting',
  target_url: TARGET_URL,
  workspace_id: WORKSPACE_ID,
  requested_fields: ['job_title', 'company_name'],
};

/** The bodies a caller may send. Which target types and fields exist is known only to the registry. */
export function requestBodies(adapters: AdapterRegistry) {
  const target = targetFields(adapters);
  const timeoutSeconds = Type.Integer({
    minimum: 5,
    maximum: 120,
    default: DEFAULT_TIMEOUT_SECONDS,
    description: 'How long to wait for the result before the answer becomes 202.',
  });
  const targets = Type.Array(closed(target), { minItems: 1, maxItems: MAX_BATCH_SIZE });
  return {
    scrape: withExample(closed(target), { ...example, render: 'auto' }),
    sync: withExample(closed({ ...target, timeout_seconds: Type.Optional(timeoutSeconds) }), {
      ...example,
      timeout_seconds: 30,
    }),
    batch: withExample(closed({ targets, callback_url: Type.Optional(callbackUrl(TOLD_OF_JOB)) }), {
      targets: [
        example,
        { target_type: 'company_website', target_url: 'https://www.example.com/', workspace_id: WORKSPACE_ID },
      ],
      callback_url: 'https://hooks.example.net/gleaner',
    }),
  };
}

type Bodies = ReturnType<typeof requestBodies>;
export type ScrapeBody = Static<Bodies['scrape']>;

function targetFields(adapters: AdapterRegistry) {
  const fields = adapters.types().map((type) => `- \`${type}\`: ${fieldsOf(adapters.get(type)!).join(', ')}`);
  const formatted = adapters.types().filter((type) => adapters.get(type)?.formats);
  return {
    target_type: choice(adapters.types(), { description: 'What kind of page it is; decides which fields are read.' }),
    target_url: printable({
      minLength: 1,
      maxLength: 2048,
      description: 'Absolute http(s) URL without credentials, leading to a public address.',
    }),
    workspace_id: printable({ minLength: 1, maxLength: 200, description: 'On whose behalf.' }),
    requested_fields: Type.Optional(
      nullable(
        Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: 100, uniqueItems: true }),
        `Only these fields are returned; all of them by default.\n${fields.join('\n')}`,
      ),
    ),
    callback_url: Type.Optional(callbackUrl(TOLD_OF_TASK)),
    render: Type.Optional(
      choice(RENDER_MODES, {
        default: 'auto',
        description: '`auto` tries plain HTTP first and opens a browser only where the page needs one.',
      }),
    ),
    formats: Type.Optional(
      nullable(
        Type.Array(choice(FORMATS), { minItems: 1, maxItems: FORMATS.length, uniqueItems: true }),
        `What content to bring, ${formatted.map((type) => `\`${type}\``).join(', ')} only: each is a field of the record. \`text\` by default. A screenshot takes a browser.`,
      ),
    ),
  };
}

const TOLD_OF_TASK =
  'Told when the task ends, whatever its end; see Webhooks. Of a target in a batch: told of that task, in addition to ' +
  'whoever is told of the job. A task on its own that names none is told of to the default receiver, if there is one.';
const TOLD_OF_JOB =
  'Told when the job ends, whatever its end, with the results; see Webhooks. A job that names none is told of to the ' +
  'default receiver, if there is one.';

const callbackUrl = (description: string) =>
  nullable(
    printable({ minLength: 1, maxLength: 2048, description: 'Absolute http(s) URL leading to a public address.' }),
    description,
  );

export const withExample = <T extends object>(schema: T, value: unknown): T => ({ ...schema, examples: [value] });

// Ids are checked by the handlers: a malformed one is simply an id that no task has.
export const TASK_PARAMS = Type.Object({ taskId: Type.String({ description: 'The id of the task (UUID).' }) });
export const JOB_PARAMS = Type.Object({ jobId: Type.String({ description: 'The id of the job (UUID).' }) });

export const TASK_QUERY = closed({
  wait: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 120, default: 0, description: 'Seconds to wait for the end of the task.' }),
  ),
});

export const PAGE_QUERY = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: DEFAULT_PAGE_SIZE, description: 'Page size.' }),
  ),
  cursor: Type.Optional(
    printable({ minLength: 1, maxLength: 500, description: '`next_cursor` of the page before; opaque.' }),
  ),
};

const TIME = '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:\\d{2}))?$';
export const time = (description: string) =>
  Type.String({
    pattern: TIME,
    minLength: 10,
    maxLength: 40,
    description,
    'x-wish': 'such as 2025-06-02 or 2025-06-02T08:15:30Z (in a query, a `+` is written %2B)',
  });

const UUID = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';
/** Unlike in a path, where a malformed id is simply nowhere, here it is a slip that would silently match nothing. */
export const idFilter = (description: string) =>
  Type.String({ pattern: UUID, description, 'x-wish': 'that is a UUID' });

export const JOBS_QUERY = closed({
  ...PAGE_QUERY,
  status: Type.Optional(choice(JOB_STATUSES, { description: 'Only jobs in this state.' })),
  created_after: Type.Optional(time('Only jobs created at or after this time (ISO 8601).')),
  created_before: Type.Optional(time('Only jobs created before this time (ISO 8601).')),
});

export const RESULTS_QUERY = closed({
  ...PAGE_QUERY,
  include: Type.Optional(choice(['failed'], { description: '`failed` adds the failed tasks with their codes.' })),
});
