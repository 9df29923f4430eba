import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RETRIEVAL } from '../../src/domain/retrieval.js';
import { allBut, POLL, useCourtDesk } from '../support/court-desk.js';
import { courtWish, openCourtRun, outcomesOf, untilRun } from '../support/court-engine.js';

describe('the files of runs that nobody has written to for long', () => {
  const desk = useCourtDesk('run-retention');

  it('go where the run is over, and stay where it only rests, however long', async () => {
    const first = await desk.start({ fetch: allBut('IMM-2-25') });
    const [over, resting] = [await openCourtRun(first, courtWish(5, 6)), await openCourtRun(first, courtWish(1, 2))];
    await untilRun(first, over);
    await untilRun(first, resting, ({ ended }) => ended === 1);
    await first.engine.planned.pause(resting, RETRIEVAL);
    await desk.end(first);
    for (const room of ['checkpoints', 'retrievals']) {
      expect(readdirSync(desk.at(room)).sort()).toEqual([over, resting].sort());
      for (const runId of [over, resting]) utimesSync(desk.at(room, runId), 1, 1);
    }
    const again = await desk.start();
    await expect.poll(() => existsSync(desk.at('retrievals', over)), POLL).toBe(false);
    await expect.poll(() => existsSync(desk.at('checkpoints', over)), POLL).toBe(false);
    // They come after each other: an end waits until both have been looked at.
    await desk.end(again);
    for (const room of ['checkpoints', 'retrievals']) expect(readdirSync(desk.at(room))).toEqual([resting]);
    const last = await desk.start();
    await last.engine.planned.resume(resting, RETRIEVAL);
    await untilRun(last, resting);
    for (const { files } of await outcomesOf(last, resting)) expect(existsSync(desk.at(files.record ?? ''))).toBe(true);
  });
});
