import type { KeptFiles } from '../domain/outcome.js';

/** That a run is ours, until it is released or this process ends, however it ends. */
export interface RunLock {
  /** Who had it before and died with it, if anybody. */
  readonly takenFrom: string | null;
  release(): Promise<void>;
  /** Nothing came of the run: no trace of it is left. */
  discard(): Promise<void>;
}

/** When a run began: its audit and its attempts are named by it. */
export interface RunName {
  runId: string;
  createdAt: number;
}

export interface Kept {
  seq: number;
  name: string;
  /** What is not to be kept is `null`. */
  record: Record<string, unknown> | null;
  page: string | null;
}

/**
 * What a run leaves behind as files. Everything is durable when it resolves, and whoever reads sees the old or the new
 * text, never half of one. Faults of the disk reject with `storage_unavailable`.
 */
export interface RunFiles {
  /** Rejects with `run_locked`, naming the owner, while another process has it. */
  lock(runId: string, now: number): Promise<RunLock>;
  /** The same target has the same paths, always. */
  keep(runId: string, kept: Kept): Promise<KeptFiles>;
  /** What was kept there is no more what its target came to. */
  drop(path: string): Promise<void>;
  /** `null`: it is not there, or is not a record. */
  record(path: string): Promise<Record<string, unknown> | null>;
  /** The number of the last line that is whole; what a crash left behind it is cut off. 0: there is none. */
  lastAttempt(run: RunName): Promise<number>;
  appendAttempts(run: RunName, lines: readonly string[]): Promise<void>;
  writeAudit(run: RunName, audit: Record<string, unknown>): Promise<void>;
  writeCheckpoint(runId: string, pieces: AsyncIterable<string>): Promise<void>;
  /** `null`: there is none. */
  readCheckpoint(runId: string): Promise<string | null>;
  /** Removes what belongs to runs that nobody has written to since then; returns how many. */
  expire(before: number, isKept: (runId: string) => Promise<boolean>): Promise<number>;
}
