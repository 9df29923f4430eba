import { bareHost, domainOfHost } from './registrable-domain.js';

/** Hours of the day (UTC, 0–24) in which a domain may be visited, `end` excluded. May wrap midnight: 22 to 6. */
export interface AllowedHours {
  start: number;
  end: number;
}

/** How one domain wants to be treated. */
export interface DomainPolicy {
  tokensPerInterval: number;
  intervalSeconds: number;
  minDelayMs: number;
  maxDelayMs: number;
  allowedHours: AllowedHours | null;
  respectRobotsTxt: boolean;
  /** Why robots.txt is not respected. Without a written reason it is respected all the same. */
  robotsReason: string | null;
  maxConcurrent: number | null;
}

export const DEFAULT_POLICY: DomainPolicy = {
  tokensPerInterval: 2,
  intervalSeconds: 10,
  minDelayMs: 500,
  maxDelayMs: 2000,
  allowedHours: null,
  respectRobotsTxt: true,
  robotsReason: null,
  maxConcurrent: null,
};

export interface PolicyBook {
  forHost(hostname: string): DomainPolicy;
}

/** The most specific entry wins: the very host or address, then its registrable domain, then the default. */
export function createPolicyBook(
  defaultPolicy: DomainPolicy,
  entries: ReadonlyMap<string, Partial<DomainPolicy>>,
): PolicyBook {
  const policies = new Map<string, DomainPolicy>();
  for (const [key, entry] of entries) policies.set(key.toLowerCase(), { ...defaultPolicy, ...entry });
  return {
    forHost(hostname) {
      const host = bareHost(hostname.toLowerCase());
      return policies.get(host) ?? policies.get(domainOfHost(host)) ?? defaultPolicy;
    },
  };
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
