/** Bare Playwright, a context for every URL. `lean`: pictures and styles blocked over CDP, no waiting for them. */
import { chromium } from 'playwright-core';
import { BLOCKED_PATTERNS } from './blocked.mjs';
import { factsInPage, isScripted, leave, Meter, READY, readAll, runnerOptions } from './runner.mjs';

const options = runnerOptions({ lean: false });
const browser = await chromium.launch({ executablePath: options.chromium, headless: true });

await readAll(options, new Meter(options), async (url) => {
  const context = await browser.newContext();
  try {
    return await read(await context.newPage(), url);
  } finally {
    await context.close();
  }
});
await browser.close();
leave();

async function read(page, url) {
  if (options.lean) await blockPictures(page);
  await page.goto(url, { waitUntil: options.lean ? 'domcontentloaded' : 'load', timeout: 30_000 });
  if (isScripted(url)) await page.waitForSelector(READY, { state: 'attached', timeout: 15_000 });
  return page.evaluate(factsInPage);
}

async function blockPictures(page) {
  const session = await page.context().newCDPSession(page);
  await Promise.all([session.send('Network.enable'), session.send('Network.setBlockedURLs', BLOCKED_PATTERNS)]);
}
