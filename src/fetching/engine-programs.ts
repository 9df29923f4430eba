import type { BrowserEngine } from '../domain/browser-engine.js';
import { GleanerError } from '../domain/errors.js';
import type { Clock } from '../ports/clock.js';
import { findChromium } from './chromium.js';
import { engineOf } from './chromium-flags.js';

export interface ProgramsOptions {
  /** What serves everybody whose policy demands nothing. */
  engine: BrowserEngine;
  /** A Chromium that somebody has chosen: it serves everybody, and whoever demands its engine. */
  chromiumPath: string | null;
  env?: NodeJS.ProcessEnv;
  clock: Clock;
}

/**
 * Which executable serves which engine. The setting is a wish: where its engine is not installed, the other one serves.
 * A policy's `chromium` is a demand: it was written because the shell will not do there.
 */
export interface Programs {
  /** The executable to launch now. Throws `browser_unavailable` where there is none that will do. */
  launchable(engine: BrowserEngine): string;
  /** Why a demand cannot be met, if it cannot. */
  lack(engine: BrowserEngine | null): GleanerError | null;
  /** Do both engines come down to one program? */
  areSame(one: BrowserEngine, another: BrowserEngine): boolean;
}

/** Looking through folders is too much for every visit. */
const LOOK_AGAIN_MS = 1_000;

export function createPrograms({ engine, chromiumPath, env = process.env, clock }: ProgramsOptions): Programs {
  // Looked for again and again: a Chromium that is installed later is found without a restart.
  const found = new Map<BrowserEngine, { path: string | null; atMs: number }>();
  const find = (wanted: BrowserEngine): string | null => {
    const known = found.get(wanted);
    if (known && clock.mono() - known.atMs < LOOK_AGAIN_MS) return known.path;
    const isChosen = wanted === engine || (chromiumPath !== null && engineOf(chromiumPath) === wanted);
    const path = findChromium(isChosen ? chromiumPath : null, { engine: wanted, env });
    found.set(wanted, { path, atMs: clock.mono() });
    return path;
  };
  const lack = (wanted: BrowserEngine | null): GleanerError | null => {
    if (wanted !== 'chromium') return null;
    const path = find(wanted);
    return path && engineOf(path) === wanted ? null : new GleanerError('browser_unavailable', NOT_INSTALLED);
  };
  return {
    lack,
    launchable(wanted) {
      const path = find(wanted);
      const lacking = wanted === engine ? null : lack(wanted);
      if (lacking) throw lacking;
      if (!path) throw new GleanerError('browser_unavailable', missing(chromiumPath));
      return path;
    },
    areSame: (one, another) => find(one) === find(another),
  };
}

const NOT_INSTALLED = 'The policy of the domain demands the browser engine chromium, which is not installed.';

const missing = (chosen: string | null): string =>
  chosen
    ? `SCRAPER_CHROMIUM_PATH names no program: ${chosen}`
    : 'No Chromium is installed, and SCRAPER_CHROMIUM_PATH is not set.';
