import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JobEvent } from '../../src/domain/job-event.js';
import type { Engine } from '../../src/engine/engine.js';
import type { Fetcher } from '../../src/ports/fetcher.js';
import { aPage, openEngine } from '../support/engine-harness.js';
import { openTempStore, type TempStore } from '../support/sqlite-store.js';
import { aSpec, CALLER } from '../support/tasks.js';
import { VirtualClock } from '../support/virtual-clock.js';

const MISSING = '0192d3a5-0000-7000-8000-000000000000';

describe('following a job', () => {
  let clock: VirtualClock;
  let opened: TempStore;
  let engine: Engine;
  let gone: AbortController;

  beforeEach(async () => {
    clock = new VirtualClock();
    opened = await openTempStore();
    gone = new AbortController();
    const http: Fetcher['fetch'] = async (request, signal) => {
      await clock.wait(1_000, signal);
      signal.throwIfAborted();
      return aPage(request, 'Engineer');
    };
    ({ engine } = openEngine({ ...opened, clock, http, queue: { laneWidth: () => 1 } }));
    await engine.start();
  });
  afterEach(async () => {
    const stopping = engine.stop(0);
    await clock.advance(0);
    await stopping;
    await opened.end();
  });

  const openJob = async (size: number): Promise<string> => {
    const targets = Array.from({ length: size }, (_, n) => aSpec({ targetUrl: `https://jobs.example.com/${n}` }));
    return (await engine.submitBatch({ targets, callbackUrl: null }, CALLER)).job.id;
  };
  const follow = (id: string, after = 0) => engine.jobEvents(id, { after, heartbeatMs: 15_000, signal: gone.signal });
  /** Reads in the background; what was told so far is in the list. */
  const reading = (stream: AsyncIterable<JobEvent | null> | null) => {
    const told: (JobEvent | null)[] = [];
    const done = (async () => {
      for await (const event of stream ?? []) told.push(event);
    })();
    return { told, done };
  };
  const seqs = (told: (JobEvent | null)[]): (number | null)[] => told.map((event) => event?.seq ?? null);

  it('tells what happened and what happens, without gaps, and ends with the job', async () => {
    const id = await openJob(3);
    await clock.advance(1_500);
    const { told, done } = reading(await follow(id));
    await clock.advance(0);
    const soFar = told.length;
    expect(soFar).toBeGreaterThan(3);
    await clock.advance(10_000);
    await done;
    expect(seqs(told)).toEqual(told.map((_, index) => index + 1));
    expect(told.at(-1)).toMatchObject({ kind: 'job', status: 'completed' });
    expect(told.filter((event) => event?.kind === 'task' && event.status === 'completed')).toHaveLength(3);
  });

  it('goes on where somebody stopped reading, and says when all has been told', async () => {
    const id = await openJob(2);
    await clock.advance(10_000);
    const all = reading(await follow(id));
    await all.done;
    const last = all.told.at(-1)?.seq ?? 0;
    for (let after = 0; after < last; after += 1) {
      const rest = reading(await follow(id, after));
      await rest.done;
      expect(rest.told).toEqual(all.told.slice(after));
    }
    expect(await follow(id, last)).toBeNull();
    expect(await follow(id, last + 100)).toBeNull();
  });

  it('sends heartbeats to whoever waits for a job that does not move', async () => {
    const id = await openJob(1);
    await clock.advance(0);
    const signal = gone.signal;
    const stream = await engine.jobEvents(id, { after: 3, heartbeatMs: 300, signal });
    const { told } = reading(stream);
    await clock.advance(950);
    expect(told).toEqual([null, null, null]);
  });

  it('ends when the reader is gone, and leaves nothing behind', async () => {
    const id = await openJob(5);
    await clock.advance(0);
    const { done } = reading(await follow(id));
    await clock.advance(100);
    const timers = clock.pendingTimers;
    gone.abort();
    await done;
    expect(clock.pendingTimers).toBe(timers - 1);
  });

  it('ends when the service stops, and goes on after the next start', async () => {
    const id = await openJob(4);
    const { told, done } = reading(await follow(id));
    await clock.advance(1_500);
    const stopping = engine.stop(0);
    await clock.advance(0);
    await stopping;
    await done;
    await opened.reopen();
    ({ engine } = openEngine({ ...opened, clock }));
    await engine.start();
    const rest = reading(await follow(id, told.at(-1)?.seq ?? 0));
    await clock.advance(10_000);
    await rest.done;
    expect(seqs([...told, ...rest.told])).toEqual([...told, ...rest.told].map((_, index) => index + 1));
    expect(rest.told.at(-1)).toMatchObject({ kind: 'job', status: 'completed' });
  });

  it('knows no job that is not there', async () => {
    await expect(follow(MISSING)).rejects.toMatchObject({ code: 'job_not_found' });
  });

  it('takes no more readers than it can bear', async () => {
    const id = await openJob(1);
    const readers = [];
    const each = () => engine.jobEvents(id, { after: 0, heartbeatMs: 15_000, signal: new AbortController().signal });
    for (let n = 0; n < 1_000; n += 1) readers.push(reading(await each()));
    await expect(follow(id)).rejects.toMatchObject({ code: 'too_many_streams' });
    await clock.advance(5_000);
    await Promise.all(readers.map(({ done }) => done));
    expect(await follow(id, 100)).toBeNull();
  });
});
