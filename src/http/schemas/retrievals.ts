import { type Static, Type } from '@sinclair/typebox';
import { MAX_CASE_NUMBER } from '../../domain/case-identifier.js';
import { MAX_LISTED, RETRIEVAL_OUTCOMES } from '../../domain/retrieval.js';
import { RENDER_MODES } from '../../domain/task.js';
import { choice, closed, nullable, printable, timestamp, uuid } from './fields.js';
import { PAGE_QUERY, withExample } from './requests.js';

export const RUN_STATUSES = [
  'queued',
  'running',
  'paused',
  'completed',
  'partially_completed',
  'failed',
  'cancelled',
] as const;

const caseNumber = Type.Integer({ minimum: 0, maximum: MAX_CASE_NUMBER });

export const RETRIEVAL_BODY = withExample(
  closed({
    adapter: printable({ minLength: 1, maxLength: 100, description: 'A configured register of cases.' }),
    workspace_id: printable({ minLength: 1, maxLength: 200, description: 'On whose behalf.' }),
    year: Type.Optional(
      Type.String({
        pattern: '^\\d{2}$',
        description: 'Two digits; with `range`.',
        'x-wish': 'of two digits, such as 25',
      }),
    ),
    range: Type.Optional(closed({ from: caseNumber, to: caseNumber }, { description: 'Numbers, both included.' })),
    identifiers: Type.Optional(
      Type.Array(printable({ minLength: 1, maxLength: 40, description: 'Such as IMM-231-25.' }), {
        minItems: 1,
        maxItems: MAX_LISTED,
        description: 'Instead of `year` and `range`.',
      }),
    ),
    render: Type.Optional(choice(RENDER_MODES, { description: "Instead of what the register's description says." })),
    stop_after_no_records: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 100_000,
        description: 'The run ends early after so many cases in a row without a record; 0: never.',
      }),
    ),
    save_html: Type.Optional(Type.Boolean({ default: true, description: 'Keep the pages beside the records.' })),
    callback_url: Type.Optional(
      nullable(
        printable({ minLength: 1, maxLength: 2048, description: 'Absolute http(s) URL leading to a public address.' }),
        'Told when the run ends, as of any job; see Webhooks.',
      ),
    ),
  }),
  { adapter: 'example_court', workspace_id: 'ws_3f9a', year: '25', range: { from: 1, to: 500 } },
);
export type RetrievalBody = Static<typeof RETRIEVAL_BODY>;

export const RUN_PARAMS = Type.Object({ runId: Type.String({ description: 'The id of the run (UUID).' }) });

export const RUN_RESULTS_QUERY = closed({
  ...PAGE_QUERY,
  outcome: Type.Optional(choice(RETRIEVAL_OUTCOMES, { description: 'Only cases with this outcome.' })),
  include: Type.Optional(
    choice(['records'], { description: '`records` adds the record of each case that was found.' }),
  ),
});

export const RunWire = Type.Object(
  {
    run_id: uuid('The id of the run, and of its job.'),
    status: choice(RUN_STATUSES),
    paused_because: nullable(Type.String(), 'Why it rests, where it does.'),
    adapter: Type.String(),
    start_id: Type.String({ description: 'The first case.' }),
    end_id: Type.String({ description: 'The last case.' }),
    ended_early: Type.Boolean({ description: 'Too many cases in a row were without a record.' }),
    total: Type.Integer({ description: 'The sum of the six counts below.' }),
    pending: Type.Integer(),
    running: Type.Integer(),
    success: Type.Integer(),
    no_record: Type.Integer(),
    failed: Type.Integer(),
    cancelled: Type.Integer(),
    attempts: Type.Integer({
      description:
        'Every visit that has come to something or was interrupted, also those that count for no attempt of their case.',
    }),
    errors: Type.Record(Type.String(), Type.Integer(), { description: 'Failed visits by their code.' }),
    created_at: timestamp('When it was accepted.'),
    updated_at: timestamp('When it last changed.'),
    completed_at: nullable(timestamp('When its last case ended.')),
  },
  { $id: 'Run' },
);
export type RunWire = Static<typeof RunWire>;

export const CrawlResultWire = Type.Object(
  {
    case_identifier: Type.Object({ id: Type.String(), year: Type.String(), number: Type.Integer() }),
    outcome: choice(RETRIEVAL_OUTCOMES),
    attempts: Type.Integer({
      minimum: 1,
      description: 'Without visits that a 429 turned away, or that the service broke off itself as it stopped.',
    }),
    last_error: nullable(
      Type.Object({ type: Type.String(), message: Type.String(), ts: timestamp('When it happened.') }),
      'Why it failed, or why it was visited more than once.',
    ),
    saved_path: nullable(Type.String(), 'The record, below the data directory.'),
    html_snapshot: nullable(Type.String(), 'The page, below the data directory.'),
    timestamp: timestamp('When it ended.'),
    record: Type.Optional(nullable(Type.Record(Type.String(), Type.Unknown()), 'Only where it was asked for.')),
  },
  { $id: 'CrawlResult' },
);
export type CrawlResultWire = Static<typeof CrawlResultWire>;

const RUN_ID = '0190b5a2-7c1f-7bbb-8c3d-9e8f7a6b5c55';

export const exampleRun = {
  run_id: RUN_ID,
  status: 'running',
  paused_because: null,
  adapter: 'example_court',
  start_id: 'IMM-1-25',
  end_id: 'IMM-500-25',
  ended_early: false,
  total: 500,
  pending: 412,
  running: 4,
  success: 61,
  no_record: 22,
  failed: 1,
  cancelled: 0,
  attempts: 87,
  errors: { target_server_error: 3 },
  created_at: '2025-06-02T08:15:30.112Z',
  updated_at: '2025-06-02T08:19:12.552Z',
  completed_at: null,
} satisfies RunWire;

export const exampleOpenedRun = { run_id: RUN_ID, total: 500, start_id: 'IMM-1-25', end_id: 'IMM-500-25' };

export const exampleResult = {
  case_identifier: { id: 'IMM-231-25', year: '25', number: 231 },
  outcome: 'success',
  attempts: 1,
  last_error: null,
  saved_path: `retrievals/${RUN_ID}/records/000/IMM-231-25.json`,
  html_snapshot: `retrievals/${RUN_ID}/pages/000/IMM-231-25.html`,
  timestamp: '2025-06-02T08:17:02.120Z',
} satisfies CrawlResultWire;
