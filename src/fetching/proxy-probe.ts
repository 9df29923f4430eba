import { GleanerError } from '../domain/errors.js';
import type { ProxyChoice } from '../ports/fetcher.js';
import type { ConnectOptions } from './http-connect.js';
import { createDispatchers } from './http-dispatch.js';
import { type Tunnel, tunnelThrough } from './proxy-tunnel.js';

/** Resolves where the proxy can be used, rejects where it cannot. What it opened is closed by then. */
export type Probe = (proxy: ProxyChoice, signal: AbortSignal) => Promise<void>;

export interface ProbeOptions extends ConnectOptions {
  /** Fetched through the proxy. Without one only the proxy itself is spoken to: no website is touched. */
  url: string | null;
}

export function createProbe({ url, ...options }: ProbeOptions): Probe {
  return url === null ? greeting(options) : fetching(new URL(url), options);
}

const greeting =
  ({ connectTimeoutMs, ca }: ConnectOptions): Probe =>
  async (proxy, signal) => {
    const tunnel: Tunnel = tunnelThrough(proxy, { timeoutMs: connectTimeoutMs, ...(ca === undefined ? {} : { ca }) });
    // Closing the tunnel ends what it has under way.
    const close = (): unknown => tunnel.close();
    signal.addEventListener('abort', close, { once: true });
    try {
      await tunnel.greet();
    } finally {
      signal.removeEventListener('abort', close);
      await tunnel.close();
    }
  };

const fetching =
  (url: URL, options: ConnectOptions): Probe =>
  async (proxy, signal) => {
    const timeouts = { headersTimeoutMs: options.connectTimeoutMs, bodyTimeoutMs: options.connectTimeoutMs };
    const dispatchers = createDispatchers({ ...options, ...timeouts });
    try {
      const path = url.pathname + url.search;
      const answer = await dispatchers.get(url, proxy).request({ path, method: 'GET', signal });
      // What it says is of no interest, only that somebody answers.
      answer.body.on('error', () => {}).destroy();
      if (answer.statusCode < 500) return;
      throw new GleanerError(
        'proxy_failed',
        `Through the proxy ${proxy.id}, ${url.host} answers ${answer.statusCode}.`,
      );
    } finally {
      await dispatchers.close();
    }
  };
