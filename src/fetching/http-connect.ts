import { isIPv6, type Socket } from 'node:net';
import { SocksClient } from 'socks';
import { buildConnector, Pool } from 'undici';
import { GleanerError } from '../domain/errors.js';
import type { ProxyChoice } from '../ports/fetcher.js';
import type { Egress } from './egress.js';

export interface ConnectOptions {
  egress: Egress;
  connectTimeoutMs: number;
  /** Further certificate authorities to trust (PEM), for internal sites. */
  ca?: string;
}

/** Opens connections for undici; `close` ends what it keeps open for itself. */
export interface Route {
  connect: buildConnector.connector;
  close(): Promise<void>;
}

/**
 * How a connection is made. Every way asks the egress gate first and then dials the very address it was given, also
 * through a proxy: a name that a proxy resolves again could lead into the proxy's own network. Doing it here, and not
 * in a `lookup` function, covers IP literals too, for which no lookup is ever called.
 */
export function routeFor(proxy: ProxyChoice | null, options: ConnectOptions): Route {
  const dial = buildConnector({
    timeout: options.connectTimeoutMs,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  });
  if (!proxy) {
    const connect = connector(options.egress, async (target, address, done) => {
      dial({ ...target, hostname: address }, done);
    });
    return { connect, close: async () => {} };
  }

  const tunnel = tunnelThrough(proxy, options.connectTimeoutMs);
  const connect = connector(options.egress, async (target, address, done) => {
    const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80);
    const socket = await tunnel.open(address, port);
    if (target.protocol === 'https:') dial({ ...target, hostname: address, httpSocket: socket }, done);
    else done(null, socket);
  });
  return { connect, close: tunnel.close };
}

type Dial = (target: buildConnector.Options, address: string, done: buildConnector.Callback) => Promise<void>;

const connector =
  (egress: Egress, dial: Dial): buildConnector.connector =>
  (target, done) => {
    egress
      .resolve(target.hostname)
      .then(({ address }) => dial(target, address, done))
      .catch((error: Error) => done(error, null));
  };

interface Tunnel {
  /** Rejects with `proxy_failed` only: until the tunnel stands, whatever goes wrong is the proxy's. */
  open(address: string, port: number): Promise<Socket>;
  close(): Promise<void>;
}

function tunnelThrough(proxy: ProxyChoice, timeoutMs: number): Tunnel {
  const url = new URL(proxy.url);
  switch (url.protocol) {
    case 'http:':
    case 'https:':
      return httpTunnel(proxy.id, url, timeoutMs);
    case 'socks:':
    case 'socks5:':
    case 'socks5h:':
      return socksTunnel(proxy.id, url, timeoutMs);
    default:
      throw new GleanerError('proxy_failed', `The proxy ${proxy.id} is neither HTTP nor SOCKS5.`);
  }
}

function httpTunnel(id: string, proxyUrl: URL, timeoutMs: number): Tunnel {
  const pool = new Pool(proxyUrl.origin, { connect: { timeout: timeoutMs }, headersTimeout: timeoutMs });
  const authorization = basicAuth(proxyUrl);
  return {
    async open(address, port) {
      const path = `${isIPv6(address) ? `[${address}]` : address}:${port}`;
      const answer = await pool
        .connect({ path, headers: { host: path, ...(authorization && { 'proxy-authorization': authorization }) } })
        .catch((cause: unknown) => {
          throw new GleanerError('proxy_failed', `The proxy ${id} could not be reached.`, { cause });
        });
      const socket = answer.socket as Socket;
      if (answer.statusCode >= 200 && answer.statusCode < 300) return socket;
      socket.on('error', () => {}).destroy();
      throw new GleanerError('proxy_failed', `The proxy ${id} refused the connection with ${answer.statusCode}.`);
    },
    close: () => pool.destroy(),
  };
}

function socksTunnel(id: string, proxyUrl: URL, timeoutMs: number): Tunnel {
  const proxy = {
    host: proxyUrl.hostname.replace(/^\[|\]$/g, ''),
    port: Number(proxyUrl.port) || 1080,
    type: 5 as const,
    ...(proxyUrl.username && {
      userId: decodeURIComponent(proxyUrl.username),
      password: decodeURIComponent(proxyUrl.password),
    }),
  };
  return {
    async open(host, port) {
      try {
        const options = { proxy, command: 'connect' as const, destination: { host, port }, timeout: timeoutMs };
        return (await SocksClient.createConnection(options)).socket;
      } catch {
        // The library's errors carry their options, and with them the password: no cause.
        throw new GleanerError('proxy_failed', `The proxy ${id} could not connect.`);
      }
    },
    close: async () => {},
  };
}

function basicAuth(url: URL): string | undefined {
  if (url.username === '' && url.password === '') return undefined;
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}
