import type { QueueEntry, TaskQueue } from '../../src/ports/queue.js';
import { Violation } from './trace.js';

interface WatchOptions {
  mono: () => number;
  laneWidth: (lane: string) => number;
  slots: Record<QueueEntry['needs'], number>;
  /** Keeps what is violated: thrown in here it would be the engine's affair. */
  check: (act: () => void) => void;
}

/** Beside the real queue: a plain list of what waits, asked at every dispatch whether a better one was passed over. */
export class QueueWatch {
  private readonly waiting = { http: new Map<string, QueueEntry>(), browser: new Map<string, QueueEntry>() };
  private readonly heldUntil = new Map<string, number>();
  private readonly running = { http: new Map<string, number>(), browser: new Map<string, number>() };
  private readonly busy = { http: 0, browser: 0 };
  private restsUntil = 0;

  constructor(private readonly options: WatchOptions) {}

  /** The queue itself, with every call seen. */
  around(queue: TaskQueue): void {
    const { add, hold, remove, rest, start } = queue;
    queue.add = (entry, options) => {
      const list = this.waiting[entry.needs];
      if (!list.has(entry.taskId)) list.set(entry.taskId, entry);
      add.call(queue, entry, options);
    };
    queue.hold = (lane, until, expected) => {
      this.heldUntil.set(lane, Math.max(this.heldUntil.get(lane) ?? 0, until));
      hold.call(queue, lane, until, expected);
    };
    queue.remove = (taskId) => {
      for (const list of Object.values(this.waiting)) if (list.delete(taskId)) break;
      return remove.call(queue, taskId);
    };
    queue.rest = (until) => {
      this.restsUntil = Math.max(this.restsUntil, until);
      rest.call(queue, until);
    };
    queue.start = (work) => start.call(queue, (entry) => this.watched(entry, work));
  }

  idle(): boolean {
    return this.busy.http + this.busy.browser === 0;
  }

  private async watched(entry: QueueEntry, work: (entry: QueueEntry) => Promise<void>): Promise<void> {
    this.options.check(() => this.dispatched(entry));
    try {
      await work(entry);
    } finally {
      this.busy[entry.needs] -= 1;
      // The queue frees the lane once it has heard of the end, in its next microtask; who is handed out before that
      // passes nobody over.
      queueMicrotask(() => this.countInLane(entry, -1));
    }
  }

  private dispatched(entry: QueueEntry): void {
    const now = this.options.mono();
    this.waiting[entry.needs].delete(entry.taskId);
    this.busy[entry.needs] += 1;
    this.countInLane(entry, 1);
    if (now < this.restsUntil) throw new Violation('rest', `${entry.taskId} was handed out while the queue rests`);
    if (now < entry.notBefore) throw new Violation('not before', `${entry.taskId} was handed out too early`);
    for (const other of this.waiting[entry.needs].values()) {
      if (this.isReady(other, now) && isBefore(other, entry))
        throw new Violation('priority', `${entry.taskId} went before ${other.taskId}, which was ready and comes first`);
    }
    if (this.busy[entry.needs] > this.options.slots[entry.needs])
      throw new Violation('slots', `${this.busy[entry.needs]} ${entry.needs} visits at once`);
  }

  private isReady({ lane, notBefore, needs }: QueueEntry, now: number): boolean {
    const isFree = (this.running[needs].get(lane) ?? 0) < this.options.laneWidth(lane);
    return isFree && notBefore <= now && (this.heldUntil.get(lane) ?? 0) <= now;
  }

  private countInLane({ needs, lane }: QueueEntry, by: number): void {
    this.running[needs].set(lane, (this.running[needs].get(lane) ?? 0) + by);
  }
}

/** Written out once more: whoever stands alone goes first, then the smaller jobs, and what waits grows older. */
const placeOf = ({ since, jobSize }: QueueEntry): number => since + 30_000 * Math.log2(1 + jobSize);

function isBefore(a: QueueEntry, b: QueueEntry): boolean {
  const [one, other] = [placeOf(a), placeOf(b)];
  return one < other || (one === other && a.taskId < b.taskId);
}
