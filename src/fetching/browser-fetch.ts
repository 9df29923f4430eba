import { GleanerError } from '../domain/errors.js';
import { askingFor } from '../domain/form.js';
import { actionDelayMs } from '../domain/pace.js';
import type { Page } from '../domain/page.js';
import { quoteUrl } from '../domain/target-url.js';
import type { Clock, Random } from '../ports/clock.js';
import type { Detour, Fetcher, FetchRequest } from '../ports/fetcher.js';
import { orFailAfter, unlessAborted } from './abort.js';
import { type Capture, capture } from './browser-capture.js';
import { createCredentialHeaders, giveCookies } from './browser-credential.js';
import { answerError, asFetchError, timedOut } from './browser-errors.js';
import { createFormPost } from './browser-form.js';
import { type MainFrameHops, watchHops } from './browser-hops.js';
import { describeIdentity } from './browser-identity.js';
import { type BlankPage, type OpenBlank, openBlank } from './browser-page.js';
import { settleForPicture, takePicture } from './browser-picture.js';
import type { BrowserPool, BrowserSlot } from './browser-pool.js';
import { directTraffic, pauseTraffic } from './browser-traffic.js';
import type { Answer, PageWatch } from './browser-watch.js';
import type { Session } from './cdp-session.js';
import { scopeOf } from './credential-scope.js';
import type { EgressGate, EgressProxy } from './egress-proxy.js';
import { isWallStatus, WALL_MS } from './error-answer.js';
import { keptHeaders } from './http-headers.js';

export interface BrowserFetcherOptions {
  /** Whose browser brings it: by its engine, and by whether a screenshot needs its images. */
  poolFor: (request: FetchRequest) => BrowserPool;
  egressProxy: EgressProxy;
  /** Largest HTML. */
  maxBodyBytes: number;
  /** For the answer and its document together; the adapter's own wait and the pauses of its scrolling come on top. */
  navigationTimeoutMs: number;
  clock: Clock;
  random: Random;
}

/** Everything one visit needs to know. */
interface Visit extends Omit<BrowserFetcherOptions, 'poolFor'> {
  request: FetchRequest;
  slot: BrowserSlot;
  gate: EgressGate;
  openBlank: OpenBlank;
}

/**
 * Brings a page through a context of a pooled browser that nobody used before. Whatever happens, the call ends as soon as that is known;
 * closing the context and giving back the slot goes on behind it, in bounded time (the pool sees to that).
 */
export function createBrowserFetcher(options: BrowserFetcherOptions): Fetcher {
  const ours: OpenBlank = (newContext) => openBlank(newContext, options.egressProxy.url);
  return {
    async fetch(request, signal) {
      refuseOddUrl(request.url);
      // The way out first: without one a slot is of no use, and whatever is wrong with it must not cost one.
      const gate = options.egressProxy.open({ proxy: request.proxy });
      const pool = options.poolFor(request);
      const slot = await pool.acquire(signal).catch((error: unknown) => {
        gate.close();
        throw error;
      });
      const visit = { ...options, request, slot, gate, openBlank: ours };
      const meter = meterBytes(visit);
      try {
        return await unlessAborted(bring(visit), signal, slot.lost, meter.signal);
      } catch (error) {
        throw asFetchError(error, visit);
      } finally {
        meter.stop();
        gate.close();
        void pool.release(slot);
      }
    },
  };
}

async function bring(visit: Visit): Promise<Page | Detour> {
  // A browser that hangs here would keep the visit until its own end.
  const error = new GleanerError('browser_crashed', 'The browser did not open a page in time.');
  const opened = await orFailAfter(() => openPage(visit), { ms: OPEN_TIMEOUT_MS, error, clock: visit.clock });
  try {
    // The end of the hops comes first: it is known before the navigation that it cuts off is seen to fail.
    return await Promise.race([opened.hops.end, read(visit, opened), opened.watch.failed]);
  } finally {
    opened.hops.stop();
  }
}

const OPEN_TIMEOUT_MS = 10_000;

/** One that was made ready ahead may have died since, and before that was known: then another is opened, once. */
async function openPage(visit: Visit): Promise<OpenPage> {
  const { slot, openBlank } = visit;
  const attempt = async (): Promise<OpenPage> => prepare(visit, await slot.openPage(openBlank));
  return attempt().catch(attempt);
}

/** Says to the page all that depends on the visit. */
async function prepare({ request, gate }: Visit, blank: BlankPage): Promise<OpenPage> {
  const { session, frameId, watch } = blank;
  const { url, body } = askingFor(request.url, request.form);
  const home = new URL(url);
  const credential = scopeOf(request.credential, home);
  const hops = watchHops(request, { url, frameId });
  const headers = createCredentialHeaders(credential, home, frameId);
  directTraffic(session, { gate, hops, headers, form: createFormPost(body) });
  const said = Promise.all([
    describeIdentity(blank, request.identity),
    credential.hasHeaders && pauseTraffic(session, credential),
    giveCookies(session, credential),
  ]);
  await Promise.race([said, watch.failed]);
  return { session, frameId, url, hops, watch };
}

interface OpenPage {
  session: Session;
  frameId: string;
  /** Where it goes first. */
  url: string;
  hops: MainFrameHops;
  watch: PageWatch;
}

