import { parseCase } from '../domain/case-identifier.js';
import type { Outcome } from '../domain/outcome.js';
import {
  caseAt,
  type RetrievalCursor,
  type RetrievalOutcome,
  type RetrievalParams,
  sizeOf,
} from '../domain/retrieval.js';
import type { PlannedJob } from '../ports/plans.js';
import { iso, isoOrNull } from './iso.js';
import type { CrawlResultWire, RetrievalBody, RunWire } from './schemas/retrievals.js';

/** What a caller asks for, in the plan's words. */
export const wishFromWire = (body: RetrievalBody) => ({
  adapter: body.adapter,
  workspaceId: body.workspace_id,
  prefix: null,
  year: body.year ?? null,
  range: body.range ?? null,
  identifiers: body.identifiers ?? null,
  render: body.render ?? null,
  stopAfterNoRecords: body.stop_after_no_records ?? null,
  saveHtml: body.save_html ?? null,
});

export function runToWire(planned: PlannedJob): RunWire {
  const { job, attempts } = planned;
  const params = planned.params as RetrievalParams;
  const cursor = planned.cursor as RetrievalCursor;
  const rests = planned.paused !== null && job.completedAt === null && job.status !== 'cancelled';
  return {
    run_id: job.id,
    status: rests ? 'paused' : job.status,
    paused_because: rests ? planned.paused : null,
    adapter: params.adapter,
    ...endsOf(params),
    ended_early: cursor.hasStopped,
    total: job.counts.total,
    pending: job.counts.queued,
    running: job.counts.running,
    success: cursor.success,
    no_record: cursor.noRecord,
    failed: cursor.failed,
    cancelled: job.counts.cancelled,
    attempts,
    errors: cursor.errors,
    created_at: iso(job.createdAt),
    updated_at: iso(job.updatedAt),
    completed_at: isoOrNull(job.completedAt),
  };
}

export const openedToWire = ({ job, params }: PlannedJob) => ({
  run_id: job.id,
  total: job.counts.total,
  ...endsOf(params as RetrievalParams),
});

const endsOf = (params: RetrievalParams): { start_id: string; end_id: string } => ({
  start_id: caseAt(params, 0).id,
  end_id: caseAt(params, sizeOf(params) - 1).id,
});

export function resultToWire(outcome: Outcome): CrawlResultWire {
  const { name, lastError, files } = outcome;
  const one = parseCase(name);
  return {
    case_identifier: { id: name, year: one?.year ?? '', number: one?.number ?? 0 },
    outcome: outcome.outcome as RetrievalOutcome,
    attempts: outcome.attempts,
    last_error: lastError && { type: lastError.type, message: lastError.message, ts: iso(lastError.ts) },
    saved_path: files.record,
    html_snapshot: files.page,
    timestamp: iso(outcome.at),
  };
}
