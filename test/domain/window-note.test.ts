import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newTokenWindow, nextGrant, noteRate, takeToken, throttle } from '../../src/domain/token-window.js';
import { noteEnds, noteWindow, recallWindow } from '../../src/domain/window-note.js';

const WALL = 1_700_000_000_000;

const rates = fc.record({
  tokens: fc.integer({ min: 1, max: 60 }),
  intervalMs: fc.integer({ min: 1, max: 3_600_000 }),
  minGapMs: fc.constantFrom(0, 0, 700, 200_000),
});

interface Past {
  rate: { tokens: number; intervalMs: number; minGapMs: number };
  /** Time between two asks. */
  pauses: number[];
  throttledMs: number | null;
}

const pasts = fc.record<Past>({
  rate: rates,
  pauses: fc.array(fc.double({ min: 0, max: 60_000, noNaN: true }), { minLength: 1, maxLength: 80 }),
  throttledMs: fc.constantFrom(null, null, 0, 5_000, 3_600_000),
});

function windowOf({ rate, pauses, throttledMs }: Past) {
  const window = newTokenWindow();
  let now = 1_000.25;
  for (const pause of pauses) {
    now += pause;
    noteRate(window, rate, now);
    if (nextGrant(window, rate, now).at <= now) takeToken(window, now);
  }
  if (throttledMs !== null) throttle(window, { grant: 1, lastGrant: 1, retryAfterMs: throttledMs }, now);
  return { window, now };
}

describe('the note of a token window', () => {
  it('lets nobody in earlier than the window itself would, however long the service was down', () => {
    fc.assert(
      fc.property(pasts, fc.integer({ min: 0, max: 4_000_000 }), (past, downMs) => {
        const { window, now } = windowOf(past);
        const note = JSON.parse(JSON.stringify(noteWindow(window, { wall: WALL, mono: now }, NOTHING_AHEAD)));
        // Another process counts from another zero.
        const recalled = recallWindow(note, { wall: WALL + downMs, mono: 17 });
        const honest = Math.max(0, nextGrant(window, past.rate, now + downMs).at - (now + downMs));
        const waits = Math.max(0, nextGrant(recalled, past.rate, 17).at - 17);
        expect(waits).toBeGreaterThanOrEqual(honest - 1e-6);
        // Up to the step in which many grants are told, and the whole millisecond of a wall clock.
        if (window.taken.length <= 32) expect(waits).toBeLessThanOrEqual(honest + 1 + 1e-6);
      }),
      { numRuns: 500 },
    );
  });

  it('counts what was covered beforehand as taken', () => {
    const rate = { tokens: 20, intervalMs: 10_000, minGapMs: 0 };
    const { window, now } = windowOf({ rate, pauses: Array(18).fill(0), throttledMs: null });
    const note = noteWindow(window, { wall: WALL, mono: now }, { ahead: 2, aheadMs: 500 });
    const soon = recallWindow(note, { wall: WALL + 100, mono: 0 });
    expect(nextGrant(soon, rate, 0).at).toBeGreaterThan(9_890);
    const later = recallWindow(note, { wall: WALL + 10_100, mono: 0 });
    expect(nextGrant(later, rate, 0).at).toBeLessThanOrEqual(0);
    // Two of them may have been taken 500 ms later than the others.
    for (let n = 0; n < 18; n += 1) takeToken(later, 0);
    expect(nextGrant(later, rate, 0).at).toBe(400);
  });

  it('is of no more use exactly when a fresh window would say the same', () => {
    fc.assert(
      fc.property(pasts, (past) => {
        const { window, now } = windowOf(past);
        const note = noteWindow(window, { wall: WALL, mono: now }, NOTHING_AHEAD);
        const recalled = recallWindow(note, { wall: noteEnds(note), mono: 17 });
        expect(nextGrant(recalled, past.rate, 17).at).toBeLessThanOrEqual(17);
      }),
      { numRuns: 200 },
    );
  });

  it('waits a day at most where the clock was set back by years', () => {
    const rate = { tokens: 1, intervalMs: 1_000, minGapMs: 0 };
    const { window, now } = windowOf({ rate, pauses: [0], throttledMs: 60_000 });
    const note = noteWindow(window, { wall: WALL, mono: now }, NOTHING_AHEAD);
    const recalled = recallWindow(note, { wall: WALL - 3 * 365 * 86_400_000, mono: 0 });
    expect(nextGrant(recalled, rate, 0)).toEqual({ at: 86_400_000, reason: 'retry_after' });
  });
});

const NOTHING_AHEAD = { ahead: 0, aheadMs: 0 };
