import { type Static, Type } from '@sinclair/typebox';
import { type CaseIdentifier, caseIdentifier, MAX_CASE_NUMBER, parseCase } from './case-identifier.js';
import { RENDER_MODES } from './task.js';

export const RETRIEVAL = 'retrieval';

/** What became of a case. That there is no such record is an answer, not a failure. */
export const RETRIEVAL_OUTCOMES = ['success', 'no-record', 'failed'] as const;
export type RetrievalOutcome = (typeof RETRIEVAL_OUTCOMES)[number];

/** A list that is longer is a range, or several runs. */
export const MAX_LISTED = 10_000;

const number = Type.Integer({ minimum: 0, maximum: MAX_CASE_NUMBER });
const count = Type.Integer({ minimum: 0 });

/** What a run is about, as it is kept. Either a range of one year or a list; never both. */
export const RetrievalParams = Type.Object(
  {
    adapter: Type.String({ minLength: 1, maxLength: 100 }),
    workspaceId: Type.String({ minLength: 1, maxLength: 200 }),
    render: Type.Union(RENDER_MODES.map((mode) => Type.Literal(mode))),
    cases: Type.Union([
      Type.Object(
        { prefix: Type.String(), year: Type.String({ pattern: '^\\d{2}$' }), from: number, to: number },
        { additionalProperties: false },
      ),
      Type.Array(Type.String(), { minItems: 1, maxItems: MAX_LISTED }),
    ]),
    /** So many cases in a row without a record end the run; 0: never. */
    stopAfterNoRecords: count,
    saveHtml: Type.Boolean(),
  },
  { additionalProperties: false },
);
export type RetrievalParams = Static<typeof RetrievalParams>;

/** How far a run has come, and what it has seen. */
export const RetrievalCursor = Type.Object(
  {
    planned: count,
    /** Every case before this one has ended. Followed only where a run may end early. */
    frontier: count,
    /** Those beyond it that have ended, and whether they were without a record. */
    ahead: Type.Array(Type.Tuple([count, Type.Boolean()])),
    /** Cases without a record in a row, up to the frontier. */
    streak: count,
    hasStopped: Type.Boolean(),
    success: count,
    noRecord: count,
    failed: count,
    /** Failed visits by their code, those that were repeated included. */
    errors: Type.Record(Type.String(), count),
    visitMs: Type.Number({ minimum: 0 }),
    longestMs: Type.Number({ minimum: 0 }),
  },
  { additionalProperties: false },
);
export type RetrievalCursor = Static<typeof RetrievalCursor>;

export const sizeOf = ({ cases }: RetrievalParams): number =>
  Array.isArray(cases) ? cases.length : cases.to - cases.from + 1;

/** The case at a place of the run. */
export function caseAt({ cases }: RetrievalParams, seq: number): CaseIdentifier {
  if (!Array.isArray(cases)) return caseIdentifier(cases.prefix, cases.from + seq, cases.year);
  const listed = parseCase(cases[seq] ?? '');
  if (!listed) throw new Error(`The run has no case at place ${seq}.`);
  return listed;
}
