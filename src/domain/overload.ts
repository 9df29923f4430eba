/**
 * Whether the service is so short of something that new work would make all of it suffer.
 *
 *   calm ── over a limit twice in a row, or far over the heap's at once ──▶ overloaded ── well below all limits, three times in a row ──▶ calm
 *
 * What was accepted goes on, whatever this says; that is how the load comes down.
 */
export interface Overload {
  /** What is short; `null`: nothing, work is welcome. */
  reason: OverloadReason | null;
  /** Readings in a row that speak against the present state. */
  against: number;
}

export type OverloadReason = 'event_loop' | 'heap' | 'memory';

export interface LoadReading {
  /** How late our own event loop was. */
  loopDelayMs: number;
  /** Of what V8 may use, 0 to 1. Garbage counts until it is collected. */
  heapUsed: number;
  memoryAvailableBytes: number;
}

/** 0 switches a limit off. */
export interface LoadLimits {
  loopDelayMs: number;
  heapUsed: number;
  memoryAvailableBytes: number;
}

const READINGS_TO_SHED = 2;
const READINGS_TO_CALM = 3;
/** A moment late or half full of garbage is no trouble; nearly out of heap is the end of the process. */
const HEAP_AT_ONCE = 0.95;

export const CALM: Overload = { reason: null, against: 0 };

export function nextOverload(before: Overload, reading: LoadReading, limits: LoadLimits): Overload {
  if (before.reason === null) {
    const reason = shortOf(reading, limits);
    if (reason === null) return CALM;
    const against = before.against + 1;
    const isUrgent = reason === 'heap' && reading.heapUsed >= HEAP_AT_ONCE;
    return isUrgent || against >= READINGS_TO_SHED ? { reason, against: 0 } : { reason: null, against };
  }
  // Well below: at the limit itself the next request would bring it back.
  const still = shortOf(reading, { ...wellBelow(limits) });
  if (still !== null) return { reason: shortOf(reading, limits) ?? before.reason, against: 0 };
  const against = before.against + 1;
  return against >= READINGS_TO_CALM ? CALM : { ...before, against };
}

function shortOf({ loopDelayMs, heapUsed, memoryAvailableBytes }: LoadReading, limits: LoadLimits) {
  if (limits.heapUsed > 0 && heapUsed >= limits.heapUsed) return 'heap';
  if (limits.memoryAvailableBytes > 0 && memoryAvailableBytes < limits.memoryAvailableBytes) return 'memory';
  return limits.loopDelayMs > 0 && loopDelayMs >= limits.loopDelayMs ? 'event_loop' : null;
}

const wellBelow = (limits: LoadLimits): LoadLimits => ({
  loopDelayMs: limits.loopDelayMs / 2,
  heapUsed: limits.heapUsed * 0.9,
  memoryAvailableBytes: limits.memoryAvailableBytes * 1.5,
});
