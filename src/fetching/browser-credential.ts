import { isAddress } from '../domain/address.js';
import { domainOf } from '../domain/registrable-domain.js';
import type { PausedRequest } from './browser-hops.js';
import type { Session } from './cdp-session.js';
import type { CredentialScope, ScopedCookie } from './credential-scope.js';

/**
 * Puts the credential's cookies into the context of the visit, which ends with it. They are `secure`, so that Chromium
 * sends them over https or to this machine only; `Lax`, so that no page of another site can make use of them; and out
 * of reach for scripts, since a page also runs scripts of others.
 */
export async function giveCookies(session: Session, { cookies }: CredentialScope): Promise<void> {
  const rules = { secure: true, httpOnly: true, sameSite: 'Lax' as const };
  const give = (cookie: ScopedCookie): Promise<unknown> => {
    const { name, value, path } = cookie;
    return session.send('Network.setCookie', { name, value: value.reveal(), path, ...placeOf(cookie), ...rules });
  };
  // One that Chromium does not take, no site could have set either.
  await Promise.all(cookies.map((cookie) => give(cookie).catch(() => {})));
}

/** Only the dot makes it a cookie of all hosts below; without a domain it is of the URL's host alone. */
function placeOf({ host, isHostOnly }: ScopedCookie): { url: string; domain?: string } {
  const url = `https://${host.includes(':') ? `[${host}]` : host}/`;
  return isHostOnly || isAddress(host) ? { url } : { url, domain: `.${host}` };
}

/** The credential's headers, on what the visited site's own page asks of that site. */
export interface CredentialHeaders {
  /** What to change about a request as it goes on. Chromium forgets it with the next redirect. */
  changesTo(paused: PausedRequest): HeaderChanges;
}

/** All headers of a request, where some were added. */
export interface HeaderChanges {
  headers?: { name: string; value: string }[];
}

export const headersOf = ({ request }: PausedRequest): { name: string; value: string }[] =>
  Object.entries(request.headers).map(([name, value]) => ({ name, value }));

export function createCredentialHeaders(scope: CredentialScope, home: URL, frameId: string): CredentialHeaders {
  let shown = home;
  return {
    changesTo(paused) {
      const { request, frameId: asking, resourceType } = paused;
      // A foreign frame, or a foreign page that the main frame was led to, must not ask in the credential's name.
      if (!scope.hasHeaders || asking !== frameId) return {};
      const url = new URL(request.url);
      if (resourceType === 'Document') shown = url;
      const given = domainOf(shown) === domainOf(home) ? scope.headersFor(url) : [];
      if (given.length === 0) return {};
      const names = new Set(Object.keys(request.headers).map((name) => name.toLowerCase()));
      const added = given
        .filter(([name]) => !names.has(name))
        .map(([name, value]) => ({ name, value: value.reveal() }));
      return { headers: [...headersOf(paused), ...added] };
    },
  };
}
