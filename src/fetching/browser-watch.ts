import { GleanerError } from '../domain/errors.js';
import type { ContextPage } from './browser-context.js';
import type { Session } from './cdp-session.js';

/** How a document was answered for. */
export interface Answer {
  url: string;
  status: number;
  /** By lower-case names. */
  headers: Record<string, string>;
  /** The URLs that sent us on, in order. */
  redirects: string[];
}

export interface PageWatch {
  /** Rejects when the page dies, or when the document it shows could not be brought whole. */
  readonly failed: Promise<never>;
  /** Resolves when a document, with all that belongs to it, is there. */
  readonly loaded: Promise<void>;
  /** Goes to the URL; resolves with the answer as soon as its document begins. Once only. */
  navigate(url: string): Promise<Answer>;
}

/** Sees what becomes of the main frame, and keeps away what would hold it up. Must come before the first navigation. */
export function watchPage({ session, frameId, closeOthers }: ContextPage): PageWatch {
  keepClear(session, closeOthers);
  /** Requests for documents of the main frame, and where they led. */
  const documents = new Map<string, string[]>();
  const answered = defer<Answer>();
  const begun = defer<void>();
  const loaded = defer<void>();
  const failure = defer<never>();
  failure.promise.catch(ignore);

  session.on('Inspector.targetCrashed', () =>
    failure.reject(new GleanerError('browser_crashed', 'The page died during the visit.')),
  );
  session.on('Network.requestWillBeSent', ({ requestId, type, frameId: asking, redirectResponse }) => {
    if (type !== 'Document' || asking !== frameId) return;
    const redirects = documents.get(requestId) ?? [];
    if (redirectResponse) redirects.push(redirectResponse.url);
    documents.set(requestId, redirects);
  });
  session.on('Network.responseReceived', ({ requestId, response: { url, status, headers } }) => {
    const redirects = documents.get(requestId);
    if (redirects) answered.resolve({ url, status, headers: withLowerCaseNames(headers), redirects });
  });
  session.on('Page.frameNavigated', ({ frame }) => {
    if (frame.id === frameId) begun.resolve();
  });
  session.on('Page.loadEventFired', () => loaded.resolve());
  // A document cut short never finishes parsing: without this the visit would wait for its timeout.
  session.on('Network.loadingFailed', ({ requestId, errorText }) => {
    if (!documents.has(requestId) || LEAVES_THE_PAGE.test(errorText) || ERROR_WITHOUT_BODY.test(errorText)) return;
    failure.reject(new Error(errorText));
  });

  return {
    failed: failure.promise,
    loaded: loaded.promise,
    async navigate(url) {
      const { errorText, isDownload } = await session.send('Page.navigate', { url });
      if (isDownload) throw new GleanerError('unsupported_content', `${new URL(url).host} answered with a download.`);
      if (errorText && !ERROR_WITHOUT_BODY.test(errorText)) throw new Error(errorText);
      const [answer] = await Promise.all([answered.promise, begun.promise]);
      return answer;
    },
  };
}

/** For an error status without a body full Chromium shows a page of its own, and says that the navigation failed. */
const ERROR_WITHOUT_BODY = /ERR_HTTP_RESPONSE_CODE_FAILURE/;

/** A navigation that came to nothing, such as to `someapp://open`: what was shown before stays. */
const LEAVES_THE_PAGE = /ERR_(ABORTED|UNKNOWN_URL_SCHEME|BLOCKED_|DISALLOWED_|UNSAFE_)/;

function keepClear(session: Session, closeOthers: ContextPage['closeOthers']): void {
  // Nobody is there to answer; who wants to leave may.
  session.on('Page.javascriptDialogOpening', ({ type }) => {
    session.send('Page.handleJavaScriptDialog', { accept: type === 'beforeunload' }).catch(ignore);
  });
  // The flags keep scripts from opening pages; whatever opens one all the same is closed unseen. Those who try a
  // thousand times are not asked about each time.
  let tries = 0;
  const closeAll = async (): Promise<void> => {
    for (let seen = 0; seen < tries; ) {
      seen = tries;
      await closeOthers().catch(ignore);
    }
    tries = 0;
  };
  session.on('Page.windowOpen', () => {
    if (tries++ === 0) void closeAll();
  });
}

const withLowerCaseNames = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

interface Deferred<T> {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(error: Error): void;
}

function defer<T>(): Deferred<T> {
  const deferred = {} as Deferred<T>;
  deferred.promise = new Promise<T>((resolve, reject) => Object.assign(deferred, { resolve, reject }));
  return deferred;
}

const ignore = (): void => {};
