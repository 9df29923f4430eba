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
