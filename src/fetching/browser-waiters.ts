/** Those who wait for something, first come first served. */
export interface Waiters<T> {
  /** Rejects with the signal's reason, or with what everybody is refused with. */
  wait(signal: AbortSignal): Promise<T>;
  /** Gives to one after the other, for as long as there is something to give. */
  serve(take: () => T | null): void;
  refuse(error: Error): void;
}

export function createWaiters<T>(): Waiters<T> {
  const waiting = new Set<{ take: (found: T) => void; refuse: (error: Error) => void }>();
  return {
    wait: (signal) =>
      new Promise<T>((resolve, reject) => {
        const done = (): void => {
          waiting.delete(waiter);
          signal.removeEventListener('abort', onAbort);
        };
        const waiter = {
          take: (found: T): void => {
            done();
            resolve(found);
          },
          refuse: (error: Error): void => {
            done();
            reject(error);
          },
        };
        const onAbort = (): void => waiter.refuse(signal.reason);
        waiting.add(waiter);
        signal.addEventListener('abort', onAbort, { once: true });
      }),
    serve(take) {
      for (const waiter of waiting) {
        const found = take();
        if (!found) return;
        waiter.take(found);
      }
    },
    refuse(error) {
      for (const waiter of waiting) waiter.refuse(error);
    },
  };
}
