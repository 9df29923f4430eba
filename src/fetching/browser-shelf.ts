import type { Clock } from '../ports/clock.js';
import { type Berth, createBerth } from './browser-berth.js';
import type { NewContext } from './browser-context.js';
import type { BlankPage, OpenBlank } from './browser-page.js';
import { succeedsWithin } from './browser-waits.js';

/**
 * Pages of one browser made ready ahead of need: to open one takes a quarter of a short visit, and nothing about it
 * depends on the visit. Each is used once, by one visit, or not at all.
 */
export interface Shelf {
  /** A page that is ready, or nearly so; `null` if there is none. */
  take(): Ready | null;
  /** Begins making one, if there is room for it. */
  stock(open: OpenBlank): void;
  /** How many there are, those in the making included. */
  size(): number;
  /** Puts all of them away; from here on none is made. */
  clear(): void;
}

export interface Ready {
  readonly berth: Berth;
  readonly page: Promise<BlankPage>;
}

export interface ShelfOptions {
  newContext: NewContext;
  /** Takes over what is no longer wanted. */
  putAway: (berth: Berth) => void;
  clock: Clock;
}

/** Each is a process that waits: more of them would cost more memory than they save time. */
const MOST_READY = 1;
/** One that nobody came for is put away, so that a service at rest holds none. */
const KEPT_MS = 30_000;
const MAKING_MS = 10_000;

export function createShelf({ newContext, putAway, clock }: ShelfOptions): Shelf {
  const shelf = new Map<Ready, () => void>();
  let isCleared = false;

  const remove = (ready: Ready): boolean => {
    shelf.get(ready)?.();
    return shelf.delete(ready);
  };
  const drop = (ready: Ready): void => {
    if (remove(ready)) putAway(ready.berth);
  };

  return {
    take() {
      const [ready] = shelf.keys();
      if (!ready) return null;
      remove(ready);
      return ready;
    },
    stock(open) {
      if (isCleared || shelf.size >= MOST_READY) return;
      const berth = createBerth(newContext);
      const page = open(berth.newContext);
      const ready = { berth, page };
      shelf.set(
        ready,
        clock.after(KEPT_MS, () => drop(ready)),
      );
      // It may die while it waits, with its renderer or as a whole.
      page.then(({ watch }) => watch.failed).catch(() => drop(ready));
      void succeedsWithin(page, MAKING_MS, clock).then((isMade) => isMade || drop(ready));
    },
    size: () => shelf.size,
    clear() {
      isCleared = true;
      for (const ready of [...shelf.keys()]) drop(ready);
    },
  };
}
