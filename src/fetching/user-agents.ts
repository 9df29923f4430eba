/**
 * What a desktop Chromium of a given version says it is. Everything follows from version and platform, as it does
 * there, so that user agent and client hints cannot disagree.
 */
export type PlatformName = 'Linux' | 'macOS' | 'Windows';

export interface Engine {
  /** In full, such as `156.0.8078.79`. */
  version: string;
  platform: PlatformName;
}

/** Chromium tells only its major version in the user agent; a full one would be the odd one out. */
export const userAgent = ({ version, platform }: Engine): string =>
  `Mozilla/5.0 (${PLATFORMS[platform].system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${majorOf(version)}.0.0.0 Safari/537.36`;

/** All hints, as headers: three are sent unasked, page scripts may ask for the others. */
export function clientHints({ version, platform }: Engine): Record<string, string> {
  const { release, architecture } = PLATFORMS[platform];
  return {
    'sec-ch-ua': brandHeader(brandList(version, OWN_BRANDS), (brand) => majorOf(brand.version)),
    'sec-ch-ua-mobile': '?0',
    'sec-ch-ua-platform': `"${platform}"`,
    'sec-ch-ua-platform-version': `"${release}"`,
    'sec-ch-ua-full-version-list': brandHeader(brandList(version, OWN_BRANDS), (brand) => brand.version),
    'sec-ch-ua-arch': `"${architecture}"`,
    'sec-ch-ua-bitness': '"64"',
    'sec-ch-ua-model': '""',
  };
}

/**
 * Only the platform we really run on. Chromium lets a page be told another one, but not its workers, and fonts, graphics
 * and key names would contradict it all the same: a false platform is an identity that disagrees with itself.
 */
export const OUR_PLATFORMS: readonly PlatformName[] = [
  process.platform === 'win32' ? 'Windows' : process.platform === 'darwin' ? 'macOS' : 'Linux',
];

interface Platform {
  /** Frozen by Chromium: the same on every release and every processor. */
  system: string;
  /** As a client hint. Chromium leaves it empty on Linux. */
  release: string;
  architecture: 'arm' | 'x86';
}

const OUR_ARCHITECTURE = process.arch === 'arm64' ? 'arm' : 'x86';

const PLATFORMS: Record<PlatformName, Platform> = {
  Linux: { system: 'X11; Linux x86_64', release: '', architecture: OUR_ARCHITECTURE },
  macOS: { system: 'Macintosh; Intel Mac OS X 10_15_7', release: '15.6.0', architecture: 'arm' },
  Windows: { system: 'Windows NT 10.0; Win64; x64', release: '15.0.0', architecture: 'x86' },
};

/** What we are, and not "Google Chrome", which is another product: the user agent is the same for both. */
const OWN_BRANDS = ['Chromium'];

export interface Brand {
  brand: string;
  version: string;
}

/**
 * The brand list as Chromium makes it: its own brands, and a nonsense one that keeps sites from matching on the list.
 * Spelling and version of the nonsense, and the place of each, follow from the major version.
 */
export function brandList(version: string, own: string[]): Brand[] {
  const seed = Number(majorOf(version));
  const grease = `Not${GREASE[seed % GREASE.length]}A${GREASE[(seed + 1) % GREASE.length]}Brand`;
  const brands = [{ brand: grease, version: `${GREASE_VERSIONS[seed % 3]}.0.0.0` }];
  for (const brand of own) brands.push({ brand, version });
  const places = own.length === 1 ? [seed % 2, (seed + 1) % 2] : THREE_PLACES[seed % 6]!;
  const ordered: Brand[] = [];
  brands.forEach((brand, index) => {
    ordered[places[index]!] = brand;
  });
  return ordered;
}

const GREASE = [' ', '(', ':', '-', '.', '/', ')', ';', '=', '?', '_'];
const GREASE_VERSIONS = ['8', '99', '24'];

const THREE_PLACES = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
];

const brandHeader = (brands: Brand[], shown: (brand: Brand) => string): string =>
  brands.map((brand) => `"${brand.brand}";v="${shown(brand)}"`).join(', ');

const majorOf = (version: string): string => version.split('.', 1)[0]!;
