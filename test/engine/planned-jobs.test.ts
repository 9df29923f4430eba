import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createCaseBook } from '../../src/adapters/case-record.js';
import { createRegistry } from '../../src/adapters/registry.js';
import { createRunFiles } from '../../src/backends/embedded/run-files.js';
import { systemClock as clock } from '../../src/backends/embedded/system-clock.js';
import { GleanerError } from '../../src/domain/errors.js';
import { createPlanBook } from '../../src/domain/plan.js';
import { RETRIEVAL } from '../../src/domain/retrieval.js';
import { createPlanRules } from '../../src/engine/plan-rules.js';
import { createRetrieval } from '../../src/plans/retrieval.js';
import { allBut, POLL, useCourtDesk } from '../support/court-desk.js';
import { courtPlans, courtWish, openCourtEngine, openCourtRun, outcomesOf, untilRun } from '../support/court-engine.js';
import { openStoreAt } from '../support/sqlite-store.js';
import { CALLER } from '../support/tasks.js';

const plansWithoutCourt = createPlanBook([createRetrieval({ cases: createCaseBook([]), stopAfterNoRecords: 0 })]);
const rulesWithoutCourt = createPlanRules({
  plans: plansWithoutCourt,
  adapters: createRegistry(),
  newId: () => 'nobody',
});

