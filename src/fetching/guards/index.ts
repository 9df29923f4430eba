import type { BreakerSettings } from '../../domain/breaker.js';
import type { PolicyBook } from '../../domain/policy.js';
import type { EgressAllow } from '../../domain/target-url.js';
import type { Clock } from '../../ports/clock.js';
import type { Credentials } from '../../ports/credentials.js';
import type { Guard } from '../../ports/guard.js';
import type { Limiter } from '../../ports/limiter.js';
import type { Notes } from '../../ports/notes.js';
import type { Log } from '../../ports/telemetry.js';
import type { Egress } from '../egress.js';
import type { Identities } from '../identity.js';
import type { Proxies } from '../proxies.js';
import type { Robots } from '../robots.js';
import { type BreakerGuard, type CircuitNote, createBreakerGuard } from './breaker-guard.js';
import { type BrowserSupply, createBrowserGuard } from './browser-guard.js';
import { createCredentialsGuard } from './credentials-guard.js';
import { createEgressGuard } from './egress-guard.js';
import { createHoursGuard } from './hours-guard.js';
import { createIdentityGuard } from './identity-guard.js';
import { createProxyGuard } from './proxy-guard.js';
import { createRateLimitGuard, type RateLimitGuard } from './rate-limit-guard.js';
import { createRobotsGuard } from './robots-guard.js';
import { createRobotsReading } from './robots-reading.js';

export interface GuardParts {
  clock: Clock;
  log: Log;
  policies: PolicyBook;
  limiter: Limiter;
  egress: Egress;
  allow: EgressAllow;
  robots: Robots;
  browsers: BrowserSupply;
  breaker: BreakerSettings;
  circuitNotes: Notes<CircuitNote>;
  /** `null` where no credential API is configured. */
  credentials: Credentials | null;
  proxies: Proxies;
  identities: Identities;
}

export interface Guards {
  /** In the order in which they are asked. */
  list: Guard[];
  breaker: BreakerGuard;
  rateLimit: RateLimitGuard;
}

/** Cheap and final refusals first; what hands out something scarce (a probe, a token, a proxy) as late as possible. */
export function createGuards(parts: GuardParts): Guards {
  const breaker = createBreakerGuard({ ...parts, settings: parts.breaker, notes: parts.circuitNotes });
  const rateLimit = createRateLimitGuard(parts);
  const hours = createHoursGuard(parts);
  const proxy = createProxyGuard(parts);
  // robots.txt is asked about first, but reading it is a request too: for it the later guards are asked beforehand.
  const read = createRobotsReading({
    ...parts,
    beforehand: [hours, breaker],
    told: [breaker, proxy],
  });
  const list = [
    createEgressGuard(parts),
    createRobotsGuard({ ...parts, read }),
    hours,
    createBrowserGuard(parts),
    breaker,
    createCredentialsGuard(parts),
    rateLimit,
    proxy,
    createIdentityGuard(parts),
  ];
  return { list, breaker, rateLimit };
}
