import { createDomainStates } from '../../domain/domain-states.js';
import { type Moment, noteEnds, noteWindow, recallWindow, type WindowNote } from '../../domain/window-note.js';
import type { Clock } from '../../ports/clock.js';
import type { Limiter, LimitRate } from '../../ports/limiter.js';
import type { Notes } from '../../ports/notes.js';
import type { LocalLimiter } from './local-limiter.js';

export interface LastingLimiter extends Limiter {
  /** Takes up what an earlier process knew. Before anything is asked. */
  recall(): Promise<void>;
}

interface LastingLimiterParts {
  limiter: LocalLimiter;
  notes: Notes<WindowNote>;
  clock: Clock;
}

/** What the last note allows without another one. */
interface Cover {
  left: number;
  until: number;
  /** Nothing is covered by a note that is not on the disk. */
  kept: Promise<void>;
  /** A 429 is not on the disk, since that would not take it. */
  isBehind: boolean;
}

/** A note stands for so large a part of the tokens, and of the time, as are granted on its word. */
const SHARE = 1 / 16;

/**
 * The limiter of one process, and of the next one on the same data: a process that is killed and started again keeps
 * to the windows, the slowdown and the Retry-After of the one before. Each grant is on the disk before it is given;
 * where there are many tokens, one note covers a sixteenth of them beforehand, and what was covered counts as taken.
 */
export function createLastingLimiter({ limiter, notes, clock }: LastingLimiterParts): LastingLimiter {
  const moment = (): Moment => ({ wall: clock.now(), mono: clock.mono() });
  const covers = createDomainStates<Cover>(
    () => ({ left: 0, until: 0, kept: Promise.resolve(), isBehind: false }),
    ({ until, isBehind }) => !isBehind && clock.mono() >= until,
  );

  const keep = async (key: string, cover: { ahead: number; aheadMs: number }): Promise<void> => {
    const window = limiter.window(key);
    if (!window) return;
    const note = noteWindow(window, moment(), cover);
    await notes.keep(key, note, noteEnds(note));
  };

  /** Resolves once the grant that was just taken is on the disk. */
  const remember = async (key: string, { tokens, intervalMs }: LimitRate): Promise<void> => {
    const cover = covers.get(key);
    if (cover.left > 0 && clock.mono() < cover.until) {
      cover.left -= 1;
      return cover.kept;
    }
    const next = { ahead: Math.floor(tokens * SHARE), aheadMs: intervalMs * SHARE };
    cover.left = next.ahead;
    cover.until = clock.mono() + next.aheadMs;
    cover.kept = keep(key, next);
    try {
      await cover.kept;
    } catch (error) {
      cover.left = 0;
      throw error;
    }
  };

  return {
    ...limiter,
    async recall() {
      for (const { key, note } of await notes.all(clock.now())) limiter.recall(key, recallWindow(note, moment()));
    },
    async acquire(key, rate) {
      const answer = await limiter.acquire(key, rate);
      if (!answer.granted) return answer;
      try {
        await remember(key, rate);
        return answer;
      } catch (error) {
        await limiter.giveBack(answer.lease);
        throw error;
      }
    },
    async done(lease, outcome) {
      await limiter.done(lease, outcome);
      const cover = covers.get(lease.key);
      const isNews = outcome !== 'ok' && outcome !== 'neutral';
      if (!isNews && !cover.isBehind) return;
      cover.left = 0;
      cover.isBehind = false;
      // If it fails: the next visit that ends writes it, and the next grant of the site does, or is not given.
      await keep(lease.key, { ahead: 0, aheadMs: 0 }).catch(() => {
        cover.isBehind = true;
      });
    },
  };
}