describe('a run in the engine', () => {
  const { start, end, at, forgetDatabase, checkpoint, attempts: attemptsOf } = useCourtDesk('planned');

  it('counts a case that took the process down three times as failed, and plans on', async () => {
    // Opened, and not started: nobody visits anything but this test.
    const { engine, store } = await openCourtEngine({ dataDir: at(), window: 2 });
    const opened = courtPlans.get(RETRIEVAL)!;
    const admitted = opened.admit(courtWish(1, 4));
    if (!('params' in admitted)) throw new Error('refused');
    const plan = { kind: RETRIEVAL, params: admitted.params, window: 2, ...CALLER };
    const job = { id: 'run', totalTasks: 4, callbackUrl: null, createdAt: 1 };
    await store.openJob({ ...job, plan: { ...plan, cursor: opened.begin(admitted.params) } }, []);
    await store.plans.resume('run', 2);
    // Planned by the first, found by the second.
    const [first] = await store.plans.resume('run', 3);
    for (let crash = 1; crash <= 3; crash += 1) {
      expect(await store.claim(first!.id, 10 + crash)).not.toBeNull();
      await store.requeueRunning({ refundAttempt: false }, 20 + crash);
    }
    const planned = await store.plans.find('run');
    expect(planned).toMatchObject({ ended: 1, attempts: 3, cursor: { planned: 3, failed: 1, errors: { poison: 1 } } });
    expect(planned?.job.counts).toEqual({ total: 4, queued: 3, running: 0, completed: 0, failed: 1, cancelled: 0 });
    const [outcome] = await store.plans.outcomesAfter('run', 0, 10);
    expect(outcome).toMatchObject({ name: 'IMM-1-25', outcome: 'failed', attempts: 3, lastError: { type: 'poison' } });
    const notes = await store.plans.attemptNotes('run', 10);
    expect(notes.map(({ line }) => line.end)).toEqual(['interrupted', 'interrupted', 'failed']);
    await engine.stop(0);
    await store.close();
  });

  it('takes up what was running with one attempt more, and visits nothing again that has ended', async () => {
    const first = await start({ fetch: allBut('IMM-3-25') });
    const runId = await openCourtRun(first, courtWish(1, 20));
    await untilRun(first, runId, ({ ended }) => ended === 19);
    await expect.poll(() => checkpoint(runId).jobs.length, POLL).toBe(20);
    await expect.poll(() => checkpoint(runId).jobs.filter(isRunning).length, POLL).toBe(1);
    const text = readFileSync(at('checkpoints', runId, 'checkpoint.json'), 'utf8');
    await end();
    // As it was in the middle of the run, and nothing else is left.
    forgetDatabase();
    writeFileSync(at('checkpoints', runId, 'checkpoint.json'), text);
    const again = await start();
    await again.engine.planned.resume(runId, RETRIEVAL);
    await untilRun(again, runId);
    expect(again.asked).toEqual(['IMM-3-25']);
    const outcomes = await outcomesOf(again, runId);
    expect(new Set(outcomes.map(({ name }) => name)).size).toBe(20);
    // One that nobody saw the end of, and one that went well.
    expect(outcomes.find(({ name }) => name === 'IMM-3-25')).toMatchObject({ outcome: 'success', attempts: 2 });
  });

  it('goes on counting its attempts where its file of them is ahead of its checkpoint', async () => {
    const first = await start({ fetch: allBut('IMM-20-25') });
    const runId = await openCourtRun(first, courtWish(1, 20));
    await untilRun(first, runId, ({ ended }) => ended >= 5);
    await expect.poll(() => checkpoint(runId).jobs.length, POLL).toBeGreaterThan(5);
    const early = readFileSync(at('checkpoints', runId, 'checkpoint.json'), 'utf8');
    await untilRun(first, runId, ({ ended }) => ended === 19);
    await end();
    const told = attemptsOf(runId).length;
    expect(told).toBeGreaterThanOrEqual(19);
    forgetDatabase();
    writeFileSync(at('checkpoints', runId, 'checkpoint.json'), early);
    const again = await start();
    await again.engine.planned.resume(runId, RETRIEVAL);
    const run = await untilRun(again, runId);
    await end();
    const numbers = attemptsOf(runId).map(({ n }) => n);
    expect(numbers).toEqual(Array.from({ length: told + again.asked.length }, (_, index) => index + 1));
    expect(run.attempts).toBe(numbers.length);
  });

  it('that was cancelled is over, also where only its checkpoint is left', async () => {
    const first = await start({ window: 3, queue: { laneWidth: () => 1 }, fetch: allBut('IMM-4-25') });
    const runId = await openCourtRun(first, courtWish(1, 50));
    await untilRun(first, runId, ({ ended }) => ended === 3);
    await first.engine.planned.cancel(runId, RETRIEVAL);
    await end();
    const states = checkpoint(runId).jobs.map(({ state }: { state: string }) => state);
    expect(states).toEqual(['succeeded', 'succeeded', 'succeeded', 'pending', 'pending', 'pending']);
    forgetDatabase();
    const again = await start();
    await expect(again.engine.planned.resume(runId, RETRIEVAL)).rejects.toMatchObject({
      code: 'run_over',
      message: expect.stringContaining('cancelled'),
    });
    expect(again.asked).toEqual([]);
  });

  it('leaves no trace of what was refused for want of room, or was there already', async () => {
    const { engine } = await start({ queue: { maxDepth: 3, httpConcurrency: 1 }, fetch: allBut('IMM-1-25') });
    const once = { key: 'k', fingerprint: 'f' };
    const open = (withKey?: typeof once) =>
      engine.planned.open({ kind: RETRIEVAL, wish: courtWish(1, 9), callbackUrl: null }, CALLER, withKey);
    const { planned } = await open(once);
    await expect(open()).rejects.toMatchObject({ code: 'queue_full' });
    expect(await open(once)).toMatchObject({ isReplay: true, planned: { job: { id: planned.job.id } } });
    expect(readdirSync(at('checkpoints'))).toEqual([planned.job.id]);
  });

  it('is not changed by being told to go on while it does', async () => {
    const opened = await start({ fetch: allBut('IMM-4-25') });
    const runId = await openCourtRun(opened, courtWish(1, 9));
    await untilRun(opened, runId, ({ ended }) => ended === 8);
    const before = await opened.engine.planned.find(runId, RETRIEVAL);
    expect(await opened.engine.planned.resume(runId, RETRIEVAL)).toEqual(before);
    expect(opened.asked).toHaveLength(9);
  });

  it('keeps a record in hand until the disk takes it', async () => {
    const files = createRunFiles({ dataDir: at(), clock });
    let refusals = 2;
    const opened = await start({
      runFiles: {
        ...files,
        keep(runId, kept) {
          refusals -= 1;
          if (refusals >= 0) return Promise.reject(new GleanerError('storage_unavailable', 'full'));
          return files.keep(runId, kept);
        },
      },
    });
    const runId = await openCourtRun(opened, courtWish(1, 1));
    await untilRun(opened, runId);
    const [outcome] = await outcomesOf(opened, runId);
    expect(outcome).toMatchObject({ outcome: 'success', attempts: 1 });
    expect(existsSync(at(outcome?.files.record ?? ''))).toBe(true);
    expect(opened.asked).toEqual(['IMM-1-25']);
  });

  it.each(['', 'w'.repeat(201)])('is not begun where its own checkpoint would be refused: %j', async (workspaceId) => {
    const court = await start();
    const refused = { code: 'validation_failed', fields: [expect.objectContaining({ field: 'workspace_id' })] };
    await expect(openCourtRun(court, courtWish(1, 9, { workspaceId }))).rejects.toMatchObject(refused);
    expect(await court.store.plans.unfinished()).toEqual([]);
  });

  it('rests with a reason where its register is configured no more, and loses nothing', async () => {
    const first = await start({ fetch: allBut('IMM-2-25') });
    const runId = await openCourtRun(first, courtWish(1, 30));
    await untilRun(first, runId, ({ ended }) => ended > 5);
    await first.engine.planned.pause(runId, RETRIEVAL);
    await end();
    const { store } = await openStoreAt(at(), { plans: rulesWithoutCourt });
    await store.plans.resume(runId, 5);
    const resting = await store.plans.find(runId);
    expect(resting?.paused).toContain('There is no adapter court any more');
    expect(resting?.job.counts).toMatchObject({ total: 30 });
    await store.close();
  });

  it.each(['was going on', 'rested'])('that %s loses no case to a start without its register', async (how) => {
    const first = await start({ fetch: allBut('IMM-2-25') });
    const runId = await openCourtRun(first, courtWish(1, 12));
    await untilRun(first, runId, ({ ended }) => ended > 5);
    if (how === 'rested') await first.engine.planned.pause(runId, RETRIEVAL);
    await end();
    const without = await start({ plans: plansWithoutCourt });
    const resting = await without.engine.planned.resume(runId, RETRIEVAL);
    expect(resting.paused).toBe('There is no adapter court any more.');
    expect(without.asked).toEqual([]);
    await end();
    const again = await start();
    await again.engine.planned.resume(runId, RETRIEVAL);
    expect((await untilRun(again, runId)).job.counts).toMatchObject({ total: 12, completed: 12, failed: 0 });
  });

  it('is not taken from its checkpoint without its register, and says why', async () => {
    const first = await start({ fetch: allBut('IMM-2-25') });
    const runId = await openCourtRun(first, courtWish(1, 12));
    await untilRun(first, runId, ({ ended }) => ended > 5);
    await end();
    forgetDatabase();
    const without = await start({ plans: plansWithoutCourt });
    await expect(without.engine.planned.resume(runId, RETRIEVAL)).rejects.toMatchObject({
      code: 'checkpoint_unreadable',
      message: `The checkpoint of run ${runId} cannot be used: There is no adapter court any more.`,
    });
  });
});

const isRunning = ({ state }: { state: string }): boolean => state === 'running';
