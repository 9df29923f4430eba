import { type LimitBounds, newVisitLimit, nextVisitLimit, type VisitLimit } from '../domain/visit-limit.js';
import type { Clock } from '../ports/clock.js';
import type { TaskQueue } from '../ports/queue.js';
import type { Log } from '../ports/telemetry.js';
import type { Machine, MachineLook } from './machine.js';

/** Looks at the machine once in a while and has the queue run as many browser visits as it bears. */
export interface BrowserAdmission {
  start(): void;
  current(): Pick<VisitLimit, 'limit' | 'reason'>;
  stop(): Promise<void>;
}

interface BrowserAdmissionOptions extends Pick<LimitBounds, 'size' | 'max'> {
  machine: Machine;
  queue: Pick<TaskQueue, 'resize' | 'load'>;
  /** Told of every look at the machine. */
  onLook?: (look: MachineLook) => void;
  clock: Clock;
  log: Log;
}

const LOOK_MS = 1_000;

export function createBrowserAdmission(options: BrowserAdmissionOptions): BrowserAdmission {
  const { machine, queue, clock, log, size, max } = options;
  const stopping = new AbortController();
  let now = newVisitLimit({ size, max, cores: 1 });
  let looking: Promise<void> | null = null;

  async function watch(): Promise<void> {
    // What was used before the first look says nothing about the present.
    await machine.look();
    while (!stopping.signal.aborted) {
      const dueAt = clock.mono() + LOOK_MS;
      await clock.wait(LOOK_MS, stopping.signal);
      if (!stopping.signal.aborted) await adjust(clock.mono() - dueAt);
    }
  }

  async function adjust(lateMs: number): Promise<void> {
    const [found, cores] = await Promise.all([machine.look(), machine.cores()]);
    // A loop that stands still from one look to the next has no samples of its delay; but the look itself was late.
    const look = { ...found, loopDelayMs: Math.max(found.loopDelayMs, lateMs) };
    options.onLook?.(look);
    const reading = { ...look, ...queue.load('browser') };
    const next = nextVisitLimit(now, reading, { bounds: { size, max, cores }, nowMs: clock.mono() });
    if (next.limit !== now.limit) {
      queue.resize('browser', next.limit);
      log.debug({ from: now.limit, to: next.limit, reason: next.reason }, 'browser visits at once');
    }
    now = next;
  }

  return {
    start() {
      looking ??= watch();
    },
    current: () => ({ limit: now.limit, reason: now.reason }),
    async stop() {
      stopping.abort();
      await looking;
      machine.close();
    },
  };
}
