import type { BrowserContextOptions, CDPSession, Page } from 'playwright';
import type { NewContext } from './browser-berth.js';
import { type PageWatch, pauseTraffic, watchPage } from './browser-traffic.js';
import { type IntroduceAll, openLines } from './browser-workers.js';

/**
 * A page in a context of its own, opened as far as that goes without knowing the visit: it has loaded nothing, and
 * whatever tells one visit from another (identity, pass, credential, cookies) is still to be said.
 */
export interface BlankPage {
  readonly page: Page;
  readonly session: CDPSession;
  readonly frameId: string;
  readonly windowId: number;
  readonly introduceAll: IntroduceAll;
  readonly watch: PageWatch;
}

export type OpenBlank = (newContext: NewContext) => Promise<BlankPage>;

export async function openBlank(newContext: NewContext, egressProxyUrl: string): Promise<BlankPage> {
  const context = await newContext({ ...REFUSALS, viewport: null, proxy: { server: egressProxyUrl } });
  const page = await context.newPage();
  const watch = watchPage(context, page);
  const session = await context.newCDPSession(page);
  const [introduceAll, frameId, { windowId }] = await Promise.all([
    openLines(session),
    mainFrame(session),
    session.send('Browser.getWindowForTarget'),
    pauseTraffic(session),
  ]);
  return { page, session, frameId, windowId, introduceAll, watch };
}

/** An empty list refuses every permission. Dialogs need no word: Playwright dismisses them while nobody listens. */
const REFUSALS: BrowserContextOptions = { acceptDownloads: false, serviceWorkers: 'block', permissions: [] };

async function mainFrame(session: CDPSession): Promise<string> {
  const { frameTree } = await session.send('Page.getFrameTree');
  return frameTree.frame.id;
}
