import { createPool } from 'generic-pool';
import { asGleanerError, GleanerError } from '../domain/errors.js';
import { unlessAborted } from './abort.js';
import { createFleet, type FleetOptions } from './browser-fleet.js';
import type { Seat } from './browser-member.js';
import type { BlankPage, OpenBlank } from './browser-page.js';

/**
 * Who may open a page, and where. Two parts, because one browser with several contexts is as fast as several
 * browsers with one and needs half the memory:
 *
 * - **Slots** are the right to one context. generic-pool keeps between `size` and `max` of them, queues whoever
 *   waits, and gives up after `acquireTimeoutMs`. A slot is not tied to a browser, so none is lost with one.
 * - **The fleet** (browser-fleet.ts) keeps `slots / contextsPerBrowser` browsers live and gives each slot that is
 *   handed out a seat on one of them: 5 slots with 4 contexts each are 2 browsers. One that nears its page limit is replaced ahead of it.
 */
export interface BrowserPool {
  /** Begins launching; resolves after the first attempt, also if it failed: the pool keeps trying by itself. */
  start(): Promise<void>;
  /** Rejects with `pool_exhausted`, `browser_unavailable`, `shutting_down` or the signal's reason. */
  acquire(signal?: AbortSignal): Promise<BrowserSlot>;
  /**
   * Gives the slot back at once and closes its contexts in bounded time; resolves when that is done. Never rejects; the
   * second time does nothing.
   */
  release(slot: BrowserSlot): Promise<void>;
  stats(): BrowserPoolStats;
  /** Leaves no process and no file behind; whoever still holds a slot sees it lost. */
  shutdown(): Promise<void>;
  /** Is there a browser that answers? One that is busy can serve, too. */
  canServe(): boolean;
  version(): string | null;
}

/** The right to a page on one live browser. `lost` aborts with `browser_crashed` when that browser is gone. */
export interface BrowserSlot {
  readonly pid: number;
  readonly lost: AbortSignal;
  /** In a context of its own, which nobody used before. */
  openPage(open: OpenBlank): Promise<BlankPage>;
}

/** `total`, `available` and `in_use` count slots; `available` only those that a live browser has room for. */
export interface BrowserPoolStats {
  total: number;
  available: number;
  in_use: number;
  pages_processed: number;
  recycled_count: number;
  browsers: number;
  contexts_open: number;
  /** Opened ahead of need; nobody has used them. */
  contexts_ready: number;
  launching: number;
  oldest_browser_seconds: number;
}

export interface BrowserPoolOptions extends FleetOptions {
  size: number;
  max: number;
  acquireTimeoutMs: number;
}

/** Slots beyond `size` that nobody needed for this long are given up, and with them their browsers. */
const SPARE_SLOT_MS = 60_000;
const SPARE_CHECK_MS = 10_000;

interface Ticket {
  readonly number: number;
}

export function createBrowserPool(options: BrowserPoolOptions): BrowserPool {
  const { clock, acquireTimeoutMs } = options;
  const fleet = createFleet(options);
  const leases = new Map<BrowserSlot, { ticket: Ticket; seat: Seat }>();
  const stop = new AbortController();
  let tickets = 0;
  let nextNumber = 1;

  const slots = createPool<Ticket>(
    {
      // Creating never waits and never fails: generic-pool answers a failed `create` with the next one, in a tight loop.
      async create() {
        fleet.resize(++tickets);
        return { number: nextNumber++ };
      },
      async destroy() {
        fleet.resize(--tickets);
      },
    },
    {
      min: Math.min(options.size, options.max),
      max: options.max,
      acquireTimeoutMillis: acquireTimeoutMs,
      autostart: false,
      // Last in, first out, so that slots above the resting size stay idle and can be given up.
      fifo: false,
      evictionRunIntervalMillis: SPARE_CHECK_MS,
      softIdleTimeoutMillis: SPARE_SLOT_MS,
      idleTimeoutMillis: Number.MAX_SAFE_INTEGER,
      numTestsPerEvictionRun: options.max,
    },
  );

  return {
    async start() {
      slots.start();
      await fleet.tried;
    },
    async acquire(signal) {
      signal?.throwIfAborted();
      stop.signal.throwIfAborted();
      if (fleet.isFailing()) throw unavailable();
      const deadlineMs = clock.mono() + acquireTimeoutMs;
      const ticket = await takeTicket(signal);
      try {
        const seat = await takeSeat(deadlineMs - clock.mono(), signal);
        const slot: BrowserSlot = { pid: seat.browser.pid, lost: seat.lost, openPage: seat.openPage };
        leases.set(slot, { ticket, seat });
        return slot;
      } catch (error) {
        await slots.release(ticket);
        throw asGleanerError(error);
      }
    },
    async release(slot) {
      const lease = leases.get(slot);
      if (!lease || !leases.delete(slot)) return;
      // The place is free at once: who comes next does not wait until the contexts are closed.
      const left = lease.seat.leave();
      await slots.release(lease.ticket);
      await left;
    },
    stats() {
      const { browsers, launching, contextsOpen, contextsReady, room, pagesProcessed, recycled, oldestMs } =
        fleet.stats();
      return {
        total: slots.size,
        available: Math.min(slots.size - slots.borrowed, room),
        in_use: slots.borrowed,
        pages_processed: pagesProcessed,
        recycled_count: recycled,
        browsers,
        contexts_open: contextsOpen,
        contexts_ready: contextsReady,
        launching,
        oldest_browser_seconds: Math.round(oldestMs / 1_000),
      };
    },
    async shutdown() {
      stop.abort(new GleanerError('shutting_down', 'The service is stopping.'));
      // Not awaited: it waits for every slot to come back, and those come back because the browsers end.
      void slots.drain().then(() => slots.clear());
      await fleet.shutdown();
    },
    canServe: fleet.canServe,
    version: fleet.version,
  };

  /** generic-pool cannot be told that somebody no longer waits: what it hands over too late goes straight back. */
  async function takeTicket(signal: AbortSignal | undefined): Promise<Ticket> {
    const pending = slots.acquire();
    try {
      return await unlessAborted(pending, signal, stop.signal);
    } catch (error) {
      pending.then((late) => slots.release(late)).catch(() => undefined);
      throw (error as Error | undefined)?.name === 'TimeoutError' ? exhausted() : asGleanerError(error);
    }
  }

  async function takeSeat(waitMs: number, signal: AbortSignal | undefined): Promise<Seat> {
    const patience = new AbortController();
    const giveUp = (): void => patience.abort(signal?.aborted ? signal.reason : exhausted());
    const takeBack = clock.after(Math.max(0, waitMs), giveUp);
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      return await fleet.sit(patience.signal);
    } finally {
      takeBack();
      signal?.removeEventListener('abort', giveUp);
    }
  }

  function exhausted(): GleanerError {
    if (!fleet.canServe()) return unavailable();
    return new GleanerError('pool_exhausted', `No browser became free within ${acquireTimeoutMs} ms.`);
  }
}

const unavailable = (): GleanerError => new GleanerError('browser_unavailable', 'No Chromium can be started.');
