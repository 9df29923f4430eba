import type { Clock } from '../ports/clock.js';
import type { ProxyChoice } from '../ports/fetcher.js';

/** `direct`: no proxies are configured. `none`: there are some, and all are unhealthy until `until` (monotonic ms). */
export type ProxyTurn = { kind: 'direct' } | { kind: 'proxy'; proxy: ProxyChoice } | { kind: 'none'; until: number };

export interface ProxyStats {
  id: string;
  healthy: boolean;
  successes: number;
  failures: number;
}

export interface Proxies {
  next(): ProxyTurn;
  succeeded(id: string): void;
  /** It could not be used: nobody gets it for a while. */
  failed(id: string): void;
  /** Direct egress is one healthy "proxy". */
  healthyCount(): number;
  stats(): ProxyStats[];
}

interface Endpoint {
  proxy: ProxyChoice;
  unhealthyUntil: number;
  successes: number;
  failures: number;
}

/** Healthy proxies in turn. An unhealthy one is given another chance after `restoreAfterMs`. */
export function createProxies(
  choices: readonly ProxyChoice[],
  { clock, restoreAfterMs }: { clock: Clock; restoreAfterMs: number },
): Proxies {
  const endpoints = choices.map((proxy): Endpoint => ({ proxy, unhealthyUntil: 0, successes: 0, failures: 0 }));
  const byId = new Map(endpoints.map((endpoint) => [endpoint.proxy.id, endpoint]));
  let turn = 0;

  const isHealthy = ({ unhealthyUntil }: Endpoint): boolean => clock.mono() >= unhealthyUntil;

  return {
    next() {
      if (endpoints.length === 0) return { kind: 'direct' };
      for (let n = 0; n < endpoints.length; n += 1) {
        const endpoint = endpoints[(turn + n) % endpoints.length]!;
        if (!isHealthy(endpoint)) continue;
        turn = (turn + n + 1) % endpoints.length;
        return { kind: 'proxy', proxy: endpoint.proxy };
      }
      return { kind: 'none', until: Math.min(...endpoints.map(({ unhealthyUntil }) => unhealthyUntil)) };
    },
    succeeded(id) {
      const endpoint = byId.get(id);
      if (endpoint) endpoint.successes += 1;
    },
    failed(id) {
      const endpoint = byId.get(id);
      if (!endpoint) return;
      endpoint.failures += 1;
      endpoint.unhealthyUntil = clock.mono() + restoreAfterMs;
    },
    healthyCount: () => (endpoints.length === 0 ? 1 : endpoints.filter(isHealthy).length),
    stats: () =>
      endpoints.map((endpoint) => ({
        id: endpoint.proxy.id,
        healthy: isHealthy(endpoint),
        successes: endpoint.successes,
        failures: endpoint.failures,
      })),
  };
}

/** Endpoints from their URLs. The id is the host and its place in the list: it may be shown, the URL may not. */
export const proxyChoices = (urls: readonly string[]): ProxyChoice[] =>
  urls.map((url, place) => ({ id: `${place + 1}:${new URL(url).hostname}`, url, region: null }));
