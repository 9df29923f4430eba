import { LRUCache } from 'lru-cache';
import { GleanerError } from '../domain/errors.js';
import type { RobotsEvidence } from '../domain/robots.js';
import { MAX_ROBOTS_BYTES, matchRobots, parseRobots, type RobotsRules } from '../domain/robots-rules.js';
import type { Clock } from '../ports/clock.js';
import { unlessAborted } from './abort.js';
import type { FetchedText, FetchText } from './http-fetch.js';

export interface Robots {
  /** Rejects only when the signal aborts. An unreachable robots.txt is an answer: not allowed. */
  verdict(url: URL, signal: AbortSignal): Promise<RobotsEvidence>;
}

interface RobotsOptions {
  fetchText: FetchText;
  clock: Clock;
  /** Our product token, in robots.txt and as the user agent that asks for it. */
  agent: string;
}

/** What is known about one origin: its rules, that it has none, or that nobody could say. */
interface Known {
  basis: 'rules' | 'absent' | 'unreachable';
  rules: RobotsRules;
  httpStatus: number | null;
  fetchedAt: number;
  /** Monotonic ms. */
  freshUntil: number;
  size: number;
}

const MAX_ORIGINS = 10_000;
/** Characters of robots.txt kept, all origins together. */
const MAX_KEPT = 64 * 1024 * 1024;
const FRESH_MS = 24 * 3_600_000;
/** An origin that could not be read is asked again after this, or after its own Retry-After. */
const RETRY_UNREACHABLE_MS = 300_000;
const MAX_REDIRECTS = 5;
const TRY_PAUSES_MS = [250, 1000];
const TRY_TIMEOUT_MS = 6000;
const TOTAL_TIMEOUT_MS = 9500;

const NO_RULES = parseRobots('');

export function createRobots({ fetchText, clock, agent }: RobotsOptions): Robots {
  const known = new LRUCache<string, Known>({
    max: MAX_ORIGINS,
    maxSize: MAX_KEPT,
    sizeCalculation: ({ size }) => size + 256,
  });
  const underWay = new Map<string, Promise<Known>>();

  const read = async (origin: string): Promise<Known> => {
    const fresh = await readRobots(origin, { fetchText, clock, agent });
    const before = known.get(origin);
    // RFC 9309 2.3.1.4: while the file cannot be reached, the copy we have may be used.
    const kept =
      fresh.basis === 'unreachable' && before && before.basis !== 'unreachable'
        ? { ...before, freshUntil: fresh.freshUntil }
        : fresh;
    known.set(origin, kept);
    return kept;
  };

  /** However many ask, one request goes out; it belongs to nobody, so nobody's abort ends it for the others. */
  const sharedRead = (origin: string): Promise<Known> => {
    const running = underWay.get(origin);
    if (running) return running;
    const started = read(origin).finally(() => underWay.delete(origin));
    underWay.set(origin, started);
    return started;
  };

  return {
    async verdict(url, signal) {
      const cached = known.get(url.origin);
      const origin =
        cached && clock.mono() < cached.freshUntil ? cached : await unlessAborted(sharedRead(url.origin), signal);
      return evidence(origin, agent, url);
    },
  };
}

function evidence(origin: Known, agent: string, url: URL): RobotsEvidence {
  const { allowed, rule, crawlDelaySeconds } = matchRobots(origin.rules, agent, url);
  return {
    allowed: origin.basis !== 'unreachable' && allowed,
    basis: origin.basis,
    robotsUrl: `${url.origin}/robots.txt`,
    httpStatus: origin.httpStatus,
    rule,
    fetchedAt: origin.fetchedAt,
    crawlDelaySeconds,
  };
}

/** Up to three tries within ten seconds; whatever then is not clearly an answer counts as a refusal. */
async function readRobots(origin: string, { fetchText, clock, agent }: RobotsOptions): Promise<Known> {
  const deadline = clock.mono() + TOTAL_TIMEOUT_MS;
  const request = {
    url: `${origin}/robots.txt`,
    userAgent: agent,
    maxRedirects: MAX_REDIRECTS,
    maxBytes: MAX_ROBOTS_BYTES,
  };
  let last: Known | null = null;
  for (const pauseMs of [0, ...TRY_PAUSES_MS]) {
    if (clock.mono() + pauseMs >= deadline) break;
    if (pauseMs > 0) await clock.wait(pauseMs);
    const outcome = await withinTime(clock, Math.min(TRY_TIMEOUT_MS, deadline - clock.mono()), (signal) =>
      fetchText(request, signal),
    );
    last = judge(outcome, clock);
    if (last.basis !== 'unreachable' || !mayImprove(outcome)) break;
  }
  return last!;
}

type Outcome = FetchedText | GleanerError | null;

/** The answer, the error, or `null` when the time was up. */
async function withinTime(
  clock: Clock,
  ms: number,
  work: (signal: AbortSignal) => Promise<FetchedText>,
): Promise<Outcome> {
  const controller = new AbortController();
  const cancel = clock.after(ms, () => controller.abort());
  try {
    return await work(controller.signal);
  } catch (error) {
    return error instanceof GleanerError ? error : null;
  } finally {
    cancel();
  }
}

function judge(outcome: Outcome, clock: Clock): Known {
  const answer = outcome === null || outcome instanceof GleanerError ? null : outcome;
  const common = { httpStatus: answer?.status ?? null, fetchedAt: clock.now(), rules: NO_RULES, size: 0 };
  const now = clock.mono();
  if (answer && answer.status >= 200 && answer.status < 300) {
    const rules = parseRobots(answer.text);
    return { ...common, basis: 'rules', rules, size: answer.text.length, freshUntil: now + FRESH_MS };
  }
  if (answer && answer.status >= 400 && answer.status < 500 && !DENYING.has(answer.status)) {
    return { ...common, basis: 'absent', freshUntil: now + FRESH_MS };
  }
  const retryMs = Math.max(RETRY_UNREACHABLE_MS, answer?.retryAfterMs ?? 0);
  return { ...common, basis: 'unreachable', freshUntil: now + retryMs };
}

/** Most 4xx mean that there is no file. These mean that we are not to have it, or not now. */
const DENYING = new Set([401, 403, 429]);

/** Would another try make sense? Server faults and broken connections pass; refusals, loops and missing names do not. */
function mayImprove(outcome: Outcome): boolean {
  if (outcome === null) return true;
  if (outcome instanceof GleanerError) return outcome.retryable;
  return outcome.status >= 500;
}
