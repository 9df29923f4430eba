import { GleanerError } from '../domain/errors.js';
import type { Clock } from '../ports/clock.js';
import type { Log } from '../ports/telemetry.js';
import { type Berth, createBerth } from './browser-berth.js';
import type { BlankPage, OpenBlank } from './browser-page.js';
import { createRefill } from './browser-refill.js';
import { createShelf, type Shelf } from './browser-shelf.js';
import { createWaiters } from './browser-waiters.js';
import { succeedsWithin } from './browser-waits.js';
import type { LaunchedBrowser } from './chromium.js';

/**
 * The running browsers. Each has room for a few seats (a seat is one visit's context).
 *
 *   launch ──▶ live ──page limit, age, too many──▶ retired ──last seat left──▶ gone (closed, or killed if that hangs)
 *                └────────crash, hang, shutdown──────┴───────────────────────▶ gone (killed)
 *
 * Every move is our decision, made in one synchronous step; a browser's events only give us reasons to decide. That
 * is why a browser that never answers again cannot hold a seat.
 */
export interface Fleet {
  /** Keeps as many browsers live as this many seats need. */
  resize(seats: number): void;
  /** A seat on a live browser; waits while there is none with room. Rejects with the signal's reason. */
  sit(signal: AbortSignal): Promise<Seat>;
  /** Resolves when the first launch has succeeded or failed. */
  readonly tried: Promise<void>;
  canServe(): boolean;
  /** No browser lives and the last launch failed: waiting would be in vain. */
  isFailing(): boolean;
  /** Of the browser that was launched last. */
  version(): string | null;
  stats(): FleetStats;
  shutdown(): Promise<void>;
}

export interface FleetStats {
  browsers: number;
  launching: number;
  /** Of visits, and of those being closed. */
  contextsOpen: number;
  contextsReady: number;
  /** Seats that could be taken at once. */
  room: number;
  pagesProcessed: number;
  recycled: number;
  /** Age of the oldest browser; 0 without one. */
  oldestMs: number;
}

export interface FleetOptions {
  contextsPerBrowser: number;
  pageLimit: number;
  maxAgeMs: number;
  closeTimeoutMs: number;
  launch: () => Promise<LaunchedBrowser>;
  clock: Clock;
  onRetire: (reason: string) => void;
  log: Log;
}

export interface Seat {
  readonly browser: LaunchedBrowser;
  /** Aborts with `browser_crashed` (or `shutting_down`) when the browser is gone. */
  readonly lost: AbortSignal;
  /** A page that was made ready ahead, or one that is opened now. */
  openPage(open: OpenBlank): Promise<BlankPage>;
  /** Makes room at once, and closes what was opened here in bounded time. To be called once; never rejects. */
  leave(): Promise<void>;
}

interface Member {
  readonly browser: LaunchedBrowser;
  readonly bornMs: number;
  readonly seats: Set<TakenSeat>;
  /** What was left and is being closed. */
  readonly closing: Set<Berth>;
  readonly shelf: Shelf;
  state: 'live' | 'retired' | 'gone';
  pages: number;
}

interface TakenSeat extends Seat {
  readonly berths: Berth[];
  opensBy: OpenBlank | null;
  readonly loss: AbortController;
}

