import diagnostics from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, expect } from 'vitest';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import type { Clock } from '../../src/ports/clock.js';
import { TLS_CERT, TLS_KEY } from '../support/tls.js';

let leaptMs = 0;

/** Real time, except that whoever waits is there at once. Time limits are real: a busy machine does not reach them. */
export const leaping: Clock = {
  ...systemClock,
  mono: () => systemClock.mono() + leaptMs,
  wait: async (ms) => {
    leaptMs += ms;
  },
};

interface Served {
  origin: string;
  port: number;
  /** Requests so far. */
  asked(): number;
  /** TCP connections so far. */
  connections(): number;
}

/** A server on loopback until the tests of the file are over. `secure` speaks TLS, with a certificate for tls.example. */
export async function serve(
  listener: RequestListener,
  { host = '127.0.0.1', secure = false }: { host?: string; secure?: boolean } = {},
): Promise<Served> {
  const sockets = new Set<Socket>();
  let [asked, connections] = [0, 0];
  const counting: RequestListener = (request, response) => {
    asked += 1;
    listener(request, response);
  };
  const server = secure ? createHttpsServer({ cert: TLS_CERT, key: TLS_KEY }, counting) : createServer(counting);
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket.on('error', () => {}));
  });
  server.listen(0, host);
  await once(server, 'listening');
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const origin = secure ? `https://tls.example:${port}` : `http://${host}:${port}`;
  return { origin, port, asked: () => asked, connections: () => connections };
}

/** The bytes our side takes from its sockets meanwhile. */
export async function bytesReadDuring(work: () => Promise<void>): Promise<number> {
  const sockets: Socket[] = [];
  const note = (message: unknown) => void sockets.push((message as { socket: Socket }).socket);
  diagnostics.subscribe('undici:client:connected', note);
  try {
    await work();
  } finally {
    diagnostics.unsubscribe('undici:client:connected', note);
  }
  expect(sockets.length).toBeGreaterThan(0);
  return sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
}

/** Sends `block` up to `times`, as fast as it is taken; answers how many bytes it could send before the other side left. */
export async function flood(response: ServerResponse, block: Buffer, times: number): Promise<number> {
  const closed = once(response, 'close');
  let sent = 0;
  for (let n = 0; n < times && !response.destroyed; n += 1) {
    sent += block.length;
    if (!response.write(block)) await Promise.race([once(response, 'drain'), closed]);
  }
  if (!response.destroyed) response.end();
  return sent;
}

const closing: (() => void)[] = [];

afterAll(() => {
  for (const close of closing.splice(0)) close();
});
