import type { Clock } from '../ports/clock.js';
import type { ProxyChoice } from '../ports/fetcher.js';
import type { Log } from '../ports/telemetry.js';
import { createChecks } from './proxy-checks.js';
import { createProxyMarks } from './proxy-marks.js';
import type { Probe } from './proxy-probe.js';

/** All times are monotonic ms. */
export type ProxyTurn =
  /** No proxies are configured. */
  | { kind: 'direct' }
  /** `release`: it was not used after all. */
  | { kind: 'proxy'; proxy: ProxyChoice; release: () => void }
  /** Healthy ones were all used for this domain a moment ago, or could not reach it; the first is free at `until`. */
  | { kind: 'cooling'; until: number }
  /** All are unhealthy; the next health check is at `until`. */
  | { kind: 'none'; until: number };

export type AuxiliaryTurn =
  | { kind: 'direct' }
  | { kind: 'proxy'; proxy: ProxyChoice }
  | { kind: 'none'; until: number };

/** As /health shows it. */
export interface ProxyStats {
  id: string;
  region: string | null;
  healthy: boolean;
  successes: number;
  failures: number;
  /** When it last became healthy or unhealthy; `null` if it always was. */
  last_changed_at: string | null;
}

/**
 *   healthy ──────── failed ────────────────▶ unhealthy
 *      │ ▲                                      │   ▲
 *      │ └───────────── health check ───────────┘   │
 *      ▼ failed, perhaps through the target's fault │
 *   suspected ── the same with another domain, or a failed health check
 *      └─ succeeded, or a health check: healthy
 *
 * A suspected proxy stays in use, only not for the domain that it did not reach.
 */
export interface Proxies {
  next(domain: string): ProxyTurn;
  /**
   * For a visit that goes on after a leg through this proxy: takes no turn and waits for no cooldown, which begins anew.
   * `null`: the proxy is no longer well, or does not reach the domain.
   */
  again(domain: string, id: string): ProxyTurn | null;
  /** For what belongs to a visit but comes before it (robots.txt): takes no turn, counts as no use, waits for nothing. */
  auxiliary(domain: string): AuxiliaryTurn;
  succeeded(id: string): void;
  failed(id: string, failure: ProxyFailure): void;
  /** Direct egress is one healthy "proxy". */
  healthyCount(): number;
  stats(): ProxyStats[];
  /** When `next` would give one for this domain (monotonic ms); 0 is now. */
  freeAt(domain: string): number;
  /** The proxies that wait for this domain, and for how many milliseconds yet. */
  cooldowns(domain: string): { id: string; untilMs: number }[];
  /** Checks all of them once, then the unhealthy and suspected ones again and again. */
  start(): void;
  stop(): Promise<void>;
}

export interface ProxyFailure {
  domain: string;
  /** The target may as well be to blame. */
  isSuspicion: boolean;
}

export interface ProxiesOptions {
  clock: Clock;
  /** A proxy is not used again for the same domain within this time. */
  cooldownMs: number;
  checkIntervalMs: number;
  probe: Probe;
  log: Log;
}

interface Endpoint {
  proxy: ProxyChoice;
  isHealthy: boolean;
  suspectedFor: string | null;
  changedAt: number | null;
  successes: number;
  failures: number;
}

