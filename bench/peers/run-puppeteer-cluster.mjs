/** puppeteer-cluster with a context for every URL. */
import { performance } from 'node:perf_hooks';
import { Cluster } from 'puppeteer-cluster';
import puppeteer from 'puppeteer-core';
import { factsInPage, faultOf, isScripted, leave, Meter, READY, runnerOptions, urlsOf } from './runner.mjs';

const options = runnerOptions();
const meter = new Meter(options);
const cluster = await Cluster.launch({
  puppeteer,
  concurrency: Cluster.CONCURRENCY_CONTEXT,
  maxConcurrency: options.atOnce,
  timeout: 30_000,
  retryLimit: 0,
  puppeteerOptions: { executablePath: options.chromium, headless: true, args: ['--no-sandbox'] },
});
cluster.on('taskerror', (error, url) => meter.page(0, `${url}: ${error.message}`));
await cluster.task(async ({ page, data: url }) => {
  const startedAt = performance.now();
  await page.goto(url, { waitUntil: 'load' });
  if (isScripted(url)) await page.waitForSelector(READY);
  const answer = await page.evaluate(factsInPage);
  meter.page(performance.now() - startedAt, faultOf(url, answer));
});
for (const url of urlsOf(options)) cluster.queue(url);
await cluster.idle();
await cluster.close();
leave();
