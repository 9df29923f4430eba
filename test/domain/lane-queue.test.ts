import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Heap, type HeapItem } from '../../src/domain/heap.js';
import { type LaneEntry, LaneQueue } from '../../src/domain/lane-queue.js';
import { priorityKey } from '../../src/domain/priority.js';
import { anEntry } from '../support/tasks.js';

function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

const keyOf = ({ since, jobSize }: LaneEntry): number => priorityKey(since, jobSize);

describe('the lanes', () => {
  it('let another domain pass while one is held', () => {
    const lanes = new LaneQueue(() => 10);
    lanes.add(anEntry({ taskId: 'a', lane: 'slow.com', since: 0 }), 0);
    lanes.add(anEntry({ taskId: 'b', lane: 'fast.com', since: 1 }), 0);
    lanes.hold('slow.com', { until: 1_000 }, 0);
    expect(lanes.take(0)?.taskId).toBe('b');
    expect(lanes.take(999)).toBeNull();
    expect(lanes.nextDue(999)).toBe(1_000);
    expect(lanes.take(1_000)?.taskId).toBe('a');
  });

  it('run no more of one domain at once than its lane is wide', () => {
    const lanes = new LaneQueue(() => 2);
    for (const taskId of ['a', 'b', 'c']) lanes.add(anEntry({ taskId }), 0);
    expect([lanes.take(0)?.taskId, lanes.take(0)?.taskId, lanes.take(0)]).toEqual(['a', 'b', null]);
    lanes.done('example.com', 0);
    expect(lanes.take(0)?.taskId).toBe('c');
  });

  it('let a task of a large job overtake once it has waited long enough', () => {
    const lanes = new LaneQueue(() => 10);
    lanes.add(anEntry({ taskId: 'old', jobSize: 100, since: 0 }), 0);
    lanes.add(anEntry({ taskId: 'new', jobSize: 0, since: 300_000 }), 300_000);
    expect(lanes.take(300_000)?.taskId).toBe('old');
  });

  it('are compared by what stands first in them at the moment', () => {
    const lanes = new LaneQueue(() => 10);
    for (const [taskId, lane, since] of [
      ['a1', 'a.com', 0],
      ['a2', 'a.com', 100],
      ['b', 'b.com', 50],
    ] as const)
      lanes.add(anEntry({ taskId, lane, since }), 100);
    expect([lanes.take(100)?.taskId, lanes.take(100)?.taskId]).toEqual(['a1', 'b']);
    lanes.add(anEntry({ taskId: 'c', lane: 'c.com', since: 60 }), 100);
    lanes.add(anEntry({ taskId: 'a3', lane: 'a.com', since: 10 }), 100);
    expect([lanes.take(100)?.taskId, lanes.take(100)?.taskId, lanes.take(100)?.taskId]).toEqual(['a3', 'c', 'a2']);
  });

  it('keep no memory of a domain that has nothing left', () => {
    const lanes = new LaneQueue(() => 1);
    for (let n = 0; n < 1_000; n++) lanes.add(anEntry({ taskId: `t${n}`, lane: `d${n}.com` }), 0);
    for (let entry = lanes.take(0); entry; entry = lanes.take(0)) {
      lanes.hold(entry.lane, { until: 50 }, 0);
      lanes.done(entry.lane, 0);
    }
    expect(lanes.counts().lanes).toBe(1_000);
    expect(lanes.nextDue(50)).toBeNull();
    expect(lanes.counts()).toEqual({ standalone: 0, batch: 0, delayed: 0, lanes: 0 });
  });

  it('look at few entries for each that they hand out, however many wait', () => {
    const looksPerTask = (count: number): number => {
      const lanes = new LaneQueue(() => 1);
      let looks = 0;
      for (let n = 0; n < count; n++) {
        const taskId = `t${(n * 7919) % count}`.padEnd(9, '-');
        const entry = anEntry({ lane: `d${n % (count / 10)}.com` });
        // All came at once, so their order is read from their ids: every comparison is two looks.
        const look = (): string => {
          looks += 1;
          return taskId;
        };
        Object.defineProperty(entry, 'taskId', { get: look });
        lanes.add(entry, 0);
      }
      let left = count;
      for (let now = 0; left > 0; now = lanes.nextDue(now) ?? now) {
        for (let entry = lanes.take(now); entry; entry = lanes.take(now)) {
          lanes.hold(entry.lane, { until: now + 1_000 }, now);
          lanes.done(entry.lane, now);
          left -= 1;
        }
      }
      return looks / count;
    };
    const [small, large] = [looksPerTask(1_000), looksPerTask(16_000)];
    // log n grows by 1.4, n by 16.
    expect(large / small).toBeLessThan(1.6);
    expect(large).toBeLessThan(100);
  });

  it('do not keep the URL that the name of a lane was cut out of', () => {
    const lanes = new LaneQueue(() => 1);
    const before = heapAfterCollection();
    for (let n = 0; n < 2_000; n++) {
      const lane = `https://www.careers-${n % 100}.com/${'x'.repeat(20_000)}`.slice(8, 27);
      lanes.add(anEntry({ taskId: `t${n}`, lane }), 0);
    }
    // Their URLs are 40 MB.
    expect(heapAfterCollection() - before).toBeLessThan(10_000_000);
    expect(lanes.size).toBe(2_000);
  });

  it('never lose, double or hand out early anything, whatever the order of events', () => {
    const event = fc.oneof(
      fc.record({ kind: fc.constant('add' as const), domain: fc.nat(3), delay: fc.nat(50), size: fc.nat(5) }),
      fc.record({ kind: fc.constant('take' as const) }),
      fc.record({ kind: fc.constant('done' as const) }),
      fc.record({ kind: fc.constant('hold' as const), domain: fc.nat(3), for: fc.nat(60) }),
      fc.record({ kind: fc.constant('remove' as const), nth: fc.nat(20) }),
      fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(40) }),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 120 }), (events) => {
        const lanes = new LaneQueue(() => 2);
        const waiting = new Map<string, LaneEntry>();
        const running: string[] = [];
        const heldUntil = new Map<string, number>();
        let now = 0;
        let serial = 0;
        for (const step of events) {
          if (step.kind === 'add') {
            const entry = anEntry({
              taskId: `t${serial++}`,
              lane: `d${step.domain}`,
              jobSize: step.size,
              since: now,
              notBefore: now + step.delay,
            });
            lanes.add(entry, now);
            waiting.set(entry.taskId, entry);
          } else if (step.kind === 'take') {
            const entry = lanes.take(now);
            const [best] = [...waiting.values()]
              .filter(
                (one) =>
                  one.notBefore <= now &&
                  (heldUntil.get(one.lane) ?? 0) <= now &&
                  running.filter((d) => d === one.lane).length < 2,
              )
              .sort((a, b) => keyOf(a) - keyOf(b) || (a.taskId < b.taskId ? -1 : 1));
            expect(entry?.taskId).toBe(best?.taskId);
            if (!entry) continue;
            expect(waiting.delete(entry.taskId)).toBe(true);
            expect(entry.notBefore).toBeLessThanOrEqual(now);
            expect(heldUntil.get(entry.lane) ?? 0).toBeLessThanOrEqual(now);
            running.push(entry.lane);
            expect(running.filter((domain) => domain === entry.lane).length).toBeLessThanOrEqual(2);
          } else if (step.kind === 'done') {
            const domain = running.shift();
            if (domain) lanes.done(domain, now);
          } else if (step.kind === 'hold') {
            lanes.hold(`d${step.domain}`, { until: now + step.for }, now);
            heldUntil.set(`d${step.domain}`, Math.max(heldUntil.get(`d${step.domain}`) ?? 0, now + step.for));
          } else if (step.kind === 'remove') {
            const id = [...waiting.keys()][step.nth];
            if (id) expect(lanes.remove(id, now)?.taskId).toBe(id);
            if (id) waiting.delete(id);
          } else now += step.ms;
          expect(lanes.size).toBe(waiting.size);
          const due = lanes.nextDue(now);
          if (due !== null) expect(due).toBeGreaterThan(now);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('the heap', () => {
  it('gives back in order what was put in, less what was taken out of the middle', () => {
    const numbers = fc.array(fc.record({ value: fc.integer(), drop: fc.boolean() }), { maxLength: 200 });
    fc.assert(
      fc.property(numbers, (given) => {
        const heap = new Heap<HeapItem & { value: number }>((a, b) => a.value < b.value);
        const items = given.map(({ value, drop }) => ({ value, drop, heapIndex: -1 }));
        for (const item of items) heap.push(item);
        for (const item of items.filter((one) => one.drop)) heap.remove(item);
        const out: number[] = [];
        for (let item = heap.pop(); item; item = heap.pop()) out.push(item.value);
        expect(out).toEqual(
          items
            .filter((one) => !one.drop)
            .map((one) => one.value)
            .sort((a, b) => a - b),
        );
      }),
    );
  });
});
