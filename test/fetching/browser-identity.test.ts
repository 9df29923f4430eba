import zlib from 'node:zlib';
import { getTimezone } from 'countries-and-timezones';
import { type Browser, chromium } from 'playwright';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../../src/fetching/browser-capture.js';
import { createContexts } from '../../src/fetching/browser-context.js';
import { describeIdentity } from '../../src/fetching/browser-identity.js';
import { openBlank } from '../../src/fetching/browser-page.js';
import { findChromium } from '../../src/fetching/chromium.js';
import { chromiumFlags } from '../../src/fetching/chromium-flags.js';
import type { LookupAll } from '../../src/fetching/egress.js';
import type { HttpFetcher } from '../../src/fetching/http-fetch.js';
import { createIdentities } from '../../src/fetching/identity.js';
import { knownRegions } from '../../src/fetching/regions.js';
import { type Brand, brandList, OUR_PLATFORMS } from '../../src/fetching/user-agents.js';
import type { Identity } from '../../src/ports/fetcher.js';
import { installed, whyNoFull } from '../support/engines.js';
import { openHttpFetcher } from '../support/http-fetcher.js';
import { TLS_CERT } from '../support/tls.js';
import { type Browsers, request, startBrowsers, trusting } from './browser-kit.js';
import { type IdentitySite, startIdentitySite, type Told } from './identity-site.js';

const toLoopback: LookupAll = async () => [{ address: '127.0.0.1', family: 4 }];

/** Chromium's way to trust the site's own certificate; the HTTP fetcher knows it as an authority. */
const REACHES_THE_SITE = { lookup: toLoopback, trusting: true };

let browsers: Browsers;
let site: IdentitySite;
let http: HttpFetcher;

const identityIn = (region: string | null): Identity =>
  createIdentities({ chromiumVersion: () => browsers.pool.version(), random: Math.random }).next(region);

beforeAll(async () => {
  site = await startIdentitySite();
  browsers = await startBrowsers(REACHES_THE_SITE);
  http = openHttpFetcher({
    lookup: toLoopback,
    ca: TLS_CERT,
    connectTimeoutMs: 5000,
    headersTimeoutMs: 5000,
    bodyTimeoutMs: 5000,
    maxRedirects: 5,
  });
});

afterEach(() => {
  site.seen.length = 0;
  site.told = {};
});

afterAll(async () => {
  await http?.close();
  await browsers?.close();
  await site?.close();
});

const DONE = { waitFor: { selectors: ['#done'], timeoutMs: 15_000 } };
const SCOPES = ['page', 'worker', 'blobWorker', 'nestedWorker', 'frame', 'foreignFrame', 'foreignWorker'];

describe('a page that reads everything back', () => {
  it.each(['DE', 'JP', 'BR', 'US', 'NO', null])(
    'finds one identity of the region %s in page, frames, workers and headers',
    async (region) => {
      const identity = identityIn(region);
      const page = await browsers.get(`${site.https}/who`, { identity, ...DONE });
      expect(page.html).toContain('<title>who</title>');
      expectOneIdentity(identity);
    },
  );

  it('finds the same one in every worker of a crowd', async () => {
    const identity = identityIn('DE');
    const visits = Array.from({ length: 4 }, () => browsers.get(`${site.https}/crowd`, { identity, ...DONE }));
    await Promise.all(visits);
    const told = Object.values(site.told);
    const { hints, languages } = expectedOf(identity);
    expect(told.length).toBe(4 * 30);
    for (const each of told) expect(each).toMatchObject({ hints, languages });
  });

  it('finds no shared worker, which would have an identity of its own', async () => {
    const page = await browsers.get(`${site.https}/shared`, DONE);
    expect(page.html).toContain('SharedWorker: undefined');
  });
});

describe.skipIf(!installed.chromium)(`a page in full Chromium that reads everything back${whyNoFull}`, () => {
  let others: Browsers;
  beforeAll(async () => {
    others = browsers;
    browsers = await startBrowsers({ ...REACHES_THE_SITE, chromium: installed.chromium });
  });
  afterAll(async () => {
    await browsers.close();
    browsers = others;
  });

  it.each(['DE', 'JP', null])('finds one identity of the region %s, also in frames of other sites', async (region) => {
    const identity = identityIn(region);
    await browsers.get(`${site.https}/who`, { identity, ...DONE });
    expectOneIdentity(identity);
  });
});

