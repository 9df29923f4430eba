import type { BrowserEngine } from '../domain/browser-engine.js';
import type { Random } from '../ports/clock.js';
import type { Identity } from '../ports/fetcher.js';
import { placeIn } from './regions.js';
import { clientHints, OUR_PLATFORMS, type PlatformName, userAgent } from './user-agents.js';

/** Who we appear to be: another one on every visit, each in agreement with itself and with the engine that runs. */
export interface Identities {
  /** For a proxy's region (ISO 3166 country code), or `null` for none in particular; and for the browser that may follow. */
  next(region: string | null, engine?: BrowserEngine | null): Identity;
}

export interface IdentityOptions {
  /** Of the browsers of this engine, or of those that serve everybody. */
  chromiumVersion: (engine: BrowserEngine | null) => string | null;
  random: Random;
  platforms?: readonly PlatformName[];
}

export function createIdentities({ chromiumVersion, random, platforms = OUR_PLATFORMS }: IdentityOptions): Identities {
  let last = -1;
  return {
    next(region, browser = null) {
      let at = Math.floor(random() * WINDOWS.length);
      // Two visits in a row never look the same: whatever else chance brings, the window is another one.
      if (at === last) at = (at + 1) % WINDOWS.length;
      last = at;
      const platform = platforms[Math.floor(random() * platforms.length)]!;
      const engine = { version: chromiumVersion(browser) ?? FALLBACK_VERSION, platform };
      const { languages, timezone, geolocation } = placeIn(region, random);
      const { screen, viewport } = WINDOWS[at]!;
      return {
        userAgent: userAgent(engine),
        viewport: { ...viewport },
        screen: { ...screen },
        timezone,
        locale: languages[0]!,
        languages,
        geolocation,
        headers: { ...clientHints(engine), 'accept-language': acceptLanguage(languages) },
      };
    },
  };
}

/** Used until a browser has told its version, as in a service that fetches over plain HTTP only. */
const FALLBACK_VERSION = '156.0.0.0';

/** As Chromium weighs a list of languages: one tenth less for each, and never nothing. */
export const acceptLanguage = (languages: string[]): string =>
  languages
    .map((language, index) => (index === 0 ? language : `${language};q=${Math.max(1, 10 - index) / 10}`))
    .join(',');

interface Window {
  screen: { width: number; height: number };
  /** What the page has of it. */
  viewport: { width: number; height: number };
}

/** Desktop screens on which a page gets between 1280×720 and 1920×1080, in CSS pixels at a ratio of one. */
const SCREENS = [
  { width: 1280, height: 960 },
  { width: 1280, height: 1024 },
  { width: 1400, height: 1050 },
  { width: 1440, height: 900 },
  { width: 1600, height: 900 },
  { width: 1680, height: 1050 },
  { width: 1920, height: 1080 },
  { width: 1920, height: 1200 },
];

/** What tabs, address bar and the desktop's own panel take of the height; with and without a bookmark bar. */
const CHROME_HEIGHTS = [121, 127, 138, 154, 160, 171];

/** Maximized windows. */
const WINDOWS: Window[] = SCREENS.flatMap((screen) =>
  CHROME_HEIGHTS.map((taken) => ({ screen, viewport: { width: screen.width, height: screen.height - taken } })),
);
