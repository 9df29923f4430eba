import type { BrowserEngine } from '../../domain/browser-engine.js';
import type { GleanerError } from '../../domain/errors.js';
import type { PolicyBook } from '../../domain/policy.js';
import type { Clock } from '../../ports/clock.js';
import type { Guard } from '../../ports/guard.js';

/** What there is to bring pages with. `null` is the engine that serves everybody. */
export interface BrowserSupply {
  /** Is there a browser of this engine, or will there be as soon as it is asked for? */
  canServe(engine: BrowserEngine | null): boolean;
  /** Why no waiting will help: the demanded engine is not installed. */
  lack(engine: BrowserEngine | null): GleanerError | null;
}

/** How soon a task looks again whether a browser has come up. */
const PAUSE_MS = 250;

/**
 * Is there a browser at all, and of the engine that the policy demands? While none can be started, tasks that need one
 * stay queued: no attempt is lost to our own trouble, no token of the domain is spent, and pages that need no browser go
 * on. An engine that is not installed is no passing trouble: whoever wrote the policy, and who asked for the page, must
 * hear of it.
 */
export function createBrowserGuard(parts: { browsers: BrowserSupply; policies: PolicyBook; clock: Clock }): Guard {
  const { browsers, policies, clock } = parts;
  return {
    name: 'browser',
    check(plan) {
      plan.engine = policies.forHost(new URL(plan.url).hostname).browserEngine;
      if (plan.needs === 'http') return { kind: 'go' };
      const lack = browsers.lack(plan.engine);
      if (lack) return { kind: 'no', error: lack };
      if (browsers.canServe(plan.engine)) return { kind: 'go' };
      return { kind: 'wait', until: clock.mono() + PAUSE_MS, reason: 'no browser is running', holds: 'task' };
    },
  };
}
