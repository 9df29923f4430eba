import type { Identity } from '../ports/fetcher.js';
import type { BlankPage } from './browser-page.js';
import type { Session } from './cdp-session.js';
import type { Brand } from './user-agents.js';

/**
 * Window, clock, place, user agent, languages and client hints as one statement, to page scripts, workers and in headers
 * alike. A few messages for a page, sent together; workers, and frames in processes of their own (the shell makes none),
 * cost more, but only then. Said last of all, so that
 * a page can be opened before its visit is known.
 */
export function describeIdentity(page: Introducible, identity: Identity): Promise<unknown> {
  const override = overrideFor(identity);
  const introduced = page.introduceAll((session, to) =>
    Promise.all([
      session.send('Emulation.setUserAgentOverride', override),
      to !== 'worker' && describePlace(session, to, identity),
      to === 'page' && describeWindow(session, identity),
    ]),
  );
  return Promise.all([introduced, page.resize(identity.viewport)]);
}

type Introducible = Pick<BlankPage, 'introduceAll' | 'resize'>;

/** A process has one locale and one clock: its workers share them, and to say it again, by a second frame, is refused. */
function describePlace(session: Session, to: 'page' | 'frame', { locale, timezone }: Identity): Promise<unknown> {
  const clock = session.send('Emulation.setTimezoneOverride', { timezoneId: timezone });
  return Promise.all([
    session.send('Emulation.setLocaleOverride', { locale }).catch(ignore),
    to === 'page' ? clock : clock.catch(ignore),
  ]);
}

/** Only to the page: its frames have its screen. */
function describeWindow(session: Session, { viewport, screen, geolocation }: Identity): Promise<unknown> {
  const window = session.send('Emulation.setDeviceMetricsOverride', {
    ...viewport,
    screenWidth: screen.width,
    screenHeight: screen.height,
    deviceScaleFactor: 1,
    mobile: false,
    screenOrientation: { angle: 0, type: 'landscapePrimary' },
  });
  return Promise.all([window, geolocation && session.send('Emulation.setGeolocationOverride', geolocation)]);
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
