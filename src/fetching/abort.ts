import type { Clock } from '../ports/clock.js';

/**
 * The work's end, or the reason of the first signal that aborts, at once. The work itself goes on: it must notice on
 * its own.
 */
export async function unlessAborted<T>(work: Promise<T>, ...signals: (AbortSignal | undefined)[]): Promise<T> {
  let stop = (_: AbortSignal): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = ({ reason }) => reject(reason);
  });
  const onAbort = ({ target }: Event): void => stop(target as AbortSignal);
  for (const signal of signals) {
    if (signal?.aborted) stop(signal);
    signal?.addEventListener('abort', onAbort, { once: true });
  }
  try {
    return await Promise.race([aborted, work]);
  } finally {
    for (const signal of signals) signal?.removeEventListener('abort', onAbort);
  }
}

interface TimeLimit {
  ms: number;
  error: Error;
  clock: Clock;
  /** Ends it before the time is up. */
  stopping?: AbortSignal;
}

/** The work's end, or the error once the time is up. The work is told by its signal, and not waited for. */
export async function orFailAfter<T>(work: (signal: AbortSignal) => Promise<T>, limit: TimeLimit): Promise<T> {
  const late = new AbortController();
  const takeBack = limit.clock.after(limit.ms, () => late.abort(limit.error));
  const signal = limit.stopping ? AbortSignal.any([late.signal, limit.stopping]) : late.signal;
  try {
    return await unlessAborted(work(signal), signal);
  } finally {
    takeBack();
  }
}
