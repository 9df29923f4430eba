import { describe, expect, it } from 'vitest';
import { LocalQueue } from '../../src/backends/embedded/local-queue.js';
import { anEntry } from '../support/tasks.js';
import { VirtualClock } from '../support/virtual-clock.js';

const open = (clock: VirtualClock, changes: object = {}): LocalQueue =>
  new LocalQueue({ clock, maxDepth: 3, httpConcurrency: 2, browserConcurrency: 1, laneWidth: () => 10, ...changes });

describe('the local queue', () => {
  it('reserves room all or nothing, and gives it back', () => {
    const queue = open(new VirtualClock());
    expect(queue.reserve(2)).toBe(true);
    expect(queue.reserve(2)).toBe(false);
    queue.unreserve(2);
    expect(queue.reserve(3)).toBe(true);
    queue.add(anEntry(), { reserved: true });
    expect(queue.reserve(1)).toBe(false);
  });

  it('does not let cheap pages wait behind browsers', async () => {
    const clock = new VirtualClock();
    const queue = open(clock, { maxDepth: 100 });
    const started: string[] = [];
    queue.start((entry) => {
      started.push(entry.taskId);
      return entry.needs === 'browser' ? clock.wait(1_000) : Promise.resolve();
    });
    for (const id of ['b1', 'b2', 'b3']) queue.add(anEntry({ taskId: id, needs: 'browser' }));
    for (const id of ['h1', 'h2', 'h3', 'h4', 'h5']) queue.add(anEntry({ taskId: id }));
    await clock.advance(0);
    expect(started).toEqual(['b1', 'h1', 'h2', 'h3', 'h4', 'h5']);
    await clock.advance(2_000);
    expect(started.slice(-2)).toEqual(['b2', 'b3']);
    await clock.advance(1_000);
    await queue.stop();
  });

  it('runs as many at once as it is told to, from then on, and knows whether more could', async () => {
    const clock = new VirtualClock();
    const queue = open(clock, { maxDepth: 100, browserConcurrency: 3 });
    queue.start(() => clock.wait(1_000));
    for (let n = 0; n < 7; n++) queue.add(anEntry({ taskId: `b${n}`, needs: 'browser' }));
    await clock.advance(0);
    expect(queue.load('browser')).toEqual({ running: 3, isMoreReady: true });
    queue.resize('browser', 1);
    await clock.advance(1_000);
    expect(queue.load('browser')).toEqual({ running: 1, isMoreReady: true });
    queue.resize('browser', 4);
    await clock.advance(0);
    expect(queue.load('browser')).toEqual({ running: 4, isMoreReady: false });
    expect(queue.load('http')).toEqual({ running: 0, isMoreReady: false });
    await clock.advance(2_000);
    await queue.stop();
  });

  it('keeps no timer for a task that was taken out again', () => {
    const clock = new VirtualClock();
    const queue = open(clock);
    queue.start(async () => undefined);
    queue.add(anEntry({ taskId: 'later', notBefore: clock.mono() + 3_600_000 }));
    expect(clock.pendingTimers).toBe(1);
    expect(queue.remove('later')).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('wakes up for a retry and for a held lane, and keeps no timer when there is nothing to wait for', async () => {
    const clock = new VirtualClock();
    const queue = open(clock, { maxDepth: 100 });
    const started: [string, number][] = [];
    queue.start(async (entry) => void started.push([entry.taskId, clock.mono()]));
    queue.hold('held.com', 700);
    queue.add(anEntry({ taskId: 'held', lane: 'held.com' }));
    queue.add(anEntry({ taskId: 'retry', notBefore: 300 }));
    await clock.advance(1_000);
    expect(started).toEqual([
      ['retry', 300],
      ['held', 700],
    ]);
    expect(clock.pendingTimers).toBe(0);
    await queue.stop();
  });

  it('starts nothing after stop, and stop waits for what runs', async () => {
    const clock = new VirtualClock();
    const queue = open(clock, { maxDepth: 100 });
    const started: string[] = [];
    queue.start((entry) => {
      started.push(entry.taskId);
      return clock.wait(500);
    });
    for (const id of ['a', 'b', 'c']) queue.add(anEntry({ taskId: id }));
    await clock.advance(0);
    let stopped = false;
    const stop = queue.stop().then(() => {
      stopped = true;
    });
    await clock.advance(499);
    expect(stopped).toBe(false);
    await clock.advance(1);
    await stop;
    expect(started).toEqual(['a', 'b']);
    expect(queue.stats().depth).toBe(1);
  });
});
