/**
 * Crawlee. `crawler` is `playwright` or `cheerio`. `tuned` takes out what only costs (session pool, retiring browsers);
 * without it everything is as Crawlee ships it. `isolated` gives every page a context of its own, as ours has.
 */
import { performance } from 'node:perf_hooks';
import { CheerioCrawler, Configuration, log, PlaywrightCrawler } from 'crawlee';
import { chromium } from 'playwright';
import { factsInPage, faultOf, isScripted, leave, Meter, READY, runnerOptions, urlsOf } from './runner.mjs';

const options = runnerOptions({ crawler: 'playwright', tuned: false, isolated: false });
const meter = new Meter(options);
const startedAt = new Map();
log.setLevel(log.LEVELS.OFF);

// Nothing on disk and all the memory it wants, so that it is never slowed down by its own care.
const configuration = new Configuration({
  persistStorage: false,
  purgeOnStart: false,
  availableMemoryRatio: 0.9,
  disableBrowserSandbox: true,
});
const crawler = options.crawler === 'cheerio' ? cheerioCrawler() : playwrightCrawler();
await crawler.run(urlsOf(options));
leave();

function cheerioCrawler() {
  const requestHandler = ({ request, $ }) =>
    finish(request.url, { title: $('title').text(), data: $('script[type="application/ld+json"]').first().text() });
  return new CheerioCrawler({ ...common(), requestHandler }, configuration);
}

function playwrightCrawler() {
  const patient = { retireBrowserAfterPageCount: 1e9, maxOpenPagesPerBrowser: 100 };
  return new PlaywrightCrawler(
    {
      ...common(),
      headless: true,
      launchContext: {
        launcher: chromium,
        useIncognitoPages: options.isolated,
        launchOptions: { executablePath: options.chromium, args: ['--no-sandbox'] },
      },
      browserPoolOptions: { useFingerprints: true, ...(options.tuned ? patient : {}) },
      requestHandler: async ({ request, page }) => {
        if (isScripted(request.url)) await page.waitForSelector(READY, { state: 'attached', timeout: 15_000 });
        finish(request.url, await page.evaluate(factsInPage));
      },
    },
    configuration,
  );
}

function common() {
  return {
    minConcurrency: options.atOnce,
    maxConcurrency: options.atOnce,
    maxRequestRetries: 0,
    preNavigationHooks: [({ request }) => void startedAt.set(request.url, performance.now())],
    failedRequestHandler: ({ request }, error) => meter.page(0, `${request.url}: ${error.message}`),
    ...(options.tuned ? { useSessionPool: false, persistCookiesPerSession: false } : {}),
  };
}

function finish(url, answer) {
  meter.page(performance.now() - startedAt.get(url), faultOf(url, answer));
}
