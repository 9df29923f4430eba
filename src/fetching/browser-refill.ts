import type { Clock } from '../ports/clock.js';
import type { Log } from '../ports/telemetry.js';
import type { LaunchedBrowser } from './chromium.js';

/** Launches browsers while there are too few: one after the other, and not in a hurry after a failure. */
export interface Refill {
  /** Looks whether a browser is missing, and if so begins launching. */
  nudge(): void;
  /** A browser has served a page: launching works. */
  proven(): void;
  /** A browser died, or hung, before it had served a page. Without counting that, it would be replaced in a tight loop. */
  stillborn(): void;
  launching(): boolean;
  lastFailed(): boolean;
  /** The last ones came to nothing, or one is silent: the next may not be any better. */
  isDoubtful(): boolean;
  /** Nobody needs a browser any more: whoever is next finds out anew whether one can be launched. */
  rest(): void;
  /** Resolves when the first launch has succeeded or failed. */
  readonly tried: Promise<void>;
  /** Resolves when no launch is under way any more; the signal must have been aborted. */
  ended(): Promise<void>;
}

interface RefillOptions {
  isShort: () => boolean;
  /** Is one silent? The others may be next, so stand-ins come one after the other and in no hurry. */
  isWary: () => boolean;
  launch: () => Promise<LaunchedBrowser>;
  onBrowser: (browser: LaunchedBrowser) => void;
  onFailure: () => void;
  clock: Clock;
  log: Log;
  /** Aborted: launches nothing more. A browser that comes up after that is still handed over, to be taken down. */
  signal: AbortSignal;
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

export function createRefill(options: RefillOptions): Refill {
  const { clock, signal } = options;
  const isShort = (): boolean => !signal.aborted && options.isShort();
  const pauseNowMs = (): number => Math.max(pauseMs(failures), options.isWary() ? FIRST_PAUSE_MS : 0);
  let loop: Promise<void> | null = null;
  let launching = false;
  /** Launches in a row that brought no browser that served a page. */
  let failures = 0;
  let lastFailed = false;
  let lastLaunchMs = 0;
  let markTried = (): void => {};
  const tried = new Promise<void>((resolve) => {
    markTried = resolve;
  });

  function nudge(): void {
    loop ??= fill().finally(() => {
      loop = null;
      // A browser may have been lost in the very turn in which the loop ended.
      if (isShort()) nudge();
    });
  }

  async function fill(): Promise<void> {
    while (isShort()) {
      await clock.wait(lastLaunchMs + pauseNowMs() - clock.mono(), signal);
      if (isShort()) await launchOne();
    }
  }

  async function launchOne(): Promise<void> {
    lastLaunchMs = clock.mono();
    launching = true;
    try {
      const browser = await options.launch();
      lastFailed = false;
      options.onBrowser(browser);
    } catch (error) {
      lastFailed = true;
      failures++;
      options.log.warn({ err: error, failures, retry_in_ms: pauseMs(failures) }, 'Chromium could not be started');
      options.onFailure();
    } finally {
      launching = false;
      markTried();
    }
  }

  return {
    nudge,
    proven() {
      failures = 0;
    },
    stillborn() {
      failures++;
    },
    launching: () => launching,
    lastFailed: () => lastFailed,
    isDoubtful: () => failures > 0 || options.isWary(),
    rest() {
      lastFailed = false;
    },
    tried,
    async ended() {
      await loop;
    },
  };
}

const pauseMs = (failures: number): number =>
  failures === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
