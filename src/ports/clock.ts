/**
 * Time, as an argument. `now` is wall time and may jump; it is for stored timestamps. `mono` only moves forward
 * and is for durations, leases, buckets and everything that waits. Both in milliseconds.
 */
export interface Clock {
  now(): number;
  mono(): number;
  /** Resolves after `ms`, or at once when the signal aborts (it never rejects). The timer does not keep the process alive. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls back once after `ms`; the returned function takes it back. The timer does not keep the process alive. */
  after(ms: number, callback: () => void): () => void;
}

/** Chance, as an argument: uniform in [0, 1). */
export type Random = () => number;

/** Fresh, unique, time-ordered ids (UUID). */
export type NewId = () => string;
