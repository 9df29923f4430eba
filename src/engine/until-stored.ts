import { GleanerError } from '../domain/errors.js';
import type { Clock } from '../ports/clock.js';
import type { Log } from '../ports/telemetry.js';

const STORE_RETRY_MS = 1_000;

export interface StoringParts {
  clock: Clock;
  log: Log;
  /** The service stops: what the store does not take now is done again after the next start. */
  stopping: AbortSignal;
}

/**
 * What is in hand is not thrown away because the disk is full: whoever holds it tries again until the store takes it.
 * `null`: the service stopped first.
 */
export async function untilStored<T>(
  write: () => Promise<T>,
  { clock, log, stopping }: StoringParts,
  lost: { fields: object; message: string },
): Promise<T | null> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof GleanerError) || error.code !== 'storage_unavailable') throw error;
      log.error({ err: error, ...lost.fields }, lost.message);
    }
    if (stopping.aborted) return null;
    await clock.wait(STORE_RETRY_MS, stopping);
  }
}