async function read(visit: Visit, { session, frameId, url, hops, watch }: OpenPage): Promise<Page | Detour> {
  const { request, clock, navigationTimeoutMs } = visit;
  const startedMs = clock.mono();
  // Not until the document is there: an answer that is an error needs no rendering, and the capture waits by itself.
  const late = { ms: navigationTimeoutMs, error: timedOut(visit), clock };
  const answer = await orFailAfter(() => watch.navigate(url), late);
  const fault = answerError(visit, answerOf(answer), clock.now());
  if (fault) refuse(await behind(fault, answer, { visit, session, frameId }));

  if (request.screenshot) await settleForPicture(watch, clock);
  const pausesMs = drawPauses(visit);
  const waitMs = pausesMs.reduce((sum, ms) => sum + ms, request.waitFor.timeoutMs);
  const captured = await orFailAfter(
    () => capture(session, { frameId, waitFor: request.waitFor, pausesMs, maxBytes: visit.maxBodyBytes }),
    { ms: Math.max(0, navigationTimeoutMs - (clock.mono() - startedMs) + waitMs), error: timedOut(visit), clock },
  );
  // Chromium shows what a page had it load ahead without asking for it again.
  const elsewhere = hops.judge(captured.documentUrl);
  if (elsewhere) return elsewhere;
  const found = toPage(visit, answer, captured);
  return request.screenshot ? { ...found, screenshot: await takePicture(session, visit) } : found;
}

/** One for each time the page is scrolled. Without a pace it is scrolled all the same, as fast as it goes. */
function drawPauses({ request: { waitFor, pace }, random }: Visit): number[] {
  return Array.from({ length: waitFor.scrolls ?? 0 }, () => (pace ? actionDelayMs(pace, random) : 0));
}

function toPage(visit: Visit, answer: Answer, captured: Capture): Page {
  const { gate, clock } = visit;
  // A script may have led to a page that could not be reached: then this is Chromium's own error page.
  if (isOwnErrorPage(captured)) {
    refuse(
      answerError(visit, { ...answerOf(answer), url: captured.documentUrl, status: captured.status }, clock.now()),
    );
    throw gate.lastRefusal() ?? new GleanerError('connect_failed', 'The page led to one that could not be reached.');
  }
  const status = captured.status || answer.status;
  refuse(answerError(visit, { ...answerOf(answer), url: captured.url, status }, clock.now()));
  if (!READABLE.test(captured.contentType)) {
    const { host } = new URL(captured.url);
    throw new GleanerError('unsupported_content', `${host} answered with ${captured.contentType}, not a page.`);
  }
  return pageOf(visit, answer, captured);
}

/** Chromium's, not the site's. With a status it stands for an answer of the site that had no body. */
const isOwnErrorPage = ({ url }: Capture): boolean => url.startsWith('chrome-error:');

function pageOf({ request }: Visit, answer: Answer, captured: Capture): Page {
  return {
    url: request.url,
    finalUrl: captured.url,
    httpStatus: captured.status || answer.status,
    headers: keptHeaders(answer.headers),
    contentType: answer.headers['content-type'] ?? captured.contentType,
    html: captured.html,
    bytes: Buffer.byteLength(captured.html),
    renderedBy: 'browser',
    redirects: answer.redirects,
  };
}

interface AtTheWall {
  visit: Visit;
  session: Session;
  frameId: string;
}

/** The error with the page that came with it, if that comes soon; `null` where the page has led on to a good one. */
async function behind(fault: GleanerError, answer: Answer, at: AtTheWall): Promise<GleanerError | null> {
  if (!isWallStatus(answer.status)) return fault;
  const { visit, session, frameId } = at;
  const bare = { frameId, waitFor: { selectors: [], timeoutMs: 0 }, pausesMs: [], maxBytes: visit.maxBodyBytes };
  try {
    const captured = await orFailAfter(() => capture(session, bare), { ms: WALL_MS, error: fault, clock: visit.clock });
    if (isOwnErrorPage(captured)) return fault;
    const hasLedOn = captured.status > 0 && captured.status < 400;
    return hasLedOn ? null : fault.withAnswer(pageOf(visit, answer, captured));
  } catch {
    return fault;
  }
}

/** As for the HTTP fetcher; Chromium shows text and JSON as a small page. */
const READABLE = /^(text\/(html|plain|xml|json)|application\/(xml|json|[\w.-]+\+(xml|json)))$/;

const answerOf = ({
  url,
  status,
  headers,
}: Answer): { url: string; status: number; retryAfter: string | undefined } => ({
  url,
  status,
  retryAfter: headers['retry-after'],
});

/** All that one page may load together, in bodies of the largest size. */
const MOST_BODIES = 4;
const METER_MS = 250;

/** An answer without end would fill Chromium's memory long before its time is up. */
function meterBytes({ gate, clock, maxBodyBytes }: Visit): { signal: AbortSignal; stop: () => void } {
  const tooMuch = new AbortController();
  const limit = MOST_BODIES * maxBodyBytes;
  const look = (): void => {
    if (gate.bytes() <= limit) stop = clock.after(METER_MS, look);
    else tooMuch.abort(new GleanerError('body_too_large', `The page and its parts are larger than ${limit} bytes.`));
  };
  let stop = clock.after(METER_MS, look);
  return { signal: tooMuch.signal, stop: () => stop() };
}

function refuseOddUrl(raw: string): void {
  const url = URL.canParse(raw) ? new URL(raw) : null;
  const isPlain = url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (!isPlain) throw new GleanerError('egress_denied', `The URL ${quoteUrl(raw)} is not one to be visited.`);
}

function refuse(error: GleanerError | null): void {
  if (error) throw error;
}
