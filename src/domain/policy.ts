import { BROWSER_ENGINES, type BrowserEngine } from './browser-engine.js';
import { domainOfHost, hostKey, suffixOfHost } from './registrable-domain.js';
import type { LimitRate } from './token-window.js';

/** Hours of the day (UTC, 0–24) in which a domain may be visited, `end` excluded. May wrap midnight: 22 to 6. */
export interface AllowedHours {
  start: number;
  end: number;
}

/** How one domain wants to be treated. */
export interface DomainPolicy {
  tokensPerInterval: number;
  intervalSeconds: number;
  /** Least time between the beginnings of two visits. */
  minIntervalMs: number;
  /** Range of the pause between two actions on a page. */
  minDelayMs: number;
  maxDelayMs: number;
  allowedHours: AllowedHours | null;
  respectRobotsTxt: boolean;
  /** Why robots.txt is not respected. Without a written reason it is respected all the same. */
  robotsReason: string | null;
  maxConcurrent: number | null;
  /** What its pages demand; `null` leaves it to the setting. */
  browserEngine: BrowserEngine | null;
}

export const DEFAULT_POLICY: DomainPolicy = {
  tokensPerInterval: 2,
  intervalSeconds: 10,
  minIntervalMs: 0,
  minDelayMs: 500,
  maxDelayMs: 2000,
  allowedHours: null,
  respectRobotsTxt: true,
  robotsReason: null,
  maxConcurrent: null,
  browserEngine: null,
};

export interface PolicyBook {
  forHost(hostname: string): DomainPolicy;
  /**
   * Whose tokens a visit of this host takes: the registrable domain's, so that hosts cannot multiply what a site gets;
   * only a host whose own entry names a rate has tokens of its own.
   */
  limitKey(hostname: string): string;
  /** Who waits together: the registrable domain, but a host with any entry of its own waits by itself. */
  laneKey(hostname: string): string;
  /** The name of the entry that holds for this host (the host, its domain or its suffix); `null`: only the default does. */
  entryFor(hostname: string): string | null;
  /** The engines that any entry, or the default, demands. */
  engines(): BrowserEngine[];
}

const RATE_KEYS = ['tokensPerInterval', 'intervalSeconds', 'minIntervalMs', 'maxConcurrent'] as const;

/**
 * What a host's entry does not say, its registrable domain's does, then that of the public suffix the domain is
 * under, and then the default. An entry for `github.io` so says how each site there is treated, by tokens of its own.
 */
export function createPolicyBook(
  defaultPolicy: DomainPolicy,
  entries: ReadonlyMap<string, Partial<DomainPolicy>>,
): PolicyBook {
  const written = new Map([...entries].map(([key, entry]) => [hostKey(key), entry]));
  const policies = new Map<string, DomainPolicy>();
  for (const [host, entry] of written) {
    const [domain, suffix] = [domainOfHost(host), suffixOfHost(host) ?? ''];
    policies.set(host, { ...defaultPolicy, ...written.get(suffix), ...written.get(domain), ...entry });
  }
  return {
    forHost(hostname) {
      const host = hostKey(hostname);
      const own = policies.get(host) ?? policies.get(domainOfHost(host));
      return own ?? policies.get(suffixOfHost(host) ?? '') ?? defaultPolicy;
    },
    limitKey(hostname) {
      const host = hostKey(hostname);
      const own = written.get(host);
      return own && RATE_KEYS.some((key) => own[key] !== undefined) ? host : domainOfHost(host);
    },
    laneKey(hostname) {
      const host = hostKey(hostname);
      return written.has(host) ? host : domainOfHost(host);
    },
    entryFor(hostname) {
      const host = hostKey(hostname);
      return [host, domainOfHost(host), suffixOfHost(host) ?? ''].find((name) => policies.has(name)) ?? null;
    },
    engines() {
      const demanded = [defaultPolicy, ...written.values()].map(({ browserEngine }) => browserEngine);
      return BROWSER_ENGINES.filter((engine) => demanded.includes(engine));
    },
  };
}

const LEAST_CRAWL_DELAY_SECONDS = 1;
const MOST_CRAWL_DELAY_SECONDS = 60;

/** How fast a site may be visited: by its policy, and no faster than its robots.txt asks within reason. */
export function rateFor(policy: DomainPolicy, crawlDelaySeconds: number | null | undefined): LimitRate {
  return {
    tokens: policy.tokensPerInterval,
    intervalMs: policy.intervalSeconds * 1000,
    minGapMs: Math.max(policy.minIntervalMs, honouredMs(crawlDelaySeconds ?? 0)),
    maxConcurrent: policy.maxConcurrent,
  };
}

function honouredMs(crawlDelaySeconds: number): number {
  if (!(crawlDelaySeconds > 0)) return 0;
  return Math.min(Math.max(crawlDelaySeconds, LEAST_CRAWL_DELAY_SECONDS), MOST_CRAWL_DELAY_SECONDS) * 1000;
}

export const obeysRobots = (policy: DomainPolicy): boolean => policy.respectRobotsTxt || !policy.robotsReason?.trim();

/** `start === end` is the whole day. */
export function isWithinHours(hours: AllowedHours | null, utcHour: number): boolean {
  if (!hours || hours.start === hours.end) return true;
  if (hours.start < hours.end) return utcHour >= hours.start && utcHour < hours.end;
  return utcHour >= hours.start || utcHour < hours.end;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The first moment from `nowMs` (epoch) on that lies within the hours; `nowMs` itself if it does. */
export function nextAllowedTime(hours: AllowedHours | null, nowMs: number): number {
  if (!hours || isWithinHours(hours, new Date(nowMs).getUTCHours())) return nowMs;
  const midnight = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const opens = midnight + hours.start * HOUR_MS;
  return opens > nowMs ? opens : opens + DAY_MS;
}
