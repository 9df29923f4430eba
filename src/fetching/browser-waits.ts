import type { Clock } from '../ports/clock.js';

/** Did the work succeed in time? A failure is a no; what comes of it later is nobody's business. */
export async function succeedsWithin(work: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const takeBack = clock.after(ms, () => resolve(false));
    const end = (succeeded: boolean): void => {
      takeBack();
      resolve(succeeded);
    };
    work.then(
      () => end(true),
      () => end(false),
    );
  });
}

/** The work's end, or the reason of the first signal that aborts, at once. The work itself goes on; its end is dropped. */
export async function orAborted<T>(work: Promise<T>, signals: readonly (AbortSignal | undefined)[]): Promise<T> {
  const live = signals.filter((signal) => signal !== undefined);
  let forget = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    const listen = live.map((signal) => ({ signal, onAbort: () => reject(signal.reason) }));
    for (const { signal, onAbort } of listen) {
      if (signal.aborted) onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
    }
    forget = () => {
      for (const { signal, onAbort } of listen) signal.removeEventListener('abort', onAbort);
    };
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    forget();
    work.catch(() => undefined);
  }
}

/** The work's end, or the error once the time is up. */
export async function orFailAfter<T>(work: Promise<T>, limit: { ms: number; error: Error; clock: Clock }): Promise<T> {
  const late = new AbortController();
  const takeBack = limit.clock.after(limit.ms, () => late.abort(limit.error));
  try {
    return await orAborted(work, [late.signal]);
  } finally {
    takeBack();
  }
}
