import type { Random } from '../ports/clock.js';
import type { Identity } from '../ports/fetcher.js';

/** Who we appear to be: another one on every visit, each in agreement with itself and with the engine that runs. */
export interface Identities {
  /** For a proxy's region (ISO 3166 country code), or `null` for none in particular. */
  next(region: string | null): Identity;
}

export function createIdentities(options: { chromiumVersion: () => string | null; random: Random }): Identities {
  let last = -1;
  return {
    next(region) {
      const count = PLATFORMS.length * VIEWPORTS.length;
      let place = Math.floor(options.random() * count);
      // Two visits in a row never look the same.
      if (place === last) place = (place + 1) % count;
      last = place;
      const known = REGIONS[region?.toUpperCase() ?? ''];
      return describe({
        version: options.chromiumVersion() ?? FALLBACK_VERSION,
        platform: PLATFORMS[place % PLATFORMS.length]!,
        viewport: VIEWPORTS[Math.floor(place / PLATFORMS.length)]!,
        region: known ?? DEFAULT_REGION,
        isPlaced: known !== undefined,
      });
    },
  };
}

/** The user agents there are for one version: the list every identity is taken from. */
export const userAgents = (version: string): string[] => PLATFORMS.map((platform) => userAgent(version, platform));

/** Used until a browser has told its version, as in a service that fetches over plain HTTP only. */
const FALLBACK_VERSION = '156.0.0.0';

interface Platform {
  name: string;
  version: string;
  userAgentPart: string;
}

const PLATFORMS: Platform[] = [
  { name: 'Windows', version: '15.0.0', userAgentPart: 'Windows NT 10.0; Win64; x64' },
  { name: 'macOS', version: '14.6.0', userAgentPart: 'Macintosh; Intel Mac OS X 10_15_7' },
  { name: 'Linux', version: '', userAgentPart: 'X11; Linux x86_64' },
];

/** Window sizes of common screens. */
const VIEWPORTS = [
  { width: 1280, height: 720 },
  { width: 1366, height: 768 },
  { width: 1440, height: 900 },
  { width: 1536, height: 864 },
  { width: 1600, height: 900 },
  { width: 1680, height: 1050 },
  { width: 1920, height: 1080 },
];

interface Region {
  locale: string;
  timezone: string;
  geolocation: { latitude: number; longitude: number };
}

const DEFAULT_REGION: Region = {
  locale: 'en-US',
  timezone: 'America/New_York',
  geolocation: { latitude: 40.7128, longitude: -74.006 },
};

const REGIONS: Record<string, Region | undefined> = {
  US: DEFAULT_REGION,
  CA: { locale: 'en-CA', timezone: 'America/Toronto', geolocation: { latitude: 43.6532, longitude: -79.3832 } },
  GB: { locale: 'en-GB', timezone: 'Europe/London', geolocation: { latitude: 51.5074, longitude: -0.1278 } },
  DE: { locale: 'de-DE', timezone: 'Europe/Berlin', geolocation: { latitude: 52.52, longitude: 13.405 } },
  FR: { locale: 'fr-FR', timezone: 'Europe/Paris', geolocation: { latitude: 48.8566, longitude: 2.3522 } },
};

interface Choice {
  version: string;
  platform: Platform;
  viewport: Identity['viewport'];
  region: Region;
  /** Without a known region nobody asked us to be anywhere. */
  isPlaced: boolean;
}

function describe({ version, platform, viewport, region, isPlaced }: Choice): Identity {
  return {
    userAgent: userAgent(version, platform),
    viewport: { ...viewport },
    timezone: region.timezone,
    locale: region.locale,
    geolocation: isPlaced ? { ...region.geolocation } : null,
    headers: {
      'sec-ch-ua': brands(majorOf(version), majorOf(version)),
      'sec-ch-ua-mobile': '?0',
      'sec-ch-ua-platform': `"${platform.name}"`,
      'sec-ch-ua-platform-version': `"${platform.version}"`,
      'sec-ch-ua-full-version-list': brands(majorOf(version), version),
      'accept-language': acceptLanguage(region.locale),
    },
  };
}

/** Chromium tells only its major version in the user agent; a full one would be the odd one out. */
const userAgent = (version: string, { userAgentPart }: Platform): string =>
  `Mozilla/5.0 (${userAgentPart}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${majorOf(version)}.0.0.0 Safari/537.36`;

const majorOf = (version: string): string => version.split('.', 1)[0]!;

/**
 * The brand list as Chromium makes it: its own brand, and a nonsense one that keeps sites from matching on the list.
 * Spelling, version and order of the nonsense follow from the major version.
 */
function brands(major: string, shownVersion: string): string {
  const seed = Number(major);
  const nonsense = `Not${GREASE[seed % GREASE.length]}A${GREASE[(seed + 1) % GREASE.length]}Brand`;
  const nonsenseVersion = ['8', '99', '24'][seed % 3]!;
  const suffix = shownVersion.includes('.') ? '.0.0.0' : '';
  const pair = [`"${nonsense}";v="${nonsenseVersion}${suffix}"`, `"Chromium";v="${shownVersion}"`];
  return (seed % 2 === 0 ? pair : pair.reverse()).join(', ');
}

const GREASE = [' ', '(', ':', '-', '.', '/', ')', ';', '=', '?', '_'];

function acceptLanguage(locale: string): string {
  const language = locale.split('-', 1)[0]!;
  return language === 'en' ? `${locale},en;q=0.9` : `${locale},${language};q=0.9,en;q=0.8`;
}
