import { asGleanerError, GleanerError } from '../domain/errors.js';
import type { Clock } from '../ports/clock.js';
import { orFailAfter } from './abort.js';

const CHECK_TIMEOUT_MS = 10_000;
const AT_ONCE = 8;

interface ChecksOptions<T> {
  clock: Clock;
  checkIntervalMs: number;
  /** Rejects where the check fails. */
  check(one: T, signal: AbortSignal): Promise<void>;
  onFailure(one: T, error: GleanerError): void;
}

interface Checks<T> {
  /** All of them at once, then those that need it after every interval. */
  start(all: readonly T[], needsCheck: (one: T) => boolean): void;
  stop(): Promise<void>;
  /** When the next round begins (monotonic ms). */
  nextAt(): number;
}

/** Rounds of checks in the background, a few at the same time and each bounded in time. */
export function createChecks<T>(options: ChecksOptions<T>): Checks<T> {
  const { clock, checkIntervalMs } = options;
  const stopping = new AbortController();
  let underWay: Promise<void> | null = null;
  let nextAt = clock.mono() + checkIntervalMs;

  const rounds = async (all: readonly T[], needsCheck: (one: T) => boolean): Promise<void> => {
    let due = all;
    for (;;) {
      nextAt = clock.mono() + checkIntervalMs;
      await checkAll(due, options, stopping.signal);
      await clock.wait(Math.max(0, nextAt - clock.mono()), stopping.signal);
      if (stopping.signal.aborted) return;
      due = all.filter(needsCheck);
    }
  };

  return {
    start(all, needsCheck) {
      if (all.length > 0) underWay ??= rounds(all, needsCheck);
    },
    async stop() {
      stopping.abort();
      await underWay;
    },
    nextAt: () => nextAt,
  };
}

async function checkAll<T>(due: readonly T[], options: ChecksOptions<T>, stopping: AbortSignal): Promise<void> {
  // One iterator for all: each takes the next that nobody has taken.
  const waiting = due.values();
  const work = async (): Promise<void> => {
    for (const one of waiting) {
      const error = await failureOf(one, options, stopping);
      if (stopping.aborted) return;
      if (error) options.onFailure(one, error);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function failureOf<T>(
  one: T,
  { clock, check }: ChecksOptions<T>,
  stopping: AbortSignal,
): Promise<GleanerError | null> {
  const error = new GleanerError('proxy_failed', 'The health check took too long.');
  const limit = { ms: CHECK_TIMEOUT_MS, error, clock, stopping };
  return orFailAfter((signal) => check(one, signal), limit).then(() => null, asGleanerError);
}
