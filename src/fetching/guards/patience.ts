import type { Clock } from '../../ports/clock.js';
import { orFailAfter } from '../abort.js';

/** A worker waits this long for what a guard needs to know; then the task waits without one. */
export const PATIENCE_MS = 500;

/** What the work brings, or `null` where it takes too long. Rejects as the work does, and when the signal aborts. */
export async function withPatience<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<T | null> {
  try {
    return await orFailAfter(work, { ms: PATIENCE_MS, error: IMPATIENT, clock, stopping: signal });
  } catch (error) {
    if (error === IMPATIENT) return null;
    throw error;
  }
}

const IMPATIENT = new Error('This takes too long.');
