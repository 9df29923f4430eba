import { describe, expect, it } from 'vitest';
import {
  changedEnds,
  compareAll,
  type Promised,
  type PromisedTask,
  refetchedAfterKill,
  type Stored,
  type StoredTask,
  type Telling,
  wrongAttempts,
} from './accounts.js';

const promise = (id: string, changes: Partial<PromisedTask> = {}): PromisedTask => ({
  id,
  url: `http://site/${id}`,
  jobId: null,
  isSound: true,
  isTold: false,
  needsBrowser: false,
  requestsPerVisit: 1,
  ...changes,
});
const row = (id: string, changes: Partial<StoredTask> = {}): StoredTask => ({
  id,
  url: `http://site/${id}`,
  jobId: null,
  status: 'completed',
  attempts: 1,
  visits: 1,
  code: null,
  fingerprint: `end of ${id}`,
  ...changes,
});
const telling = (about: string, changes: Partial<Telling> = {}): Telling => ({
  webhookId: `event of ${about}`,
  about,
  body: `{"about":"${about}"}`,
  ...changes,
});

/** A run in which all went well: one task alone, and a job of two. */
const promised: Promised = {
  tasks: [promise('a', { isTold: true }), promise('b', { jobId: 'j' }), promise('c', { jobId: 'j' })],
  jobs: [{ id: 'j', isTold: true }],
};
const tasks = [row('a'), row('b', { jobId: 'j' }), row('c', { jobId: 'j' })];
const jobs = [{ id: 'j', status: 'completed', isOver: true }];
const told = [telling('a'), telling('j'), telling('j')];
const requests = new Map([['http://site/a', 1]]);

const found = (changes: {
  tasks?: StoredTask[];
  jobs?: Stored['jobs'];
  told?: Telling[];
  requests?: [string, number][];
}) =>
  compareAll(promised, {
    stored: { tasks: changes.tasks ?? tasks, jobs: changes.jobs ?? jobs },
    told: changes.told ?? told,
    requests: changes.requests ? new Map(changes.requests) : requests,
  }).map(({ kind, what }) => `${kind}: ${what}`);

describe('the comparison at the end of a run', () => {
  it('finds nothing where everything ended and was told, however often', () => {
    expect(found({})).toEqual([]);
  });

  it('finds a task that is missing, and one that never ended', () => {
    expect(found({ tasks: tasks.slice(1) })).toEqual([
      'lost: task a (http://site/a) is not in the store',
      ...unasked('a'),
    ]);
    const running = row('a', { status: 'running' });
    expect(found({ tasks: [running, ...tasks.slice(1)] })).toEqual([
      'lost: task a (http://site/a) never ended: running',
    ]);
  });

  it('finds a task that was opened twice, and one that nobody was promised', () => {
    const twin = row('z', { url: 'http://site/a' });
    expect(found({ tasks: [...tasks, twin] })).toEqual(['doubled: http://site/a has the tasks a and z']);
    const stranger = row('z');
    expect(found({ tasks: [...tasks, stranger] })).toEqual([
      'doubled: task z (http://site/z) was never promised to anybody',
    ]);
  });

  it('finds a sound page that failed, but not one that was taken down three times', () => {
    const failed = (visits: number) => row('a', { status: 'failed', code: 'internal_error', visits, attempts: visits });
    expect(found({ tasks: [failed(2), ...tasks.slice(1)] })).toEqual([
      'spoilt: task a (http://site/a) ended failed (internal_error) after 2 visits',
    ]);
    expect(found({ tasks: [failed(3), ...tasks.slice(1)] })).toEqual([]);
  });

  it('finds a job that is missing, not over, or says otherwise than its tasks', () => {
    expect(found({ jobs: [] })).toEqual(['lost: job j is not in the store']);
    const open = [{ id: 'j', status: 'running', isOver: false }];
    expect(found({ jobs: open })).toEqual(['lost: job j is running, not over; its tasks say completed']);
    const wrong = [{ id: 'j', status: 'failed', isOver: true }];
    expect(found({ jobs: wrong })).toEqual(['lost: job j is failed; its tasks say completed']);
  });

  it('finds an end of which nobody was told', () => {
    expect(found({ told: told.slice(1) })).toEqual(['lost: nobody was told of the end of a']);
  });

  it('finds an end that was told under two ids, with two bodies, or unasked', () => {
    const other = telling('a', { webhookId: 'another event' });
    expect(found({ told: [...told, other] })).toEqual(['doubled: a was told of under 2 webhook ids']);
    const rewritten = telling('a', { body: '{}' });
    expect(found({ told: [...told, rewritten] })).toEqual(['changed: a was told of with 2 bodies']);
    expect(found({ told: [...told, telling('b')] })).toEqual(['doubled: b was told of, and nobody had asked for it']);
  });

  it('finds a page that was asked for more often than it was visited', () => {
    expect(found({ requests: [['http://site/a', 2]] })).toEqual([
      'refetched: http://site/a was asked for 2 times in 1 visits',
    ]);
  });
});

