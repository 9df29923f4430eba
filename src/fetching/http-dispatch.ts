import { LRUCache } from 'lru-cache';
import { type Dispatcher, Pool } from 'undici';
import type { ProxyChoice } from '../ports/fetcher.js';
import { type ConnectOptions, type Route, routeFor } from './http-connect.js';

export interface DispatchOptions extends ConnectOptions {
  headersTimeoutMs: number;
  bodyTimeoutMs: number;
}

/** Keep-alive connections, by origin and proxy. */
export interface Dispatchers {
  get(url: URL, proxy: ProxyChoice | null): Dispatcher;
  close(): Promise<void>;
}

/** As many as a browser opens to one origin. */
const CONNECTIONS_PER_ORIGIN = 6;
const MAX_ORIGINS = 256;
/** Idle sockets are let go after this, so that an origin visited once costs nothing for long. */
const IDLE_MS = 4000;
const LONGEST_IDLE_MS = 15_000;

export function createDispatchers(options: DispatchOptions): Dispatchers {
  // What falls out of the cache is closed, not destroyed: requests that are under way end first.
  const pools = new LRUCache<string, Pool>({ max: MAX_ORIGINS, dispose: (pool) => void closeQuietly(pool) });
  // As many as there are proxies. None may fall out: pools that use it would be left with a closed way.
  const routes = new Map<string, Route>();
  const direct = routeFor(null, options);

  const routeThrough = (proxy: ProxyChoice): Route => {
    const known = routes.get(proxy.url);
    if (known) return known;
    const route = routeFor(proxy, options);
    routes.set(proxy.url, route);
    return route;
  };

  return {
    get(url, proxy) {
      const key = `${proxy?.url ?? ''} ${url.origin}`;
      const known = pools.get(key);
      if (known) return known;
      const pool = new Pool(url.origin, {
        connect: (proxy ? routeThrough(proxy) : direct).connect,
        connections: CONNECTIONS_PER_ORIGIN,
        headersTimeout: options.headersTimeoutMs,
        bodyTimeout: options.bodyTimeoutMs,
        keepAliveTimeout: IDLE_MS,
        keepAliveMaxTimeout: LONGEST_IDLE_MS,
      });
      pools.set(key, pool);
      return pool;
    },
    async close() {
      const open = [...pools.values()];
      await Promise.all([...open.map((pool) => pool.destroy()), ...[...routes.values()].map((route) => route.close())]);
      pools.clear();
      routes.clear();
    },
  };
}

async function closeQuietly(pool: Pool): Promise<void> {
  if (!pool.destroyed) await pool.close().catch(() => {});
}
