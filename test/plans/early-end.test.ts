import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCaseBook } from '../../src/adapters/case-record.js';
import type { RetrievalParams } from '../../src/domain/retrieval.js';
import { EMPTY_META, type Task } from '../../src/domain/task.js';
import { createRetrieval, type RetrievalWish } from '../../src/plans/retrieval.js';
import { courtAdapter, courtWish } from '../support/court-engine.js';
import { aTask } from '../support/tasks.js';

const planWith = (stopAfterNoRecords: number) =>
  createRetrieval({ cases: createCaseBook([courtAdapter]), stopAfterNoRecords });
const plan = planWith(0);

const admitted = (from: number, to: number, stopAfterNoRecords: number | null, by = plan): RetrievalParams => {
  const answer = by.admit(courtWish(from, to, { stopAfterNoRecords }) as RetrievalWish);
  if ('faults' in answer) throw new Error(JSON.stringify(answer.faults));
  return answer.params;
};

const VISITS = {
  found: (seq: number): Task => aTask({ seq, status: 'completed', meta: EMPTY_META }),
  none: (seq: number): Task => aTask({ seq, status: 'completed', meta: { ...EMPTY_META, notes: ['no_record'] } }),
  failed: (seq: number): Task => aTask({ seq, status: 'failed', code: 'target_timeout', meta: EMPTY_META }),
};

describe('an early end', () => {
  it('comes with so many cases in a row without a record; what was found or failed breaks the row', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('none', 'none', 'found', 'failed'), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 5 }),
        fc.infiniteStream(fc.nat(1_000)),
        (pages, limit, chance) => {
          const params = admitted(0, pages.length - 1, limit);
          let { cursor } = plan.next(params, plan.begin(params), pages.length);
          const order = pages.map((page, seq) => ({ page, seq, at: chance.next().value })).sort((a, b) => a.at - b.at);
          for (const { page, seq } of order) {
            ({ cursor } = plan.learn(params, cursor, VISITS[page as keyof typeof VISITS](seq)));
          }
          expect(cursor.hasStopped).toBe(pages.join(' ').includes(Array(limit).fill('none').join(' ')));
          expect(cursor).toMatchObject({ frontier: pages.length, ahead: [] });
          expect([cursor.success, cursor.noRecord, cursor.failed]).toEqual(
            ['found', 'none', 'failed'].map((kind) => pages.filter((page) => page === kind).length),
          );
        },
      ),
    );
  });

  it('is kept away by one case that failed in the middle', () => {
    const params = admitted(0, 9, 3);
    let { cursor } = plan.next(params, plan.begin(params), 10);
    const pages = ['none', 'none', 'failed', 'none', 'none'] as const;
    for (const [seq, page] of pages.entries()) ({ cursor } = plan.learn(params, cursor, VISITS[page](seq)));
    expect(cursor).toMatchObject({ hasStopped: false, streak: 2 });
    ({ cursor } = plan.learn(params, cursor, VISITS.none(5)));
    expect(cursor.hasStopped).toBe(true);
  });

  it('comes after as many as the settings say where the wish says nothing', () => {
    const configured = planWith(4);
    expect(admitted(1, 9, null, configured).stopAfterNoRecords).toBe(4);
    expect(admitted(1, 9, 2, configured).stopAfterNoRecords).toBe(2);
    // Nought is something that was said: never.
    expect(admitted(1, 9, 0, configured).stopAfterNoRecords).toBe(0);
  });

  it('needs a memory, so a run that may end early goes at most 1,000 cases beyond its frontier', () => {
    const params = admitted(0, 9_999, 3);
    let { targets, cursor } = plan.next(params, plan.begin(params), 5_000);
    expect(targets).toHaveLength(1_000);
    ({ cursor } = plan.learn(params, cursor, VISITS.found(1)));
    expect(plan.next(params, cursor, 5_000).targets).toEqual([]);
    ({ cursor } = plan.learn(params, cursor, VISITS.found(0)));
    ({ targets } = plan.next(params, cursor, 5_000));
    expect(targets.map(({ seq }) => seq)).toEqual([1_000, 1_001]);
    const never = admitted(0, 9_999, 0);
    expect(plan.next(never, plan.begin(never), 5_000).targets).toHaveLength(5_000);
  });
});
