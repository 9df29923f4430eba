import type { BrowserContext, CDPSession, Page, Request, Response } from 'playwright';
import { GleanerError } from '../domain/errors.js';
import type { CredentialHeaders } from './browser-credential.js';
import type { MainFrameHops } from './browser-hops.js';
import type { CredentialScope } from './credential-scope.js';
import type { EgressGate } from './egress-proxy.js';

export interface PageWatch {
  /** Rejects when the page dies, or when the document it shows could not be brought whole. */
  readonly failed: Promise<never>;
  /** The answer that Chromium took for a failure, if there was one; else rejects with the error. */
  answerBehind(error: unknown): Promise<Response>;
}

/** Playwright tells of failed requests only to who listens, so this must come before the first navigation. */
export function watchPage(context: BrowserContext, page: Page): PageWatch {
  // The flags keep scripts from opening pages; whatever opens one all the same is closed unseen.
  context.on('page', (other) => {
    if (other !== page) other.close().catch(ignore);
  });
  let bare: Promise<Response | null> | null = null;
  const failed = new Promise<never>((_, reject) => {
    page.on('crash', () => reject(new GleanerError('browser_crashed', 'The page died during the visit.')));
    // A document cut short never finishes parsing: without this the visit would wait for its timeout.
    page.on('requestfailed', (request) => {
      const reason = request.failure()?.errorText ?? '';
      if (!isDocument(request, page) || LEAVES_THE_PAGE.test(reason)) return;
      if (!ERROR_WITHOUT_BODY.test(reason)) return reject(new Error(reason));
      bare = request.response();
      bare.catch(ignore);
    });
  });
  failed.catch(ignore);
  return {
    failed,
    async answerBehind(error) {
      const answer = await bare;
      if (!answer) throw error;
      return answer;
    },
  };
}

/** For an error status without a body full Chromium shows a page of its own, and says that the navigation failed. */
const ERROR_WITHOUT_BODY = /ERR_HTTP_RESPONSE_CODE_FAILURE/;

/** A navigation that came to nothing, such as to `someapp://open`: what was shown before stays. */
const LEAVES_THE_PAGE = /ERR_(ABORTED|UNKNOWN_URL_SCHEME|BLOCKED_|DISALLOWED_|UNSAFE_)/;

const isDocument = (request: Request, page: Page): boolean =>
  request.isNavigationRequest() && request.frame() === page.mainFrame();

/**
 * Given to Playwright, the pass for the egress proxy would make it pause every single request, and turn the cache off,
 * which sites see as `Cache-Control: no-cache`. So only documents are paused (one of them is the first request), and
 * media, to stop it; everything else only on a visit with headers of its own for the site.
 */
export const pauseTraffic = (session: CDPSession, credential?: CredentialScope): Promise<unknown> =>
  session.send('Fetch.enable', {
    handleAuthRequests: true,
    patterns: credential?.hasHeaders
      ? [{ urlPattern: '*' }]
      : [{ resourceType: 'Document' }, { resourceType: 'Media' }],
  });

/** Decides about each paused request. Nothing is paused before the first navigation, so it may come after the pausing. */
export function directTraffic(session: CDPSession, { gate, hops, headers }: Directions): void {
  showPass(session, gate);
  session.on('Fetch.requestPaused', (paused) => {
    const { requestId, resourceType } = paused;
    if (resourceType === 'Media') return fail(requestId, 'BlockedByClient');
    // Aborted: unlike any other failure it leaves the page before in its place.
    if (hops.isOne(paused) && !hops.admit(paused)) return fail(requestId, 'Aborted');
    session.send('Fetch.continueRequest', { requestId, ...headers.changesTo(paused) }).catch(ignore);
  });
  const fail = (requestId: string, errorReason: 'Aborted' | 'BlockedByClient'): void => {
    session.send('Fetch.failRequest', { requestId, errorReason }).catch(ignore);
  };
}

interface Directions {
  gate: EgressGate;
  hops: MainFrameHops;
  headers: CredentialHeaders;
}

/** Shows the visit's pass to the egress proxy, once: Chromium remembers it for the whole context. */
function showPass(session: CDPSession, { username, password }: EgressGate): void {
  const shown = new Set<string>();
  session.on('Fetch.authRequired', ({ requestId, authChallenge }) => {
    const isOurs = authChallenge.source === 'Proxy' && !shown.has(requestId);
    shown.add(requestId);
    const authChallengeResponse = isOurs
      ? { response: 'ProvideCredentials' as const, username, password }
      : { response: 'CancelAuth' as const };
    session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse }).catch(ignore);
  });
}

const ignore = (): void => {};
