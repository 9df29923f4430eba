import { describe, expect, it } from 'vitest';
import type { RetrievalParams } from '../../src/domain/retrieval.js';
import { EMPTY_META } from '../../src/domain/task.js';
import { retrievalAudit } from '../../src/plans/retrieval-audit.js';
import { BEGINNING, learnOutcome } from '../../src/plans/retrieval-cursor.js';
import { aTask } from '../support/tasks.js';

const params: RetrievalParams = {
  adapter: 'court',
  workspaceId: 'ws',
  render: 'http',
  cases: { prefix: 'IMM', year: '25', from: 11, to: 30 },
  stopAfterNoRecords: 0,
  saveHtml: true,
};
const cursor = {
  ...BEGINNING,
  planned: 9,
  success: 4,
  noRecord: 2,
  failed: 1,
  errors: { target_timeout: 3 },
  visitMs: 12_340.4,
  longestMs: 4_567.8,
};
const began = Date.UTC(2025, 10, 28, 8, 0, 0);
const facts = {
  runId: 'run',
  status: 'paused',
  createdAt: began,
  endedAt: null,
  now: began + 61_234,
  attempts: 10,
  pending: 2,
  cancelled: 0,
} as const;

describe('the audit of a run', () => {
  it('says everything about a run that goes on or rests', () => {
    expect(retrievalAudit(params, cursor, facts)).toEqual({
      run_id: 'run',
      adapter: 'court',
      status: 'paused',
      start_id: 'IMM-11-25',
      end_id: 'IMM-30-25',
      last_planned_id: 'IMM-19-25',
      ended_early: false,
      total: 20,
      total_attempted: 7,
      success_count: 4,
      no_record_count: 2,
      failed_count: 1,
      pending_count: 2,
      cancelled_count: 0,
      attempts: 10,
      errors: { target_timeout: 3 },
      started_at: '2025-11-28T08:00:00.000Z',
      ended_at: null,
      duration_seconds: 61.2,
      visit_seconds: 12.3,
      longest_visit_ms: 4_568,
    });
  });

  it('says when a run ended, whether it did so early, and what was cancelled', () => {
    const over = { ...facts, status: 'cancelled', endedAt: began + 30_000, pending: 0, cancelled: 13 } as const;
    expect(retrievalAudit(params, { ...cursor, hasStopped: true }, over)).toMatchObject({
      status: 'cancelled',
      ended_early: true,
      ended_at: '2025-11-28T08:00:30.000Z',
      // Until it ended, not until somebody wrote this.
      duration_seconds: 30,
      pending_count: 0,
      cancelled_count: 13,
    });
    expect(retrievalAudit(params, BEGINNING, facts).last_planned_id).toBeNull();
  });

  it('adds up what the visits took, and counts as errors what was no doing of ours', () => {
    const visits = [
      { status: 'queued', code: 'target_timeout', durationMs: 700 },
      { status: 'queued', code: 'shutting_down', durationMs: 100 },
      { status: 'failed', code: 'error_page', durationMs: 900 },
      { status: 'completed', code: 'target_timeout', durationMs: 300 },
    ] as const;
    let learnt = BEGINNING;
    for (const { status, code, durationMs } of visits) {
      const lastError = { type: code, message: code, ts: 1 };
      const visited = aTask({
        status,
        code: status === 'failed' ? code : null,
        meta: { ...EMPTY_META, durationMs, lastError },
      });
      const outcome = status === 'completed' ? 'success' : status === 'failed' ? 'failed' : null;
      learnt = learnOutcome(params, learnt, { visited, meaning: { outcome, error: null } });
    }
    expect(learnt).toMatchObject({
      success: 1,
      failed: 1,
      noRecord: 0,
      errors: { target_timeout: 1, error_page: 1 },
      visitMs: 2_000,
      longestMs: 900,
    });
  });
});
