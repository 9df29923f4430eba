import { GleanerError } from '../../domain/errors.js';
import { type PolicyBook, rateFor } from '../../domain/policy.js';
import { domainOf } from '../../domain/registrable-domain.js';
import type { Clock } from '../../ports/clock.js';
import type { Guard, Verdict, VisitPlan } from '../../ports/guard.js';
import type { Lease, Limiter, LimitOutcome } from '../../ports/limiter.js';
import type { Proxies } from '../proxies.js';
import type { Attempt, Robots } from '../robots.js';
import { withPatience } from './patience.js';
import { noHealthyProxy } from './proxy-guard.js';

interface ReadingParts {
  robots: Robots;
  limiter: Limiter;
  policies: PolicyBook;
  proxies: Proxies;
  clock: Clock;
  /** The guards that a request of any kind must pass, and that come after this one: hours and breaker. */
  beforehand: readonly Pick<Guard, 'check'>[];
  /** Told how it went, as after any visit: breaker and proxy. */
  told: readonly Pick<Guard, 'after'>[];
}

type Obstacle = Exclude<Verdict, { kind: 'go' }>;

/**
 * Reading robots.txt, as a visit like any other: in the hours of the domain, not while its circuit is open, for a token
 * of its limit, through a proxy. One attempt at a time per origin, however many wait for it; it belongs to nobody, so
 * nobody's abort ends it for the others.
 */
export function createRobotsReading(parts: ReadingParts) {
  const { robots, clock } = parts;
  const beginning = new Map<string, Promise<Obstacle | null>>();

  /** Whoever comes first begins; the others must not take tokens for the same. */
  const beginOnce = async (origin: string, plan: VisitPlan, signal: AbortSignal): Promise<Obstacle | null> => {
    const others = beginning.get(origin);
    if (others) return others.then(() => null);
    const ours = begin(parts, plan, signal).finally(() => beginning.delete(origin));
    beginning.set(origin, ours);
    return ours;
  };

  return async function read(plan: VisitPlan, signal: AbortSignal): Promise<Obstacle | null> {
    const url = new URL(plan.url);
    if (robots.reading(url).kind === 'idle') {
      const obstacle = await beginOnce(url.origin, plan, signal);
      if (obstacle) return obstacle;
    }
    const state = robots.reading(url);
    // However it ends, what counts is what is known then; a visit that is cut off meanwhile goes back to its lane.
    if (state.kind === 'under_way') await withPatience(() => state.done, { clock, signal }).catch(() => null);
    if (robots.known(url)) return null;
    const fault = robots.takeProxyFault(url);
    if (fault) return { kind: 'no', error: fault };
    const now = robots.reading(url);
    const until = now.kind === 'idle' ? now.notBefore : 0;
    return waiting(Math.max(until, clock.mono() + LOOK_AGAIN_MS), 'robots.txt is being read');
  };
}

const LOOK_AGAIN_MS = 250;

/** `null`: an attempt is under way, ours or somebody else's. */
async function begin(parts: ReadingParts, plan: VisitPlan, signal: AbortSignal): Promise<Obstacle | null> {
  const { robots, limiter, policies, proxies, clock } = parts;
  const url = new URL(plan.url);
  const fault = robots.takeProxyFault(url);
  if (fault) return { kind: 'no', error: fault };
  const state = robots.reading(url);
  if (state.kind === 'idle' && state.notBefore > clock.mono()) {
    return waiting(state.notBefore, 'robots.txt is tried again soon');
  }
  const turn = proxies.auxiliary(plan.domain);
  if (turn.kind === 'none') return { kind: 'no', error: noHealthyProxy(turn.until - clock.mono()) };

  // Under a name of its own: where the domain is to be tried out, this is the probe, and not the task's visit later on.
  const visit = { ...plan, taskId: `${url.origin}/robots.txt`, proxy: turn.kind === 'proxy' ? turn.proxy : null };
  const passage = await passBeforehand(parts, visit, signal);
  if ('obstacle' in passage) return passage.obstacle;
  const rate = rateFor(policies.forHost(url.hostname), null);
  const answer = await limiter.acquire(policies.limitKey(url.hostname), rate);
  if (answer.granted) {
    void attempt(parts, visit, answer.lease);
    return null;
  }
  passage.release();
  return waiting(clock.mono() + answer.waitMs, 'rate limit of the domain');
}

type Passage = { obstacle: Obstacle } | { release: () => void };

async function passBeforehand(parts: ReadingParts, visit: VisitPlan, signal: AbortSignal): Promise<Passage> {
  const releases: (() => void)[] = [];
  const release = (): void => {
    for (const giveBack of releases) giveBack();
  };
  for (const guard of parts.beforehand) {
    const verdict = await guard.check(visit, signal);
    if (verdict.kind === 'go') releases.push(verdict.release ?? (() => {}));
    else {
      release();
      return { obstacle: verdict };
    }
  }
  return { release };
}

async function attempt(parts: ReadingParts, visit: VisitPlan, lease: Lease): Promise<void> {
  const { robots, limiter, told } = parts;
  const url = new URL(visit.url);
  const borrowed: Lease[] = [];
  const beforeHop = async (to: URL): Promise<void> => {
    const token = await admitHop(parts, visit, to);
    if (token) borrowed.push(token);
  };
  const outcome = await robots.attempt(url, { proxy: visit.proxy, beforeHop });
  await limiter.done(lease, patienceOf(outcome));
  for (const token of borrowed) await limiter.done(token, 'neutral');
  for (const guard of told) guard.after?.(visit, { error: errorOf(outcome, url) });
}

/** A redirect to another site is a request to that site: in its hours, not while its circuit is open, for its token. */
async function admitHop(parts: ReadingParts, visit: VisitPlan, to: URL): Promise<Lease | null> {
  const { limiter, policies } = parts;
  const key = policies.limitKey(to.hostname);
  if (key === policies.limitKey(new URL(visit.url).hostname)) return null;
  const there = { ...visit, url: to.href, domain: domainOf(to) };
  const passage = await passBeforehand(parts, there, new AbortController().signal);
  if (!('obstacle' in passage)) {
    passage.release();
    const answer = await limiter.acquire(key, rateFor(policies.forHost(to.hostname), null));
    if (answer.granted) return answer.lease;
  }
  throw new GleanerError('rate_limited', `robots.txt is at ${to.host}, whose turn it is not.`);
}

/** As a page with that answer would be judged: a 429 says nothing about the site's health. */
function errorOf({ status, fault }: Attempt, url: URL): GleanerError | null {
  if (fault || status === null || (status < 500 && status !== 429)) return fault;
  const code = status === 429 ? 'rate_limited' : 'target_server_error';
  return new GleanerError(code, `robots.txt of ${url.host} answered ${status}.`, { httpStatus: status });
}

function patienceOf({ status, retryAfterMs }: Attempt): LimitOutcome {
  if (status === 429) return { throttled: true, retryAfterMs };
  return status !== null && status < 500 ? 'ok' : 'neutral';
}

const waiting = (until: number, reason: string): Obstacle => ({ kind: 'wait', until, reason });
