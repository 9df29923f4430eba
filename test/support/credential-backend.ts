import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { TLS_CERT, TLS_KEY } from './tls.js';

export interface CredentialBackend {
  /** With a path of its own, as the real one has. */
  baseUrl: string;
  requests: { path: string; headers: IncomingHttpHeaders }[];
  /** What it does with each request; a test sets its own. */
  reply: RequestListener;
  openConnections(): number;
  close(): Promise<void>;
}

/** The API that knows the workspaces' credentials, as a real server on loopback. */
export async function startCredentialBackend({ tls = false } = {}): Promise<CredentialBackend> {
  const sockets = new Set<Socket>();
  const listener: RequestListener = (request, response) => {
    backend.requests.push({ path: request.url ?? '', headers: request.headers });
    backend.reply(request, response);
  };
  const server = tls ? createTlsServer({ cert: TLS_CERT, key: TLS_KEY }, listener) : createServer(listener);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const backend: CredentialBackend = {
    baseUrl: `${tls ? 'https' : 'http'}://127.0.0.1:${port}/api/v1`,
    requests: [],
    reply: answering(404, {}),
    openConnections: () => sockets.size,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return backend;
}

export const answering =
  (status: number, body: unknown, headers: Record<string, string> = {}): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body));
  };
