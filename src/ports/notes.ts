export interface KeptNote<T> {
  key: string;
  note: T;
}

/**
 * What must be known about sites after a restart, so that none is visited too soon because we have forgotten: one note
 * for each key. It is JSON, and only who wrote it can read it. A fault of the disk rejects with `storage_unavailable`.
 */
export interface Notes<T> {
  /** Durable when it resolves. Takes the place of an earlier one; of no more use from `until` on (epoch ms). */
  keep(key: string, note: T, until: number): Promise<void>;
  forget(key: string): Promise<void>;
  /** Those that are of use at `now`, in no order. */
  all(now: number): Promise<KeptNote<T>[]>;
}
