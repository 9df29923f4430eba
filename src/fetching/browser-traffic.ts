import type { BrowserContext, CDPSession, Page, Request } from 'playwright';
import { GleanerError } from '../domain/errors.js';
import type { EgressGate } from './egress-proxy.js';

/**
 * Rejects when the page dies, or when the document it shows could not be brought whole. Playwright tells of failed
 * requests only to who listens, so this must come before the first navigation.
 */
export function watchPage(context: BrowserContext, page: Page): Promise<never> {
  // The flags keep scripts from opening pages; whatever opens one all the same is closed unseen.
  context.on('page', (other) => {
    if (other !== page) other.close().catch(ignore);
  });
  const failed = new Promise<never>((_, reject) => {
    page.on('crash', () => reject(new GleanerError('browser_crashed', 'The page died during the visit.')));
    // A document cut short never finishes parsing: without this the visit would wait for its timeout.
    page.on('requestfailed', (request) => {
      const reason = request.failure()?.errorText ?? '';
      if (isDocument(request, page) && !LEAVES_THE_PAGE.test(reason)) reject(new Error(reason));
    });
  });
  failed.catch(ignore);
  return failed;
}

/** A navigation that came to nothing, such as to `someapp://open`: what was shown before stays. */
const LEAVES_THE_PAGE = /ERR_(ABORTED|UNKNOWN_URL_SCHEME|BLOCKED_|DISALLOWED_|UNSAFE_)/;

const isDocument = (request: Request, page: Page): boolean =>
  request.isNavigationRequest() && request.frame() === page.mainFrame();

/**
 * Shows the visit's pass to the egress proxy, once: Chromium remembers it for the whole context. Given to Playwright,
 * the pass would make it pause every single request, and turn the cache off, which sites see as `Cache-Control:
 * no-cache`. Only documents are looked at here (one of them is the first request), and media, to stop it.
 */
export async function admitThrough(session: CDPSession, gate: EgressGate): Promise<void> {
  const { username, password } = gate;
  const shown = new Set<string>();
  session.on('Fetch.authRequired', ({ requestId, authChallenge }) => {
    const isOurs = authChallenge.source === 'Proxy' && !shown.has(requestId);
    shown.add(requestId);
    const authChallengeResponse = isOurs
      ? { response: 'ProvideCredentials' as const, username, password }
      : { response: 'CancelAuth' as const };
    session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse }).catch(ignore);
  });
  session.on('Fetch.requestPaused', ({ requestId, resourceType }) => {
    const verdict =
      resourceType === 'Media'
        ? session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
        : session.send('Fetch.continueRequest', { requestId });
    verdict.catch(ignore);
  });
  await session.send('Fetch.enable', {
    handleAuthRequests: true,
    patterns: [{ resourceType: 'Document' }, { resourceType: 'Media' }],
  });
}

const ignore = (): void => {};