const unasked = (id: string): string[] => [`refetched: http://site/${id} was asked for 1 times in 0 visits`];

describe('the comparison at a kill', () => {
  const look = (...rows: StoredTask[]): Stored => ({ tasks: rows, jobs: [] });

  it('finds an end that has changed or vanished since it was first seen', () => {
    const known = new Map<string, string>();
    expect(changedEnds(known, look(row('a'), row('b'), row('c', { status: 'running' })))).toEqual([]);
    const later = look(row('a', { fingerprint: 'another end' }), row('c'));
    expect(changedEnds(known, later)).toEqual([
      { kind: 'changed', what: 'the end of task a (http://site/a) has changed' },
      { kind: 'lost', what: 'task b had ended and is no longer in the store' },
    ]);
  });

  it('counts what was in flight and asked for again, and finds what had ended or was not claimed', () => {
    const atKill = look(
      row('a', { status: 'running' }),
      row('b'),
      row('c', { status: 'queued', visits: 0 }),
      row('d', { status: 'running' }),
    );
    const urls = (...ids: string[]) => new Set(ids.map((id) => `http://site/${id}`));
    expect(refetchedAfterKill(atKill, { before: urls('a', 'd'), after: urls('a', 'c') })).toEqual({
      refetched: 1,
      findings: [],
    });
    const { findings } = refetchedAfterKill(atKill, { before: urls('b', 'c'), after: urls('b') });
    expect(findings.map(({ what }) => what)).toEqual([
      'task b (http://site/b) had ended before the kill and was asked for again',
      'task c (http://site/c) was asked for before its visit was in the store',
    ]);
  });
});

describe('the comparison after a blow to a browser', () => {
  const running = (id: string): StoredTask => row(id, { status: 'running' });
  const earlier: Stored = { tasks: [running('a'), running('b')], jobs: [] };
  const later = (...rows: StoredTask[]): Stored => ({ tasks: rows, jobs: [] });
  const none = new Set<string>();

  it('takes one attempt more for each that was hit, and none for the others', () => {
    const hitOne = later(row('a', { visits: 2, attempts: 2 }), row('b'));
    expect(wrongAttempts(earlier, hitOne, { mostHit: 1, certain: new Set(['a']) })).toEqual([]);
  });

  it('finds two attempts for one blow, one that was not counted, and more tasks hit than can have been', () => {
    const twice = later(row('a', { visits: 3, attempts: 3 }), row('b'));
    expect(wrongAttempts(earlier, twice, { mostHit: 1, certain: none })).toHaveLength(1);
    const refunded = later(row('a', { visits: 2, attempts: 1 }), row('b'));
    expect(wrongAttempts(earlier, refunded, { mostHit: 1, certain: none })).toHaveLength(1);
    expect(wrongAttempts(earlier, later(row('a'), row('b')), { mostHit: 1, certain: new Set(['a']) })).toHaveLength(1);
    const both = later(row('a', { visits: 2, attempts: 2 }), row('b', { visits: 2, attempts: 2 }));
    expect(wrongAttempts(earlier, both, { mostHit: 1, certain: none })).toHaveLength(1);
  });
});
