import { GleanerError } from '../domain/errors.js';
import { quoteUrl } from '../domain/target-url.js';
import type { Detour, FetchRequest } from '../ports/fetcher.js';
import { detourAt } from './hop-verdict.js';
import { refuseEndless, refuseForm } from './http-hops.js';

/** A request that Chromium holds until it is told what to do: what we read of `Fetch.requestPaused`. */
export interface PausedRequest {
  requestId: string;
  frameId: string;
  resourceType: string;
  /** Redirects keep it. */
  networkId?: string;
  request: { url: string; method: string; headers: Record<string, string> };
}

/**
 * Where the main frame goes after the page that was asked for. Chromium pauses every document request here: redirects
 * one by one, and what scripts, meta refreshes and forms lead to. Frames inside the page are parts of it.
 */
export interface MainFrameHops {
  /** Would this request bring another document into the main frame? */
  isOne(paused: PausedRequest): boolean;
  /** May it go out? A `false` has ended the visit, or leaves the page as it is. */
  admit(paused: PausedRequest): boolean;
  /** As `admit`, for a document that is there without having been asked for here, such as one loaded ahead. May throw. */
  judge(documentUrl: string): Detour | null;
  /** What ends the visit early: a Detour, or the error of a hop that is forbidden. Settles before the navigation fails. */
  readonly end: Promise<Detour>;
  /** The visit is over: nobody is asked any more, and nothing goes out. */
  stop(): void;
}

export function watchHops(request: FetchRequest, { url, frameId }: { url: string; frameId: string }): MainFrameHops {
  let first: PausedRequest | null = null;
  let isOver = false;
  let followed = 0;
  let admitted = url;
  let finish = (_how: () => Detour): void => {};
  const end = new Promise<() => Detour>((resolve) => {
    finish = resolve;
  }).then((how) => how());

  const refuse = (how: () => Detour): false => {
    isOver = true;
    finish(how);
    return false;
  };
  const decide = ({ request: { url: raw, method }, networkId }: PausedRequest): boolean => {
    const to = hopTarget(raw);
    const detour = to && detourAt(request, to, followed + 1);
    if (detour && method === 'GET') return refuse(() => detour);
    // A form that is posted is no place one could visit instead. Ours ends there; a page's own leaves the page as it was.
    if (detour && networkId === first?.networkId) refuseForm(new URL(url).host, to);
    if (detour) return false;
    followed += 1;
    admitted = raw;
    return true;
  };

  return {
    end,
    isOne: (paused) => paused.resourceType === 'Document' && paused.frameId === frameId,
    admit(paused) {
      if (isOver) return false;
      if (!first) {
        first = paused;
        return true;
      }
      try {
        return decide(paused);
      } catch (error) {
        return refuse(() => {
          throw error;
        });
      }
    },
    judge(documentUrl) {
      if (withoutHash(documentUrl) === withoutHash(admitted)) return null;
      const to = hopTarget(documentUrl);
      return to && detourAt(request, to, followed + 1);
    },
    stop() {
      isOver = true;
    },
  };
}

const withoutHash = (raw: string): string => raw.replace(/#.*$/s, '');

/** As for plain HTTP; `null` for what is no address on the web, which Chromium handles or refuses by itself. */
function hopTarget(raw: string): URL | null {
  const url = new URL(raw);
  if (!/^https?:$/.test(url.protocol)) return null;
  if (url.username !== '' || url.password !== '') {
    throw new GleanerError('egress_denied', `The page leads to ${quoteUrl(raw)}, which is not followed.`);
  }
  url.hash = '';
  refuseEndless(url, 'The page');
  return url;
}
