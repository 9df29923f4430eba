import type { Clock } from '../ports/clock.js';
import type { Log } from '../ports/telemetry.js';
import { orFailAfter } from './abort.js';
import type { LaunchedChromium } from './chromium.js';

/**
 * Whether full Chromium runs as lean as it is told to. Features are switched off by name, and names come and go with
 * versions, silently: so what counts is what runs beside a page.
 */
export interface LeanCheck {
  /** Once for each version, and before any other page is opened there. Never rejects, and ends in bounded time. */
  look(browser: LaunchedChromium): Promise<void>;
  /** `null`: the shell, which has nothing to leave out, or not known. */
  isLean(browser: Pick<LaunchedChromium, 'engine' | 'version'>): boolean | null;
}

const LOOK_TIMEOUT_MS = 5_000;

export function createLeanCheck({ clock, log }: { clock: Clock; log: Log }): LeanCheck {
  const seen = new Map<string, boolean>();

  async function look(browser: LaunchedChromium): Promise<void> {
    const { version } = browser;
    if (browser.engine === 'shell' || seen.has(version)) return;
    const error = new Error('Chromium did not open a page in time.');
    try {
      const renderers = await orFailAfter(() => browser.countRenderers(), { ms: LOOK_TIMEOUT_MS, error, clock });
      const isLean = renderers <= 1;
      seen.set(version, isLean);
      if (isLean) log.info({ version }, 'full Chromium runs lean: one renderer for a page');
      else log.warn({ version, renderers }, 'full Chromium is not lean: a page takes several renderers');
    } catch (err) {
      log.warn({ err, version }, 'it could not be seen whether full Chromium runs lean');
    }
  }

  return { look, isLean: ({ engine, version }) => (engine === 'shell' ? null : (seen.get(version) ?? null)) };
}
