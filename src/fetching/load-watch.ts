import { getHeapStatistics } from 'node:v8';
import { GleanerError } from '../domain/errors.js';
import { CALM, type LoadLimits, type LoadReading, nextOverload, type Overload } from '../domain/overload.js';
import type { Clock } from '../ports/clock.js';
import type { Log } from '../ports/telemetry.js';
import type { MachineLook } from './machine.js';

/** Says whether new work is welcome, by what the machine's looks and our own heap say. */
export interface LoadWatch {
  /** What the machine was found like just now. Whoever looks at it tells us: it is looked at once, not twice. */
  note(look: Pick<MachineLook, 'loopDelayMs' | 'memoryAvailableBytes'>): void;
  /** Why new work is refused; `null`: it is not. */
  refusal(): GleanerError | null;
  current(): Overload & LoadReading;
}

interface LoadWatchOptions {
  limits: LoadLimits;
  clock: Clock;
  log: Log;
  /** Share of V8's heap limit in use. */
  heapUsed?: () => number;
}

/** Much can be accepted between two looks at the machine: the heap is asked again by whoever comes after this. */
const HEAP_FRESH_MS = 100;
const COME_BACK_MS = 5_000;

export function createLoadWatch({ limits, clock, log, heapUsed = heapShare }: LoadWatchOptions): LoadWatch {
  let state: Overload = CALM;
  let reading: LoadReading = {
    loopDelayMs: 0,
    heapUsed: heapUsed(),
    memoryAvailableBytes: Number.POSITIVE_INFINITY,
  };
  let heapAt = clock.mono();

  const judge = (next: LoadReading): void => {
    const { reason } = state;
    reading = next;
    heapAt = clock.mono();
    state = nextOverload(state, reading, limits);
    if (state.reason === reason) return;
    const { loopDelayMs, heapUsed: heap } = reading;
    const fields = { reason: state.reason, loop_delay_ms: Math.round(loopDelayMs), heap_used: round(heap) };
    if (state.reason === null) log.info(fields, 'new work is welcome again');
    else log.warn(fields, 'overloaded: new work is refused');
  };
  const lookAtHeap = (): void => {
    if (state.reason !== null || clock.mono() - heapAt < HEAP_FRESH_MS) return;
    const used = heapUsed();
    // Between looks only the heap is new: what was said about the rest must not be said twice.
    if (limits.heapUsed > 0 && used >= limits.heapUsed) judge({ ...reading, heapUsed: used });
    else heapAt = clock.mono();
  };

  return {
    note: ({ loopDelayMs, memoryAvailableBytes }) => judge({ loopDelayMs, memoryAvailableBytes, heapUsed: heapUsed() }),
    refusal() {
      lookAtHeap();
      if (state.reason === null) return null;
      return new GleanerError(
        'overloaded',
        `The service is short of ${SHORT_OF[state.reason]} and takes no new work.`,
        {
          retryAfterMs: COME_BACK_MS,
        },
      );
    },
    current: () => ({ ...state, ...reading }),
  };
}

const SHORT_OF = { event_loop: 'time', heap: 'memory of its own', memory: 'memory' } as const;

const round = (share: number): number => Math.round(share * 100) / 100;

/** Counted in pages that are really there: a container's limit below V8's is the machine's business. */
function heapShare(): number {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return limit > 0 ? used / limit : 0;
}
