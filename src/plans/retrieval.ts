import type { CaseBook } from '../domain/case-adapter.js';
import { CASE_YEAR, caseShape, MAX_CASE_NUMBER, parseCase } from '../domain/case-identifier.js';
import type { FieldFault } from '../domain/errors.js';
import type { Plan, PlanTarget } from '../domain/plan.js';
import { caseAt, MAX_LISTED, RETRIEVAL, RetrievalCursor, RetrievalParams, sizeOf } from '../domain/retrieval.js';
import type { RenderMode } from '../domain/task.js';
import { retrievalAudit } from './retrieval-audit.js';
import { BEGINNING, learnOutcome, mostPlanned } from './retrieval-cursor.js';
import { meaningOf } from './retrieval-outcome.js';

/** A run as a caller asks for it. */
export interface RetrievalWish {
  adapter: string;
  workspaceId: string;
  /** The series, where the caller names it: it must be the register's. */
  prefix: string | null;
  year: string | null;
  range: { from: number; to: number } | null;
  identifiers: readonly string[] | null;
  /** `null` leaves it to the register's description. */
  render: RenderMode | null;
  /** `null` leaves it to the settings. */
  stopAfterNoRecords: number | null;
  saveHtml: boolean | null;
}

export interface RetrievalParts {
  cases: CaseBook;
  /** Where the caller does not say. */
  stopAfterNoRecords: number;
}

/** The cases of a register, one visit each: found, no record, or failed. */
export function createRetrieval(parts: RetrievalParts): Plan<RetrievalWish, RetrievalParams, RetrievalCursor> {
  return {
    kind: RETRIEVAL,
    paramsSchema: RetrievalParams,
    cursorSchema: RetrievalCursor,
    admit: (wish) => admit(wish, parts),
    begin: () => BEGINNING,
    total: (params, cursor) => (cursor.hasStopped ? cursor.planned : sizeOf(params)),
    planned: (cursor) => cursor.planned,
    agrees: ({ success, noRecord, failed }, outcomes) => {
      const { success: found = 0, 'no-record': none = 0, failed: lost = 0, ...others } = Object.fromEntries(outcomes);
      // Together: in the first version of the file both were only known to have succeeded.
      return found + none === success + noRecord && lost === failed && Object.keys(others).length === 0;
    },
    nameOf: (params, seq) => caseAt(params, seq).id,
    seqOf,
    targetAt: (params, seq) => targetAt(params, seq, parts.cases),
    next: (params, cursor, room) => next(params, cursor, { room, cases: parts.cases }),
    learn(params, cursor, visited) {
      const meaning = meaningOf(visited, parts.cases.get(params.adapter)?.noRecordStatuses ?? []);
      return { ...meaning, cursor: learnOutcome(params, cursor, { visited, meaning }) };
    },
    keeps: (params, { isRecord, isPage, notes }) => ({
      record: isRecord && notes.length === 0,
      // A page without a record says nothing that its outcome does not; a broken one is what somebody will ask for.
      page: params.saveHtml && isPage && !notes.includes('no_record'),
    }),
    audit: retrievalAudit,
  };
}

function next(
  params: RetrievalParams,
  cursor: RetrievalCursor,
  { room, cases }: { room: number; cases: CaseBook },
): { targets: PlanTarget[]; cursor: RetrievalCursor } {
  const until = Math.min(cursor.planned + room, mostPlanned(params, cursor));
  if (until <= cursor.planned) return { targets: [], cursor };
  const targets = Array.from({ length: until - cursor.planned }, (_, index) => {
    const seq = cursor.planned + index;
    return { seq, spec: targetAt(params, seq, cases) };
  });
  return { targets, cursor: { ...cursor, planned: until } };
}

function targetAt(params: RetrievalParams, seq: number, cases: CaseBook): PlanTarget['spec'] {
  const adapter = cases.get(params.adapter);
  if (!adapter) throw new Error(`There is no adapter ${params.adapter} any more.`);
  return {
    targetType: adapter.targetType,
    targetUrl: adapter.urlOf(caseAt(params, seq)),
    workspaceId: params.workspaceId,
    requestedFields: null,
    callbackUrl: null,
    render: params.render,
    formats: null,
  };
}

