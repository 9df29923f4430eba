import type { Secret } from '../domain/secret.js';

/** What a workspace lets us log in with at one provider. The values cannot be printed or serialised by accident. */
export interface Credential {
  provider: string;
  cookies: readonly CredentialCookie[];
  /** Lower-case names. */
  headers: Readonly<Record<string, Secret>>;
}

export interface CredentialCookie {
  name: string;
  value: Secret;
  /** `null`: the host of the URL that is visited, and only it. */
  domain: string | null;
  path: string;
}

/**
 * Credentials of a workspace, by provider. A fetched one is reused until its time is up; however many ask at once, one
 * request goes out, and it goes on for the others when one of them leaves. Rejects with `credentials_missing` (there are
 * none) or `credentials_unavailable` (the API could not be asked, after its retries, or did not answer with a credential);
 * both are remembered for seconds only. Nothing is ever logged or stored.
 */
export interface Credentials {
  get(workspaceId: string, provider: string, signal: AbortSignal): Promise<Credential>;
  /** The next `get` asks anew, as after a login page. With `seen`: unless another one has taken its place meanwhile. */
  invalidate(workspaceId: string, provider: string, seen?: Credential): void;
}
