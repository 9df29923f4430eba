import type { BrowserContextOptions, CDPSession } from 'playwright';
import type { Identity } from '../ports/fetcher.js';
import { introduceWorkers } from './browser-workers.js';
import type { Brand } from './user-agents.js';

/**
 * The part of it that Playwright carries to every frame and worker; `describeIdentity` must follow. The locale is not
 * among it: Playwright would make a list of languages of it, with one entry, and requests of page scripts would send
 * that. Frames that Chromium gives a process of their own (the shell makes none) are left with what is said here.
 */
export function identityOptions(identity: Identity): BrowserContextOptions {
  return {
    userAgent: identity.userAgent,
    viewport: identity.viewport,
    screen: identity.screen,
    timezoneId: identity.timezone,
    ...(identity.geolocation ? { geolocation: identity.geolocation } : {}),
  };
}

/**
 * User agent, languages, locale and client hints as one statement, to page scripts, workers and in headers alike. Three
 * messages for a page; the workers it starts cost more, but only then.
 */
export function describeIdentity(session: CDPSession, identity: Identity): Promise<unknown> {
  const override = overrideFor(identity);
  return Promise.all([
    session.send('Emulation.setUserAgentOverride', override),
    session.send('Emulation.setLocaleOverride', { locale: identity.locale }),
    introduceWorkers(session, (speak) => speak('Emulation.setUserAgentOverride', override)),
  ]);
}

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
