import { connect, isIPv6, type Socket } from 'node:net';
import { buildConnector, Pool } from 'undici';
import { GleanerError } from '../domain/errors.js';
import type { ProxyChoice } from '../ports/fetcher.js';
import { codeOf } from './http-errors.js';
import { greetSocks, requestConnect, SocksReply } from './socks5.js';

/**
 * A way through one proxy. Until the tunnel stands, what goes wrong is `proxy_failed`, as a suspicion where the target
 * may have caused it; where the proxy says that it was the target, it is `connect_failed`.
 */
export interface Tunnel {
  open(address: string, port: number): Promise<Socket>;
  /** Is the proxy there, and does it take our credentials? Nobody behind it is touched. */
  greet(): Promise<void>;
  close(): Promise<void>;
}

export interface TunnelOptions {
  timeoutMs: number;
  /** As in ConnectOptions, for proxies that speak TLS. */
  ca?: string;
}

export function tunnelThrough(proxy: ProxyChoice, options: TunnelOptions): Tunnel {
  const url = new URL(proxy.url);
  switch (url.protocol) {
    case 'http:':
    case 'https:':
      return httpTunnel(proxy.id, url, options);
    case 'socks5:':
    case 'socks5h:':
      return socksTunnel(proxy.id, url, options);
    default:
      throw new GleanerError('proxy_failed', `The proxy ${proxy.id} is neither HTTP nor SOCKS5.`);
  }
}

/** RFC 6761: a name that can never exist. Whatever the proxy says about it, it has let us in. */
const NOWHERE = 'gleaner-probe.invalid:443';

function httpTunnel(id: string, proxyUrl: URL, { timeoutMs, ca }: TunnelOptions): Tunnel {
  const dial = buildConnector({ timeout: timeoutMs, ...(ca === undefined ? {} : { ca }) });
  const pool = new Pool(proxyUrl.origin, {
    // undici takes the server's name from the Host header, which is the target's here. Empty: that of the proxy's URL.
    connect: (proxy, done) => dial({ ...proxy, servername: '' }, done),
    headersTimeout: timeoutMs,
  });
  const authorization = basicAuth(proxyUrl);

  const ask = async (path: string): Promise<{ status: number; socket: Socket }> => {
    const headers = { host: path, ...(authorization && { 'proxy-authorization': authorization }) };
    const { statusCode: status, socket } = await pool.connect({ path, headers }).catch((cause: unknown) => {
      throw unanswered(id, codeOf(cause));
    });
    const kept = (socket as Socket).on('error', () => {});
    if (status === 407) {
      kept.destroy();
      throw new GleanerError('proxy_failed', `The proxy ${id} refused our user name and password (407).`);
    }
    return { status, socket: kept };
  };

  return {
    async open(address, port) {
      const { status, socket } = await ask(`${isIPv6(address) ? `[${address}]` : address}:${port}`);
      if (status >= 200 && status < 300) return socket;
      socket.destroy();
      throw suspicion(`The proxy ${id} refused the connection with ${status}.`);
    },
    async greet() {
      const hello = async (path: string): Promise<unknown> => (await ask(path)).socket.destroy();
      await hello(NOWHERE).catch((error: GleanerError) => {
        if (!error.isSuspicion) throw error;
        // Some hang up on a name that does not exist. Everybody can reach, or refuse to reach, himself.
        return hello(`${proxyUrl.hostname}:${proxyUrl.port || (proxyUrl.protocol === 'https:' ? 443 : 80)}`);
      });
    },
    close: () => pool.destroy(),
  };
}

/** The proxy had our request when these happened: it may have been waiting for a target that does not answer. */
const AFTER_THE_REQUEST = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** No cause: undici's parser error carries a piece of the answer. */
function unanswered(id: string, code: string): GleanerError {
  if (AFTER_THE_REQUEST.has(code)) return suspicion(`The proxy ${id} did not answer (${code}).`);
  return new GleanerError('proxy_failed', `The proxy ${id} could not be used (${code || 'it does not speak HTTP'}).`);
}

function socksTunnel(id: string, proxyUrl: URL, { timeoutMs }: TunnelOptions): Tunnel {
  const login = proxyUrl.username
    ? { username: decodeURIComponent(proxyUrl.username), password: decodeURIComponent(proxyUrl.password) }
    : null;
  const server = { host: proxyUrl.hostname.replace(/^\[|\]$/g, ''), port: Number(proxyUrl.port) || 1080 };

  /** Lets the work have a connection to the proxy that has let us in. Who fails leaves no socket behind. */
  const withSocket = async (work: (socket: Socket) => Promise<void>): Promise<Socket> => {
    const socket = connect(server).on('error', () => {});
    const timeout = AbortSignal.timeout(timeoutMs);
    const giveUp = (): unknown => socket.destroy(new Error('It did not answer in time.'));
    timeout.addEventListener('abort', giveUp);
    try {
      await greetSocks(socket, login).catch((cause: Error) => {
        throw new GleanerError('proxy_failed', `The proxy ${id} could not be used.`, { cause });
      });
      await work(socket);
      return socket;
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      timeout.removeEventListener('abort', giveUp);
    }
  };

  return {
    open: (address, port) =>
      withSocket(async (socket) => {
        const reply = await requestConnect(socket, { address, port }).catch((cause: Error) => {
          throw suspicion(`The proxy ${id} did not answer.`, cause);
        });
        if (reply !== SocksReply.granted) throw refusal(id, reply);
      }),
    greet: async () => void (await withSocket(async () => {})).destroy(),
    close: async () => {},
  };
}

function refusal(id: string, reply: number): GleanerError {
  switch (reply) {
    case SocksReply.networkUnreachable:
    case SocksReply.hostUnreachable:
    case SocksReply.refused:
    case SocksReply.ttlExpired:
      return new GleanerError('connect_failed', `The proxy ${id} could not reach the target (reply ${reply}).`);
    // It speaks no IPv6, for example: other targets may be fine.
    case SocksReply.unknownAddressType:
      return suspicion(`The proxy ${id} cannot connect to such an address.`);
    default:
      return new GleanerError('proxy_failed', `The proxy ${id} refused to connect (reply ${reply}).`);
  }
}

const suspicion = (message: string, cause?: unknown): GleanerError =>
  new GleanerError('proxy_failed', message, { isSuspicion: true, ...(cause === undefined ? {} : { cause }) });

function basicAuth(url: URL): string | undefined {
  if (url.username === '' && url.password === '') return undefined;
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}
