import type { BreakerState } from '../domain/breaker.js';
import type { ErrorCode } from '../domain/errors.js';
import type { DomainPolicy } from '../domain/policy.js';
import type { RenderHabit } from '../domain/render-experience.js';
import type { LimitState } from './limiter.js';
import type { PageOf } from './store.js';

/** What is known about one registrable domain, in short. */
export interface DomainSummary {
  domain: string;
  state: BreakerState;
  limit: DomainLimit;
  nextVisit: NextVisit;
  queuedTasks: number;
}

/** `at` is epoch ms, `null` for at once; `waitingFor` is what lasts longest. */
export interface NextVisit {
  at: number | null;
  waitingFor: 'hours' | 'breaker' | 'rate_limit' | 'proxy' | null;
}

/** Everything that decides whether and when a domain is visited next. Times are epoch ms. */
export interface DomainReport {
  domain: string;
  /** Of the host that was asked for, as far as is known now. */
  nextVisit: NextVisit;
  /** Tasks that wait for their turn; not those that wait for their own next attempt. */
  queuedTasks: number;
  breaker: {
    state: BreakerState;
    /** Failures among the last `windowSize` answers; 0 unless closed, since then nothing is counted. */
    failures: number;
    windowSize: number;
    /** What the visit that opened it ended with; `null` if it is closed. */
    reason: { code: ErrorCode; sentence: string } | null;
    /** Since when it has not been closed. */
    openedAt: number | null;
    /** `null` if it is closed or somebody is trying the domain out. */
    nextProbeAt: number | null;
    isProbing: boolean;
  };
  /** The domain's own first, then those of its hosts with a rate of their own that are known or were asked for. */
  limits: DomainLimit[];
  /** One for each origin whose robots.txt is known. */
  robots: DomainRobots[];
  /** As it holds for the host that was asked for, and the name of its entry; `null` where only the default holds. */
  policy: DomainPolicy;
  policyEntry: string | null;
  /** Proxies that are not used for this domain before `until`. */
  proxyCooldowns: { id: string; until: number }[];
  /** What `render: auto` has learnt, for each kind of page it has learnt about. */
  render: { targetType: string; habit: RenderHabit }[];
  lastReset: { at: number; requestId: string } | null;
}

export interface DomainLimit extends Pick<LimitState, 'key' | 'tokens' | 'tokensLeft' | 'intervalMs' | 'underWay'> {
  /** `null`: at once. No earlier than the slowest of the origins wishes by its Crawl-delay. */
  nextGrantAt: number | null;
  /** 1 is the usual speed; 2 is half of it, and so on. */
  slowdown: number;
  slowUntil: number | null;
}

export interface DomainRobots {
  origin: string;
  basis: 'rules' | 'absent' | 'unreachable';
  httpStatus: number | null;
  fetchedAt: number;
  freshUntil: number;
  crawlDelaySeconds: number | null;
  /** Whether the root path may be visited, and the line that decided it, if one did. */
  rootAllowed: boolean;
  rule: string | null;
}

/** Who asks, as an audit wants to know it. */
export interface Requester {
  requestId: string;
  /** Where the request came from. */
  address: string;
}

/**
 * What an operator may see and do about single domains. Asking never changes anything: no domain becomes known by it,
 * none counts as used, no token is taken. Nothing here is secret; proxies are named by their ids.
 */
export interface Domains {
  /**
   * The domains something is remembered about or queued for, by name. A page begins after the name its cursor holds, so domains that
   * come or go meanwhile neither repeat nor hide another. A foreign cursor rejects with `validation_failed`.
   */
  list(
    filter: { state?: BreakerState },
    page: { limit: number; cursor: string | null },
  ): Promise<PageOf<DomainSummary>>;
  /** For a host as a URL spells it, without brackets: the report of its registrable domain, known or not. */
  report(host: string): Promise<DomainReport>;
  /**
   * Closes the breaker and empties its window, whatever its state, and forgets that a robots.txt could not be read:
   * the next visit tries again. Leaves one line for the audit.
   */
  reset(host: string, who: Requester): Promise<{ before: BreakerState; report: DomainReport }>;
}
