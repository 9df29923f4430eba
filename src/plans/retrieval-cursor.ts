import { type RetrievalCursor, type RetrievalParams, sizeOf } from '../domain/retrieval.js';
import type { Task } from '../domain/task.js';
import type { Meaning } from './retrieval-outcome.js';

export const BEGINNING: RetrievalCursor = {
  planned: 0,
  frontier: 0,
  ahead: [],
  streak: 0,
  hasStopped: false,
  success: 0,
  noRecord: 0,
  failed: 0,
  errors: {},
  visitMs: 0,
  longestMs: 0,
};

/** How far beyond the first case that is still open a run that may end early goes: what it remembers is bounded by it. */
const MOST_AHEAD = 1_000;
/** Codes are a closed list; this only keeps a fault of ours from growing the cursor. */
const MOST_CODES = 100;

/** The place up to which may be planned for now. */
export function mostPlanned(params: RetrievalParams, cursor: RetrievalCursor): number {
  if (cursor.hasStopped) return cursor.planned;
  const size = sizeOf(params);
  return params.stopAfterNoRecords > 0 ? Math.min(size, cursor.frontier + MOST_AHEAD) : size;
}

interface Visited {
  visited: Task;
  meaning: Meaning;
}

export function learnOutcome(
  params: RetrievalParams,
  cursor: RetrievalCursor,
  { visited, meaning }: Visited,
): RetrievalCursor {
  const { outcome } = meaning;
  const counted = withVisit(cursor, visited, meaning);
  if (outcome === null) return counted;
  const told = {
    ...counted,
    success: counted.success + (outcome === 'success' ? 1 : 0),
    noRecord: counted.noRecord + (outcome === 'no-record' ? 1 : 0),
    failed: counted.failed + (outcome === 'failed' ? 1 : 0),
  };
  if (params.stopAfterNoRecords === 0) return told;
  return advance(params, { ...told, ahead: [...told.ahead, [visited.seq, outcome === 'no-record']] });
}

function withVisit(cursor: RetrievalCursor, visited: Task, meaning: Meaning): RetrievalCursor {
  const tookMs = visited.meta?.durationMs ?? 0;
  const code = errorOf(visited, meaning);
  // A visit that we broke off ourselves is nobody's error.
  const isError = code !== null && code !== 'shutting_down';
  const isCounted = isError && (code in cursor.errors || Object.keys(cursor.errors).length < MOST_CODES);
  return {
    ...cursor,
    errors: isCounted ? { ...cursor.errors, [code]: (cursor.errors[code] ?? 0) + 1 } : cursor.errors,
    visitMs: cursor.visitMs + tookMs,
    longestMs: Math.max(cursor.longestMs, tookMs),
  };
}

/** What the visit failed with; a status by which the register says that there is no such case is no failure. */
function errorOf({ status, code, meta }: Task, { outcome, error }: Meaning): string | null {
  if (outcome !== null && outcome !== 'failed') return null;
  if (error) return error.type;
  if (status === 'completed') return null;
  // Cancelled on its way to the next try: why it needed one.
  return (status === 'cancelled' ? null : code) ?? meta?.lastError?.type ?? null;
}

/**
 * In a row means in the order of the cases, not in the order in which their visits happened to end: so the streak is
 * counted along the frontier. What failed might have been there, and ends a streak.
 */
function advance(params: RetrievalParams, cursor: RetrievalCursor): RetrievalCursor {
  const ended = new Map(cursor.ahead);
  let { frontier, streak, hasStopped } = cursor;
  for (let isNoRecord = ended.get(frontier); isNoRecord !== undefined; isNoRecord = ended.get(frontier)) {
    ended.delete(frontier);
    frontier += 1;
    streak = isNoRecord ? streak + 1 : 0;
    hasStopped ||= streak >= params.stopAfterNoRecords;
  }
  return { ...cursor, frontier, streak, hasStopped, ahead: [...ended] };
}
