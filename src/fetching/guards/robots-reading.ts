import { GleanerError } from '../../domain/errors.js';
import { type PolicyBook, rateFor } from '../../domain/policy.js';
import type { Clock } from '../../ports/clock.js';
import type { ProxyChoice } from '../../ports/fetcher.js';
import type { Guard, Verdict, VisitPlan } from '../../ports/guard.js';
import type { Lease, Limiter, LimitOutcome } from '../../ports/limiter.js';
import type { Proxies } from '../proxies.js';
import type { Attempt, Robots } from '../robots.js';
import { noHealthyProxy } from './proxy-guard.js';

/** A worker waits this long for robots.txt; then the domain waits without one until the file has been read. */
const PATIENCE_MS = 500;

interface ReadingParts {
  robots: Robots;
  limiter: Limiter;
  policies: PolicyBook;
  proxies: Proxies;
  clock: Clock;
  /** The guards that a request of any kind must pass: hours and breaker. */
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
    await inTime(clock, robots.reading(url), signal);
    if (robots.known(url)) return null;
    const fault = robots.takeProxyFault(url);
    if (fault) return { kind: 'no', error: fault };
    const state = robots.reading(url);
    const until = state.kind === 'idle' ? state.notBefore : 0;
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
  for (const guard of parts.beforehand) {
    const verdict = await guard.check(plan, signal);
    if (verdict.kind !== 'go') return verdict;
  }
  const turn = proxies.auxiliary(plan.domain);
  if (turn.kind === 'none') return { kind: 'no', error: noHealthyProxy(turn.until - clock.mono()) };

  const state = robots.reading(url);
  if (state.kind === 'idle' && state.notBefore > clock.mono()) {
    return waiting(state.notBefore, 'robots.txt is tried again soon');
  }
  const rate = rateFor(policies.forHost(url.hostname), null);
  const answer = await limiter.acquire(policies.limitKey(url.hostname), rate);
  if (!answer.granted) return waiting(clock.mono() + answer.waitMs, 'rate limit of the domain');
  void attempt(parts, plan, { lease: answer.lease, proxy: turn.kind === 'proxy' ? turn.proxy : null });
  return null;
}

async function attempt(
  { robots, limiter, told }: ReadingParts,
  plan: VisitPlan,
  { lease, proxy }: { lease: Lease; proxy: ProxyChoice | null },
): Promise<void> {
  const url = new URL(plan.url);
  const outcome = await robots.attempt(url, proxy);
  await limiter.done(lease, patienceOf(outcome));
  // Not under the task's name: it may yet go out as the breaker's probe.
  const visit = { ...plan, taskId: `${url.origin}/robots.txt`, proxy };
  for (const guard of told) guard.after?.(visit, { error: errorOf(outcome, url) });
}

function errorOf({ status, fault }: Attempt, url: URL): GleanerError | null {
  if (fault || status === null || status < 500) return fault;
  return new GleanerError('target_server_error', `robots.txt of ${url.host} answered ${status}.`, {
    httpStatus: status,
  });
}

function patienceOf({ status, retryAfterMs }: Attempt): LimitOutcome {
  if (status === 429) return { throttled: true, retryAfterMs };
  return status !== null && status < 500 ? 'ok' : 'neutral';
}

async function inTime(clock: Clock, state: ReturnType<Robots['reading']>, signal: AbortSignal): Promise<void> {
  if (state.kind === 'idle') return;
  const over = new AbortController();
  const end = (): void => over.abort();
  signal.addEventListener('abort', end, { once: true });
  try {
    await Promise.race([state.done, clock.wait(PATIENCE_MS, over.signal)]);
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

const waiting = (until: number, reason: string): Obstacle => ({ kind: 'wait', until, reason });
