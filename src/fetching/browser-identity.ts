import type { BrowserContextOptions, CDPSession } from 'playwright';
import type { Identity } from '../ports/fetcher.js';

type UserAgentOverride = NonNullable<Parameters<typeof sendOverride>[1]>;
type Brand = { brand: string; version: string };

/**
 * Playwright carries the identity to every frame and worker. It knows no brands, though, so the headless shell would
 * say "HeadlessChrome" in its client hints under a user agent that does not; `describeIdentity` corrects that.
 */
export function identityOptions(identity: Identity): BrowserContextOptions {
  return {
    userAgent: identity.userAgent,
    viewport: identity.viewport,
    locale: identity.locale,
    timezoneId: identity.timezone,
    ...(identity.geolocation ? { geolocation: identity.geolocation } : {}),
    extraHTTPHeaders: extraHeaders(identity.headers),
  };
}

/** User agent, languages and client hints as one statement, to page scripts and in headers alike. */
export function describeIdentity(session: CDPSession, identity: Identity): Promise<unknown> {
  const header = (name: string): string => identity.headers[name] ?? '';
  const brands = parseBrands(header('sec-ch-ua'));
  const fullVersions = parseBrands(header('sec-ch-ua-full-version-list'));
  const platform = unquote(header('sec-ch-ua-platform'));
  const override: UserAgentOverride = {
    userAgent: identity.userAgent,
    acceptLanguage: languagesOf(header('accept-language') || identity.locale),
  };
  if (brands.length === 0 || !platform) return sendOverride(session, override);
  return sendOverride(session, {
    ...override,
    platform: NAVIGATOR_PLATFORMS[platform] ?? platform,
    userAgentMetadata: {
      brands,
      fullVersionList: fullVersions.length > 0 ? fullVersions : brands.map(inFull),
      platform,
      platformVersion: unquote(header('sec-ch-ua-platform-version')),
      architecture: unquote(header('sec-ch-ua-arch')) || 'x86',
      bitness: unquote(header('sec-ch-ua-bitness')) || '64',
      model: unquote(header('sec-ch-ua-model')),
      mobile: header('sec-ch-ua-mobile') === '?1',
    },
  });
}

const sendOverride = (
  session: CDPSession,
  override: {
    userAgent: string;
    acceptLanguage: string;
    platform?: string;
    userAgentMetadata?: {
      brands: Brand[];
      fullVersionList: Brand[];
      platform: string;
      platformVersion: string;
      architecture: string;
      bitness: string;
      model: string;
      mobile: boolean;
    };
  },
): Promise<unknown> => session.send('Emulation.setUserAgentOverride', override);

/** What `navigator.platform` says on each, frozen by browsers long ago. */
const NAVIGATOR_PLATFORMS: Record<string, string> = { Windows: 'Win32', macOS: 'MacIntel', Linux: 'Linux x86_64' };

/**
 * Headers Chromium would not send by itself. Client hints stay out: it sends them where they belong (secure origins),
 * and as foreign headers they would turn simple cross-origin requests into preflighted ones.
 */
function extraHeaders(headers: Record<string, string>): Record<string, string> {
  const kept = Object.entries(headers).filter(
    ([name]) => !/^(sec-|user-agent$|accept$|accept-encoding$|upgrade-)/i.test(name),
  );
  return Object.fromEntries(kept);
}

/** `"Chromium";v="156", "Not A;Brand";v="8"` → brand and version pairs. */
function parseBrands(header: string): Brand[] {
  return [...header.matchAll(/"([^"]*)"\s*;\s*v="([^"]*)"/g)].map(([, brand, version]) => ({
    brand: brand ?? '',
    version: version ?? '',
  }));
}

const inFull = ({ brand, version }: Brand): Brand => ({ brand, version: `${version}.0.0.0` });

/** Chromium puts in the q-values itself and would repeat them. */
const languagesOf = (acceptLanguage: string): string =>
  acceptLanguage.replace(/\s*;\s*q=[\d.]+/g, '').replace(/\s+/g, '');

const unquote = (text: string): string => text.replace(/^"|"$/g, '');
