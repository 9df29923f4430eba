import type { WaitCondition } from '../domain/adapter.js';
import type { Page } from '../domain/page.js';

/** Who we appear to be on one visit. Everything in it agrees with everything else. */
export interface Identity {
  userAgent: string;
  viewport: { width: number; height: number };
  timezone: string;
  /** BCP 47, such as `en-US`. */
  locale: string;
  geolocation: { latitude: number; longitude: number } | null;
  /** Client hints and Accept-Language to match the user agent. */
  headers: Record<string, string>;
}

/** The upstream a visit goes through; `null` is direct egress. `id` may be shown, `url` holds a secret. */
export interface ProxyChoice {
  id: string;
  url: string;
  region: string | null;
}

export interface FetchRequest {
  url: string;
  identity: Identity;
  proxy: ProxyChoice | null;
  /** Only a browser waits for it. */
  waitFor: WaitCondition;
}

/**
 * Brings one page. Rejects only with GleanerError (its code says what happened and who is to blame). Any answer
 * below 400 is a Page; 4xx and 5xx are errors (`target_client_error`, `target_server_error`, `rate_limited` with
 * `retryAfterMs` where the site gave one). Every hop obeys the egress rule. When the signal aborts, the call rejects
 * promptly with the signal's reason and everything it held (socket, context) is released, whatever state it is in.
 */
export interface Fetcher {
  fetch(request: FetchRequest, signal: AbortSignal): Promise<Page>;
}
