import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A small site of a test's own, under any host name that the test lets resolve to loopback. */
export interface PageServer {
  port: number;
  url(path: string, host?: string): string;
  seen: { host: string; method: string; path: string; search: string; headers: IncomingMessage['headers'] }[];
  /** What was asked of one host: methods and paths. */
  asked(host: string): string[];
  close(): Promise<void>;
}

/** A body, or the whole answer. What is not there is 404. */
type Answer = string | ((url: URL, response: ServerResponse) => string | undefined);

/** `address`: one of 127.0.0.0/8; each is a domain of its own. */
export async function startPageServer(pages: Record<string, Answer>, address = '127.0.0.1'): Promise<PageServer> {
  const seen: PageServer['seen'] = [];
  const server = createServer((request, response) => {
    const { host = '', ...headers } = request.headers;
    const url = new URL(request.url ?? '/', `http://${host}`);
    const { hostname, pathname: path, search } = url;
    seen.push({ host: hostname, method: request.method ?? '', path, search, headers });
    request.resume();
    response.setHeader('content-type', 'text/html');
    const answer = pages[url.pathname];
    if (answer === undefined) response.writeHead(404);
    const body = typeof answer === 'function' ? answer(url, response) : answer;
    if (!response.writableEnded) response.end(body ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: (path, host = address) => `http://${host}:${port}${path}`,
    seen,
    asked: (host) => seen.filter((request) => request.host === host).map(({ method, path }) => `${method} ${path}`),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The `to` of the query, for a page that leads there. */
export const target = (url: URL): string => url.searchParams.get('to') ?? '';

export function redirect(code: number): Answer {
  return (url, response) => {
    response.writeHead(code, { location: target(url), 'access-control-allow-origin': '*' }).end();
    return undefined;
  };
}