describe('a frame in a process of its own', () => {
  it('has the identity of the page, and so have its workers', async () => {
    // The headless shell keeps frames together unless told otherwise; full Chromium does not.
    const rules = ['--site-per-process', '--host-resolver-rules=MAP *.example 127.0.0.1'];
    await withChromium([...chromiumFlags('shell'), ...rules], async (browser) => {
      const identity = identityIn('FR');
      const blank = await openBlank(trusting(createContexts(await browser.newBrowserCDPSession())), '');
      await blank.session.send('Fetch.disable');
      await describeIdentity(blank, identity);
      await blank.watch.navigate(`${site.https}/who`);
      await capture(blank.session, { ...blank, ...DONE, pausesMs: [], maxBytes: 1e6 });
      // All but the screen: of that Chromium lets only the page be told.
      delete site.told.foreignFrame?.window;
      expectOneIdentity(identity);
    });
  });
});

describe('the HTTP fetcher and the browser', () => {
  it.each(['http', 'https'] as const)(
    'ask for a page over %s with the same headers in the same order',
    async (scheme) => {
      const identity = identityIn('ES');
      await browsers.get(`${site[scheme]}/by-browser`, { identity });
      await http.fetch({ ...request(`${site[scheme]}/by-http`), identity }, AbortSignal.timeout(5000));
      expect(headersOf('/by-http')).toEqual(headersOf('/by-browser').map(asFarAsNodeCan));
      expect(headersOf('/by-http').length).toBe(scheme === 'https' ? 12 : 5);
    },
  );

  it.each(['http', 'https'] as const)('post a form over %s with the same headers in the same order', async (scheme) => {
    const identity = identityIn('ES');
    const posted = { identity, form: ['case'] };
    await browsers.get(`${site[scheme]}/by-browser?lang=en&case=IMM-1-25`, posted);
    await http.fetch(
      { ...request(`${site[scheme]}/by-http?lang=en&case=IMM-1-25`), ...posted },
      AbortSignal.timeout(5000),
    );
    // The place of the length is the transport's.
    const told = (path: string) => headersOf(path).filter(([name]) => name.toLowerCase() !== 'content-length');
    expect(told('/by-http?lang=en')).toEqual(told('/by-browser?lang=en').map(asFarAsNodeCan));
    expect(told('/by-http?lang=en')).toContainEqual(['Content-Type', 'application/x-www-form-urlencoded']);
    expect(told('/by-http?lang=en').length).toBe(scheme === 'https' ? 14 : 7);
  });

  it('ask their own machine alike too, and send cookies in the same place', async () => {
    const identity = identityIn(null);
    const url = `${site.http.replace('tls.example', '127.0.0.1')}/cookie`;
    await browsers.get(url, { identity });
    const byBrowser = headersOf('/with-cookie');
    site.seen.length = 0;
    await http.fetch({ ...request(url), identity }, AbortSignal.timeout(5000));
    expect(headersOf('/with-cookie')).toEqual(byBrowser.map(asFarAsNodeCan));
    expect(byBrowser.at(-1)).toEqual(['Cookie', 'seen=1']);
  });
});

describe('the list of brands', () => {
  it('is made as the Chromium that runs makes its own', async () => {
    await withChromium([], async (browser) => {
      const page = await browser.newPage();
      await page.goto(site.http.replace('tls.example', '127.0.0.1'));
      const read = `navigator.userAgentData.getHighEntropyValues(['fullVersionList'])`;
      const { fullVersionList } = await page.evaluate<{ fullVersionList: Brand[] }>(read);
      const product = fullVersionList
        .map(({ brand }) => brand)
        .filter((brand) => !/^Not.A.Brand$|^Chromium$/.test(brand));
      expect(fullVersionList).toEqual(brandList(browser.version(), ['Chromium', ...product]));
    });
  });
});

describe('every region', () => {
  it('has a clock and a language that Chromium knows', async () => {
    await withChromium([], async (browser) => {
      const page = await browser.newPage();
      const session = await page.context().newCDPSession(page);
      for (const { timezone, locale } of knownRegions().flatMap(placesIn)) {
        await session.send('Emulation.setTimezoneOverride', { timezoneId: timezone });
        await session.send('Emulation.setLocaleOverride', { locale });
        const told = await page.evaluate<{ timeZone: string; locale: string }>(
          'Intl.DateTimeFormat().resolvedOptions()',
        );
        expect([current(told.timeZone), told.locale]).toEqual([current(timezone), locale]);
      }
    });
  });
});

