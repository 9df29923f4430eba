import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createRunFiles } from '../../src/backends/embedded/run-files.js';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import { GleanerError } from '../../src/domain/errors.js';
import { RETRIEVAL } from '../../src/domain/retrieval.js';
import { recordPage } from '../support/court.js';
import { allBut, POLL, useCourtDesk } from '../support/court-desk.js';
import { courtWish, openCourtRun, untilRun } from '../support/court-engine.js';
import { realTurns, VirtualClock } from '../support/virtual-clock.js';

const TAKE_UP_AGAIN_MS = 10_000;
const ASKED_TO = 'It was asked to.';

describe('a run that rests because the disk refused its files', () => {
  const desk = useCourtDesk('run-rests');

  /** It has one case left, and its lock cannot be had before `disk.isFull` is over. */
  const resting = async () => {
    const first = await desk.start({ fetch: allBut('IMM-3-25') });
    const runId = await openCourtRun(first, courtWish(1, 3));
    await untilRun(first, runId, ({ ended }) => ended === 2);
    await desk.end(first);
    const clock = new VirtualClock();
    const files = createRunFiles({ dataDir: desk.at(), clock });
    const disk = { isFull: true, tries: 0 };
    const lock: typeof files.lock = async (...args) => {
      disk.tries += 1;
      if (disk.isFull) throw new GleanerError('storage_unavailable', 'full');
      return files.lock(...args);
    };
    const court = await desk.start({ clock, runFiles: { ...files, lock } });
    const { paused } = await court.engine.planned.find(runId, RETRIEVAL);
    expect(paused).toContain('The disk refused');
    return { court, clock, runId, disk };
  };

  it('goes on by itself once the disk takes them', async () => {
    const { court, clock, runId, disk } = await resting();
    await clock.advance(TAKE_UP_AGAIN_MS);
    await expect.poll(() => disk.tries, POLL).toBe(2);
    disk.isFull = false;
    await realTurns();
    await clock.advance(TAKE_UP_AGAIN_MS);
    await untilRun(court, runId);
    expect(court.asked).toEqual(['IMM-3-25']);
  });

  it('rests on where a caller has asked it to, also after a start', async () => {
    const { court, clock, runId, disk } = await resting();
    expect((await court.engine.planned.pause(runId, RETRIEVAL)).paused).toBe(ASKED_TO);
    // Nobody is to try again: nobody even looks.
    const { plans } = court.store;
    const { find } = plans;
    let looks = 0;
    plans.find = (jobId) => {
      looks += 1;
      return find(jobId);
    };
    disk.isFull = false;
    await clock.advance(TAKE_UP_AGAIN_MS);
    await realTurns();
    expect([disk.tries, looks]).toEqual([1, 0]);
    await desk.end(court);
    const again = await desk.start();
    expect((await again.engine.planned.find(runId, RETRIEVAL)).paused).toBe(ASKED_TO);
    expect([...court.asked, ...again.asked]).toEqual([]);
  });

  it('rests on where a caller asks it to in the very moment in which it is tried again', async () => {
    const { court, clock, runId, disk } = await resting();
    const { plans } = court.store;
    const { resume } = plans;
    plans.resume = async (...args) => {
      await court.engine.planned.pause(runId, RETRIEVAL);
      plans.resume = resume;
      return resume(...args);
    };
    disk.isFull = false;
    await clock.advance(TAKE_UP_AGAIN_MS);
    await expect.poll(() => plans.resume === resume, POLL).toBe(true);
    await realTurns();
    expect((await court.engine.planned.find(runId, RETRIEVAL)).paused).toBe(ASKED_TO);
    expect(court.asked).toEqual([]);
  });
});

