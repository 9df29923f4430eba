import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import type { GleanerError } from '../../src/domain/errors.js';
import type { Page } from '../../src/domain/page.js';
import type { NewContext } from '../../src/fetching/browser-context.js';
import { createBrowserFetcher } from '../../src/fetching/browser-fetch.js';
import { type BrowserPool, type BrowserPoolOptions, createBrowserPool } from '../../src/fetching/browser-pool.js';
import { findChromium, type LaunchedBrowser, launchBrowser } from '../../src/fetching/chromium.js';
import { createEgress, type LookupAll } from '../../src/fetching/egress.js';
import { createEgressProxy, type EgressProxy } from '../../src/fetching/egress-proxy.js';
import type { Random } from '../../src/ports/clock.js';
import type { Detour, Fetcher, FetchRequest, Identity } from '../../src/ports/fetcher.js';
import { pageOf } from '../support/page-of.js';
import { QuietTelemetry } from '../support/quiet-telemetry.js';

/** The browser side of the service, whole and real: Chromium, pool, egress proxy, fetcher. */
export interface Browsers {
  pool: BrowserPool;
  proxy: EgressProxy;
  fetcher: Fetcher;
  telemetry: QuietTelemetry;
  launched: LaunchedBrowser[];
  /** A page, or what leads elsewhere. */
  visit(url: string, changes?: Partial<FetchRequest>, signal?: AbortSignal): Promise<Page | Detour>;
  get(url: string, changes?: Partial<FetchRequest>, signal?: AbortSignal): Promise<Page>;
  /** The error of a visit that must fail. */
  fault(url: string, changes?: Partial<FetchRequest>, signal?: AbortSignal): Promise<GleanerError>;
  close(): Promise<void>;
}

interface KitOptions extends Partial<Omit<BrowserPoolOptions, 'launch' | 'clock' | 'log' | 'onRetire'>> {
  allow?: string[];
  lookup?: LookupAll;
  navigationTimeoutMs?: number;
  maxBodyBytes?: number;
  random?: Random;
  /** The program to launch; without it the one that the service would. */
  chromium?: string | null;
  /** Every page trusts every certificate. */
  trusting?: boolean;
}

export async function startBrowsers(options: KitOptions = {}): Promise<Browsers> {
  const {
    allow = ['127.0.0.0/8'],
    lookup,
    navigationTimeoutMs = 10_000,
    maxBodyBytes = 1024 * 1024,
    random = Math.random,
    chromium = process.env.SCRAPER_CHROMIUM_PATH,
    trusting: isTrusting = false,
    ...pool
  } = options;
  const telemetry = new QuietTelemetry();
  const launched: LaunchedBrowser[] = [];
  const proxy = createEgressProxy({ egress: createEgress({ allow, ...(lookup && { lookup }) }), log: telemetry.log });
  await proxy.start();
  const browsers = createBrowserPool({
    size: 1,
    max: 2,
    contextsPerBrowser: 2,
    pageLimit: 100,
    maxAgeMs: 3_600_000,
    acquireTimeoutMs: 10_000,
    closeTimeoutMs: 2000,
    hungAfterMs: 5_000,
    ...pool,
    async launch() {
      const browser = await launchChromium(proxy.url, { chromium });
      launched.push(browser);
      return isTrusting ? { ...browser, newContext: trusting(browser.newContext) } : browser;
    },
    clock: systemClock,
    onRetire: (reason) => telemetry.browserRetired(reason),
    log: telemetry.log,
  });
  await browsers.start();
  const withPictures = createBrowserPool({
    size: 0,
    max: 1,
    contextsPerBrowser: 1,
    pageLimit: 100,
    maxAgeMs: 3_600_000,
    acquireTimeoutMs: 10_000,
    closeTimeoutMs: 2000,
    hungAfterMs: 5_000,
    launch: () => launchChromium(proxy.url, { withPictures: true, chromium }),
    clock: systemClock,
    onRetire: (reason) => telemetry.browserRetired(reason),
    log: telemetry.log,
  });
  void withPictures.start();
  const fetcher = createBrowserFetcher({
    poolFor: ({ screenshot }) => (screenshot ? withPictures : browsers),
    egressProxy: proxy,
    maxBodyBytes,
    navigationTimeoutMs,
    clock: systemClock,
    random,
  });
  const visit: Browsers['visit'] = (url, changes = {}, signal = AbortSignal.timeout(20_000)) =>
    fetcher.fetch({ ...request(url), ...changes }, signal);
  const get: Browsers['get'] = async (...visited) => pageOf(await visit(...visited));
  return {
    pool: browsers,
    proxy,
    fetcher,
    telemetry,
    launched,
    visit,
    get,
    fault: (url, changes, signal) =>
      get(url, changes, signal).then(
        () => Promise.reject(new Error(`${url} was brought, but must fail`)),
        (error: GleanerError) => error,
      ),
    async close() {
      await Promise.all([browsers.shutdown(), withPictures.shutdown()]);
      await proxy.stop();
    },
  };
}

/** Contexts whose pages trust every certificate. */
export const trusting =
  (newContext: NewContext): NewContext =>
  async (options) => {
    const context = await newContext(options);
    const newPage: typeof context.newPage = async () => {
      const page = await context.newPage();
      await page.session.send('Security.setIgnoreCertificateErrors', { ignore: true });
      return page;
    };
    return { ...context, newPage };
  };

export function launchChromium(
  egressProxyUrl: string,
  { withPictures = false, chromium = process.env.SCRAPER_CHROMIUM_PATH as string | null | undefined } = {},
): Promise<LaunchedBrowser> {
  const executablePath = findChromium(chromium);
  if (!executablePath) throw new Error('There is no Chromium on this machine.');
  const sandbox = process.getuid?.() !== 0;
  return launchBrowser({ executablePath, sandbox, egressProxyUrl, withPictures, clock: systemClock });
}

export const request = (url: string): FetchRequest => ({
  url,
  identity: IDENTITY,
  proxy: null,
  waitFor: { selectors: [], timeoutMs: 0 },
});

export const IDENTITY: Identity = {
  userAgent:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
  viewport: { width: 1400, height: 850 },
  screen: { width: 1400, height: 1050 },
  timezone: 'Europe/Berlin',
  locale: 'de-DE',
  languages: ['de-DE', 'de', 'en'],
  geolocation: { latitude: 52.52, longitude: 13.4 },
  headers: {
    'accept-language': 'de-DE,de;q=0.9,en;q=0.8',
    'sec-ch-ua': '"Chromium";v="156", "Google Chrome";v="156", "Not:A-Brand";v="8"',
    'sec-ch-ua-mobile': '?0',
    'sec-ch-ua-platform': '"Windows"',
  },
};

/** Processes whose command line names this text (a profile, a proxy port). Linux only, like the machines we test on. */
export function processesNaming(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
      } catch {
        return false;
      }
    });
}

/** What browsers of this process have left in the directory for temporary files. */
export const leftovers = (): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`gleaner-browser-${process.pid}-`));

export async function until(isSo: () => boolean, withinMs = 10_000): Promise<void> {
  const giveUp = performance.now() + withinMs;
  while (!isSo()) {
    if (performance.now() > giveUp) throw new Error(`not so within ${withinMs} ms: ${isSo}`);
    await systemClock.wait(20);
  }
}
