import { describe, expect, it } from 'vitest';
import { GleanerError } from '../../src/domain/errors.js';
import { brokenPage, noRecordPage, recordPage } from '../support/court.js';
import { allBut, POLL, useCourtDesk } from '../support/court-desk.js';
import { courtWish, openCourtRun, untilRun } from '../support/court-engine.js';

describe('the attempts of a run', () => {
  const desk = useCourtDesk('run-attempts');

  it('are on the disk while the run goes on, as soon as they have ended', async () => {
    let hold = (): void => {};
    const held = new Promise<void>((resolve) => {
      hold = resolve;
    });
    const court = await desk.start({
      queue: { laneWidth: () => 1 },
      fetch: async (id, request, signal) => {
        if (court.asked.length > 3) await held;
        return allBut('IMM-9-25')(id, request, signal);
      },
    });
    const runId = await openCourtRun(court, courtWish(1, 9));
    const told = () =>
      desk
        .attempts(runId)
        .map(({ job_id }) => job_id)
        .sort();
    await expect.poll(() => court.asked.length, POLL).toBe(4);
    await expect.poll(told, POLL).toEqual(court.asked.slice(0, 3).sort());
    hold();
    await expect.poll(told, POLL).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((n) => `IMM-${n}-25`));
    // What is in the file is kept nowhere else.
    await expect.poll(() => court.store.plans.attemptNotes(runId, 10), POLL).toEqual([]);
    expect((await untilRun(court, runId, () => true)).job.completedAt).toBeNull();
  });

  it('say which case, the how manieth visit, how it ended, with which status and why', async () => {
    let isSlowedDown = false;
    const court = await desk.start({
      queue: { laneWidth: () => 1 },
      parts: { maxAttempts: 1 },
      fetch: async (id) => {
        if (id === 'IMM-1-25' && !isSlowedDown) {
          isSlowedDown = true;
          throw new GleanerError('rate_limited', 'court.example answered 429.', { httpStatus: 429 });
        }
        if (id === 'IMM-2-25') return noRecordPage;
        if (id === 'IMM-3-25') return brokenPage;
        if (id === 'IMM-4-25')
          throw new GleanerError('target_client_error', 'court.example answered 410.', { httpStatus: 410 });
        if (id === 'IMM-5-25')
          throw new GleanerError('target_client_error', 'court.example answered 404.', { httpStatus: 404 });
        if (id === 'IMM-6-25') throw new GleanerError('target_timeout', 'court.example took too long.');
        return recordPage(id);
      },
    });
    const runId = await openCourtRun(court, courtWish(1, 6));
    await untilRun(court, runId);
    await desk.end(court);
    const lines = desk.attempts(runId);
    const told = lines.map(({ n: _n, rendered_by: _by, duration_ms: _ms, ts: _ts, error, ...line }) => ({
      ...line,
      error: error?.type ?? null,
    }));
    const line = (number: number, attempt: number, end: string, status: number | null, error: string | null) => ({
      job_id: `IMM-${number}-25`,
      attempt,
      end,
      http_status: status,
      error,
    });
    const byCase = [...told].sort((a, b) =>
      a.job_id < b.job_id ? -1 : a.job_id > b.job_id ? 1 : a.attempt - b.attempt,
    );
    expect(byCase).toEqual([
      line(1, 1, 'retry', 429, 'rate_limited'),
      line(1, 2, 'success', 200, null),
      line(2, 1, 'no-record', 200, null),
      line(3, 1, 'failed', 200, 'error_page'),
      line(4, 1, 'failed', 410, 'target_client_error'),
      line(5, 1, 'no-record', 404, null),
      line(6, 1, 'failed', null, 'target_timeout'),
    ]);
    expect(lines.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    for (const { rendered_by, duration_ms, ts } of lines) {
      expect(rendered_by).toBe('http');
      expect(duration_ms).toBeGreaterThanOrEqual(0);
      expect(new Date(ts).toISOString()).toBe(ts);
    }
    const timedOut = lines.find(({ job_id }) => job_id === 'IMM-6-25');
    expect(timedOut?.error).toEqual({ type: 'target_timeout', message: 'court.example took too long.' });
  });
});