describe('a run that was told to rest', () => {
  const desk = useCourtDesk('resting-runs');
  const files = () => createRunFiles({ dataDir: desk.at(), clock: systemClock });
  /** Pages that come when they are let. */
  const gate = () => {
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    return { open, opened };
  };

  it('is let go once nothing of it runs and its files are written, and is kept again while it goes on', async () => {
    const { open, opened } = gate();
    const court = await desk.start({ fetch: async (id) => opened.then(() => recordPage(id)) });
    const { engine } = court;
    const runId = await openCourtRun(court, courtWish(1, 12));
    await untilRun(court, runId, ({ job }) => job.counts.running > 0);
    await engine.planned.pause(runId, RETRIEVAL);
    // What runs may leave files behind.
    await expect(files().lock(runId, 0)).rejects.toMatchObject({ code: 'run_locked' });
    expect(engine.runStats().held).toBe(1);
    open();
    await expect.poll(() => engine.runStats().held, POLL).toBe(0);
    expect(existsSync(desk.at('checkpoints', runId, 'owner.json'))).toBe(false);
    const { job, ended } = await engine.planned.find(runId, RETRIEVAL);
    expect(ended).toBeLessThan(12);
    expect(desk.audit(runId)).toMatchObject({ status: 'paused', success_count: ended, pending_count: 12 - ended });
    expect(desk.checkpoint(runId).jobs.filter(({ state }) => state === 'succeeded')).toHaveLength(ended);
    expect(desk.attempts(runId)).toHaveLength(ended);
    expect(job.completedAt).toBeNull();
    // For whoever wants it, and then for us again.
    await (await files().lock(runId, 0)).release();
    await engine.planned.resume(runId, RETRIEVAL);
    expect((await untilRun(court, runId)).job.counts.completed).toBe(12);
    expect(court.asked).toHaveLength(12);
  });

  it('is let go at once where nothing of it runs, and cancelled as any other', async () => {
    const court = await desk.start({ fetch: allBut('IMM-1-25'), queue: { httpConcurrency: 1 } });
    await openCourtRun(court, courtWish(1, 1));
    const runId = await openCourtRun(court, courtWish(2, 9));
    await court.engine.planned.pause(runId, RETRIEVAL);
    await expect.poll(() => court.engine.runStats().held, POLL).toBe(1);
    await court.engine.planned.cancel(runId, RETRIEVAL);
    await untilRun(court, runId);
    await expect.poll(() => court.engine.runStats().held, POLL).toBe(1);
    expect(desk.audit(runId)).toMatchObject({ status: 'cancelled', cancelled_count: 8 });
  });

  it('loses no case and no line, however often it is told to rest and to go on at once', async () => {
    const court = await desk.start();
    const runId = await openCourtRun(court, courtWish(1, 400));
    const turn = async (round: number): Promise<unknown> => {
      const how = round % 2 === 0 ? 'pause' : 'resume';
      return court.engine.planned[how](runId, RETRIEVAL);
    };
    for (let round = 0; round < 60; round += 3) {
      const turns = await Promise.allSettled([turn(round), turn(round + 1), turn(round + 2)]);
      const odd = turns.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
      expect(odd.filter((code) => code !== 'run_over')).toEqual([]);
    }
    await court.engine.planned.resume(runId, RETRIEVAL).catch((error) => expect(error.code).toBe('run_over'));
    expect((await untilRun(court, runId)).job.counts.completed).toBe(400);
    await expect.poll(() => court.engine.runStats().held, POLL).toBe(0);
    expect(desk.attempts(runId)).toHaveLength(400);
    expect(court.asked).toHaveLength(400);
  });

  it('is not let go under the hands of who is about to let it go on', async () => {
    const court = await desk.start();
    const { engine, store } = court;
    const runId = await openCourtRun(court, courtWish(1, 200));
    await engine.planned.pause(runId, RETRIEVAL);
    await expect.poll(() => engine.runStats().held, POLL).toBe(0);
    const { resume } = store.plans;
    store.plans.resume = async (...args) => {
      store.plans.resume = resume;
      // Its files are written once more, and it still rests.
      await engine.planned.pause(runId, RETRIEVAL);
      return resume(...args);
    };
    await engine.planned.resume(runId, RETRIEVAL);
    expect(engine.runStats().held).toBe(1);
    await untilRun(court, runId);
    await expect.poll(() => engine.runStats().held, POLL).toBe(0);
    expect(desk.audit(runId)).toMatchObject({ status: 'completed', success_count: 200 });
  });

  it('goes on only where the queue has room for it, and rests on until then', async () => {
    const { open, opened } = gate();
    // Time that is spent on one case is as good as any: the others wait in the queue.
    const court = await desk.start({
      fetch: async (id) => opened.then(() => recordPage(id)),
      queue: { maxDepth: 12, httpConcurrency: 1 },
    });
    const { engine } = court;
    const runs: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      const runId = await openCourtRun(court, courtWish(n * 50, n * 50 + 20));
      await engine.planned.pause(runId, RETRIEVAL);
      runs.push(runId);
    }
    const [first = '', second = '', third = ''] = runs;
    await engine.planned.resume(first, RETRIEVAL);
    await engine.planned.resume(second, RETRIEVAL);
    await expect(engine.planned.resume(third, RETRIEVAL)).rejects.toMatchObject({ code: 'queue_full' });
    expect(engine.queueStats().depth).toBeLessThanOrEqual(12);
    expect(court.telemetry.shed).toEqual(['queue_full']);
    expect((await engine.planned.find(third, RETRIEVAL)).paused).toBe(ASKED_TO);
    // What was reserved is given back, in both cases.
    await engine.planned.cancel(first, RETRIEVAL);
    expect((await engine.planned.resume(third, RETRIEVAL)).paused).toBeNull();
    open();
    await untilRun(court, second);
    await untilRun(court, third);
  });
});
