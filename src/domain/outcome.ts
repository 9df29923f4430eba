import type { ErrorCode } from './errors.js';

/** What went wrong last, with one target. */
export interface LastError {
  type: ErrorCode | string;
  message: string;
  /** Epoch milliseconds. */
  ts: number;
}

/** Where what was found is kept, relative to the data directory. */
export interface KeptFiles {
  record: string | null;
  page: string | null;
}

/** What is kept of one target of a planned job once it has ended: its task is gone by then. */
export interface Outcome {
  /** In the order in which they ended, from 1 without gaps. */
  n: number;
  seq: number;
  name: string;
  /** In the plan's own words. */
  outcome: string;
  attempts: number;
  lastError: LastError | null;
  files: KeptFiles;
  at: number;
}
