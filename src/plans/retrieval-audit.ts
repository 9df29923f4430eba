import type { RunFacts } from '../domain/plan.js';
import { caseAt, type RetrievalCursor, type RetrievalParams, sizeOf } from '../domain/retrieval.js';

/** What a run came to, for whoever must answer for it. */
export function retrievalAudit(
  params: RetrievalParams,
  cursor: RetrievalCursor,
  facts: RunFacts,
): Record<string, unknown> {
  const ended = cursor.success + cursor.noRecord + cursor.failed;
  const until = facts.endedAt ?? facts.now;
  return {
    run_id: facts.runId,
    adapter: params.adapter,
    status: facts.status,
    start_id: caseAt(params, 0).id,
    end_id: caseAt(params, sizeOf(params) - 1).id,
    last_planned_id: cursor.planned === 0 ? null : caseAt(params, cursor.planned - 1).id,
    ended_early: cursor.hasStopped,
    total: sizeOf(params),
    total_attempted: ended,
    success_count: cursor.success,
    no_record_count: cursor.noRecord,
    failed_count: cursor.failed,
    pending_count: facts.pending,
    cancelled_count: facts.cancelled,
    attempts: facts.attempts,
    errors: cursor.errors,
    started_at: new Date(facts.createdAt).toISOString(),
    ended_at: facts.endedAt === null ? null : new Date(facts.endedAt).toISOString(),
    duration_seconds: Math.round((until - facts.createdAt) / 100) / 10,
    visit_seconds: Math.round(cursor.visitMs / 100) / 10,
    longest_visit_ms: Math.round(cursor.longestMs),
  };
}
