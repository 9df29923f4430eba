import type { CredentialHeaders } from './browser-credential.js';
import type { FormPost } from './browser-form.js';
import type { MainFrameHops } from './browser-hops.js';
import type { Session } from './cdp-session.js';
import type { CredentialScope } from './credential-scope.js';
import type { EgressGate } from './egress-proxy.js';

/**
 * Every pause is a message there and back. So only documents are paused (one of them is the first request, for which the
 * pass to the egress proxy is shown), and media, to stop it; everything else only on a visit with headers of its own
 * for the site.
 */
export const pauseTraffic = (session: Session, credential?: CredentialScope): Promise<unknown> =>
  session.send('Fetch.enable', {
    handleAuthRequests: true,
    patterns: credential?.hasHeaders
      ? [{ urlPattern: '*' }]
      : [{ resourceType: 'Document' }, { resourceType: 'Media' }],
  });

/** Decides about each paused request. Nothing is paused before the first navigation, so it may come after the pausing. */
export function directTraffic(session: Session, { gate, hops, headers, form }: Directions): void {
  showPass(session, gate);
  session.on('Fetch.requestPaused', (paused) => {
    const { requestId, resourceType } = paused;
    if (resourceType === 'Media') return fail(requestId, 'BlockedByClient');
    // Aborted: unlike any other failure it leaves the page before in its place.
    if (hops.isOne(paused) && !hops.admit(paused)) return fail(requestId, 'Aborted');
    const changes = form.changesTo(paused, headers.changesTo(paused));
    session.send('Fetch.continueRequest', { requestId, ...changes }).catch(ignore);
  });
  const fail = (requestId: string, errorReason: 'Aborted' | 'BlockedByClient'): void => {
    session.send('Fetch.failRequest', { requestId, errorReason }).catch(ignore);
  };
}

interface Directions {
  gate: EgressGate;
  hops: MainFrameHops;
  headers: CredentialHeaders;
  form: FormPost;
}

/** Shows the visit's pass to the egress proxy, once: Chromium remembers it for the whole context. */
function showPass(session: Session, { username, password }: EgressGate): void {
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
