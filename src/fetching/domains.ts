import { LRUCache } from 'lru-cache';
import type { BreakerState } from '../domain/breaker.js';
import { fieldError } from '../domain/errors.js';
import { nextAllowedTime, obeysRobots, type PolicyBook, rateFor } from '../domain/policy.js';
import { domainOfHost } from '../domain/registrable-domain.js';
import type { RenderExperience } from '../domain/render-experience.js';
import type { Clock } from '../ports/clock.js';
import type { DomainLimit, DomainReport, DomainRobots, Domains, NextVisit } from '../ports/domains.js';
import type { Limiter } from '../ports/limiter.js';
import type { TaskQueue } from '../ports/queue.js';
import type { Log } from '../ports/telemetry.js';
import type { BreakerGuard } from './guards/breaker-guard.js';
import type { Proxies } from './proxies.js';
import type { Robots } from './robots.js';

export interface DomainsParts {
  policies: PolicyBook;
  breaker: Pick<BreakerGuard, 'known' | 'report' | 'reset'>;
  limiter: Pick<Limiter, 'state' | 'keys'>;
  robots: Pick<Robots, 'origins' | 'forgiveUnreachable'>;
  proxies: Pick<Proxies, 'cooldowns' | 'freeAt'>;
  queue: Pick<TaskQueue, 'lanes'>;
  experience: Pick<RenderExperience, 'habit'>;
  targetTypes: readonly string[];
  clock: Clock;
  log: Log;
}

/** Resets are rare; the log keeps them all, the reports only the last ones. */
const RESETS_SHOWN = 1000;

/** Puts together what the guards and their parts know about a domain. */
export function createDomains(parts: DomainsParts): Domains {
  const { policies, breaker, robots, proxies, clock, log } = parts;
  const resets = new LRUCache<string, { at: number; requestId: string }>({ max: RESETS_SHOWN });

  const report = async (host: string): Promise<DomainReport> => {
    const domain = domainOfHost(host);
    const origins = robots.origins(domain);
    const keys = await limitKeys(parts, { host, domain });
    return {
      domain,
      nextVisit: await nextVisitOf(parts, host, origins),
      queuedTasks: queuedFor(parts, domain),
      breaker: breakerOf(parts, domain),
      limits: await Promise.all(keys.map((key) => limitOf(parts, key, origins))),
      robots: origins,
      policy: policies.forHost(host),
      policyEntry: policies.entryFor(host),
      proxyCooldowns: proxies.cooldowns(domain).map(({ id, untilMs }) => ({ id, until: clock.now() + untilMs })),
      render: habitsOf(parts, domain),
      lastReset: resets.get(domain) ?? null,
    };
  };

  return {
    report,
    async list({ state }, { limit, cursor }) {
      const after = cursor === null ? null : nameIn(cursor);
      const states = await statesOf(parts);
      const names = firstByName(states, { after, state, count: limit + 1 });
      const items = names.slice(0, limit).map(async (domain) => ({
        domain,
        state: states.get(domain)!,
        limit: await limitOf(parts, domain, robots.origins(domain)),
        nextVisit: await nextVisitOf(parts, domain, robots.origins(domain)),
        queuedTasks: queuedFor(parts, domain),
      }));
      return {
        items: await Promise.all(items),
        nextCursor: names.length > limit ? cursorAfter(names[limit - 1]!) : null,
      };
    },
    async reset(host, who) {
      const domain = domainOfHost(host);
      const { before } = breaker.reset(domain);
      robots.forgiveUnreachable(domain);
      resets.set(domain, { at: clock.now(), requestId: who.requestId });
      const audit = { audit: true, action: 'breaker_reset', domain, state_before: before };
      // Not `info`: whoever logs less still wants to know who did this.
      log.warn({ ...audit, request_id: who.requestId, client_address: who.address }, 'a circuit breaker was reset');
      return { before, report: await report(host) };
    },
  };
}

/** Every domain something is remembered about, with the state of its breaker. */
async function statesOf({ breaker, limiter, queue }: DomainsParts): Promise<Map<string, BreakerState>> {
  const states = new Map<string, BreakerState>();
  for (const { domain, state } of breaker.known()) states.set(domain, state);
  const waiting = [...queue.lanes()].filter((one) => one.waiting > 0).map(({ lane }) => lane);
  for (const key of [...(await limiter.keys()), ...waiting]) {
    const domain = states.has(key) ? key : domainOfHost(key);
    if (!states.has(domain)) states.set(domain, 'closed');
  }
  return states;
}

interface Wanted {
  after: string | null;
  state: BreakerState | undefined;
  count: number;
}