/** Chromium calls some clocks by an older name: Calcutta, Saigon. */
const current = (timezone: string): string => getTimezone(timezone)?.aliasOf ?? timezone;

/** Each of a region's timezones with a language of it. */
function placesIn(region: string): Identity[] {
  const found = Array.from({ length: 50 }, () => identityIn(region));
  return [...new Map(found.map((identity) => [`${identity.timezone} ${identity.locale}`, identity])).values()];
}

async function withChromium(args: string[], use: (browser: Browser) => Promise<void>): Promise<void> {
  const executablePath = findChromium(process.env.SCRAPER_CHROMIUM_PATH)!;
  const browser = await chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0, args });
  try {
    await use(browser);
  } finally {
    await browser.close();
  }
}

function expectOneIdentity(identity: Identity): void {
  const { headers } = identity;
  expect(Object.keys(site.told)).toEqual(SCOPES);
  const machine = {
    hardwareConcurrency: site.told.page!.hardwareConcurrency,
    deviceMemory: site.told.page!.deviceMemory,
  };
  for (const [scope, { window, clock, ...told }] of Object.entries(site.told)) {
    expect({ scope, ...told }).toEqual({ scope, ...machine, ...expectedOf(identity) });
    expect(clock).toBe(site.told.page!.clock);
    if (window) expectWindow(identity, window);
  }
  for (const { path, headers: pairs } of site.seen) {
    const sent = Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]));
    expect([path, sent['user-agent'], sent['accept-language']]).toEqual([
      path,
      identity.userAgent,
      headers['accept-language'],
    ]);
    // Where a hint is sent at all, it is the identity's: requests of workers carry none.
    for (const [name, value] of Object.entries(sent)) {
      if (name.startsWith('sec-ch-ua')) expect([path, name, value]).toEqual([path, name, headers[name]]);
    }
  }
  const fromPage = Object.fromEntries(headersOf('/from-page').map(([name, value]) => [name.toLowerCase(), value]));
  expect(fromPage).toMatchObject(headers);
}

function expectedOf({
  userAgent,
  locale,
  languages,
  timezone,
  headers,
}: Identity): Omit<Told, 'hardwareConcurrency' | 'deviceMemory' | 'clock'> {
  const version = browsers.pool.version()!;
  const platform = OUR_PLATFORMS[0]!;
  return {
    userAgent,
    appVersion: userAgent.replace('Mozilla/', ''),
    platform: { Linux: 'Linux x86_64', macOS: 'MacIntel', Windows: 'Win32' }[platform],
    language: locale,
    languages,
    locale,
    timezone,
    hints: {
      brands: brandList(version, ['Chromium']).map(({ brand, version }) => ({ brand, version: version.split('.')[0] })),
      fullVersionList: brandList(version, ['Chromium']),
      uaFullVersion: version,
      platform,
      platformVersion: headers['sec-ch-ua-platform-version']!.replaceAll('"', ''),
      architecture: headers['sec-ch-ua-arch']!.replaceAll('"', ''),
      bitness: '64',
      model: '',
      mobile: false,
      wow64: false,
      formFactors: ['Desktop'],
    },
  };
}

function expectWindow({ screen, viewport }: Identity, told: NonNullable<Told['window']>): void {
  expect(told).toEqual({
    screen: [screen.width, screen.height, screen.width, screen.height],
    fits: true,
    // A headless window has no bars of its own.
    outer: [viewport.width, viewport.height],
    pixelRatio: 1,
    // What we are, we are: a browser that a program drives.
    webdriver: true,
  });
}

/** Without what belongs to the transport. */
const headersOf = (path: string): [string, string][] =>
  site.seen.find((seen) => seen.path === path)!.headers.filter(([name]) => !/^(host|connection)$/i.test(name));

const CAN_UNPACK_ZSTD = 'createZstdDecompress' in zlib;

/** Chromium always asks for zstd, and Node cannot always unpack it. */
const asFarAsNodeCan = ([name, value]: [string, string]): [string, string] =>
  name === 'Accept-Encoding' && !CAN_UNPACK_ZSTD ? [name, value.replace(', zstd', '')] : [name, value];
