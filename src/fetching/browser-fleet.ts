import { GleanerError } from '../domain/errors.js';
import type { Clock } from '../ports/clock.js';
import type { Log } from '../ports/telemetry.js';
import { createMember, type Member, type Seat } from './browser-member.js';
import { watchMemory } from './browser-memory.js';
import { watchPulse } from './browser-pulse.js';
import { createRefill } from './browser-refill.js';
import { createWaiters } from './browser-waiters.js';
import { succeedsWithin } from './browser-waits.js';
import type { LaunchedBrowser } from './chromium.js';

/**
 * The running browsers. Each has room for a few seats (a seat is one visit's context).
 *
 *   launch ──▶ live ──page limit, age, too many──▶ retired ──last seat left──▶ gone (closed, or killed if that hangs)
 *                └────crash, hang, memory, shutdown───┴───────────────────────▶ gone (killed)
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
  /** Some browser answers. */
  canServe(): boolean;
  /** No browser lives and the last launch failed: waiting would be in vain. One that is silent lives. */
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
  /** What one browser with all its processes may take. Absent: as much as it likes. */
  memoryLimitBytes?: number;
  /** Each browser serves one visit and nobody else: whatever happens to it is that visit's doing. */
  isSolitary?: boolean;
  closeTimeoutMs: number;
  /** Who owes an answer for this long will not give it any more (`browser-pulse.ts`). */
  hungAfterMs: number;
  launch: () => Promise<LaunchedBrowser>;
  clock: Clock;
  onRetire: (reason: string) => void;
  log: Log;
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
  /** Those that are there for the visits to come, if they answer. */
  const present = (): Member[] => live().filter((member) => !isLeaving(member));
  const staying = (): Member[] => present().filter((member) => !member.isSilent);
  /** Where others have come to nothing, or may, the next one counts only when it has answered. */
  const serves = (member: Member): boolean => !member.isSilent && (member.hasAnswered || !refill.isDoubtful());
  const canServe = (): boolean => live().some(serves);
  // One that is silent may answer yet, and who waits for it is not sent away.
  const isFailing = (): boolean => refill.lastFailed() && live().length === 0;
  const refill = createRefill({
    // Each has one stand-in at most, however many of those fall silent, too.
    isShort: () => staying().length < wantedBrowsers && present().length < 2 * wantedBrowsers,
    isWary: () => present().some((member) => member.isSilent),
    launch: options.launch,
    onBrowser: board,
    onFailure: refuseIfFailing,
    clock,
    log,
    signal: stop.signal,
  });

  void watchPulse({
    members: () => members,
    clock,
    signal: stop.signal,
    hungAfterMs: options.hungAfterMs,
    onTurn,
    onHung: (member) => lose(member, 'hung'),
  });
  if (options.memoryLimitBytes) {
    void watchMemory({
      members: () => members,
      limitBytes: options.memoryLimitBytes,
      clock,
      signal: stop.signal,
      onFull: (member) => retire(member, 'memory'),
      onOver: (member) => lose(member, 'memory'),
    });
  }

  return {
    tried: refill.tried,
    canServe,
    isFailing,
    resize(count) {
      wantedBrowsers = Math.ceil(count / contextsPerBrowser);
      retireSurplus();
      if (wantedBrowsers === 0) refill.rest();
      refill.nudge();
    },
    sit,
    version: () => version,
    stats: () => ({
      browsers: members.size,
      launching: refill.launching() ? 1 : 0,
      contextsOpen: [...members].reduce((sum, member) => sum + member.contextsOpen(), 0),
      contextsReady: [...members].reduce((sum, member) => sum + member.contextsReady(), 0),
      room: live()
        .filter(serves)
        .reduce((sum, member) => sum + member.room(), 0),
      pagesProcessed,
      recycled,
      oldestMs: Math.max(0, ...[...members].map((member) => clock.mono() - member.bornMs)),
    }),
    async shutdown() {
      const error = new GleanerError('shutting_down', 'The service is stopping.');
      stop.abort(error);
      waiting.refuse(error);
      for (const member of [...members]) {
        member.loseSeats(error);
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

  /** Oldest first: browsers then reach their page limit one after the other, and there is always one that stays. */
  function takeSeat(): Seat | null {
    return (
      live()
        .find((member) => serves(member) && member.room() > 0)
        ?.takeSeat() ?? null
    );
  }

  function refuseIfFailing(): void {
    if (isFailing()) waiting.refuse(unavailable());
  }

  /** Will there be further visits on it? */
  function afterVisit(member: Member): boolean {
    pagesProcessed++;
    const due = dueReason(member);
    if (isLeaving(member)) refill.nudge();
    if (due) retire(member, due);
    endIfEmpty(member);
    waiting.serve(takeSeat);
    return due === null;
  }

  // ── Browsers ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** So near its page limit that its replacement is launched now: the limit then leaves no gap. */
  function isLeaving(member: Member): boolean {
    const pages = member.pages();
    return pages > 0 && options.pageLimit - pages <= contextsPerBrowser;
  }

  function dueReason(member: Member): string | null {
    if (member.pages() >= options.pageLimit) return 'page_limit';
    return clock.mono() - member.bornMs >= options.maxAgeMs ? 'max_age' : null;
  }

  /** The youngest go first: seats are given out from the oldest on, so the youngest is the emptiest. */
  function retireSurplus(): void {
    const surplus = wantedBrowsers === 0 ? live() : staying().slice(wantedBrowsers);
    for (const member of surplus) retire(member, 'idle');
  }

  /** One that has fallen silent gets a stand-in; if it was only slow, it takes its place again. */
  function onTurn(member: Member): void {
    if (member.state === 'gone') return;
    log.debug({ pid: member.browser.pid, silent: member.isSilent }, 'browser pulse');
    refill.nudge();
    if (member.isSilent) return;
    retireSurplus();
    waiting.serve(takeSeat);
  }

  /** No new seats from here on, its replacement starts at once, and it is closed when the last seat is left. */
  function retire(member: Member, reason: string): void {
    if (member.state !== 'live') return;
    member.state = 'retired';
    if (reason !== 'idle') recycled++;
    options.onRetire(reason);
    log.debug({ pid: member.browser.pid, pages: member.pages(), reason }, 'browser retired');
    member.clear();
    refill.nudge();
    endIfEmpty(member);
  }

  function endIfEmpty(member: Member): void {
    if (member.state === 'retired' && member.isEmpty()) end(member);
  }

  /** It crashed or hangs: whoever sits there is told now, and nothing of it is left alive. */
  function lose(member: Member, reason: 'crashed' | 'hung' | 'memory'): void {
    if (member.state === 'gone') return;
    const wasLive = member.state === 'live';
    member.state = 'gone';
    members.delete(member);
    member.clear();
    if (reason !== 'memory' && !member.isProven()) refill.stillborn();
    if (wasLive) {
      recycled++;
      options.onRetire(reason);
    }
    log.warn({ pid: member.browser.pid, pages: member.pages(), reason }, 'browser lost');
    member.loseSeats(reason === 'memory' ? tookTooMuch() : died());
    track(member.browser.kill());
    refill.nudge();
  }

  /** Of those who share a browser nobody can be told apart, and what earlier ones left counts, too. */
  function tookTooMuch(): GleanerError {
    const megabytes = Math.round((options.memoryLimitBytes ?? 0) / MiB);
    const isSuspicion = !options.isSolitary;
    return new GleanerError('resource_limit', `The browser took more than ${megabytes} MB.`, { isSuspicion });
  }

  function end(member: Member): void {
    if (member.state === 'gone') return;
    member.state = 'gone';
    members.delete(member);
    member.clear();
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
    const member: Member = createMember({
      browser,
      contextsPerBrowser,
      closeTimeoutMs,
      clock,
      onLeft: () => afterVisit(member),
      onClosed: () => waiting.serve(takeSeat),
      onProven: refill.proven,
      onHung: () => lose(member, 'hung'),
    });
    members.add(member);
    version = browser.version;
    browser.gone.then(() => lose(member, 'crashed'));
    log.info({ pid: browser.pid, version: browser.version }, 'browser started');
    waiting.serve(takeSeat);
    // Whom it stands in for may have answered during the launch, or nobody wants it any more. Whoever has a seat keeps it.
    retireSurplus();
  }
}

const MiB = 1024 * 1024;

const died = (): GleanerError => new GleanerError('browser_crashed', 'The browser died during the visit.');

const unavailable = (): GleanerError => new GleanerError('browser_unavailable', 'Chromium cannot be started.');
