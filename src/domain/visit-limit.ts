/**
 * How many browser visits may run at once, so that the machine is used and not overrun.
 *
 *   1 ◀── no memory left ── any
 *   cores ◀── a third less ── while the processors or our own event loop are late
 *   size ──▶ one more at a time, up to max ── while visits wait and processors are idle
 *   size ◀── one less at a time ── when nobody needs more
 *
 * A move takes two readings in a row that ask for it; only lack of memory is acted upon at once. A number that was too
 * much is not tried again for a while, so that the limit does not swing.
 */
export interface VisitLimit {
  limit: number;
  /** What last moved it, or keeps it where it is. */
  reason: LimitReason;
  /** How many readings in a row have asked for a move up (above zero) or down (below). */
  trend: number;
  /** Up to which the limit may grow for now, and until when. */
  ceiling: { limit: number; until: number } | null;
}

export type LimitReason = 'resting' | 'growing' | 'steady' | 'cpu' | 'event_loop' | 'memory';

export interface LimitBounds {
  /** Where it rests. */
  size: number;
  max: number;
  /** As many visits use the processors up; fewer would leave some of them idle. A container may have parts of one. */
  cores: number;
}

/** One look at the machine. */
export interface MachineReading {
  /** Share of the processors' time that was used, 0 to 1. */
  cpuBusy: number;
  /** How late our own event loop was. */
  loopDelayMs: number;
  memoryAvailableBytes: number;
  memoryTotalBytes: number;
  /** Browser visits running. */
  running: number;
  /** Is there another that could run now? */
  isMoreReady: boolean;
}

const BUSY = 0.97;
const IDLE = 0.9;
const LATE_MS = 250;
/** One visit may take more than this; without it the system would soon kill one of us. */
const LEAST_MEMORY_BYTES = 200 * 1024 * 1024;
const LEAST_MEMORY_SHARE = 0.06;
/** Below this much of the memory nothing more is begun than runs already. */
const TIGHT_MEMORY_SHARE = 0.15;
const READINGS_TO_MOVE = 2;
const CEILING_MS = 30_000;

export const newVisitLimit = ({ size, max }: LimitBounds): VisitLimit => ({
  limit: Math.max(1, Math.min(size, max)),
  reason: 'resting',
  trend: 0,
  ceiling: null,
});

export function nextVisitLimit(
  before: VisitLimit,
  reading: MachineReading,
  { bounds, nowMs }: { bounds: LimitBounds; nowMs: number },
): VisitLimit {
  const { limit } = before;
  const ceiling = before.ceiling && nowMs < before.ceiling.until ? before.ceiling : null;
  const memory = memoryLeft(reading);
  const cores = Math.max(1, Math.floor(bounds.cores));
  const tooMuch = { limit: Math.max(1, limit - 1), until: nowMs + CEILING_MS };
  if (memory === 'none') return { limit: 1, reason: 'memory', trend: 0, ceiling: tooMuch };

  // Only lack of memory leads below this; once it is over, the way back does not depend on anything else.
  if (limit < Math.min(bounds.size, cores)) {
    if ((ceiling?.limit ?? bounds.max) > limit) return moved(before, { step: 1, reason: 'memory', ceiling });
    return { ...before, trend: 0, ceiling };
  }

  const pressure = pressureOf(reading);
  if (pressure) {
    // Where the last step up was the one too many, it is taken back and nothing else.
    const less = before.reason === 'growing' ? limit - 1 : Math.floor((limit * 2) / 3);
    const lower = Math.max(less, Math.min(cores, limit), 1);
    const asked = Math.min(before.trend, 0) - 1;
    if (lower === limit) return { limit, reason: pressure, trend: 0, ceiling };
    if (asked > -READINGS_TO_MOVE) return { ...before, trend: asked, ceiling };
    return { limit: lower, reason: pressure, trend: 0, ceiling: tooMuch };
  }
  if (memory === 'tight') return { limit, reason: 'memory', trend: 0, ceiling };

  const wanted = wantedLimit(limit, reading, bounds);
  const higher = Math.min(wanted, ceiling?.limit ?? bounds.max, bounds.max);
  if (wanted < limit) return moved(before, { step: -1, reason: 'resting', ceiling });
  if (higher > limit) return moved(before, { step: 1, reason: 'growing', ceiling });
  return { limit, reason: before.reason === 'growing' ? 'steady' : before.reason, trend: 0, ceiling };
}

/** One step, once it has been asked for often enough. */
function moved(
  before: VisitLimit,
  { step, reason, ceiling }: { step: 1 | -1; reason: LimitReason; ceiling: VisitLimit['ceiling'] },
): VisitLimit {
  const asked = (Math.sign(before.trend) === step ? before.trend : 0) + step;
  if (Math.abs(asked) < READINGS_TO_MOVE) return { ...before, trend: asked, ceiling };
  return { limit: before.limit + step, reason, trend: 0, ceiling };
}

/** Back to its size where it was pressed below; beyond it only for visits that wait. */
function wantedLimit(limit: number, { cpuBusy, running, isMoreReady }: MachineReading, { size }: LimitBounds): number {
  const isFull = isMoreReady && running >= limit;
  if (limit > size && running <= size && !isMoreReady) return limit - 1;
  return cpuBusy < IDLE && (isFull || limit < size) ? limit + 1 : limit;
}

function memoryLeft({
  memoryAvailableBytes: left,
  memoryTotalBytes: all,
}: MachineReading): 'none' | 'tight' | 'enough' {
  if (left < Math.max(LEAST_MEMORY_BYTES, all * LEAST_MEMORY_SHARE)) return 'none';
  return left < all * TIGHT_MEMORY_SHARE ? 'tight' : 'enough';
}

function pressureOf({ cpuBusy, loopDelayMs }: MachineReading): 'cpu' | 'event_loop' | null {
  if (cpuBusy >= BUSY) return 'cpu';
  return loopDelayMs >= LATE_MS ? 'event_loop' : null;
}
