/**
 * A real receiver of webhooks on loopback. It keeps every request, to the byte, and behaves as it is told to:
 *
 *   200, 500, …                       that status and a short body
 *   { status, headers, body }         the same in detail (Retry-After, …)
 *   { redirect: 307, to: url }        a redirect
 *   'hang'                            takes the request and never answers
 *   'drip'                            200 and its headers at once, then a byte every 50 ms for ever
 *   { flood: bytes, declared }        200 and that much of a body; with Content-Length if it is declared
 *   'close'                           ends the connection in place of an answer
 *   'reset'                           the same, but rudely (RST)
 *   { raw: text }                     writes that and ends the connection
 *
 * or a function that says so for each request, at once or when it sees fit: a promise holds the answer back.
 */
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { keep } from './sinks.js';

export type Behaviour =
  | number
  | { status: number; headers?: Record<string, string>; body?: string }
  | { redirect: 301 | 302 | 303 | 307 | 308; to: string }
  | { flood: number; declared?: boolean }
  | { raw: string }
  | 'hang'
  | 'drip'
  | 'close'
  | 'reset';

export interface Received {
  method: string;
  /** With its query string. */
  path: string;
  headers: IncomingHttpHeaders;
  /** Exactly what came. */
  body: Buffer;
  /** When all of it was there: monotonic, and by the wall clock; both in ms. */
  at: number;
  wallAt: number;
  /** Which connection it came on, from 1. */
  connection: number;
}

type Behave = Behaviour | ((request: Received) => Behaviour | Promise<Behaviour>);

export interface Receiver {
  origin: string;
  port: number;
  url(path?: string): string;
  requests: Received[];
  /** How the next request is answered. */
  behave: Behave;
  /** TCP connections accepted so far. */
  connections(): number;
  /** Those still open. */
  open(): number;
  /** Bytes of answers' bodies handed to the system so far. */
  sent(): number;
  /** Resolves when that many requests have come; rejects when they have not within 30 s. */
  until(count: number): Promise<Received[]>;
  /** Resolves when that connection is closed; without a number, when none is open any more. Gives up likewise. */
  untilLeft(connection?: number): Promise<void>;
  close(): Promise<void>;
}

interface ReceiverOptions {
  /** Another of 127.0.0.0/8 is another host. */
  host?: string;
  /** That of an earlier receiver, to be back where it was. */
  port?: number;
  behave?: Behave;
  tls?: { cert: string; key: string };
}

const LONGEST_WAIT_MS = 30_000;
const DRIP_MS = 50;
const BLOCK = Buffer.alloc(64 * 1024, '.');

export async function startReceiver({
  host = '127.0.0.1',
  port: wanted = 0,
  behave = 200,
  tls,
}: ReceiverOptions = {}): Promise<Receiver> {
  const sockets = new Map<Socket, number>();
  const news = new EventEmitter().setMaxListeners(0);
  let accepted = 0;
  let sent = 0;
  const count = (bytes: number): void => {
    sent += bytes;
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.on('error', () => {});
    const received = await receive(request, sockets.get(request.socket) ?? 0);
    if (!received) return;
    receiver.requests.push(received);
    keepReceived(received);
    news.emit('request');
    const { behave: how } = receiver;
    act(typeof how === 'function' ? await how(received) : how, response, count);
  };
  const options = { keepAliveTimeout: 30_000 };
  const server = tls ? createHttpsServer({ ...options, ...tls }, serve) : createServer(options, serve);
  server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    accepted += 1;
    sockets.set(socket, accepted);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      news.emit('left');
    });
  });
  server.on('tlsClientError', () => {});
  server.listen(wanted, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const origin = `${tls ? 'https' : 'http'}://${host}:${port}`;

  const waitFor = async (event: string, isThere: () => boolean): Promise<void> => {
    const signal = AbortSignal.timeout(LONGEST_WAIT_MS);
    while (!isThere()) await once(news, event, { signal });
  };
  const receiver: Receiver = {
    origin,
    port,
    url: (path = '/hook') => origin + path,
    requests: [],
    behave,
    connections: () => accepted,
    open: () => sockets.size,
    sent: () => sent,
    async until(wished) {
      await waitFor('request', () => receiver.requests.length >= wished);
      return receiver.requests.slice(0, wished);
    },
    untilLeft: (connection) =>
      waitFor('left', () => (connection ? ![...sockets.values()].includes(connection) : sockets.size === 0)),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      for (const socket of sockets.keys()) socket.destroy();
      await closed;
    },
  };
  return receiver;
}

/** Not its path, which the receiver chose itself, and not the signatures, which are made of the secret. */
function keepReceived({ headers, body }: Received): void {
  const { 'webhook-signature': _ours, 'x-webhook-signature': _theirs, ...others } = headers;
  keep('webhook', `${JSON.stringify(others)}\n${body}`);
}

/** That status the first times, and 200 from then on. */
export function first(times: number, behaviour: Behaviour): (request: Received) => Behaviour {
  let left = times;
  return () => (left-- > 0 ? behaviour : 200);
}

/** All of the request; `null` if the connection broke before that. */
async function receive(request: IncomingMessage, connection: number): Promise<Received | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    return null;
  }
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    body: Buffer.concat(chunks),
    at: performance.now(),
    wallAt: Date.now(),
    connection,
  };
}

function act(behaviour: Behaviour, response: ServerResponse, count: (bytes: number) => void): void {
  if (typeof behaviour === 'number') answer(response, { status: behaviour });
  else if (behaviour === 'drip') void drip(response);
  else if (behaviour === 'close') response.socket?.end();
  else if (behaviour === 'reset') response.socket?.resetAndDestroy();
  else if (behaviour === 'hang') return;
  else if ('status' in behaviour) answer(response, behaviour);
  else if ('redirect' in behaviour)
    answer(response, { status: behaviour.redirect, headers: { location: behaviour.to } });
  else if ('flood' in behaviour) void flood(response, behaviour, count);
  else response.socket?.end(behaviour.raw);
}

function answer(
  response: ServerResponse,
  { status, headers = {}, body = '' }: { status: number; headers?: Record<string, string>; body?: string },
): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}

async function drip(response: ServerResponse): Promise<void> {
  response.writeHead(200).flushHeaders();
  while (!response.destroyed) {
    response.write('.');
    await sleep(DRIP_MS, undefined, { ref: false });
  }
}

/** Writes as fast as it is read, so that a reader that stops early is not sent the rest. */
async function flood(
  response: ServerResponse,
  { flood: bytes, declared = false }: { flood: number; declared?: boolean },
  count: (bytes: number) => void,
): Promise<void> {
  response.writeHead(200, declared ? { 'content-length': bytes } : {});
  const gone = once(response, 'close');
  for (let left = bytes; left > 0 && !response.destroyed; left -= BLOCK.length) {
    const block = BLOCK.subarray(0, Math.min(left, BLOCK.length));
    count(block.length);
    if (!response.write(block)) await Promise.race([once(response, 'drain'), gone]);
  }
  response.end();
}
