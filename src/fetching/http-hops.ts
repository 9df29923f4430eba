import type { Dispatcher } from 'undici';
import { GleanerError } from '../domain/errors.js';
import { MAX_URL_LENGTH, quoteUrl } from '../domain/target-url.js';
import type { ProxyChoice } from '../ports/fetcher.js';
import type { Dispatchers } from './http-dispatch.js';
import { transportError, wasStaleConnection } from './http-errors.js';
import { oneHeader } from './http-headers.js';

export interface Journey<Elsewhere = never> {
  start: URL;
  /** What is posted there as a form; absent or `null`: it is asked for with GET. */
  form?: string | null;
  proxy: ProxyChoice | null;
  maxRedirects: number;
  signal: AbortSignal;
  /** Made anew for every hop, so that nothing meant for one origin travels to another. */
  headersFor(url: URL, isPosted: boolean): string[];
  /** Asked before each redirect is followed: `null` to go on, or what the journey ends with instead. It may throw. */
  beforeHop?(url: URL, hops: number): Elsewhere | null | Promise<Elsewhere | null>;
  /** Sees every answer, redirects too. */
  onAnswer?(url: URL, answer: Dispatcher.ResponseData): void;
}

export interface Arrival {
  url: URL;
  answer: Dispatcher.ResponseData;
  /** The URLs that sent us on, in order. */
  redirects: string[];
}

/**
 * Follows redirects one by one. Every hop is a target of its own: its scheme is checked here, its address where the
 * connection is made. Bodies of redirects are read past in the background, as far as they are short.
 */
export async function followRedirects<Elsewhere = never>(
  dispatchers: Dispatchers,
  journey: Journey<Elsewhere>,
): Promise<Arrival | Elsewhere> {
  const redirects: string[] = [];
  let url = journey.start;
  let form = journey.form ?? null;
  for (;;) {
    const answer = await ask(dispatchers, journey, { url, form });
    journey.onAnswer?.(url, answer);
    const location = redirectTarget(url, answer);
    if (!location) return { url, answer, redirects };
    answer.body.dump({ limit: 16_384, signal: journey.signal }).catch(() => {});
    if (redirects.length === journey.maxRedirects) {
      throw new GleanerError(
        'too_many_redirects',
        `${journey.start.host} redirects more than ${journey.maxRedirects} times.`,
      );
    }
    redirects.push(url.href);
    if (!KEEPS_THE_FORM.has(answer.statusCode)) form = null;
    const elsewhere = (await journey.beforeHop?.(location, redirects.length)) ?? null;
    if (elsewhere !== null && form !== null) refuseForm(url.host, location);
    if (elsewhere !== null) return elsewhere;
    url = location;
  }
}

async function ask(
  dispatchers: Dispatchers,
  journey: Journey<unknown>,
  { url, form }: { url: URL; form: string | null },
): Promise<Dispatcher.ResponseData> {
  const send = (): Promise<Dispatcher.ResponseData> =>
    dispatchers.get(url, journey.proxy).request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: form === null ? 'GET' : 'POST',
      body: form,
      headers: journey.headersFor(url, form !== null),
      signal: journey.signal,
    });
  try {
    return await send().catch((error: unknown) => {
      if (!wasStaleConnection(error)) throw error;
      return send();
    });
  } catch (error) {
    throw transportError(error, url.host, 'answer');
  }
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** All others turn what was posted into a GET without a body, as in browsers. */
const KEEPS_THE_FORM = new Set([307, 308]);

/** What is in a form is meant for the site it was posted to. */
export function refuseForm(host: string, to: URL): never {
  const message = `${host} sends a posted form on to ${quoteUrl(to.href)}, which is not followed.`;
  throw new GleanerError('egress_denied', message);
}

/** Where the answer sends us; `null` if it is no redirect. */
function redirectTarget(from: URL, answer: Dispatcher.ResponseData): URL | null {
  const location = oneHeader(answer.headers, 'location');
  if (!REDIRECTS.has(answer.statusCode) || location === undefined) return null;
  if (!URL.canParse(location, from.href)) {
    throw new GleanerError('egress_denied', `${from.host} redirects to ${quoteUrl(location)}, which is not a URL.`);
  }
  const url = new URL(location, from);
  url.hash = '';
  refuseEndless(url, from.host);
  if ((url.protocol !== 'http:' && url.protocol !== 'https:') || url.username !== '' || url.password !== '') {
    throw new GleanerError('egress_denied', `${from.host} redirects to ${quoteUrl(url.href)}, which is not followed.`);
  }
  return url;
}

/** Where targets end, hops end: an endless path costs whoever must look at it. */
export function refuseEndless({ href }: URL, from: string): void {
  if (href.length <= MAX_URL_LENGTH) return;
  throw new GleanerError(
    'egress_denied',
    `${from} leads to a URL of ${href.length} characters, which is not followed.`,
  );
}
