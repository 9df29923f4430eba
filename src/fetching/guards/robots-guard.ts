import { GleanerError } from '../../domain/errors.js';
import { obeysRobots, type PolicyBook } from '../../domain/policy.js';
import type { RobotsEvidence } from '../../domain/robots.js';
import type { Clock } from '../../ports/clock.js';
import type { Guard } from '../../ports/guard.js';
import type { Robots } from '../robots.js';

/** A worker waits this long for robots.txt; then the domain waits without one until the file has been read. */
const PATIENCE_MS = 500;

interface RobotsGuardParts {
  robots: Robots;
  policies: PolicyBook;
  clock: Clock;
}

/** Does the site want us there? The evidence becomes part of the result, also where the answer is no. */
export function createRobotsGuard({ robots, policies, clock }: RobotsGuardParts): Guard {
  /** `null`: not known yet. Reading goes on, for whoever asks next. */
  const inTime = async (url: URL, signal: AbortSignal): Promise<RobotsEvidence | null> => {
    const done = new AbortController();
    const patience = clock.wait(PATIENCE_MS, done.signal).then(() => null);
    try {
      return await Promise.race([robots.verdict(url, signal), patience]);
    } finally {
      done.abort();
    }
  };
  return {
    name: 'robots',
    async check(plan, signal) {
      const url = new URL(plan.url);
      const isObeyed = obeysRobots(policies.forHost(url.hostname));
      plan.robots = isObeyed ? await inTime(url, signal) : SWITCHED_OFF;
      if (!plan.robots) return { kind: 'wait', until: clock.mono() + PATIENCE_MS, reason: 'robots.txt is being read' };
      return plan.robots.allowed ? { kind: 'go' } : { kind: 'no', error: refusal(url, plan.robots) };
    },
  };
}

const SWITCHED_OFF: RobotsEvidence = {
  allowed: true,
  basis: 'policy_off',
  robotsUrl: null,
  httpStatus: null,
  rule: null,
  fetchedAt: null,
  crawlDelaySeconds: null,
};

function refusal(url: URL, { basis, rule, httpStatus }: RobotsEvidence): GleanerError {
  if (basis === 'unreachable') {
    const why = httpStatus === null ? 'could not be read' : `answered ${httpStatus}`;
    return new GleanerError('robots_unreachable', `robots.txt of ${url.host} ${why}, so its pages are left alone.`);
  }
  return new GleanerError('robots_denied', `robots.txt of ${url.host} forbids this path (${rule ?? 'no rule'}).`);
}
