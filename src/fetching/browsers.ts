import { GleanerError } from '../domain/errors.js';
import { type BrowserPool, type BrowserPoolOptions, createBrowserPool } from './browser-pool.js';
import { findChromium, type LaunchedBrowser, launchBrowser } from './chromium.js';
import type { EgressProxy } from './egress-proxy.js';

export interface BrowsersOptions extends Omit<BrowserPoolOptions, 'launch'> {
  /** A Chromium that somebody has chosen; without it one is looked for. */
  chromiumPath: string | null;
  sandbox: boolean;
  egressProxy: Pick<EgressProxy, 'url'>;
}

/** The pools of browsers: all of one make, and all of their traffic through one proxy. */
export interface Browsers {
  /** For pages. Its browsers load no images. */
  pages: BrowserPool;
  /** For screenshots: with images. They are launched when one is asked for, and go when nobody does. */
  pictures: BrowserPool;
}

export function createBrowsers({ chromiumPath, sandbox, egressProxy, ...pool }: BrowsersOptions): Browsers {
  // Looked for at every launch: a Chromium that is installed later is found without a restart.
  const launchIn = (withPictures: boolean) => (): Promise<LaunchedBrowser> => {
    const executablePath = findChromium(chromiumPath);
    if (!executablePath) throw new GleanerError('browser_unavailable', missing(chromiumPath));
    const { clock } = pool;
    return launchBrowser({ executablePath, sandbox, egressProxyUrl: egressProxy.url, withPictures, clock });
  };
  return {
    pages: createBrowserPool({ ...pool, launch: launchIn(false) }),
    pictures: createBrowserPool({ ...pool, size: 0, max: pool.size, launch: launchIn(true) }),
  };
}

const missing = (chosen: string | null): string =>
  chosen
    ? `SCRAPER_CHROMIUM_PATH names no program: ${chosen}`
    : 'No Chromium is installed, and SCRAPER_CHROMIUM_PATH is not set.';
