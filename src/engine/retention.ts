import type { Clock } from '../ports/clock.js';
import type { Pictures } from '../ports/pictures.js';
import type { Store } from '../ports/store.js';
import type { Log } from '../ports/telemetry.js';

const EVERY_MS = 60_000;
const BITE = 500;
/** A picture is taken before its task ends: it must not be gone while the result still speaks of it. */
const PICTURE_SLACK_MS = 3_600_000;

export interface RetentionParts {
  store: Store;
  pictures: Pictures;
  clock: Clock;
  log: Log;
  ttlMs: number;
  /** Files of planned jobs go by an age of their own. */
  forgetRuns: () => Promise<unknown>;
}

/** Forgets what ended longer ago than the retention, in small bites so that no write waits long. Until aborted. */
export async function retain(
  { store, pictures, clock, log, ttlMs, forgetRuns }: RetentionParts,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      let gone: number;
      do {
        const now = clock.now();
        gone = await store.expire({ before: now - ttlMs, now, limit: BITE });
        if (gone > 0) log.info({ expired: gone }, 'forgot tasks and jobs past their retention');
      } while (gone > 0 && !signal.aborted);
      await pictures.expire(clock.now() - ttlMs - PICTURE_SLACK_MS);
      await forgetRuns();
    } catch (error) {
      log.warn({ err: error }, 'retention could not run and tries again later');
    }
    await clock.wait(EVERY_MS, signal);
  }
}
