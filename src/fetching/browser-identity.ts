import type { Identity } from '../ports/fetcher.js';
import type { BlankPage } from './browser-page.js';
import type { Speak } from './browser-workers.js';
import type { Brand } from './user-agents.js';

/**
 * Window, clock, place, user agent, languages and client hints as one statement, to page scripts, workers and in headers
 * alike. A few messages for a page, sent together; workers, and frames in processes of their own (the shell makes none),
 * cost more, but only then. Playwright is told nothing of it, so that a page can be opened before its visit is known:
 * and it would make client hints without brands, and a list of languages with one entry, and say so to each worker and
 * frame at any moment, before or after us.
 */
export function describeIdentity({ introduceAll, session, windowId }: BlankPage, identity: Identity): Promise<unknown> {
  const override = overrideFor(identity);
  const introduced = introduceAll((speak, to) =>
    Promise.all([
      speak('Emulation.setUserAgentOverride', override),
      to !== 'worker' && describePlace(speak, to, identity),
      to === 'page' && describeWindow(speak, identity),
    ]),
  );
  return Promise.all([introduced, session.send('Browser.setWindowBounds', { windowId, bounds: identity.viewport })]);
}

/** A process has one locale and one clock: its workers share them, and to say it again, by a second frame, is refused. */
function describePlace(speak: Speak, to: 'page' | 'frame', { locale, timezone }: Identity): Promise<unknown> {
  const clock = speak('Emulation.setTimezoneOverride', { timezoneId: timezone });
  return Promise.all([
    speak('Emulation.setLocaleOverride', { locale }).catch(ignore),
    to === 'page' ? clock : clock.catch(ignore),
  ]);
}

/** Only to the page: its frames have its screen. */
function describeWindow(speak: Speak, { viewport, screen, geolocation }: Identity): Promise<unknown> {
  const window = speak('Emulation.setDeviceMetricsOverride', {
    ...viewport,
    screenWidth: screen.width,
    screenHeight: screen.height,
    deviceScaleFactor: 1,
    mobile: false,
    screenOrientation: { angle: 0, type: 'landscapePrimary' },
  });
  return Promise.all([window, geolocation && speak('Emulation.setGeolocationOverride', geolocation)]);
}

const ignore = (): void => {};

interface UserAgentOverride {
  userAgent: string;
  acceptLanguage: string;
  platform?: string;
  userAgentMetadata?: {
    brands: Brand[];
    fullVersionList: Brand[];
    fullVersion: string;
    platform: string;
    platformVersion: string;
    architecture: string;
    bitness: string;
    model: string;
    mobile: boolean;
    wow64: boolean;
    formFactors: string[];
  };
}

function overrideFor({ userAgent, languages, headers }: Identity): UserAgentOverride {
  const hint = (name: string): string => unquote(headers[`sec-ch-ua${name}`] ?? '');
  const brands = parseBrands(headers['sec-ch-ua'] ?? '');
  const fullVersions = parseBrands(headers['sec-ch-ua-full-version-list'] ?? '');
  const platform = hint('-platform');
  // Chromium puts in the q-values by itself.
  const override = { userAgent, acceptLanguage: languages.join(',') };
  if (brands.length === 0 || !platform) return override;
  const fullVersionList = fullVersions.length > 0 ? fullVersions : brands.map(inFull);
  return {
    ...override,
    platform: NAVIGATOR_PLATFORMS[platform] ?? platform,
    userAgentMetadata: {
      brands,
      fullVersionList,
      fullVersion: fullVersionList.find(({ brand }) => brand === 'Chromium')?.version ?? '',
      platform,
      platformVersion: hint('-platform-version'),
      architecture: hint('-arch') || 'x86',
      bitness: hint('-bitness') || '64',
      model: hint('-model'),
      mobile: headers['sec-ch-ua-mobile'] === '?1',
      // Chromium fills these in for a page, and leaves them empty for a worker.
      wow64: false,
      formFactors: ['Desktop'],
    },
  };
}

/** What `navigator.platform` says on each, frozen by browsers long ago. */
const NAVIGATOR_PLATFORMS: Record<string, string> = { Windows: 'Win32', macOS: 'MacIntel', Linux: 'Linux x86_64' };

/** `"Chromium";v="156", "Not A;Brand";v="8"` → brand and version pairs. */
function parseBrands(header: string): Brand[] {
  return [...header.matchAll(/"([^"]*)"\s*;\s*v="([^"]*)"/g)].map(([, brand, version]) => ({
    brand: brand ?? '',
    version: version ?? '',
  }));
}

const inFull = ({ brand, version }: Brand): Brand => ({ brand, version: `${version}.0.0.0` });

const unquote = (text: string): string => text.replace(/^"|"$/g, '');
