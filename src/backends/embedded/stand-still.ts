import { performance } from 'node:perf_hooks';

/**
 * Notices that our own event loop stood still. Node then calls every timer that is due before it reads a byte, so that
 * answers which have been here all along would count as missing. Who had been waiting before is given a moment more, as
 * long as the loop stood still or `LONGEST_MOMENT_MS`, in which what has come is heard first.
 */
export interface StandStillWatch {
  /** How much longer a timer that was set at this time has to wait; 0: its time has come. */
  owedMs(setAt: number): number;
  /** Watches for as long as anybody waits. */
  begin(): void;
  end(): void;
}

const BEAT_MS = 250;
/** Late by more than this is not a busy moment any more. */
const STOOD_STILL_MS = 250;
const LONGEST_MOMENT_MS = 1_000;

export function watchForStandStill(): StandStillWatch {
  let waiting = 0;
  let beat: NodeJS.Timeout | null = null;
  let lastBeat = 0;
  let last = { endedAt: Number.NEGATIVE_INFINITY, heardBy: 0 };

  /** Whoever comes first after it, the beat or a timer, finds out. */
  const look = (): number => {
    const now = performance.now();
    const stoodMs = now - lastBeat - BEAT_MS;
    if (stoodMs > STOOD_STILL_MS) last = { endedAt: now, heardBy: now + Math.min(stoodMs, LONGEST_MOMENT_MS) };
    lastBeat = now;
    return now;
  };

  return {
    owedMs(setAt) {
      const now = look();
      return setAt < last.endedAt ? Math.max(0, last.heardBy - now) : 0;
    },
    begin() {
      waiting += 1;
      if (beat) return;
      lastBeat = performance.now();
      beat = setInterval(look, BEAT_MS).unref();
    },
    end() {
      waiting -= 1;
      if (waiting > 0 || !beat) return;
      clearInterval(beat);
      beat = null;
    },
  };
}