export function createFleet(options: FleetOptions): Fleet {
  const { clock, log, contextsPerBrowser, closeTimeoutMs } = options;
  const members = new Set<Member>();
  const waiting = createWaiters<Seat>();
  const ending = new Set<Promise<void>>();
  const stop = new AbortController();
  let wantedBrowsers = 0;
  let version: string | null = null;
  let pagesProcessed = 0;
  let recycled = 0;

  const live = (): Member[] => [...members].filter((member) => member.state === 'live');
  const staying = (): Member[] => live().filter((member) => !isLeaving(member));
  const canServe = (): boolean => live().length > 0;
  const isFailing = (): boolean => refill.lastFailed() && !canServe();
  const refill = createRefill({
    isShort: () => staying().length < wantedBrowsers,
    launch: options.launch,
    onBrowser: board,
    onFailure: refuseIfFailing,
    clock,
    log,
    signal: stop.signal,
  });

  return {
    tried: refill.tried,
    canServe,
    isFailing,
    resize(count) {
      wantedBrowsers = Math.ceil(count / contextsPerBrowser);
      // The youngest go first: seats are given out from the oldest on, so the youngest is the emptiest.
      const surplus = wantedBrowsers === 0 ? live() : staying().slice(wantedBrowsers);
      for (const member of surplus) retire(member, 'idle');
      if (wantedBrowsers === 0) refill.rest();
      refill.nudge();
    },
    sit,
    version: () => version,
    stats: () => ({
      browsers: members.size,
      launching: refill.launching() ? 1 : 0,
      contextsOpen: [...members].reduce((sum, member) => sum + openIn(member), 0),
      contextsReady: [...members].reduce((sum, { shelf }) => sum + shelf.size(), 0),
      room: live().reduce((sum, member) => sum + roomIn(member), 0),
      pagesProcessed,
      recycled,
      oldestMs: Math.max(0, ...[...members].map((member) => clock.mono() - member.bornMs)),
    }),
    async shutdown() {
      const error = new GleanerError('shutting_down', 'The service is stopping.');
      stop.abort(error);
      waiting.refuse(error);
      for (const member of [...members]) {
        for (const { loss } of member.seats) loss.abort(error);
        if (member.state === 'live') options.onRetire('stopped');
        end(member);
      }
      // A launch that is under way ends first, and its browser is taken down again.
      await refill.ended();
      await Promise.all(ending);
    },
  };

  // ── Seats ──────────────────────────────────────────────────────────────────────────────────────────────────────

  async function sit(signal: AbortSignal): Promise<Seat> {
    signal.throwIfAborted();
    stop.signal.throwIfAborted();
    const seat = takeSeat();
    if (seat) return seat;
    if (isFailing()) throw unavailable();
    return waiting.wait(signal);
  }

  /** None while too much of what was left is still being closed: a browser that does not keep up gets no more to do. */
  function roomIn({ seats, closing }: Member): number {
    return closing.size > MOST_CLOSING ? 0 : contextsPerBrowser - seats.size;
  }

  /** Oldest first: browsers then reach their page limit one after the other, and there is always one that stays. */
  function takeSeat(): Seat | null {
    const member = live().find((one) => roomIn(one) > 0);
    if (!member) return null;
    const loss = new AbortController();
    const seat: TakenSeat = {
      browser: member.browser,
      loss,
      lost: loss.signal,
      berths: [],
      opensBy: null,
      openPage(open) {
        // The visit is over, and nobody would close what is opened now.
        if (!member.seats.has(seat)) return Promise.reject(new GleanerError('browser_crashed', 'The visit is over.'));
        const ready = member.shelf.take();
        const berth = ready?.berth ?? createBerth((wanted) => member.browser.newContext(wanted));
        seat.berths.push(berth);
        const page = ready?.page ?? open(berth.newContext);
        seat.opensBy = open;
        return page;
      },
      leave: () => leave(member, seat),
    };
    member.seats.add(seat);
    return seat;
  }

  function refuseIfFailing(): void {
    if (isFailing()) waiting.refuse(unavailable());
  }

  async function leave(member: Member, seat: TakenSeat): Promise<void> {
    member.seats.delete(seat);
    member.pages++;
    pagesProcessed++;
    const closed = Promise.all(seat.berths.map((berth) => close(member, berth)));
    const due = dueReason(member);
    if (isLeaving(member)) refill.nudge();
    if (due) retire(member, due);
    // Not sooner: while this visit was loading, it would have taken from it what it saves the next one.
    else if (seat.opensBy) member.shelf.stock(seat.opensBy);
    endIfEmpty(member);
    waiting.serve(takeSeat);
    if ((await closed).every(Boolean)) refill.proven();
  }

  /** Was it closed in time? If not, the browser hangs. */
  async function close(member: Member, berth: Berth): Promise<boolean> {
    member.closing.add(berth);
    const isClosed = await succeedsWithin(berth.close(), closeTimeoutMs, clock);
    member.closing.delete(berth);
    if (!isClosed) lose(member, 'hung');
    waiting.serve(takeSeat);
    return isClosed;
  }

  // ── Browsers ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** So near its page limit that its replacement is launched now: the limit then leaves no gap. */
  function isLeaving({ pages }: Member): boolean {
    return pages > 0 && options.pageLimit - pages <= contextsPerBrowser;
  }

  function dueReason(member: Member): string | null {
    if (member.pages >= options.pageLimit) return 'page_limit';
    return clock.mono() - member.bornMs >= options.maxAgeMs ? 'max_age' : null;
  }

  /** No new seats from here on, its replacement starts at once, and it is closed when the last seat is left. */
  function retire(member: Member, reason: string): void {
    if (member.state !== 'live') return;
    member.state = 'retired';
    if (reason !== 'idle') recycled++;
    options.onRetire(reason);
    log.debug({ pid: member.browser.pid, pages: member.pages, reason }, 'browser retired');
    member.shelf.clear();
    refill.nudge();
    endIfEmpty(member);
  }

  function endIfEmpty(member: Member): void {
    if (member.state === 'retired' && member.seats.size === 0) end(member);
  }

  /** It crashed or hangs: whoever sits there is told now, and nothing of it is left alive. */
  function lose(member: Member, reason: 'crashed' | 'hung'): void {
    if (member.state === 'gone') return;
    const wasLive = member.state === 'live';
    member.state = 'gone';
    members.delete(member);
    member.shelf.clear();
    if (reason === 'crashed' && member.pages === 0) refill.stillborn();
    if (wasLive) {
      recycled++;
      options.onRetire(reason);
    }
    log.warn({ pid: member.browser.pid, pages: member.pages, reason }, 'browser lost');
    for (const { loss } of member.seats) {
      loss.abort(new GleanerError('browser_crashed', 'The browser died during the visit.'));
    }
    track(member.browser.kill());
    refill.nudge();
  }

  function end(member: Member): void {
    if (member.state === 'gone') return;
    member.state = 'gone';
    members.delete(member);
    member.shelf.clear();
    track(closeOrKill(member.browser));
  }

  async function closeOrKill(browser: LaunchedBrowser): Promise<void> {
    if (!(await succeedsWithin(browser.close(), closeTimeoutMs, clock))) await browser.kill();
  }

  function track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => log.error({ err: error }, 'a browser could not be removed'))
      .finally(() => ending.delete(tracked));
    ending.add(tracked);
  }

  function board(browser: LaunchedBrowser): void {
    if (stop.signal.aborted) {
      track(browser.kill());
      return;
    }
    const shelf = createShelf({
      newContext: (wanted) => browser.newContext(wanted),
      putAway: (berth) => void close(member, berth),
      clock,
    });
    const closing = new Set<Berth>();
    const member: Member = {
      browser,
      bornMs: clock.mono(),
      seats: new Set(),
      closing,
      shelf,
      state: 'live',
      pages: 0,
    };
    members.add(member);
    version = browser.version;
    browser.gone.then(() => lose(member, 'crashed'));
    log.info({ pid: browser.pid, version: browser.version }, 'browser started');
    waiting.serve(takeSeat);
  }
}

/** Of one browser at once; to close one takes a few hundredths of a visit. */
const MOST_CLOSING = 2;

const openIn = ({ seats, closing }: Member): number =>
  [...[...seats].flatMap(({ berths }) => berths), ...closing].reduce((sum, berth) => sum + berth.open(), 0);

const unavailable = (): GleanerError => new GleanerError('browser_unavailable', 'Chromium cannot be started.');
