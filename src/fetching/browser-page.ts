import type { ContextPage, NewContext } from './browser-context.js';
import { type IntroduceAll, meetOffspring } from './browser-offspring.js';
import { pauseTraffic } from './browser-traffic.js';
import { type PageWatch, watchPage } from './browser-watch.js';

/**
 * A page in a context of its own, opened as far as that goes without knowing the visit: it has loaded nothing, and
 * whatever tells one visit from another (identity, pass, credential, cookies) is still to be said.
 */
export interface BlankPage extends Pick<ContextPage, 'session' | 'frameId' | 'resize'> {
  readonly introduceAll: IntroduceAll;
  readonly watch: PageWatch;
}

export type OpenBlank = (newContext: NewContext) => Promise<BlankPage>;

export async function openBlank(newContext: NewContext, egressProxyUrl: string): Promise<BlankPage> {
  const context = await newContext({ proxyUrl: egressProxyUrl });
  const page = await context.newPage();
  const { session, frameId, resize } = page;
  const watch = watchPage(page);
  const [introduceAll] = await Promise.all([
    meetOffspring(session),
    session.send('Page.enable'),
    session.send('Network.enable'),
    pauseTraffic(session),
    // A page that nobody looks at gets no frames drawn and has its timers slowed down.
    session.send('Emulation.setFocusEmulationEnabled', { enabled: true }),
    session.send('Page.addScriptToEvaluateOnNewDocument', { source: NO_SERVICE_WORKERS }),
  ]);
  return { session, frameId, resize, introduceAll, watch };
}

/** They would go on asking behind the page, under no identity. Refused as where cookies are. */
const NO_SERVICE_WORKERS = `if (self.ServiceWorkerContainer) ServiceWorkerContainer.prototype.register = function register() {
  return Promise.reject(new DOMException('The operation is insecure.', 'SecurityError'));
};`;
