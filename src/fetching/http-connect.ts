import { buildConnector } from 'undici';
import { GleanerError } from '../domain/errors.js';
import type { ProxyChoice } from '../ports/fetcher.js';
import type { Egress } from './egress.js';
import { codeOf } from './http-errors.js';
import { tunnelThrough } from './proxy-tunnel.js';

export interface ConnectOptions {
  egress: Egress;
  connectTimeoutMs: number;
  /** Further certificate authorities to trust (PEM), for internal sites. */
  ca?: string;
  /** Places that are public but not for us, such as our own door. */
  isForbidden?: (address: string, port: number) => boolean;
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
  const trust = options.ca === undefined ? {} : { ca: options.ca };
  const dial = buildConnector({ timeout: options.connectTimeoutMs, ...trust });
  if (!proxy) {
    const connect = connector(options.egress, async (target, address, done) => {
      if (options.isForbidden?.(address, portOf(target))) throw forbidden(target.hostname);
      dial({ ...target, hostname: address }, done);
    });
    return { connect, close: async () => {} };
  }

  const tunnel = tunnelThrough(proxy, { timeoutMs: options.connectTimeoutMs, ...trust });
  const connect = connector(options.egress, async (target, address, done) => {
    const socket = await tunnel.open(address, portOf(target));
    if (target.protocol !== 'https:') return done(null, socket);
    dial({ ...target, hostname: address, httpSocket: socket }, (...[error, secure]) => {
      if (error) done(isForeignIssuer(error) ? interception(proxy.id, target.hostname) : error, null);
      else done(null, secure);
    });
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

const portOf = ({ port, protocol }: buildConnector.Options): number =>
  Number(port) || (protocol === 'https:' ? 443 : 80);

const forbidden = (host: string): GleanerError =>
  new GleanerError('egress_denied', `The host "${host}" leads back to this service.`);

/** Nobody we trust has signed the certificate: so it looks when a proxy reads along with a certificate of its own. */
const isForeignIssuer = (error: Error): boolean =>
  /^(DEPTH_ZERO_)?SELF_SIGNED|^UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)/.test(codeOf(error));

export const interception = (id: string, host: string): GleanerError =>
  new GleanerError('proxy_failed', `Through the proxy ${id}, ${host} shows a certificate of unknown origin.`, {
    isSuspicion: true,
  });