/** The first names in order. There may be very many, and one page of them is wanted: they are not all sorted for it. */
function firstByName(states: Map<string, BreakerState>, { after, state, count }: Wanted): string[] {
  const first: string[] = [];
  for (const [name, its] of states) {
    if ((after !== null && name <= after) || (state !== undefined && its !== state)) continue;
    if (first.length === count && name > first[count - 1]!) continue;
    const place = first.findIndex((other) => name < other);
    first.splice(place === -1 ? first.length : place, 0, name);
    if (first.length > count) first.pop();
  }
  return first;
}

const habitsOf = ({ experience, targetTypes, clock }: DomainsParts, domain: string): DomainReport['render'] =>
  targetTypes.flatMap((targetType) => {
    const habit = experience.habit({ domain, targetType }, clock.mono());
    return habit === null ? [] : [{ targetType, habit }];
  });

function breakerOf({ breaker, clock }: DomainsParts, domain: string): DomainReport['breaker'] {
  const { nextProbeMs, ...rest } = breaker.report(domain);
  return { ...rest, nextProbeAt: nextProbeMs === null ? null : clock.now() + nextProbeMs };
}

function queuedFor({ queue }: DomainsParts, domain: string): number {
  let queued = 0;
  for (const { lane, waiting } of queue.lanes()) if (isOf(lane, domain)) queued += waiting;
  return queued;
}

/** The cheap question first, as there may be very many. */
const isOf = (host: string, domain: string): boolean => host.endsWith(domain) && domainOfHost(host) === domain;

/** What the guards would answer now, and what lasts longest of it. */
async function nextVisitOf(parts: DomainsParts, host: string, origins: DomainRobots[]): Promise<NextVisit> {
  const { policies, breaker, proxies, clock } = parts;
  const domain = domainOfHost(host);
  const now = clock.now();
  const limit = await limitOf(parts, policies.limitKey(host), origins);
  const proxyFreeAt = proxies.freeAt(domain);
  const waits: [NonNullable<NextVisit['waitingFor']>, number][] = [
    ['hours', nextAllowedTime(policies.forHost(host).allowedHours, now)],
    ['breaker', now + (breaker.report(domain).nextProbeMs ?? 0)],
    ['rate_limit', limit.nextGrantAt ?? now],
    ['proxy', proxyFreeAt === 0 ? now : now + proxyFreeAt - clock.mono()],
  ];
  const [waitingFor, at] = waits.reduce((latest, wait) => (wait[1] > latest[1] ? wait : latest));
  return at > now ? { at: Math.round(at), waitingFor } : { at: null, waitingFor: null };
}

/** Whose tokens are spent on this domain: its own, and those of hosts with a rate of their own. */
async function limitKeys(
  { limiter, policies }: DomainsParts,
  { host, domain }: { host: string; domain: string },
): Promise<string[]> {
  const ours = (await limiter.keys()).filter((key) => isOf(key, domain));
  const hosts = new Set([...ours, policies.limitKey(host)]);
  hosts.delete(domain);
  return [domain, ...[...hosts].sort()];
}

async function limitOf(parts: DomainsParts, key: string, origins: DomainRobots[]): Promise<DomainLimit> {
  const { limiter, policies, clock } = parts;
  const rate = rateFor(policies.forHost(key), crawlDelayOf(policies, key, origins));
  const { tokens, tokensLeft, intervalMs, underWay, slowdown, ...state } = await limiter.state(key, rate);
  const now = clock.now();
  return {
    key,
    tokens,
    tokensLeft,
    intervalMs,
    underWay,
    slowdown,
    nextGrantAt: state.nextGrantMs > 0 ? now + state.nextGrantMs : null,
    slowUntil: state.slowMs > 0 ? now + state.slowMs : null,
  };
}

/** The longest that any of the origins wishes whose visits take these tokens. */
function crawlDelayOf(policies: PolicyBook, key: string, origins: DomainRobots[]): number {
  const delays = origins.map(({ origin, crawlDelaySeconds }) => {
    const { hostname } = new URL(origin);
    const counts = policies.limitKey(hostname) === key && obeysRobots(policies.forHost(hostname));
    return counts ? (crawlDelaySeconds ?? 0) : 0;
  });
  return Math.max(0, ...delays);
}

const cursorAfter = (name: string): string => Buffer.from(JSON.stringify(name)).toString('base64url');

function nameIn(cursor: string): string {
  try {
    const name: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (typeof name === 'string') return name;
  } catch {
    // Falls through to the one answer for every cursor we did not hand out.
  }
  throw fieldError([{ field: 'cursor', message: 'must be a next_cursor of the same listing.', value: cursor }]);
}
