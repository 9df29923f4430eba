import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCaseAdapter, createCaseBook } from '../../src/adapters/case-record.js';
import type { RetrievalCursor, RetrievalParams } from '../../src/domain/retrieval.js';
import { EMPTY_META, type Task } from '../../src/domain/task.js';
import { createRetrieval, type RetrievalWish } from '../../src/plans/retrieval.js';
import { COURT } from '../support/court.js';
import { aTask } from '../support/tasks.js';

const plan = createRetrieval({
  cases: createCaseBook([createCaseAdapter({ ...COURT, url: 'https://court.example/case/{id}' })]),
  stopAfterNoRecords: 0,
});
const wish = (changes: Partial<RetrievalWish> = {}): RetrievalWish => ({
  adapter: 'court',
  workspaceId: 'ws-1',
  prefix: null,
  year: '25',
  range: { from: 1, to: 20 },
  identifiers: null,
  render: null,
  stopAfterNoRecords: null,
  saveHtml: null,
  ...changes,
});
const admitted = (changes: Partial<RetrievalWish> = {}): RetrievalParams => {
  const answer = plan.admit(wish(changes));
  if ('faults' in answer) throw new Error(JSON.stringify(answer.faults));
  return answer.params;
};
const faults = (changes: Partial<RetrievalWish>): string[] => {
  const answer = plan.admit(wish(changes));
  return 'faults' in answer ? answer.faults.map(({ field }) => field) : [];
};
const found = (seq: number): Task => aTask({ seq, status: 'completed', meta: EMPTY_META });
const missing = (seq: number): Task =>
  aTask({ seq, status: 'completed', meta: { ...EMPTY_META, notes: ['no_record'] } });

describe('the errors that a run has seen', () => {
  const params = admitted();
  const errorsAfter = (...visited: Task[]) =>
    visited.reduce((cursor, task) => plan.learn(params, cursor, task).cursor, plan.begin(params)).errors;

  it('are those of visits that failed, also of those that were repeated', () => {
    const lastError = { type: 'connect_failed', message: 'x', ts: 1 };
    const again = aTask({ seq: 0, status: 'queued', meta: { ...EMPTY_META, lastError } });
    const failed = aTask({ seq: 1, status: 'failed', code: 'target_server_error', meta: EMPTY_META });
    const other = aTask({ seq: 2, status: 'completed', meta: { ...EMPTY_META, notes: ['other_subject'] } });
    const dropped = aTask({ seq: 3, status: 'cancelled', code: 'cancelled', meta: { ...EMPTY_META, lastError } });
    expect(errorsAfter(again, failed, other, dropped)).toEqual({
      connect_failed: 2,
      target_server_error: 1,
      extraction_failed: 1,
    });
  });

  it('are none where the register says by a status that there is no such case, or the service stopped', () => {
    const meta = { ...EMPTY_META, httpStatus: 404 };
    const none = aTask({ seq: 0, status: 'failed', code: 'target_client_error', meta });
    const stopped = aTask({ seq: 1, status: 'queued', code: 'shutting_down', meta: EMPTY_META });
    expect(errorsAfter(none, stopped, found(2), missing(3))).toEqual({});
  });
});

