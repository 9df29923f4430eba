/**
 * Screenshots of pages, one per task. They are kept as long as results are and then forgotten, also those whose task
 * came to nothing. A fault of the disk rejects with `storage_unavailable`.
 */
export interface Pictures {
  /** Durable when it resolves; a second one for the same task takes the place of the first. */
  keep(taskId: string, png: Uint8Array): Promise<void>;
  /** `null`: there is none. */
  find(taskId: string): Promise<Uint8Array | null>;
  /** Removes what was kept before then; returns how many. */
  expire(before: number): Promise<number>;
}
