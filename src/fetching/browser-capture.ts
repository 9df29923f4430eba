import type { WaitCondition } from '../domain/adapter.js';
import { GleanerError } from '../domain/errors.js';
import type { Session } from './cdp-session.js';
import { MOST_OF_A_WALL, WALL_STATUSES } from './error-answer.js';

/** What the page says about itself once it is ready to be read. */
export interface Capture {
  html: string;
  url: string;
  /** Where its document came from; scripts may have rewritten `url` since. */
  documentUrl: string;
  /** Of the document that is there now: a script may have led away from the one that was asked for. */
  status: number;
  contentType: string;
}

interface CaptureOptions {
  frameId: string;
  waitFor: WaitCondition;
  /** One for each time the page is scrolled down, at most. */
  pausesMs: readonly number[];
  maxBytes: number;
}

/** A page that replaces itself again and again never becomes one. */
const MOST_DOCUMENTS = 10;

/**
 * Waits for the document, then for the adapter's condition, scrolls, and brings the HTML: two messages in all. It runs in a
 * world of its own, where nothing the page has redefined is seen. When the page moves on meanwhile, that world is gone
 * and we ask again in the new document. There is no timeout here: a page that never answers is the caller's to cut.
 */
export async function capture(session: Session, options: CaptureOptions): Promise<Capture> {
  for (let documents = 0; documents < MOST_DOCUMENTS; documents++) {
    const captured = await captureDocument(session, options);
    if (captured) return captured;
  }
  throw new GleanerError('too_many_redirects', 'The page keeps leading to another one.');
}

async function captureDocument(session: Session, options: CaptureOptions): Promise<Capture | null> {
  try {
    const { frameId, waitFor, pausesMs, maxBytes } = options;
    const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId, worldName: 'gleaner' });
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      contextId: executionContextId,
      expression: `(${readPage})(${JSON.stringify({ ...waitFor, pausesMs, maxBytes, wallStatuses: WALL_STATUSES, wallChars: MOST_OF_A_WALL })})`,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(`The page could not be read: ${exceptionDetails.text}`);
    const read = result.value as Capture & { chars: number };
    if (read.chars <= maxBytes && Buffer.byteLength(read.html) <= maxBytes) return read;
  } catch (error) {
    if (HAS_MOVED_ON.test(String(error))) return null;
    throw error;
  }
  throw new GleanerError('body_too_large', `The page is larger than ${options.maxBytes} bytes.`);
}

const HAS_MOVED_ON = /context was destroyed|Cannot find context|navigated or closed|Cannot create isolated world/i;

/** Source text, because it runs in the page: no import, nothing a build could rename. */
const readPage = `async ({ selectors, timeoutMs, pausesMs, maxBytes, wallStatuses, wallChars }) => {
  if (document.readyState === 'loading') {
    await new Promise((resolve) => document.addEventListener('readystatechange', resolve, { once: true }));
  }
  const [visit] = performance.getEntriesByType('navigation');
  const status = visit?.responseStatus ?? 0;
  const about = { url: location.href, documentUrl: visit?.name ?? location.href, contentType: document.contentType, status, html: '', chars: 0 };
  if (status >= 400) {
    const isWall = wallStatuses.includes(status);
    // One that is leading on says that it is ready, too: a moment later it is gone, and we ask the next one.
    if (isWall) await new Promise((resolve) => setTimeout(resolve, 250));
    return isWall ? { ...about, html: (document.documentElement?.outerHTML ?? '').slice(0, wallChars) } : about;
  }
  if (visit?.decodedBodySize > maxBytes) return { ...about, chars: visit.decodedBodySize };

  const isThere = (selector) => { try { return document.querySelector(selector) !== null; } catch { return false; } };
  if (selectors.length > 0 && !selectors.some(isThere)) {
    await new Promise((resolve) => {
      // Looking after every mutation would cost more than the page itself on large documents.
      let isDue = true;
      const look = () => { if (isDue && selectors.some(isThere)) end(); isDue = false; };
      const watch = new MutationObserver(() => { isDue = true; });
      const timers = [setInterval(look, 25), setTimeout(() => end(), timeoutMs)];
      const end = () => { watch.disconnect(); timers.forEach(clearTimeout); resolve(); };
      watch.observe(document, { subtree: true, childList: true, attributes: true });
    });
  }
  const scroller = document.scrollingElement ?? document.documentElement;
  // The first screen counts as seen once it has been drawn.
  if (pausesMs.length > 0) {
    await new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); setTimeout(resolve, 250); });
  }
  for (const pauseMs of scroller ? pausesMs : []) {
    // One screen at a time: what loads when it comes into view would be jumped over otherwise.
    const heightBefore = scroller.scrollHeight;
    scroller.scrollBy({ top: scroller.clientHeight, behavior: 'instant' });
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    const isAtBottom = scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 1;
    if (isAtBottom && scroller.scrollHeight <= heightBefore) break;
  }
  const doctype = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : '';
  const html = doctype + (document.documentElement?.outerHTML ?? '');
  return { ...about, url: location.href, chars: html.length, html: html.length > maxBytes ? '' : html };
}`;
