import { describe, expect, it } from 'vitest';
import { createRunFiles } from '../../src/backends/embedded/run-files.js';
import { GleanerError } from '../../src/domain/errors.js';
import { RETRIEVAL } from '../../src/domain/retrieval.js';
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
