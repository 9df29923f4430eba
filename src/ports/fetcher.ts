import type { WaitCondition } from '../domain/adapter.js';
import type { BrowserEngine } from '../domain/browser-engine.js';
import type { GleanerError } from '../domain/errors.js';
import type { Page } from '../domain/page.js';
import type { Credential } from './credentials.js';

/** Who we appear to be on one visit. Everything in it agrees with everything else. */
export interface Identity {
  userAgent: string;
  viewport: { width: number; height: number };
  /** Holds the viewport, and what a window has around it. */
  screen: { width: number; height: number };
  timezone: string;
  /** BCP 47, such as `en-US`: the first of `languages`. */
  locale: string;
  /** As a page script sees them, the preferred one first. */
  languages: string[];
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
  /** What of its query is posted as a form. Absent or `null`: it is asked for with GET. */
  form?: readonly string[] | null;
  identity: Identity;
  proxy: ProxyChoice | null;
  /** Only a browser waits for it. */
  waitFor: WaitCondition;
  /** Asked before every further hop: a redirect, or a page script that leads the main frame on. Absent: all are followed. */
  mayFollow?: ((url: URL) => HopVerdict) | null;
  /** Which kind of browser; absent or `null`: whichever serves everybody. */
  engine?: BrowserEngine | null;
  /** In a fresh browser that nobody else uses. Absent: in whichever has room. */
  alone?: boolean;
  /** Only a browser takes one; it is then in the page. */
  screenshot?: boolean;
  /** Pauses between actions on a page (scrolling). Absent: none. */
  pace?: Pace | null;
  /** Waited for before so many bytes become text: not all long pages fit at once. Absent: there is room. */
  makeRoom?: ((bytes: number) => Promise<void>) | null;
  /** Sent to the site of `url` only: never to another site, whether by redirect or as a part of the page. */
  credential?: Credential | null;
}

/** `follow`: on with it. `leave`: it is a target of its own, with guards of its own. An error: it is forbidden. */
export type HopVerdict = 'follow' | 'leave' | GleanerError;

export interface Pace {
  minDelayMs: number;
  maxDelayMs: number;
}

/** The page is elsewhere, and `mayFollow` said to leave it at that. */
export interface Detour {
  kind: 'detour';
  to: string;
  /** How many redirects it took to learn that, the one to `to` included. */
  hops: number;
}

export const isDetour = (fetched: Page | Detour): fetched is Detour => 'kind' in fetched;

/**
 * Brings one page. Rejects only with GleanerError (its code says what happened and who is to blame). Any answer
 * below 400 is a Page; 4xx and 5xx are errors (`target_client_error`, `target_server_error`, `rate_limited` with
 * `retryAfterMs` where the site gave one). Every hop obeys the egress rule
 * and is put before `mayFollow`, which may turn the answer into a Detour. When the signal aborts, the call rejects
 * promptly with the signal's reason and everything it held (socket, context) is released, whatever state it is in.
 */
export interface Fetcher {
  fetch(request: FetchRequest, signal: AbortSignal): Promise<Page | Detour>;
}
