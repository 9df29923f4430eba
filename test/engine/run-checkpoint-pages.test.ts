import { describe, expect, it } from 'vitest';
import { registryWith } from '../../src/adapters/registry.js';
import { parseCheckpoint } from '../../src/domain/checkpoint.js';
import type { Outcome } from '../../src/domain/outcome.js';
import { RETRIEVAL } from '../../src/domain/retrieval.js';
import { knownPlan } from '../../src/engine/plan-rules.js';
import { checkpointOf, restoredFrom } from '../../src/engine/run-checkpoint.js';
import { BEGINNING } from '../../src/plans/retrieval-cursor.js';
import type { PlanSnapshot } from '../../src/ports/plans.js';
import { courtAdapter, courtPlans } from '../support/court-engine.js';

const CASES = 4_500;
const OPEN = 3;
const NOW = Date.UTC(2026, 0, 5);

/** Most cases of a long run have ended, as a store would tell of it. */
const longRun = ({ isCancelled = false, lost = 0 } = {}) => {
  const ended = CASES - OPEN - lost;
  const outcomes = Array.from(
    { length: ended },
    (_, seq): Outcome => ({
      n: seq + 1,
      seq,
      name: `IMM-${seq + 1}-25`,
      outcome: 'success',
      attempts: 1,
      lastError: null,
      files: { record: null, page: null },
      at: NOW,
    }),
  );
  const snapshot: PlanSnapshot = {
    kind: RETRIEVAL,
    params: {
      adapter: 'court',
      workspaceId: 'ws',
      render: 'http',
      cases: { prefix: 'IMM', year: '25', from: 1, to: CASES },
      stopAfterNoRecords: 0,
      saveHtml: false,
    },
    cursor: { ...BEGINNING, planned: CASES, success: ended },
    window: 50,
    requestId: 'request',
    traceparent: null,
    ended,
    attempts: ended,
    createdAt: NOW,
    isCancelled,
    open: Array.from({ length: OPEN }, (_, index) => ({
      seq: CASES - OPEN + index,
      isRunning: false,
      attempts: 0,
      lastError: null,
    })),
  };
  const asked: number[] = [];
  const store = {
    // As many as there are now: those that came later are not of this moment.
    async outcomesAfter(_run: string, after: number, limit: number): Promise<Outcome[]> {
      asked.push(limit);
      return outcomes.slice(after, after + limit);
    },
  };
  return { snapshot, store, outcomes, asked };
};

async function textOf({ snapshot, store }: ReturnType<typeof longRun>): Promise<string> {
  let text = '';
  const plan = knownPlan(courtPlans, RETRIEVAL);
  for await (const piece of checkpointOf('run', { plan, snapshot, store, now: NOW })) text += piece;
  return text;
}

describe('the checkpoint of a long run', () => {
  it('has every case once, though what has ended is read in pages', async () => {
    const run = longRun();
    const checkpoint = parseCheckpoint(await textOf(run));
    expect(run.asked).toEqual([2_000, 2_000, CASES - OPEN - 4_000]);
    const names = checkpoint.jobs.map(({ job_id }) => job_id);
    expect(names).toEqual(Array.from({ length: CASES }, (_, seq) => `IMM-${seq + 1}-25`));
    const parts = { plans: courtPlans, adapters: registryWith([courtAdapter]), newId: () => 'task' };
    const restored = restoredFrom(checkpoint, parts, NOW);
    expect(restored.outcomes.map(({ seq }) => seq)).toEqual(run.outcomes.map(({ seq }) => seq));
    expect(restored.tasks.map(({ seq }) => seq)).toEqual([CASES - 3, CASES - 2, CASES - 1]);
  });

  it('is not written where the store has lost a case, unless the run was cancelled', async () => {
    await expect(textOf(longRun({ lost: 2 }))).rejects.toThrow(/lost 2 cases of run run, such as IMM-4496-25/);
    const { jobs } = parseCheckpoint(await textOf(longRun({ lost: 2, isCancelled: true })));
    expect(jobs).toHaveLength(CASES);
    expect(jobs.filter(({ state }) => state === 'pending')).toHaveLength(OPEN + 2);
  });
});
