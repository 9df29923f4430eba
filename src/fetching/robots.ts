import { LRUCache } from 'lru-cache';
import { asGleanerError, GleanerError } from '../domain/errors.js';
import { domainOf } from '../domain/registrable-domain.js';
import type { RobotsEvidence } from '../domain/robots.js';
import { MAX_ROBOTS_BYTES, matchRobots, parseRobots, type RobotsRules } from '../domain/robots-rules.js';
import type { Clock } from '../ports/clock.js';
import type { DomainRobots } from '../ports/domains.js';
import type { ProxyChoice } from '../ports/fetcher.js';
import { orFailAfter } from './abort.js';
import type { FetchedText, FetchText } from './http-fetch.js';

/**
 * What robots.txt says, by origin. Reading the file is a visit like any other (it costs a token and goes through a
 * proxy), so nothing is read here unless somebody who has both calls `attempt`.
 */
export interface Robots {
  /** The verdict, where the file has been read and is fresh; `null` where it must be read first. */
  known(url: URL): RobotsEvidence | null;
  /** Where the reading of this URL's origin stands. `idle`: an attempt may begin, not before `notBefore` (monotonic ms). */
  reading(url: URL): { kind: 'idle'; notBefore: number } | { kind: 'under_way'; done: Promise<void> };
  /**
   * One attempt at the file of this URL's origin. Never rejects: an unreachable robots.txt is an answer (not allowed),
   * given after the third attempt that failed, or nine seconds of them. Answers how it went, for whoever lent the token and the proxy.
   */
  attempt(url: URL, way?: Way): Promise<Attempt>;
  /** The fault of a proxy that ended the last attempt. It says nothing about the site; whoever takes it answers for it. */
  takeProxyFault(url: URL): GleanerError | null;
  /** How long what is known about this URL's origin stays so. */
  freshMs(url: URL): number;
  /** Forgets about the origins of a registrable domain that they could not be read: the next visit tries again. */
  forgiveUnreachable(domain: string): void;
  /** What is known about the origins of a registrable domain. */
  origins(domain: string): DomainRobots[];
}

/** How an attempt goes; without a word about it, directly and wherever the site leads. */
export interface Way {
  proxy?: ProxyChoice | null;
  /** Asked before each redirect; rejects where it must not be followed. */
  beforeHop?: (url: URL) => Promise<void>;
}

/** `fault` is set where the network failed; `status` where the site answered, with its Retry-After. */
export interface Attempt {
  status: number | null;
  retryAfterMs: number | undefined;
  fault: GleanerError | null;
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
}

/** Attempts in a row that brought nothing. Monotonic ms. */
interface Failures {
  attempts: number;
  /** What they took, without the waits in between. */
  spentMs: number;
  notBefore: number;
}

const MAX_ORIGINS = 10_000;
/** Bytes of rules kept, all origins together. */
const MAX_KEPT = 64 * 1024 * 1024;
const FRESH_MS = 24 * 3_600_000;
/** An origin that could not be read is asked again after this, or after its own Retry-After. */
const RETRY_UNREACHABLE_MS = 300_000;
const MAX_REDIRECTS = 5;
/** After the first and the second attempt that failed; after the third nobody asks for a while. */
const PAUSES_MS = [250, 1000];
const ATTEMPT_TIMEOUT_MS = 4500;
/** Attempts that took so long in all were enough, three of them or not: whoever waits for a silent site learns it in time. */
const PATIENCE_MS = 9000;

const NO_RULES = parseRobots('');

