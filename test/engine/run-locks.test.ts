import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRunFiles } from '../../src/backends/embedded/run-files.js';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import { RETRIEVAL } from '../../src/domain/retrieval.js';
import { allBut, POLL, useCourtDesk } from '../support/court-desk.js';
import { type CourtEngine, courtWish, openCourtRun, outcomesOf, untilRun } from '../support/court-engine.js';
import { realTurns, VirtualClock } from '../support/virtual-clock.js';

const OURS = `is being worked on by process ${process.pid}`;

describe('a run that another engine works on', () => {
  const desk = useCourtDesk('run-locks');
  const otherDatabase = (): string => {
    mkdirSync(desk.at('other'), { recursive: true });
    return desk.at('other');
  };
  const resume = (court: CourtEngine, runId: string) => court.engine.planned.resume(runId, RETRIEVAL);
  const refused = { code: 'run_locked', message: expect.stringContaining(OURS) };

  it('is refused to who knows only its files, and leaves no trace in its database', async () => {
    const owner = await desk.start({ fetch: allBut('IMM-2-25') });
    const runId = await openCourtRun(owner, courtWish(1, 9));
    await untilRun(owner, runId, ({ ended }) => ended === 8);
    await expect.poll(() => existsSync(desk.checkpointFile(runId)), POLL).toBe(true);
    const other = await desk.start({ storeDir: otherDatabase() });
    await expect(resume(other, runId)).rejects.toMatchObject(refused);
    // Nothing was taken over before it was clear that it may be.
    expect(await other.store.plans.find(runId)).toBeNull();
    expect(other.asked).toEqual([]);
    await desk.end(owner);
    await resume(other, runId);
    await untilRun(other, runId);
    expect(other.asked).toEqual(['IMM-2-25']);
  });

  it('rests with the reason where it cannot be taken up at a start, and may be resumed when it is free', async () => {
    const first = await desk.start({ fetch: allBut('IMM-2-25') });
    const runId = await openCourtRun(first, courtWish(1, 9));
    await untilRun(first, runId, ({ ended }) => ended === 8);
    await desk.end(first);
    for (const file of readdirSync(desk.at()).filter((name) => name.startsWith('gleaner.db'))) {
      copyFileSync(desk.at(file), join(otherDatabase(), file));
    }
    const owner = await desk.start({ fetch: allBut('IMM-2-25') });
    await expect.poll(() => owner.asked, POLL).toEqual(['IMM-2-25']);

    const other = await desk.start({ storeDir: otherDatabase() });
    const resting = await other.engine.planned.find(runId, RETRIEVAL);
    expect(resting.paused).toContain(OURS);
    expect(resting.job).toMatchObject({ completedAt: null, counts: { completed: 8, queued: 1, running: 0 } });
    await expect(resume(other, runId)).rejects.toMatchObject(refused);
    await expect(other.engine.planned.cancel(runId, RETRIEVAL)).rejects.toMatchObject(refused);
    expect((await other.engine.planned.find(runId, RETRIEVAL)).job.status).not.toBe('cancelled');
    expect(other.asked).toEqual([]);

    await desk.end(owner);
    expect((await resume(other, runId)).paused).toBeNull();
    await untilRun(other, runId);
    expect(await outcomesOf(other, runId)).toHaveLength(9);
  });

  it('is free once it is over, and not while it rests', async () => {
    const owner = await desk.start({ fetch: allBut('IMM-9-25') });
    const runId = await openCourtRun(owner, courtWish(1, 3));
    const resting = await openCourtRun(owner, courtWish(8, 9));
    await owner.engine.planned.pause(resting, RETRIEVAL);
    await untilRun(owner, runId);
    const files = createRunFiles({ dataDir: desk.at(), clock: systemClock });
    await expect.poll(() => existsSync(desk.at('checkpoints', runId, 'owner.json')), POLL).toBe(false);
    const lock = await files.lock(runId, 0);
    await lock.release();
    await expect(files.lock(resting, 0)).rejects.toMatchObject({ code: 'run_locked' });
    await desk.end(owner);
    await (await files.lock(resting, 0)).release();
  });

  it('gives signs of life for as long as it has an owner', async () => {
    const clock = new VirtualClock();
    const files = createRunFiles({ dataDir: desk.at(), clock });
    const lock = await files.lock('run', clock.now());
    const owner = desk.at('checkpoints', 'run', 'owner.json');
    const lastSign = (): number => Date.parse(JSON.parse(readFileSync(owner, 'utf8')).heartbeat_at);
    expect(lastSign()).toBe(clock.now());
    for (let beat = 1; beat <= 3; beat += 1) {
      await clock.advance(5_000);
      await expect.poll(lastSign, POLL).toBe(clock.now());
    }
    // Who is refused is told the last of them.
    const told = new RegExp(`last sign of life ${new Date(clock.now()).toISOString().replaceAll('.', '\\.')}`);
    await expect(files.lock('run', clock.now())).rejects.toMatchObject({ message: expect.stringMatching(told) });
    await lock.release();
    expect(clock.pendingTimers).toBe(0);
    await realTurns();
    expect(existsSync(owner)).toBe(false);
  });
});
