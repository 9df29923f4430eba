/** A queued task as the queue knows it: enough to order it, nothing of its content. */
export interface QueueEntry {
  taskId: string;
  jobId: string | null;
  domain: string;
  /** 0 for standalone; smaller jobs first. */
  jobSize: number;
  /** Monotonic ms: since when it has been waiting. Keeps its age through waits and retries. */
  since: number;
  /** Monotonic ms before which it must not be taken; 0 for at once. */
  notBefore: number;
  needs: 'http' | 'browser';
  /** Active milliseconds an escalated visit has already used; such an entry is `running` in the store. */
  spentMs: number | null;
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
 * There is a lane per domain: a held domain delays only itself.
 */
export interface TaskQueue {
  /** How many entries there is room for, all in all. */
  readonly capacity: number;
  /** Takes room for `count` entries, all or nothing; each is used up by one `add` with `reserved` or given back. */
  reserve(count: number): boolean;
  unreserve(count: number): void;
  add(entry: QueueEntry, options?: { reserved?: boolean }): void;
  /** Nothing of this domain is taken before `until` (monotonic ms). */
  hold(domain: string, until: number): void;
  /** Hands out nothing at all before `until` (monotonic ms): our own side is in trouble. */
  rest(until: number): void;
  remove(taskId: string): boolean;
  /** Begins handing entries to `work`, one call per free slot of the entry's class. `work` never rejects. */
  start(work: (entry: QueueEntry) => Promise<void>): void;
  /** Hands out nothing more; resolves when every `work` call has ended. */
  stop(): Promise<void>;
  stats(): QueueStats;
}
