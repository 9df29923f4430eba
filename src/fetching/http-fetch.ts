import { GleanerError } from '../domain/errors.js';
import { askingFor } from '../domain/form.js';
import type { Page } from '../domain/page.js';
import { retryAfterMs } from '../domain/retry-after.js';
import { quoteUrl } from '../domain/target-url.js';
import type { Clock } from '../ports/clock.js';
import type { Detour, Fetcher, FetchRequest, ProxyChoice } from '../ports/fetcher.js';
import { unlessAborted } from './abort.js';
import { decodeText } from './charset.js';
import { type CredentialScope, scopeOf } from './credential-scope.js';
import { isWallStatus, MOST_OF_A_WALL, WALL_MS } from './error-answer.js';
import { detourAt } from './hop-verdict.js';
import { readBody, tooLarge } from './http-body.js';
import { createVisitCookies } from './http-cookies.js';
import { createDispatchers, type DispatchOptions } from './http-dispatch.js';
import { transportError } from './http-errors.js';
import { keptHeaders, oneHeader, pageHeaders, plainHeaders } from './http-headers.js';
import { type Arrival, followRedirects } from './http-hops.js';

export interface HttpFetcherOptions extends DispatchOptions {
  maxBodyBytes: number;
  maxRedirects: number;
  clock: Clock;
}

/** A small text file of a site, whatever its status. Only faults of the network reject, as GleanerError. */
export interface FetchedText {
  status: number;
  text: string;
  finalUrl: string;
  retryAfterMs: number | undefined;
}

export interface TextRequest {
  url: string;
  proxy: ProxyChoice | null;
  userAgent: string;
  maxRedirects: number;
  /** What comes after is not read. */
  maxBytes: number;
  /** Asked before every redirect is followed; rejects where it must not be. */
  beforeHop?: (url: URL) => Promise<void>;
}

export type FetchText = (request: TextRequest, signal: AbortSignal) => Promise<FetchedText>;

export interface HttpFetcher extends Fetcher {
  fetchText: FetchText;
  close(): Promise<void>;
}

export function createHttpFetcher(options: HttpFetcherOptions): HttpFetcher {
  const dispatchers = createDispatchers(options);

  const fetchPage = async (request: FetchRequest, signal: AbortSignal): Promise<Page | Detour> => {
    const { url, body } = askingFor(request.url, request.form);
    const start = startOf(url);
    const credential = scopeOf(request.credential, start);
    const cookies = createVisitCookies(credential);
    const arrival = await followRedirects<Detour>(dispatchers, {
      start,
      form: body,
      proxy: request.proxy,
      maxRedirects: options.maxRedirects,
      signal,
      headersFor: (to, isPosted) =>
        withCredential(
          pageHeaders(request.identity, to, { cookie: cookies.headerFor(to), isPosted }),
          credential.headersFor(to),
        ),
      beforeHop: (to, hops) => detourAt(request, to, hops),
      onAnswer: (from, answer) => cookies.keep(from, answer.headers['set-cookie'], options.clock.now()),
    });
    if ('kind' in arrival) return arrival;
    if (arrival.answer.statusCode >= 400) throw await errorOf(request.url, arrival, options.clock);
    refuseOtherContent(arrival);
    const bytes = await bodyOf(arrival, options.maxBodyBytes, 'fail');
    await request.makeRoom?.(bytes.length);
    signal.throwIfAborted();
    return toPage(request.url, arrival, bytes);
  };

  const fetchText = async (request: TextRequest, signal: AbortSignal): Promise<FetchedText> => {
    const arrival = await followRedirects<never>(dispatchers, {
      start: startOf(request.url),
      proxy: request.proxy,
      maxRedirects: request.maxRedirects,
      signal,
      headersFor: () => plainHeaders(request.userAgent),
      beforeHop: async (url) => {
        await request.beforeHop?.(url);
        return null;
      },
    });
    const { statusCode: status, headers } = arrival.answer;
    const bytes = status < 400 ? await bodyOf(arrival, request.maxBytes, 'cut') : Buffer.alloc(0);
    return {
      status,
      text: new TextDecoder().decode(bytes),
      finalUrl: arrival.url.href,
      retryAfterMs: retryAfterMs(oneHeader(headers, 'retry-after'), options.clock.now()),
    };
  };

  return {
    fetch: (request, signal) => untilAborted(signal, (inner) => fetchPage(request, inner)),
    fetchText: (request, signal) => untilAborted(signal, (inner) => fetchText(request, inner)),
    close: () => dispatchers.close(),
  };
}

