import type { Browser } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ContextPage, createContexts, type NewContext } from '../../src/fetching/browser-context.js';
import { findChromium } from '../../src/fetching/chromium.js';
import { chromium } from '../../src/fetching/playwright.js';

let browser: Browser;
let newContext: NewContext;

beforeAll(async () => {
  browser = await launch();
  newContext = createContexts(await browser.newBrowserCDPSession());
});
afterAll(() => browser?.close());

const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: findChromium(process.env.SCRAPER_CHROMIUM_PATH)!,
    chromiumSandbox: process.getuid?.() !== 0,
  });

const openPage = async (): Promise<ContextPage> => (await newContext({})).newPage();

const evaluate = async ({ session }: Pick<ContextPage, 'session'>, expression: string): Promise<unknown> =>
  (await session.send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true })).result.value;

const NEVER = 'new Promise(() => {})';

describe('a conversation with a page', () => {
  it('brings everybody the answer to his own question', async () => {
    const pages = await Promise.all(Array.from({ length: 4 }, openPage));
    const asked = pages.flatMap((page, p) => Array.from({ length: 10 }, (_, q) => ({ page, sum: p * 100 + q })));
    const answers = asked.map(({ page, sum }) => evaluate(page, `new Promise((tell) => setTimeout(tell, 20, ${sum}))`));
    expect(await Promise.all(answers)).toEqual(asked.map(({ sum }) => sum));
  });

  it('says which question was refused, and why', async () => {
    const { session } = await openPage();
    await expect(session.send('Page.navigate', { url: 'no url' })).rejects.toThrow(/^Page\.navigate: .*invalid URL/i);
  });

  it('tells what happens there, and only there', async () => {
    const [one, other] = await Promise.all([openPage(), openPage()]);
    const heard: string[] = [];
    for (const [name, { session }] of Object.entries({ one, other })) {
      session.on('Page.loadEventFired', () => heard.push(name));
      await session.send('Page.enable');
    }
    await evaluate(one, `new Promise((tell) => { location.reload(); setTimeout(tell, 5000); })`).catch(() => undefined);
    await evaluate(one, '1');
    expect(heard).toEqual(['one']);
  });

  it('goes on with a worker of the page, by the id that it was attached under', async () => {
    const page = await openPage();
    const { session } = page;
    const met = new Promise<string>((resolve) =>
      session.on('Target.attachedToTarget', ({ sessionId }) => resolve(sessionId)),
    );
    await session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });
    await evaluate(page, `void (self.kept = new Worker('data:text/javascript,self.mine = 1'))`);
    const worker = session.child(await met);
    expect(await evaluate({ session: worker }, 'typeof mine')).toBe('undefined');
    await worker.send('Runtime.runIfWaitingForDebugger');
    await expect.poll(() => evaluate({ session: worker }, 'typeof mine')).toBe('number');
    expect(await evaluate(page, 'typeof mine')).toBe('undefined');
  });
});

describe('who waits for an answer that will not come', () => {
  it('is told when the page dies', async () => {
    const page = await openPage();
    await page.session.send('Inspector.enable');
    const waiting = evaluate(page, NEVER);
    page.session.send('Page.navigate', { url: 'chrome://crash' }).catch(() => undefined);
    await expect(waiting).rejects.toThrow('Target crashed');
    await expect(evaluate(page, '1')).rejects.toThrow('Target crashed');
  });

  it('is told when the context is closed', async () => {
    const context = await newContext({});
    const page = await context.newPage();
    const waiting = expect(evaluate(page, NEVER)).rejects.toThrow('Target closed');
    await context.close();
    await waiting;
  });

  it('is told when the browser is gone', async () => {
    const doomed = await launch();
    const context = await createContexts(await doomed.newBrowserCDPSession())({});
    const page = await context.newPage();
    const waiting = expect(evaluate(page, NEVER)).rejects.toThrow(/closed/);
    await doomed.close();
    await waiting;
  });
});

describe('a context', () => {
  it('may be closed while its page is being made, and the browser lives on', async () => {
    for (let n = 0; n < 25; n++) {
      const context = await newContext({});
      const made = context.newPage().catch(() => null);
      await new Promise((resolve) => setTimeout(resolve, n));
      await context.close();
      await made;
    }
    expect(browser.isConnected()).toBe(true);
  });

  it('closes the pages beside one, and leaves those of others alone', async () => {
    const context = await newContext({});
    const [kept, second, stranger] = [await context.newPage(), await context.newPage(), await openPage()];
    await kept.closeOthers();
    await expect(evaluate(second, '1')).rejects.toThrow();
    expect([await evaluate(kept, '1'), await evaluate(stranger, '1')]).toEqual([1, 1]);
  });
});