export function createRobots({ fetchText, clock, agent }: RobotsOptions): Robots {
  const origins = new LRUCache<string, Known>({
    max: MAX_ORIGINS,
    maxSize: MAX_KEPT,
    sizeCalculation: ({ rules }) => rules.heapBytes + 256,
  });
  const underWay = new Map<string, Promise<void>>();
  const failed = new LRUCache<string, Failures>({ max: MAX_ORIGINS });
  const proxyFaults = new LRUCache<string, GleanerError>({ max: MAX_ORIGINS });

  const originsOf = (domain: string): [string, Known][] => [...origins].filter(([origin]) => isOf(origin, domain));

  const settle = (origin: string, fresh: Known): void => {
    const before = origins.get(origin);
    // RFC 9309 2.3.1.4: while the file cannot be reached, the copy we have may be used.
    const isCopyBetter = fresh.basis === 'unreachable' && before && before.basis !== 'unreachable';
    origins.set(origin, isCopyBetter ? { ...before, freshUntil: fresh.freshUntil } : fresh);
    failed.delete(origin);
  };

  const learn = (origin: string, outcome: Outcome, began: number): void => {
    const fresh = judge(outcome, clock);
    const before = failed.get(origin) ?? { attempts: 0, spentMs: 0 };
    const spentMs = before.spentMs + clock.mono() - began;
    const pauseMs = spentMs < PATIENCE_MS ? PAUSES_MS[before.attempts] : undefined;
    const isFinal = fresh.basis !== 'unreachable' || pauseMs === undefined || !mayImprove(outcome);
    if (isFinal) settle(origin, fresh);
    else failed.set(origin, { attempts: before.attempts + 1, spentMs, notBefore: clock.mono() + pauseMs });
  };

  const ask = async (origin: string, { proxy = null, beforeHop }: Way): Promise<Attempt> => {
    const began = clock.mono();
    const request = {
      url: `${origin}/robots.txt`,
      proxy,
      userAgent: agent,
      maxRedirects: MAX_REDIRECTS,
      maxBytes: MAX_ROBOTS_BYTES,
      ...(beforeHop && { beforeHop }),
    };
    const late = new GleanerError('target_timeout', 'robots.txt was not read in time.');
    const limit = { ms: ATTEMPT_TIMEOUT_MS, error: late, clock };
    const outcome: Outcome = await orFailAfter((signal) => fetchText(request, signal), limit).catch(asGleanerError);
    if (isProxyFault(outcome)) proxyFaults.set(origin, outcome);
    else learn(origin, outcome, began);
    if (outcome instanceof GleanerError) return { status: null, retryAfterMs: undefined, fault: outcome };
    return { status: outcome.status, retryAfterMs: outcome.retryAfterMs, fault: null };
  };

  return {
    known(url) {
      const origin = origins.get(url.origin);
      return origin && clock.mono() < origin.freshUntil ? evidence(origin, agent, url) : null;
    },
    reading({ origin }) {
      const done = underWay.get(origin);
      return done ? { kind: 'under_way', done } : { kind: 'idle', notBefore: failed.get(origin)?.notBefore ?? 0 };
    },
    attempt({ origin }, way = {}) {
      const asked = ask(origin, way).finally(() => underWay.delete(origin));
      underWay.set(
        origin,
        asked.then(() => {}),
      );
      return asked;
    },
    takeProxyFault({ origin }) {
      const fault = proxyFaults.get(origin) ?? null;
      proxyFaults.delete(origin);
      return fault;
    },
    freshMs: ({ origin }) => Math.max(0, (origins.peek(origin)?.freshUntil ?? 0) - clock.mono()),
    forgiveUnreachable(domain) {
      for (const [origin, { basis }] of originsOf(domain)) if (basis === 'unreachable') origins.delete(origin);
      for (const origin of [...failed.keys()]) if (isOf(origin, domain)) failed.delete(origin);
    },
    origins: (domain) => originsOf(domain).map(([origin, known]) => describe(origin, known, { clock, agent })),
  };
}

/** The cheap question first: it rules out nearly all of them. In brackets an IPv4 address may be spelt otherwise. */
const isOf = (origin: string, domain: string): boolean =>
  (origin.includes(domain) || origin.includes('[')) && domainOf(origin) === domain;

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

function describe(origin: string, known: Known, { clock, agent }: { clock: Clock; agent: string }): DomainRobots {
  const { allowed, rule, crawlDelaySeconds } = evidence(known, agent, new URL(origin));
  return {
    origin,
    basis: known.basis,
    httpStatus: known.httpStatus,
    fetchedAt: known.fetchedAt,
    freshUntil: clock.now() + Math.round(known.freshUntil - clock.mono()),
    crawlDelaySeconds,
    rootAllowed: allowed,
    rule,
  };
}

type Outcome = FetchedText | GleanerError;

const isProxyFault = (outcome: Outcome): outcome is GleanerError =>
  outcome instanceof GleanerError && outcome.code === 'proxy_failed';

function judge(outcome: Outcome, clock: Clock): Known {
  const answer = outcome instanceof GleanerError ? null : outcome;
  const common = { httpStatus: answer?.status ?? null, fetchedAt: clock.now(), rules: NO_RULES };
  const now = clock.mono();
  const isRead = answer !== null && answer.status >= 200 && answer.status < 300;
  const rules = isRead ? readRules(answer.text) : null;
  if (rules) return { ...common, basis: 'rules', rules, freshUntil: now + FRESH_MS };
  if (answer && answer.status >= 400 && answer.status < 500 && !DENYING.has(answer.status)) {
    return { ...common, basis: 'absent', freshUntil: now + FRESH_MS };
  }
  const retryMs = Math.max(RETRY_UNREACHABLE_MS, answer?.retryAfterMs ?? 0);
  return { ...common, basis: 'unreachable', freshUntil: now + retryMs };
}

/** `null` for a file that cannot be read as one: it says as little as none that could be reached. */
function readRules(text: string): RobotsRules | null {
  try {
    return parseRobots(withoutCutPermission(text));
  } catch {
    return null;
  }
}

/** A file that was cut may end in half an `Allow:` line, which allows more than the whole one. Half a refusal refuses more. */
function withoutCutPermission(text: string): string {
  return Buffer.byteLength(text) < MAX_ROBOTS_BYTES ? text : text.replace(/^\s*allow\s*:[^\r\n]*(?![\s\S])/im, '');
}

/** Most 4xx mean that there is no file. These mean that we are not to have it, or not now. */
const DENYING = new Set([401, 403, 429]);

/** Would another attempt make sense? Server faults and broken connections pass; refusals, loops and missing names do not. */
function mayImprove(outcome: Outcome): boolean {
  return outcome instanceof GleanerError ? outcome.retryable : outcome.status >= 500;
}