/** Healthy proxies in turn, none of them twice for one domain within its cooldown. */
export function createProxies(choices: readonly ProxyChoice[], options: ProxiesOptions): Proxies {
  const { clock, log } = options;
  const endpoints = choices.map(newEndpoint);
  const byId = new Map(endpoints.map((endpoint) => [endpoint.proxy.id, endpoint]));
  const uses = createProxyMarks({ clock, durationMs: options.cooldownMs });
  const asides = createProxyMarks({ clock, durationMs: options.checkIntervalMs });
  let turn = 0;

  const checks = createChecks<Endpoint>({
    ...options,
    async check(endpoint, signal) {
      const wasHealthy = endpoint.isHealthy;
      await options.probe(endpoint.proxy, signal);
      // Too late counts as failed. And a visit that failed meanwhile knows better: the next round will see.
      if (signal.aborted || (wasHealthy && !endpoint.isHealthy)) return;
      setHealth(endpoint, true, 'the health check succeeded');
    },
    onFailure: (endpoint, error) => setHealth(endpoint, false, error.message),
  });

  function setHealth(endpoint: Endpoint, isHealthy: boolean, reason: string): void {
    endpoint.suspectedFor = null;
    if (endpoint.isHealthy === isHealthy) return;
    endpoint.isHealthy = isHealthy;
    endpoint.changedAt = clock.now();
    const fields = { proxy: endpoint.proxy.id, reason };
    if (isHealthy) log.info(fields, 'a proxy is healthy again');
    else log.warn(fields, 'a proxy is unhealthy and is left out');
  }

  /** In the order of their turns. */
  const healthy = (): Endpoint[] =>
    [...endpoints.slice(turn), ...endpoints.slice(0, turn)].filter(({ isHealthy }) => isHealthy);

  const freeAt = (domain: string, { proxy: { id } }: Endpoint): number =>
    Math.max(uses.until(domain, id), asides.until(domain, id));

  /** A use that is forgotten too early would break the promise of the cooldown; without room nobody goes for a while. */
  const soonest = (domain: string, candidates: Endpoint[]): number =>
    uses.roomAt() || Math.min(...candidates.map((endpoint) => freeAt(domain, endpoint)));

  return {
    next(domain) {
      if (endpoints.length === 0) return { kind: 'direct' };
      const candidates = healthy();
      if (candidates.length === 0) return { kind: 'none', until: checks.nextAt() };
      const until = soonest(domain, candidates);
      if (until > 0) return { kind: 'cooling', until };
      const chosen = candidates.find((endpoint) => freeAt(domain, endpoint) === 0)!;
      turn = (endpoints.indexOf(chosen) + 1) % endpoints.length;
      return { kind: 'proxy', proxy: chosen.proxy, release: uses.add(domain, chosen.proxy.id) };
    },
    again(domain, id) {
      const endpoint = byId.get(id);
      if (!endpoint?.isHealthy || asides.until(domain, id) > 0) return null;
      if (uses.roomAt() === 0) uses.add(domain, id);
      return { kind: 'proxy', proxy: endpoint.proxy, release: () => {} };
    },
    freeAt(domain) {
      if (endpoints.length === 0) return 0;
      const candidates = healthy();
      return candidates.length === 0 ? checks.nextAt() : soonest(domain, candidates);
    },
    auxiliary(domain) {
      if (endpoints.length === 0) return { kind: 'direct' };
      const candidates = healthy();
      const reaching = candidates.filter(({ proxy }) => asides.until(domain, proxy.id) === 0);
      const chosen =
        candidates.find((endpoint) => freeAt(domain, endpoint) === 0) ?? reaching[0] ?? candidates[0] ?? null;
      return chosen ? { kind: 'proxy', proxy: chosen.proxy } : { kind: 'none', until: checks.nextAt() };
    },
    succeeded(id) {
      const endpoint = byId.get(id);
      if (!endpoint) return;
      endpoint.successes += 1;
      endpoint.suspectedFor = null;
    },
    failed(id, { domain, isSuspicion }) {
      const endpoint = byId.get(id);
      if (!endpoint) return;
      endpoint.failures += 1;
      if (!isSuspicion) return setHealth(endpoint, false, 'a visit could not use it');
      asides.add(domain, id);
      const { suspectedFor } = endpoint;
      if (suspectedFor === null) endpoint.suspectedFor = domain;
      else if (suspectedFor !== domain) setHealth(endpoint, false, 'it did not reach two domains in a row');
    },
    healthyCount: () => (endpoints.length === 0 ? 1 : healthy().length),
    stats: () => endpoints.map(statsOf),
    cooldowns: (domain) =>
      endpoints
        .map((endpoint) => ({ id: endpoint.proxy.id, untilMs: Math.max(0, freeAt(domain, endpoint) - clock.mono()) }))
        .filter(({ untilMs }) => untilMs > 0),
    start: () => checks.start(endpoints, ({ isHealthy, suspectedFor }) => !isHealthy || suspectedFor !== null),
    stop: () => checks.stop(),
  };
}

/** Good until proven otherwise, so that the first task need not wait for the first health check. */
const newEndpoint = (proxy: ProxyChoice): Endpoint => ({
  proxy,
  isHealthy: true,
  suspectedFor: null,
  changedAt: null,
  successes: 0,
  failures: 0,
});

const statsOf = ({ proxy, isHealthy, successes, failures, changedAt }: Endpoint): ProxyStats => ({
  id: proxy.id,
  region: proxy.region,
  healthy: isHealthy,
  successes,
  failures,
  last_changed_at: changedAt === null ? null : new Date(changedAt).toISOString(),
});
