import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createRunFiles } from '../../src/backends/embedded/run-files.js';
import type { Checkpoint } from '../../src/domain/checkpoint.js';
import { RETRIEVAL } from '../../src/domain/retrieval.js';
import { allBut, POLL, untilSettled, useCourtDesk } from '../support/court-desk.js';
import { type CourtEngine, courtWish, openCourtRun, untilRun } from '../support/court-engine.js';
import { VirtualClock } from '../support/virtual-clock.js';

const CHECKPOINT_MS = 5_000;
const CASES = 12;

describe('the checkpoint of a run', () => {
  const desk = useCourtDesk('run-checkpoints');

  /** The last case never ends, and time stands still but for what a checkpoint takes. */
  const startWatched = async ({ takesMs = 0 } = {}) => {
    const clock = new VirtualClock();
    const files = createRunFiles({ dataDir: desk.at(), clock });
    /** When each was begun. */
    const writes: number[] = [];
    let hasBegun = (): void => {};
    const isFirstWritten = new Promise<void>((resolve) => {
      hasBegun = resolve;
    });
    const court = await desk.start({
      clock,
      checkpointMs: CHECKPOINT_MS,
      fetch: async (id, request, signal) => {
        await isFirstWritten;
        return allBut(`IMM-${CASES}-25`)(id, request, signal);
      },
      runFiles: {
        ...files,
        async writeCheckpoint(runId, pieces) {
          writes.push(clock.mono());
          await files.writeCheckpoint(runId, pieces);
          if (takesMs > 0) clock.step(clock.mono() + takesMs);
          hasBegun();
        },
      },
    });
    const runId = await openCourtRun(court, courtWish(1, CASES));
    await untilAllTold(court, runId);
    return { court, clock, runId, writes };
  };
  /** Then the run has given no sign for which its files are still waited for. */
  const untilAllTold = async (court: CourtEngine, runId: string): Promise<void> => {
    await untilRun(court, runId, ({ ended }) => ended === CASES - 1);
    await expect.poll(() => desk.attempts(runId).length, POLL).toBe(CASES - 1);
    await expect.poll(() => court.store.plans.attemptNotes(runId, 10), POLL).toEqual([]);
  };
  const endedIn = ({ jobs }: Checkpoint): number => jobs.filter(({ state }) => state === 'succeeded').length;

  it('is written at once, and then no more often than it may be, however much happens', async () => {
    const { clock, runId, writes } = await startWatched();
    expect(writes).toEqual([0]);
    expect(endedIn(desk.checkpoint(runId))).toBe(0);
    await clock.advance(CHECKPOINT_MS - 1);
    expect(writes).toEqual([0]);
    await clock.advance(1);
    await expect.poll(() => writes, POLL).toEqual([0, CHECKPOINT_MS]);
    await expect.poll(() => endedIn(desk.checkpoint(runId)), POLL).toBe(CASES - 1);
    // Nothing has happened since.
    await clock.advance(10 * CHECKPOINT_MS);
    expect(writes).toHaveLength(2);
  });

  it('takes no more than a twentieth of the time, however long it takes to write', async () => {
    const { clock, runId, writes } = await startWatched({ takesMs: 1_000 });
    expect(clock.mono()).toBe(1_000);
    await clock.advance(19_999);
    expect(writes).toEqual([0]);
    await clock.advance(1);
    await expect.poll(() => writes, POLL).toEqual([0, 21_000]);
    await expect.poll(() => endedIn(desk.checkpoint(runId)), POLL).toBe(CASES - 1);
  });

  it('is written when the service stops, with the audit, whenever the last one was', async () => {
    const { court, runId, writes } = await startWatched();
    expect(writes).toHaveLength(1);
    expect(existsSync(desk.at('checkpoints', runId, 'owner.json'))).toBe(true);
    await desk.end(court);
    expect(writes).toHaveLength(2);
    const { jobs } = desk.checkpoint(runId);
    expect(jobs).toHaveLength(CASES);
    expect(endedIn(desk.checkpoint(runId))).toBe(CASES - 1);
    expect(jobs.find(({ job_id }) => job_id === `IMM-${CASES}-25`)).toMatchObject({ state: 'pending', outcome: null });
    expect(desk.audit(runId)).toMatchObject({
      status: 'running',
      total_attempted: CASES - 1,
      pending_count: 1,
      ended_at: null,
    });
    expect(existsSync(desk.at('checkpoints', runId, 'owner.json'))).toBe(false);
  });

  it('is written when the run is told to rest, with the audit, before anybody is told that it does', async () => {
    const { court, clock, runId, writes } = await startWatched();
    await untilSettled(court.engine.planned.pause(runId, RETRIEVAL), () => clock.advance(0));
    expect(writes).toEqual([0, 0]);
    expect(endedIn(desk.checkpoint(runId))).toBe(CASES - 1);
    expect(desk.audit(runId)).toMatchObject({
      status: 'paused',
      total_attempted: CASES - 1,
      success_count: CASES - 1,
      pending_count: 1,
      ended_at: null,
    });
  });

  it('is written when the run is over, with the audit, whenever the last one was', async () => {
    const clock = new VirtualClock();
    const court = await desk.start({ clock, checkpointMs: CHECKPOINT_MS });
    const runId = await openCourtRun(court, courtWish(1, CASES));
    await untilRun(court, runId);
    await expect.poll(() => existsSync(desk.at('checkpoints', runId, 'owner.json')), POLL).toBe(false);
    expect(endedIn(desk.checkpoint(runId))).toBe(CASES);
    expect(desk.audit(runId)).toMatchObject({ status: 'completed', success_count: CASES, pending_count: 0 });
    expect(await court.store.plans.unfinished()).toEqual([]);
  });
});
