import { randomBytes } from 'node:crypto';
import { Agent, type ClientRequestArgs, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type PrepareRequestFunctionOpts, type PrepareRequestFunctionResult, RequestError, Server } from 'proxy-chain';
import { GleanerError } from '../domain/errors.js';
import type { ProxyChoice } from '../ports/fetcher.js';
import type { Log } from '../ports/telemetry.js';
import type { Egress } from './egress.js';
import { type Route, routeFor } from './http-connect.js';
import { transportError } from './http-errors.js';

/**
 * The only way out of Chromium. Interception inside the browser is no boundary (WebSockets, workers, preconnects and
 * rebinding get past it); a proxy that resolves, checks and dials by itself is. It dials as the HTTP fetcher does:
 * the very address that was checked, directly or through the visit's own upstream. Every connection says by its user
 * name which visit it belongs to, so that its way is known, its bytes are counted and its refusals are kept.
 */
export interface EgressProxy {
  start(): Promise<void>;
  /** `http://127.0.0.1:port`, once started. */
  readonly url: string;
  /** Throws `egress_unavailable` while nobody listens at the url: whoever does then is not us. */
  open(visit: { proxy: ProxyChoice | null }): EgressGate;
  stop(): Promise<void>;
}

/** One visit's pass. */
export interface EgressGate {
  readonly username: string;
  readonly password: string;
  /**
   * Why the host of this URL was not reached for this visit; `null` if it was, or was never asked for. After an outage
   * of the proxy itself that is the reason of everything that has no other.
   */
  refusalOf(url: string): GleanerError | null;
  lastRefusal(): GleanerError | null;
  /** Bytes exchanged with the browser so far. */
  bytes(): number;
  /** The pass is void from here on, and every connection it opened is cut. */
  close(): void;
}

interface Pass extends EgressGate {
  readonly connections: Set<number>;
  readonly agent: Agent;
  /** Rejects with GleanerError, and remembers it. */
  dial(hop: Hop): Promise<Socket>;
  closedBytes: number;
}

interface Hop {
  hostname: string;
  port: number;
}

const CONNECT_TIMEOUT_MS = 10_000;

export function createEgressProxy(options: { egress: Egress; log: Log; connectTimeoutMs?: number }): EgressProxy {
  const passes = new Map<string, Pass>();
  const owners = new Map<number, Pass>();
  const ways = { egress: options.egress, connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS };
  let opened = 0;
  let isWanted = false;
  let isReviving = false;
  let outages = 0;

  const server = new TunnelServer({ host: '127.0.0.1', port: 0, prepareRequestFunction: admit });
  const listener = server.server;
  listener.on('close', revive);
  // Without a listener a failed accept (no descriptors left) would end the process.
  listener.on('error', (error) => options.log.error({ err: error }, 'the egress proxy could not listen or accept'));
  server.on('connectionClosed', ({ connectionId }: { connectionId: number }) => {
    const pass = owners.get(connectionId);
    owners.delete(connectionId);
    if (pass?.connections.delete(connectionId)) pass.closedBytes += bytesOf(connectionId);
  });

  return {
    async start() {
      await server.listen();
      isWanted = true;
    },
    get url() {
      return `http://127.0.0.1:${server.port}`;
    },
    open({ proxy }) {
      if (!listener.listening) {
        revive();
        throw unavailable();
      }
      const route = routeFor(proxy, ways);
      const outagesBefore = outages;
      const outage = (): GleanerError | null =>
        listener.listening && outages === outagesBefore ? null : unavailable();
      const refusals = new Map<string, GleanerError>();
      const pass: Pass = {
        username: `visit-${++opened}`,
        password: randomBytes(16).toString('hex'),
        connections: new Set(),
        // An agent of its own: the global one would hand a socket of one visit to the next.
        agent: new DialingAgent((hop) => pass.dial(hop)),
        closedBytes: 0,
        async dial(hop) {
          try {
            const socket = await dialThrough(route, hop);
            if (passes.has(pass.username)) return socket;
            socket.destroy();
            throw new GleanerError('egress_denied', 'The visit is over.');
          } catch (cause) {
            const refusal = transportError(cause, hop.hostname, 'answer');
            refusals.set(keyOf(hop), refusal);
            options.log.debug({ host: hop.hostname, port: hop.port, code: refusal.code }, 'not reached');
            throw refusal;
          }
        },
        refusalOf: (url) => refusals.get(keyOf(hopOf(url))) ?? outage(),
        lastRefusal: () => [...refusals.values()].at(-1) ?? outage(),
        bytes: () => [...pass.connections].reduce((sum, id) => sum + bytesOf(id), pass.closedBytes),
        close() {
          passes.delete(pass.username);
          for (const id of pass.connections) server.closeConnection(id);
          pass.agent.destroy();
          void route.close();
        },
      };
      passes.set(pass.username, pass);
      return pass;
    },
    async stop() {
      isWanted = false;
      await server.close(true).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ERR_SERVER_NOT_RUNNING') throw error;
      });
    },
  };

  /**
   * It ends only when told to; if its socket is gone otherwise, it takes the same port again, because the browsers
   * know no other. At once, and if that fails with every visit that is refused for it: nobody else needs it.
   */
  function revive(): void {
    if (!isWanted || isReviving || listener.listening) return;
    isReviving = true;
    outages += 1;
    server
      .listen()
      .then(
        () => options.log.warn({ url: `127.0.0.1:${server.port}` }, 'the egress proxy was gone and listens again'),
        // The listener's own error event has told it.
        () => undefined,
      )
      .finally(() => {
        isReviving = false;
      });
  }

  function admit(opts: PrepareRequestFunctionOpts): PrepareRequestFunctionResult {
    const pass = passes.get(opts.username);
    if (!pass || pass.password !== opts.password) return { requestAuthentication: true };
    owners.set(opts.connectionId, pass);
    pass.connections.add(opts.connectionId);
    hideProxy(opts.request);
    return { httpAgent: pass.agent, customTag: pass };
  }

  function bytesOf(connectionId: number): number {
    const stats = server.getConnectionStats(connectionId);
    return (stats?.srcRxBytes ?? 0) + (stats?.srcTxBytes ?? 0);
  }
}

