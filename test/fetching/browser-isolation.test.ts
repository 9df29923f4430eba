import { type BrowserContext, chromium } from 'playwright';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../src/fetching/chromium.js';
import type { EgressGate } from '../../src/fetching/egress-proxy.js';
import { type Browsers, startBrowsers, until } from './browser-kit.js';
import { type Found, foundIn, type IsolationSite, startIsolationSite } from './isolation-site.js';

let site: IsolationSite;
let browsers: Browsers;
let gates: EgressGate[] = [];

beforeAll(async () => {
  site = await startIsolationSite();
  browsers = await startBrowsers({ size: 2, max: 2, contextsPerBrowser: 2 });
  const { open } = browsers.proxy;
  browsers.proxy.open = (visit) => {
    const gate = open(visit);
    gates.push(gate);
    return gate;
  };
});

afterEach(() => {
  expect(browsers.launched.length).toBe(1);
  gates = [];
});

afterAll(async () => {
  await browsers?.close();
  await site?.close();
});

const visit = async (url: string): Promise<Found> => {
  const page = await browsers.get(url, { waitFor: { selectors: ['#done'], timeoutMs: 15_000 } });
  return foundIn(page.html);
};

const REFUSED = { geolocation: 'denied', notifications: 'denied', 'clipboard-read': 'denied', camera: 'denied' };

describe('a visit to a site that another one has just left, in the same browser', () => {
  it('finds nothing of it, in a page opened for it or ahead of it', async () => {
    const found = [await visit(site.room)];
    for (let n = 0; n < 3; n++) {
      await until(() => browsers.pool.stats().contexts_ready === 1);
      found.push(await visit(site.room));
    }
    expect(found.map(({ traces }) => traces)).toEqual([[], [], [], []]);
    expect(new Set(found.map(({ stamp }) => stamp)).size).toBe(4);
    for (const { permissions } of found) expect(permissions).toEqual(REFUSED);
  });

  it('shows a pass of its own to the egress proxy', async () => {
    await visit(site.room);
    await visit(site.room);
    expect(gates.map((gate) => gate.bytes() > 0)).toEqual([true, true]);
  });
});

describe('two visits to one site at the same time, in the same browser', () => {
  it('find and hear nothing of each other', async () => {
    for (let n = 0; n < 3; n++) {
      const found = await Promise.all([visit(site.meeting), visit(site.meeting)]);
      expect(found.map(({ traces }) => traces)).toEqual([[], []]);
      expect(new Set(found.map(({ stamp }) => stamp)).size).toBe(2);
    }
    expect(gates.map((gate) => gate.bytes() > 0)).toEqual(gates.map(() => true));
  });
});

/** What the above would find if a context were used twice: else they could not fail. */
describe('two pages of one context', () => {
  it('find what the other left, one after the other and at the same time', async () => {
    const browser = await chromium.launch({
      executablePath: findChromium(process.env.SCRAPER_CHROMIUM_PATH)!,
      chromiumSandbox: process.getuid?.() !== 0,
    });
    try {
      const inRoom = await browser.newContext();
      const [first, second] = [await readIn(inRoom, site.room), await readIn(inRoom, site.room)];
      expect(first.traces).toEqual([]);
      expect(second.traces).toEqual([
        'hidden cookie',
        'asked-for client hints',
        'cookie',
        'localStorage',
        'IndexedDB',
        'Cache API',
        'service worker',
        'file',
        'lock',
        'shared worker',
      ]);
      expect(second.stamp).toBe(first.stamp);
      const meeting = await browser.newContext();
      const found = await Promise.all([readIn(meeting, site.meeting), readIn(meeting, site.meeting)]);
      for (const { traces } of found) expect(traces).toEqual(expect.arrayContaining(['message', 'lock']));
      // Told only by one to the other that is already there.
      expect(found.flatMap(({ traces }) => traces)).toContain('storage event');
    } finally {
      await browser.close();
    }
  });
});

async function readIn(context: BrowserContext, url: string): Promise<Found> {
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForSelector('#done', { state: 'attached', timeout: 15_000 });
  return foundIn(await page.content());
}
