import type { Glimpse } from '../domain/glimpse.js';
import type { Appearance } from '../domain/render-experience.js';
import type { Visitor } from './guard.js';

/** A queued task as the queue knows it: enough to order it, nothing of its content. */
export interface QueueEntry {
  taskId: string;
  jobId: string | null;
  /** Its lane: the domain, or the host where that has a policy of its own. */
  lane: string;
  /** 0 for standalone; smaller jobs first. */
  jobSize: number;
  /** Monotonic ms: since when it has been waiting. Keeps its age through waits and retries. */
  since: number;
  /** Monotonic ms before which it must not be taken; 0 for at once. */
  notBefore: number;
  needs: 'http' | 'browser';
  /** It looks whether plain HTTP is still not enough where a browser usually goes at once. */
  isProbe: boolean;
  /** Set when the visit has begun and goes on; such an entry is `running` in the store. */
  leg: Leg | null;
}

/** Where a visit goes on: in a browser after plain HTTP, or at the URL its page turned out to be at. */
export interface Leg {
  url: string;
  /** Redirects so far that led to another leg or were followed before one. */
  hops: number;
  /** Active milliseconds the visit has already used. */
  spentMs: number;
  /** Set where plain HTTP was not enough, and a browser goes on. */
  plain: PlainLeg | null;
}

/** The leg over plain HTTP that was not enough: where that was, what it brought, and as whom it went. */
export interface PlainLeg {
  domain: string;
  appearance: Appearance;
  /** `null`: nothing that could be read. */
  glimpse: Glimpse | null;
  visitor: Visitor | null;
}

export interface QueueStats {
  depth: number;
  activeWorkers: number;
  /** Queued by class, as shown in metrics. */
  standalone: number;
  batch: number;
  delayed: number;
  lanes: number;
}

/**
 * Orders what is to be done and runs as much of it at once as there are slots. It may forget (the store is the truth).
 * Standalone tasks go first, then tasks of smaller jobs; waiting long enough outweighs any size, so nothing starves.
 * There is a lane per domain (and per host with a policy of its own): a held lane delays only itself.
 */
export interface TaskQueue {
  /** How many entries there is room for, all in all. */
  readonly capacity: number;
  /** Takes room for `count` entries, all or nothing; each is used up by one `add` with `reserved` or given back. */
  reserve(count: number): boolean;
  unreserve(count: number): void;
  add(entry: QueueEntry, options?: { reserved?: boolean }): void;
  /**
   * Nothing of this lane is taken before `until` (monotonic ms). `expected`: when it will really be its turn, where
   * that is later and `until` is only when to look again.
   */
  hold(lane: string, until: number, expected?: number): void;
  /** Before when (monotonic ms) an entry will not be taken, as far as is known; `null`: it could be taken now. */
  dueAt(taskId: string): number | null;
  /** Hands out nothing at all before `until` (monotonic ms): our own side is in trouble. */
  rest(until: number): void;
  remove(taskId: string): boolean;
  /** So many entries of a class run at once from now on, at least one. What runs already goes on. */
  resize(needs: QueueEntry['needs'], count: number): void;
  load(needs: QueueEntry['needs']): {
    running: number /** Could another be taken, given a slot? */;
    isMoreReady: boolean;
  };
  /** Begins handing entries to `work`, one call per free slot of the entry's class. `work` never rejects. */
  start(work: (entry: QueueEntry) => Promise<void>): void;
  /** Hands out nothing more; resolves when every `work` call has ended. */
  stop(): Promise<void>;
  stats(): QueueStats;
  /** The lanes, and how many entries wait in each for their turn. */
  lanes(): Iterable<{ lane: string; waiting: number }>;
}