function seqOf({ cases }: RetrievalParams, name: string): number | null {
  const one = parseCase(name);
  if (one?.id !== name) return null;
  if (Array.isArray(cases)) {
    return placesIn(cases).get(name) ?? null;
  }
  const isWithin = one.prefix === cases.prefix && one.year === cases.year;
  return isWithin && one.number >= cases.from && one.number <= cases.to ? one.number - cases.from : null;
}

const places = new WeakMap<readonly string[], Map<string, number>>();

/** Whoever asks for one place of a list asks for all of them. */
function placesIn(cases: readonly string[]): Map<string, number> {
  const known = places.get(cases) ?? new Map(cases.map((name, place) => [name, place]));
  places.set(cases, known);
  return known;
}

type Cases = RetrievalParams['cases'];

function admit(wish: RetrievalWish, { cases: book, stopAfterNoRecords }: RetrievalParts) {
  const adapter = book.get(wish.adapter);
  const faults: FieldFault[] = [];
  if (!adapter) {
    const known = book.names();
    const message =
      known.length === 0
        ? 'names none: no registers are described (SCRAPER_CASE_RECORDS_PATH)'
        : `must be one of ${known.join(', ')}`;
    faults.push({ field: 'adapter', message, value: wish.adapter });
  }
  const cases = wish.identifiers
    ? listed(wish, adapter?.prefix ?? null, faults)
    : ranged(wish, adapter?.prefix ?? null, faults);
  if (faults.length > 0 || !adapter) return { faults };
  const params: RetrievalParams = {
    adapter: wish.adapter,
    workspaceId: wish.workspaceId,
    render: wish.render ?? adapter.render,
    cases,
    stopAfterNoRecords: wish.stopAfterNoRecords ?? stopAfterNoRecords,
    saveHtml: wish.saveHtml ?? true,
  };
  return { params };
}

function ranged({ year, range, prefix: named }: RetrievalWish, prefix: string | null, faults: FieldFault[]): Cases {
  if (prefix !== null && named !== null && named !== prefix) {
    faults.push({ field: 'range', message: `must be of the series ${prefix}`, value: named });
  }
  if (!range) faults.push({ field: 'range', message: 'is needed where there are no identifiers', value: range });
  if (year === null || !CASE_YEAR.test(year)) {
    faults.push({ field: 'year', message: 'must be two digits, such as 25', value: year });
  }
  const { from = 0, to = 0 } = range ?? {};
  if (from > to)
    faults.push({ field: 'range.to', message: `must be at least range.from, which is ${from}`, value: to });
  for (const [name, value] of Object.entries({ from, to })) {
    if (Number.isInteger(value) && value >= 0 && value <= MAX_CASE_NUMBER) continue;
    faults.push({ field: `range.${name}`, message: `must be a whole number from 0 to ${MAX_CASE_NUMBER}`, value });
  }
  return { prefix: prefix ?? '', year: year ?? '00', from, to };
}

/** As canonical identifiers; each once, since each has one outcome. */
function listed({ identifiers, year, range }: RetrievalWish, prefix: string | null, faults: FieldFault[]): Cases {
  const given = identifiers ?? [];
  if (range) faults.push({ field: 'range', message: 'must be left out where identifiers are listed', value: range });
  if (year !== null)
    faults.push({ field: 'year', message: 'must be left out where identifiers are listed', value: year });
  if (given.length === 0 || given.length > MAX_LISTED) {
    faults.push({ field: 'identifiers', message: `must be 1 to ${MAX_LISTED}`, value: given.length });
  }
  const seen = new Set<string>();
  for (const [index, text] of given.entries()) {
    const one = parseCase(text);
    const fault = !one
      ? caseShape(prefix ?? 'IMM')
      : prefix !== null && one.prefix !== prefix
        ? `must begin with ${prefix}-`
        : seen.has(one.id)
          ? 'must not be there twice'
          : null;
    if (fault) faults.push({ field: `identifiers[${index}]`, message: fault, value: text });
    if (one) seen.add(one.id);
    // Ten say what is wrong with a list.
    if (faults.length >= 10) break;
  }
  return [...seen];
}