/**
 * undici notices an abort only once it is connected; the caller shall not wait for that. The inner signal also fires
 * when the work is over, and so ends whatever was left half read.
 */
async function untilAborted<T>(signal: AbortSignal, work: (inner: AbortSignal) => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const inner = new AbortController();
  try {
    return await unlessAborted(work(inner.signal), signal);
  } finally {
    inner.abort(OVER);
  }
}

/** Made once: an error of its own for every fetch would cost more than everything else at its end. */
const OVER = new Error('The fetch is over.');

function startOf(raw: string): URL {
  const url = URL.canParse(raw) ? new URL(raw) : null;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.username !== '' || url.password !== '') {
    throw new GleanerError('egress_denied', `The URL ${quoteUrl(raw)} is not one to be visited.`);
  }
  url.hash = '';
  return url;
}

/** A credential adds to a request. Whatever the request already says stays: it is what makes an identity coherent. */
function withCredential(headers: string[], added: ReturnType<CredentialScope['headersFor']>): string[] {
  const names = new Set(headers.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()));
  return [...headers, ...added.flatMap(([name, value]) => (names.has(name) ? [] : [name, value.reveal()]))];
}

async function errorOf(requested: string, arrival: Arrival, clock: Clock): Promise<GleanerError> {
  const { url, answer } = arrival;
  const httpStatus = answer.statusCode;
  const message = `${url.host} answered ${httpStatus}.`;
  const wait = retryAfterMs(oneHeader(answer.headers, 'retry-after'), clock.now());
  const page = isWallStatus(httpStatus) ? await wallOf(requested, arrival, clock) : null;
  const details = { httpStatus, ...(wait !== undefined && { retryAfterMs: wait }), ...(page && { answer: page }) };
  if (httpStatus === 429) return new GleanerError('rate_limited', message, details);
  return new GleanerError(httpStatus < 500 ? 'target_client_error' : 'target_server_error', message, details);
}

/** What cannot be read tells nothing: then the status must do. */
async function wallOf(requested: string, arrival: Arrival, clock: Clock): Promise<Page | null> {
  const enough = new AbortController();
  const disarm = clock.after(WALL_MS, () => enough.abort());
  try {
    refuseOtherContent(arrival);
    return toPage(requested, arrival, await bodyOf(arrival, MOST_OF_A_WALL, 'cut', enough.signal));
  } catch {
    return null;
  } finally {
    disarm();
  }
}

/** HTML, XML, JSON and plain text can be read; a missing type is taken for HTML, as browsers do. */
function refuseOtherContent({ url, answer }: Arrival): void {
  const type = oneHeader(answer.headers, 'content-type');
  const disposition = oneHeader(answer.headers, 'content-disposition') ?? '';
  if (/^\s*attachment/i.test(disposition)) {
    throw new GleanerError('unsupported_content', `${url.host} answered with a download.`);
  }
  if (type === undefined || READABLE.test(type)) return;
  const essence = type.split(';', 1)[0]!.trim().slice(0, 100);
  throw new GleanerError('unsupported_content', `${url.host} answered with ${JSON.stringify(essence)}, not a page.`);
}

const READABLE = /^\s*(text\/(html|plain|xml|json)|application\/(xml|json|([\w.-]+\+(xml|json))))\s*(;|$)/i;

async function bodyOf(
  { url, answer }: Arrival,
  maxBytes: number,
  overflow: 'fail' | 'cut',
  enough?: AbortSignal,
): Promise<Buffer> {
  const limits = { maxBytes, overflow, host: url.host, ...(enough && { enough }) };
  if (overflow === 'fail' && Number(oneHeader(answer.headers, 'content-length')) > maxBytes) throw tooLarge(limits);
  try {
    return await readBody(answer.body, oneHeader(answer.headers, 'content-encoding'), limits);
  } catch (error) {
    throw transportError(error, url.host, 'body');
  }
}

function toPage(requested: string, { url, answer, redirects }: Arrival, bytes: Buffer): Page {
  const contentType = oneHeader(answer.headers, 'content-type') ?? null;
  return {
    url: requested,
    finalUrl: url.href,
    httpStatus: answer.statusCode,
    headers: keptHeaders(answer.headers),
    contentType,
    html: decodeText(bytes, contentType),
    bytes: bytes.length,
    renderedBy: 'http',
    redirects,
  };
}