function dialThrough(route: Route, { hostname, port }: Hop): Promise<Socket> {
  return new Promise((resolve, reject) => {
    route.connect({ hostname, protocol: 'http:', port: String(port) }, (error, socket) => {
      if (socket) resolve(socket);
      else reject(error);
    });
  });
}

/** proxy-chain for the protocol; tunnels (CONNECT, which WebSockets use too) are dialled by the visit's pass. */
class TunnelServer extends Server {
  override async onConnect(...[request, near, head]: Parameters<Server['onConnect']>): Promise<void> {
    try {
      const { customTag, trgParsed } = await this.prepareRequestHandling(request);
      const hop = { hostname: trgParsed?.hostname ?? '', port: Number(trgParsed?.port) };
      const far = await (customTag as Pass).dial(hop);
      // Both ends go together. Half-closing the far one would let a hostile server keep our descriptors.
      near.on('error', () => far.destroy()).on('close', () => far.destroy());
      far.on('error', () => near.destroy()).on('close', () => near.destroySoon());
      if (near.destroyed) far.destroy();
      near.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      if (head.length > 0) far.write(head);
      near.pipe(far).pipe(near);
    } catch (error) {
      this.failRequest(request, error instanceof GleanerError ? refused(error) : (error as Error));
    }
  }
}

/** For plain HTTP requests. */
class DialingAgent extends Agent {
  readonly #dial: (hop: Hop) => Promise<Socket>;

  constructor(dial: (hop: Hop) => Promise<Socket>) {
    super({ keepAlive: true });
    this.#dial = dial;
  }

  /** Node's own hook. It takes a socket as a result or, like here, through the callback. */
  override createConnection(
    options: ClientRequestArgs,
    callback?: (error: Error | null, socket: Duplex) => void,
  ): null {
    this.#dial({ hostname: options.host ?? '', port: Number(options.port) }).then(
      (socket) => callback?.(null, socket),
      (error: Error) => (callback as ((error: Error) => void) | undefined)?.(error),
    );
    return null;
  }
}

const unavailable = (): GleanerError =>
  new GleanerError('egress_unavailable', 'Our own way out to the network is down.');

const refused = (error: GleanerError): RequestError => new RequestError(error.message, error.status);

/** Chromium adds it for proxies; the target need not know that there is one. */
function hideProxy({ rawHeaders }: IncomingMessage): void {
  const at = rawHeaders.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === 'proxy-connection');
  if (at >= 0) rawHeaders.splice(at, 2);
}

function hopOf(url: string): Hop {
  const { hostname, port, protocol } = new URL(url);
  return { hostname, port: Number(port) || (protocol === 'https:' ? 443 : 80) };
}

const keyOf = ({ hostname, port }: Hop): string => `${hostname.replace(/^\[|\]$/g, '').toLowerCase()}:${port}`;
