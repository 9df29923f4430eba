import PQueue from 'p-queue';
import { LaneQueue } from '../../domain/lane-queue.js';
import type { Clock } from '../../ports/clock.js';
import type { QueueEntry, QueueStats, TaskQueue } from '../../ports/queue.js';

type Needs = QueueEntry['needs'];

/** One kind of slot: the lanes decide what is ready, p-queue runs as many as there are slots. */
interface SlotClass {
  lanes: LaneQueue<QueueEntry>;
  slots: PQueue;
}

export interface LocalQueueOptions {
  clock: Clock;
  maxDepth: number;
  httpConcurrency: number;
  browserConcurrency: number;
  /** How many tasks of one lane may run at once. */
  laneWidth: (lane: string) => number;
}

/**
 * The queue in this process. HTTP and browser visits have lanes and slots of their own, so that a hundred cheap pages
 * do not stand behind two browsers. p-queue is fed only what can start at once: what waits, waits in the lanes.
 */
export class LocalQueue implements TaskQueue {
  private readonly clock: Clock;
  private readonly maxDepth: number;
  private readonly classes: Record<Needs, SlotClass>;
  private reserved = 0;
  private restsUntil = 0;
  private work: ((entry: QueueEntry) => Promise<void>) | null = null;
  private alarm: { at: number; cancel: () => void } | null = null;

  constructor(options: LocalQueueOptions) {
    this.clock = options.clock;
    this.maxDepth = options.maxDepth;
    const slotClass = (concurrency: number): SlotClass => ({
      lanes: new LaneQueue<QueueEntry>(options.laneWidth),
      slots: new PQueue({ concurrency }),
    });
    this.classes = { http: slotClass(options.httpConcurrency), browser: slotClass(options.browserConcurrency) };
    // `next` comes after the slot has been counted free; earlier there would be nothing to fill.
    for (const { slots } of this.each()) slots.on('next', () => this.pump());
  }

  get capacity(): number {
    return this.maxDepth;
  }

  reserve(count: number): boolean {
    if (this.depth() + this.reserved + count > this.maxDepth) return false;
    this.reserved += count;
    return true;
  }

  unreserve(count: number): void {
    this.reserved -= count;
  }

  add(entry: QueueEntry, options: { reserved?: boolean } = {}): void {
    if (options.reserved) this.reserved -= 1;
    this.classes[entry.needs].lanes.add(entry, this.clock.mono());
    this.pump();
  }

  hold(lane: string, until: number, expected?: number): void {
    const now = this.clock.mono();
    const hold = expected === undefined ? { until } : { until, expected };
    for (const { lanes } of this.each()) lanes.hold(lane, hold, now);
  }

  dueAt(taskId: string): number | null {
    const now = this.clock.mono();
    return this.classes.http.lanes.dueAt(taskId, now) ?? this.classes.browser.lanes.dueAt(taskId, now);
  }

  remove(taskId: string): boolean {
    const now = this.clock.mono();
    const wasHere = this.each().some(({ lanes }) => lanes.remove(taskId, now) !== null);
    if (wasHere) this.armAlarm();
    return wasHere;
  }

  resize(needs: Needs, count: number): void {
    this.classes[needs].slots.concurrency = Math.max(1, count);
    this.pump();
  }

  load(needs: Needs): { running: number; isMoreReady: boolean } {
    const { lanes, slots } = this.classes[needs];
    return { running: slots.pending, isMoreReady: lanes.bestKey(this.clock.mono()) !== null };
  }

  rest(until: number): void {
    this.restsUntil = Math.max(this.restsUntil, until);
    this.armAlarm();
  }

  start(work: (entry: QueueEntry) => Promise<void>): void {
    this.work = work;
    this.pump();
  }

  async stop(): Promise<void> {
    this.work = null;
    this.alarm?.cancel();
    this.alarm = null;
    await Promise.all(this.each().map(({ slots }) => slots.onIdle()));
  }

  stats(): QueueStats {
    const sum = { depth: 0, activeWorkers: 0, standalone: 0, batch: 0, delayed: 0, lanes: 0 };
    for (const { lanes, slots } of this.each()) {
      const counts = lanes.counts();
      sum.depth += lanes.size;
      sum.activeWorkers += slots.pending;
      sum.standalone += counts.standalone;
      sum.batch += counts.batch;
      sum.delayed += counts.delayed;
      sum.lanes += counts.lanes;
    }
    return sum;
  }

  *lanes(): Iterable<{ lane: string; waiting: number }> {
    for (const { lanes } of this.each()) yield* lanes.sizes();
  }

  private depth(): number {
    return this.classes.http.lanes.size + this.classes.browser.lanes.size;
  }

  private pump(): void {
    if (!this.work) return;
    for (let next = this.bestClass(); next; next = this.bestClass()) this.startOne(next);
    this.armAlarm();
  }

  /**
   * The class with a free slot whose best entry comes first. Both draw on the same tokens of a domain: were one class
   * always served before the other, it could take every token there is. On a tie the browser: its entry may be the
   * second leg of a visit that has begun.
   */
  private bestClass(): SlotClass | null {
    const now = this.clock.mono();
    if (now < this.restsUntil) return null;
    let best: { slotClass: SlotClass; key: number } | null = null;
    for (const slotClass of this.each()) {
      const { lanes, slots } = slotClass;
      const key = slots.pending + slots.size < slots.concurrency ? lanes.bestKey(now) : null;
      if (key !== null && (best === null || key <= best.key)) best = { slotClass, key };
    }
    return best?.slotClass ?? null;
  }

  private startOne({ lanes, slots }: SlotClass): void {
    const entry = lanes.take(this.clock.mono());
    if (entry) void slots.add(() => this.run(entry, lanes), { priority: -entry.jobSize });
  }

  private async run(entry: QueueEntry, lanes: LaneQueue<QueueEntry>): Promise<void> {
    try {
      await this.work?.(entry);
    } finally {
      lanes.done(entry.lane, this.clock.mono());
    }
  }

  /** Wakes up when time alone makes something ready. One alarm at a time: the earliest. */
  private armAlarm(): void {
    const now = this.clock.mono();
    const due =
      now < this.restsUntil
        ? this.restsUntil
        : Math.min(...this.each().map(({ lanes }) => lanes.nextDue(now) ?? Number.POSITIVE_INFINITY));
    if (this.alarm && this.alarm.at <= due && due !== Number.POSITIVE_INFINITY) return;
    this.alarm?.cancel();
    this.alarm = null;
    if (due === Number.POSITIVE_INFINITY) return;
    const cancel = this.clock.after(due - now, () => {
      this.alarm = null;
      this.pump();
    });
    this.alarm = { at: due, cancel };
  }

  private each(): SlotClass[] {
    return [this.classes.http, this.classes.browser];
  }
}
