import type { CDPSession } from 'playwright';
import { createSwitchboard, type Session } from './cdp-session.js';

/** Cookies, storage, cache and way out of one visitor; nothing in it can be seen from another one. */
export interface Context {
  /** A page that has loaded nothing. */
  newPage(): Promise<ContextPage>;
  close(): Promise<unknown>;
}

export interface ContextPage {
  readonly session: Session;
  /** Also of the main frame, whatever it shows. */
  readonly frameId: string;
  resize(bounds: { width: number; height: number }): Promise<unknown>;
  /** Closes every other page of the context. */
  closeOthers(): Promise<unknown>;
}

export interface ContextOptions {
  /** Without one it goes the browser's own way. */
  proxyUrl?: string;
}

export type NewContext = (options: ContextOptions) => Promise<Context>;

/** Contexts of a browser. Playwright knows nothing of them, and lets what it does not know go its way. */
export function createContexts(browser: CDPSession): NewContext {
  const { attach } = createSwitchboard(browser);
  return async ({ proxyUrl }) => {
    const { browserContextId } = await browser.send('Target.createBrowserContext', {
      disposeOnDetach: true,
      // Without this pages would reach loopback past the proxy.
      ...(proxyUrl && { proxyServer: proxyUrl, proxyBypassList: '<-loopback>' }),
    });
    const refused = Promise.all([
      browser.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId }),
      // An empty list refuses every permission.
      browser.send('Browser.grantPermissions', { permissions: [], browserContextId }),
    ]);
    const pages: Promise<ContextPage>[] = [];
    const openPage = async (): Promise<ContextPage> => {
      await refused;
      const { targetId } = await browser.send('Target.createTarget', { url: 'about:blank', browserContextId });
      const window = browser.send('Browser.getWindowForTarget', { targetId });
      const [session, { windowId }] = await Promise.all([attach(targetId), window]);
      return {
        session,
        frameId: targetId,
        resize: (bounds) => browser.send('Browser.setWindowBounds', { windowId, bounds }),
        closeOthers: () => closeOthers(browser, { browserContextId, targetId }),
      };
    };
    return {
      newPage() {
        const page = openPage();
        pages.push(page);
        return page;
      },
      async close() {
        // Chromium dies of a context that goes while a page in it is being made, or asked for.
        await Promise.allSettled(pages);
        return browser.send('Target.disposeBrowserContext', { browserContextId });
      },
    };
  };
}

async function closeOthers(browser: CDPSession, own: { browserContextId: string; targetId: string }): Promise<unknown> {
  const { targetInfos } = await browser.send('Target.getTargets', { filter: [{ type: 'page' }] });
  const others = targetInfos.filter(
    ({ browserContextId, targetId }) => browserContextId === own.browserContextId && targetId !== own.targetId,
  );
  return Promise.all(others.map(({ targetId }) => browser.send('Target.closeTarget', { targetId })));
}
