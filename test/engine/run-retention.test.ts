import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
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

  it('stay where the database is lost and they can be gone on from, or cannot be read, until somebody does', async () => {
    const first = await desk.start({ fetch: allBut('IMM-2-25') });
    const wishes = {
      over: courtWish(5, 6),
      cancelled: courtWish(1, 9),
      spoilt: courtWish(5, 7),
      resting: courtWish(1, 9),
    };
    const runs: Record<string, string> = {};
    for (const [name, wish] of Object.entries(wishes)) {
      const runId = await openCourtRun(first, wish);
      runs[name] = runId;
      if (wish.range.to < 9) await untilRun(first, runId);
      else await untilRun(first, runId, ({ ended }) => ended === 8);
    }
    const { over = '', cancelled = '', spoilt = '', resting = '' } = runs;
    await first.engine.planned.cancel(cancelled, RETRIEVAL);
    await first.engine.planned.pause(resting, RETRIEVAL);
    await desk.end(first);
    // The one visit that was left of it has no end that anybody saw: it is cancelled by the next start.
    const second = await desk.start();
    await untilRun(second, cancelled);
    await desk.end(second);
    desk.forgetDatabase();
    writeFileSync(desk.checkpointFile(spoilt), 'spoilt');
    for (const room of ['checkpoints', 'retrievals']) {
      for (const runId of Object.values(runs)) utimesSync(desk.at(room, runId), 1, 1);
    }
    const third = await desk.start();
    await expect.poll(() => [over, cancelled].some((one) => existsSync(desk.at('retrievals', one))), POLL).toBe(false);
    await desk.end(third);
    for (const room of ['checkpoints', 'retrievals']) {
      expect(readdirSync(desk.at(room)).sort()).toEqual([spoilt, resting].sort());
    }
    const last = await desk.start();
    await last.engine.planned.resume(resting, RETRIEVAL);
    await untilRun(last, resting);
    expect(last.asked).toEqual(['IMM-2-25']);
  });
});
