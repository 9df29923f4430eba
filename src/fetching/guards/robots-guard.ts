import { GleanerError } from '../../domain/errors.js';
import { askingFor } from '../../domain/form.js';
import { obeysRobots, type PolicyBook } from '../../domain/policy.js';
import type { RobotsEvidence } from '../../domain/robots.js';
import type { HopVerdict } from '../../ports/fetcher.js';
import type { Guard, Verdict, VisitPlan } from '../../ports/guard.js';
import type { Robots } from '../robots.js';

interface RobotsGuardParts {
  robots: Robots;
  policies: PolicyBook;
  /** Sees to it that the file of the plan's origin is read; `null` once it is, or the reason why not yet or not at all. */
  read: (plan: VisitPlan, signal: AbortSignal) => Promise<Exclude<Verdict, { kind: 'go' }> | null>;
}

/** Does the site want us there? The evidence becomes part of the result, also where the answer is no. */
export function createRobotsGuard({ robots, policies, read }: RobotsGuardParts): Guard {
  const isObeyed = (url: URL): boolean => obeysRobots(policies.forHost(url.hostname));

  /** A hop may be followed at once only to where the visit's own passage holds as well, and not for ever. */
  const judgeHop = (plan: VisitPlan, from: URL, to: URL): HopVerdict => {
    const isSameLimit = policies.limitKey(from.hostname) === policies.limitKey(to.hostname);
    const isSameLane = policies.laneKey(from.hostname) === policies.laneKey(to.hostname);
    if (!isSameLimit || !isSameLane) return 'leave';
    if (!isObeyed(to)) return 'follow';
    const evidence = robots.known(to);
    if (!evidence) return 'leave';
    plan.robots = evidence;
    return evidence.allowed ? 'follow' : refusal(to, evidence, robots.freshMs(to));
  };

  return {
    name: 'robots',
    async check(plan, signal) {
      const url = new URL(askingFor(plan.url, plan.form).url);
      let followed = 0;
      plan.mayFollow = (to) => {
        const verdict = followed < FREE_HOPS ? judgeHop(plan, url, to) : 'leave';
        if (verdict === 'follow') followed += 1;
        return verdict;
      };
      if (!isObeyed(url)) {
        plan.robots = SWITCHED_OFF;
        return { kind: 'go' };
      }
      if (!robots.known(url)) {
        const obstacle = await read(plan, signal);
        if (obstacle) return obstacle;
      }
      plan.robots = robots.known(url)!;
      return plan.robots.allowed
        ? { kind: 'go' }
        : { kind: 'no', error: refusal(url, plan.robots, robots.freshMs(url)) };
    },
  };
}

/** From http to https, and from the bare name to www. What goes on from there takes a token for it. */
const FREE_HOPS = 2;

const SWITCHED_OFF: RobotsEvidence = {
  allowed: true,
  basis: 'policy_off',
  robotsUrl: null,
  httpStatus: null,
  rule: null,
  fetchedAt: null,
  crawlDelaySeconds: null,
};

function refusal(url: URL, { basis, rule, httpStatus }: RobotsEvidence, freshMs: number): GleanerError {
  if (basis === 'unreachable') {
    const why = httpStatus === null ? 'could not be read' : `answered ${httpStatus}`;
    const message = `robots.txt of ${url.host} ${why}, so its pages are left alone until it is asked for again.`;
    return new GleanerError('robots_unreachable', message, { retryAfterMs: freshMs });
  }
  return new GleanerError('robots_denied', `robots.txt of ${url.host} forbids this path (${rule ?? 'no rule'}).`);
}
