import { GleanerError } from '../domain/errors.js';
import type { Clock } from '../ports/clock.js';
import { type Berth, createBerth } from './browser-berth.js';
import type { BlankPage, OpenBlank } from './browser-page.js';
import { createShelf } from './browser-shelf.js';
import { succeedsWithin } from './browser-waits.js';
import type { LaunchedBrowser } from './chromium.js';

export interface Seat {
  readonly browser: LaunchedBrowser;
  /** Aborts with `browser_crashed` (or `shutting_down`) when the browser is gone. */
  readonly lost: AbortSignal;
  /** A page that was made ready ahead, or one that is opened now. */
  openPage(open: OpenBlank): Promise<BlankPage>;
  /** Makes room at once, and closes what was opened here in bounded time. To be called once; never rejects. */
  leave(): Promise<void>;
}

/** One browser of the fleet and the seats on it. What becomes of it is the fleet's to decide. */
export interface Member {
  readonly browser: LaunchedBrowser;
  readonly bornMs: number;
  state: 'live' | 'retired' | 'gone';
  /** Owes an answer for too long (`browser-pulse.ts`): no new seats until it comes. */
  isSilent: boolean;
  /** Was asked whether it is there, and said so. */
  hasAnswered: boolean;
  /** Seats that it has left for visits to come. */
  room(): number;
  takeSeat(): Seat;
  isEmpty(): boolean;
  /** Visits that are over. */
  pages(): number;
  /** Has opened something for a visit, and closed it again. */
  isProven(): boolean;
  contextsOpen(): number;
  contextsReady(): number;
  /** Makes no page ready any more. */
  clear(): void;
  /** Tells everybody who sits there. */
  loseSeats(error: GleanerError): void;
}

export interface MemberOptions {
  browser: LaunchedBrowser;
  contextsPerBrowser: number;
  closeTimeoutMs: number;
  clock: Clock;
  /** A visit is over and its seat free; answers whether there will be further ones here. */
  onLeft: () => boolean;
  /** What a visit or a page made ready has opened is closed. */
  onClosed: () => void;
  /** A visit had opened something, and all of it could be closed. */
  onProven: () => void;
  /** Something cannot be closed: the browser hangs. */
  onHung: () => void;
}

interface TakenSeat extends Seat {
  readonly berths: Berth[];
  opensBy: OpenBlank | null;
  readonly loss: AbortController;
}

/** Of one browser at once; to close one takes a few hundredths of a visit. */
const MOST_CLOSING = 2;

export function createMember(options: MemberOptions): Member {
  const { browser, contextsPerBrowser, closeTimeoutMs, clock } = options;
  const { newContext } = browser;
  const seats = new Set<TakenSeat>();
  /** What was left and is being closed. */
  const closing = new Set<Berth>();
  const shelf = createShelf({ newContext, putAway: (berth) => void close(berth), clock });
  let pages = 0;
  let isProven = false;

  /** Was it closed in time? If not, the browser hangs. */
  async function close(berth: Berth): Promise<boolean> {
    closing.add(berth);
    const isClosed = await succeedsWithin(berth.close(), closeTimeoutMs, clock);
    closing.delete(berth);
    if (!isClosed) options.onHung();
    options.onClosed();
    return isClosed;
  }

  async function leave(seat: TakenSeat): Promise<void> {
    seats.delete(seat);
    pages++;
    const closed = Promise.all(seat.berths.map(close));
    // Not sooner: while this visit was loading, it would have taken from it what it saves the next one.
    if (options.onLeft() && seat.opensBy) shelf.stock(seat.opensBy);
    // A visit that was given up before it had a page proves nothing.
    if (!(await closed).every(Boolean) || seat.berths.length === 0) return;
    isProven = true;
    options.onProven();
  }

  return {
    browser,
    bornMs: clock.mono(),
    state: 'live',
    isSilent: false,
    hasAnswered: false,
    // None while too much of what was left is still being closed: a browser that does not keep up gets no more to do.
    room: () => (closing.size > MOST_CLOSING ? 0 : contextsPerBrowser - seats.size),
    takeSeat() {
      const loss = new AbortController();
      const seat: TakenSeat = {
        browser,
        loss,
        lost: loss.signal,
        berths: [],
        opensBy: null,
        openPage(open) {
          // The visit is over, and nobody would close what is opened now.
          if (!seats.has(seat)) return Promise.reject(new GleanerError('browser_crashed', 'The visit is over.'));
          const ready = shelf.take();
          const berth = ready?.berth ?? createBerth(newContext);
          seat.berths.push(berth);
          const page = ready?.page ?? open(berth.newContext);
          seat.opensBy = open;
          return page;
        },
        leave: () => leave(seat),
      };
      seats.add(seat);
      return seat;
    },
    isEmpty: () => seats.size === 0,
    pages: () => pages,
    isProven: () => isProven,
    contextsOpen: () =>
      [...[...seats].flatMap(({ berths }) => berths), ...closing].reduce((sum, berth) => sum + berth.open(), 0),
    contextsReady: shelf.size,
    clear: shelf.clear,
    loseSeats(error) {
      for (const { loss } of seats) loss.abort(error);
    },
  };
}