describe('the retrieval plan', () => {
  it('hands out every case of a range once, in order, in windows of any size', () => {
    fc.assert(
      fc.property(fc.nat(300), fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1 }), (size, rooms) => {
        const params = admitted({ range: { from: 5, to: 5 + size } });
        const urls: string[] = [];
        let cursor: RetrievalCursor = plan.begin(params);
        for (const room of [...rooms, size + 1]) {
          const step = plan.next(params, cursor, room);
          expect(step.targets.length).toBeLessThanOrEqual(room);
          urls.push(...step.targets.map(({ spec }) => spec.targetUrl));
          cursor = step.cursor;
        }
        expect(urls).toEqual(
          Array.from({ length: size + 1 }, (_, index) => `https://court.example/case/IMM-${5 + index}-25`),
        );
      }),
    );
  });

  it('knows each case by its place and by its name', () => {
    for (const params of [admitted(), admitted({ year: null, range: null, identifiers: ['imm-7-24', 'IMM-003-25'] })]) {
      for (let seq = 0; seq < plan.total(params, plan.begin(params)); seq += 1) {
        expect(plan.seqOf(params, plan.nameOf(params, seq))).toBe(seq);
      }
      for (const other of ['IMM-21-25', 'IMM-1-26', 'T-1-25', 'imm-1-25', '']) {
        expect(plan.seqOf(params, other)).toBeNull();
      }
    }
  });

  it('names every fault of a wish', () => {
    expect(faults({ adapter: 'nobody' })).toEqual(['adapter']);
    expect(faults({ range: { from: 9, to: 3 }, year: '2025' })).toEqual(['year', 'range.to']);
    expect(faults({ range: { from: 0, to: 100_000 } })).toEqual(['range.to']);
    expect(faults({ range: null })).toEqual(['range']);
    expect(faults({ prefix: 'T' })).toEqual(['range']);
    expect(faults({ identifiers: ['IMM-1-25'], year: null })).toEqual(['range']);
    const listed = { year: null, range: null };
    expect(faults({ ...listed, identifiers: [] })).toEqual(['identifiers']);
    expect(faults({ ...listed, identifiers: ['IMM-1-25', 'x', 'T-1-25', 'imm-01-25'] })).toEqual([
      'identifiers[1]',
      'identifiers[2]',
      'identifiers[3]',
    ]);
  });

  it.each([
    ['a record', found(0), 'success', null],
    ['a page that says there is none', missing(0), 'no-record', null],
    [
      'a status that says so',
      aTask({ status: 'failed', code: 'target_client_error', meta: { ...EMPTY_META, httpStatus: 404 } }),
      'no-record',
      null,
    ],
    [
      'another status',
      aTask({ status: 'failed', code: 'target_client_error', meta: { ...EMPTY_META, httpStatus: 400 } }),
      'failed',
      null,
    ],
    ['a fault', aTask({ status: 'failed', code: 'target_timeout', meta: EMPTY_META }), 'failed', null],
    ['a visit that will be repeated', aTask({ status: 'queued', meta: EMPTY_META }), null, null],
    ['a visit that was cancelled', aTask({ status: 'cancelled' }), null, null],
    [
      'a page of something else',
      aTask({ status: 'completed', meta: { ...EMPTY_META, notes: ['other_subject'] } }),
      'failed',
      'extraction_failed',
    ],
  ])('takes %s for what it is', (_what, visited, outcome, error) => {
    const params = admitted();
    const learnt = plan.learn(params, plan.begin(params), visited as Task);
    expect({ outcome: learnt.outcome, error: learnt.error?.type ?? null }).toEqual({ outcome, error });
  });

  it('counts cases without a record in the order of the cases, in whatever order their visits end', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('found', 'none'), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 6 }),
        fc.infiniteStream(fc.nat(1_000)),
        (pages, limit, chance) => {
          const params = admitted({ range: { from: 0, to: pages.length - 1 }, stopAfterNoRecords: limit });
          let { cursor } = plan.next(params, plan.begin(params), pages.length);
          const order = pages.map((_, seq) => ({ seq, at: chance.next().value })).sort((a, b) => a.at - b.at);
          for (const { seq } of order) {
            ({ cursor } = plan.learn(params, cursor, pages[seq] === 'none' ? missing(seq) : found(seq)));
          }
          const hasStreak = pages.join(' ').includes(Array(limit).fill('none').join(' '));
          expect(cursor.hasStopped).toBe(hasStreak);
          expect(cursor.ahead).toEqual([]);
        },
      ),
    );
  });

  it('plans nothing further after an early end, and counts only what it has planned', () => {
    const params = admitted({ range: { from: 0, to: 999 }, stopAfterNoRecords: 3 });
    let { cursor } = plan.next(params, plan.begin(params), 5);
    for (const seq of [0, 1, 2]) ({ cursor } = plan.learn(params, cursor, missing(seq)));
    expect(plan.next(params, cursor, 10).targets).toEqual([]);
    expect(plan.total(params, cursor)).toBe(5);
  });

  it('never ends early where that was not asked for', () => {
    const params = admitted({ range: { from: 0, to: 49 } });
    let { cursor } = plan.next(params, plan.begin(params), 50);
    for (let seq = 0; seq < 50; seq += 1) ({ cursor } = plan.learn(params, cursor, missing(seq)));
    expect(cursor).toMatchObject({ hasStopped: false, noRecord: 50, ahead: [] });
  });
});
