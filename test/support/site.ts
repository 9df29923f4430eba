/**
 * A real website on loopback with every misbehaviour, on one port of 127.0.0.1 … 127.0.0.8: eight "domains".
 *
 *   /job/N  /company/N  /profile/N   server-rendered, with JSON-LD (facts in site-pages.ts)
 *   /js/N                            script-rendered posting: empty root + fetch of /api/js/N
 *   /slow?ms=&close=1                a posting after ms (default 1000); the connection is closed after it if asked
 *   /hang                            accepts, never answers
 *   /stall                           headers and half a body, then silence
 *   /drip                            headers, then one byte every 200 ms for ever
 *   /status/N?retry_after=           any status code, with Retry-After if asked
 *   /redirect?to=&code=              one redirect (302)     /loop  to itself     /chain/N  N redirects, then a posting
 *   /huge?mb=                        mb megabytes of HTML, chunked (default 100)
 *   /bomb?mb=                        gzip that unpacks to mb megabytes (default 1024)
 *   /encoded/gzip|deflate|raw|br     an encoded posting; ?cut=1 leaves the end off
 *   /reset                           socket reset in mid-body      /short  less body than Content-Length says
 *   /badchunk                        a chunk size that is no number
 *   /blocked?status=                 a captcha page (200)          /empty  200 without a body
 *   /download  /pdf                  an attachment, a PDF
 *   /dialogs  /popups  /spin         alert & co., 1000 popups, for (;;) {}
 *   /latin1?declare=header|meta|none an ISO-8859-1 page (default header)
 *   /flaky/KEY?fails=K               503 K times, then a posting; counted per KEY
 *   /robots.txt                      `site.robots`: a text, or { status, text }
 *   /cookie                          sets `seen`, answers { cookie } as JSON
 *   /wall                            redirects to itself until the cookie it sets comes back
 *   /echo                            the request's headers as JSON
 *
 * Everything else is 404.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import {
  blockedPage,
  companyPage,
  dialogsPage,
  jobJsonLd,
  jobPage,
  page,
  popupsPage,
  profilePage,
  scriptJobPage,
  spinPage,
} from './site-pages.js';

export type RobotsAnswer = string | { status: number; text?: string; headers?: Record<string, string> };

export interface SeenRequest {
  method: string;
  /** With its query string. */
  path: string;
  host: string;
  /** Monotonic ms. */
  at: number;
  headers: IncomingMessage['headers'];
  /** The address that asked. */
  from: string;
}

export interface Site {
  /** `http://127.0.0.1:port` */
  origin: string;
  port: number;
  /** The addresses it answers on. */
  hosts: string[];
  url(path: string, host?: string): string;
  requests: SeenRequest[];
  /** TCP connections accepted so far. */
  connections(): number;
  robots: RobotsAnswer;
  close(): Promise<void>;
}

export async function startSite(options: { robots?: RobotsAnswer } = {}): Promise<Site> {
  const sockets = new Set<Socket>();
  const flaky = new Map<string, number>();
  let accepted = 0;

  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? '/', `http://${request.headers.host ?? 'unknown'}`);
    site.requests.push({
      method: request.method ?? '',
      path: url.pathname + url.search,
      host: url.host,
      at: performance.now(),
      headers: request.headers,
      from: request.socket.remoteAddress ?? '',
    });
    response.on('error', () => {});
    answer({ url, request, response, site, flaky });
  };

  const servers = await listenOnAll(HOSTS, () => {
    const server = createServer({ keepAliveTimeout: 5000 }, serve);
    server.on('connection', (socket) => {
      accepted += 1;
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    });
    return server;
  });
  const { port } = servers[0]!.address() as AddressInfo;

  const site: Site = {
    origin: `http://127.0.0.1:${port}`,
    port,
    hosts: [...HOSTS],
    url: (path, host = '127.0.0.1') => `http://${host}:${port}${path}`,
    requests: [],
    connections: () => accepted,
    robots: options.robots ?? 'User-agent: *\nDisallow: /forbidden\n',
    async close() {
      const closed = servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
    },
  };
  return site;
}

const HOSTS = [1, 2, 3, 4, 5, 6, 7, 8].map((last) => `127.0.0.${last}`);

/** The first takes a free port, the others the same one on their address; if one of them is taken, all over again. */
async function listenOnAll(hosts: string[], create: () => Server): Promise<Server[]> {
  for (let tries = 0; ; tries += 1) {
    const servers: Server[] = [];
    try {
      for (const host of hosts) {
        const server = create();
        await listen(server, host, servers[0] ? (servers[0].address() as AddressInfo).port : 0);
        servers.push(server);
      }
      return servers;
    } catch (error) {
      for (const server of servers) server.close();
      if (tries === 10) throw error;
    }
  }
}

const listen = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });

interface Call {
  url: URL;
  request: IncomingMessage;
  response: ServerResponse;
  site: Site;
  flaky: Map<string, number>;
}

type Handler = (call: Call, argument: string) => void;

/** The first segment of the path names the route, the second is its argument. */
function answer(call: Call): void {
  const [, route = '', argument = ''] = call.url.pathname.split('/');
  const handler = ROUTES.get(route);
  if (handler) handler(call, argument);
  else send(call, 404, page('Not found', '', '<h1>Not found</h1>'));
}

const ROUTES = new Map<string, Handler>([
  ['job', (call, n) => send(call, 200, jobPage(Number(n), call.url.href))],
  ['company', (call, n) => send(call, 200, companyPage(Number(n), call.url.href))],
  ['profile', (call, n) => send(call, 200, profilePage(Number(n), call.url.href))],
  ['js', (call, n) => send(call, 200, scriptJobPage(Number(n)))],
  ['api', (call) => json(call, jobJsonLd(Number(call.url.pathname.split('/').at(-1)), call.url.href))],
  ['slow', slow],
  ['hang', () => {}],
  ['stall', ({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).write('<p>half')],
  ['drip', drip],
  ['status', status],
  ['redirect', (call) => redirect(call, call.url.searchParams.get('to') ?? '/job/1')],
  ['loop', (call) => redirect(call, '/loop')],
  ['chain', chain],
  ['huge', huge],
  ['bomb', bomb],
  ['encoded', encoded],
  ['reset', reset],
  ['short', short],
  ['badchunk', badChunk],
  ['blocked', (call) => send(call, Number(call.url.searchParams.get('status') ?? 200), blockedPage())],
  ['empty', (call) => send(call, 200, '')],
  ['download', download],
  ['pdf', (call) => send(call, 200, Buffer.from('%PDF-1.4\n%%EOF\n'), 'application/pdf')],
  ['dialogs', (call) => send(call, 200, dialogsPage(call.url.href))],
  ['popups', (call) => send(call, 200, popupsPage(call.url.href))],
  ['spin', (call) => send(call, 200, spinPage())],
  ['latin1', latin1],
  ['flaky', flakyThenFine],
  ['robots.txt', robots],
  ['cookie', cookie],
  ['wall', wall],
  ['echo', (call) => json(call, call.request.headers)],
]);

function send({ response }: Call, code: number, body: string | Buffer, type = 'text/html; charset=utf-8'): void {
  const bytes = Buffer.from(body as string);
  if (code === 204 || code === 304) response.writeHead(code).end();
  else response.writeHead(code, { 'content-type': type, 'content-length': bytes.length }).end(bytes);
}

const json = (call: Call, value: unknown): void => send(call, 200, JSON.stringify(value), 'application/json');

const html = { 'content-type': 'text/html; charset=utf-8' };

function slow(call: Call): void {
  if (call.url.searchParams.has('close')) call.response.setHeader('connection', 'close');
  const timer = setTimeout(
    () => send(call, 200, jobPage(1, call.url.href)),
    Number(call.url.searchParams.get('ms') ?? 1000),
  );
  call.response.on('close', () => clearTimeout(timer));
}

function drip({ response }: Call): void {
  response.writeHead(200, html);
  response.write('<!doctype html><title>drip</title>');
  const timer = setInterval(() => response.write('.'), 200);
  response.on('close', () => clearInterval(timer));
}

function status(call: Call, code: string): void {
  const retryAfter = call.url.searchParams.get('retry_after');
  if (retryAfter !== null) call.response.setHeader('retry-after', retryAfter);
  send(call, Number(code), page(`Status ${code}`, '', `<h1>Status ${code}</h1>`));
}

function redirect({ response, url }: Call, to: string): void {
  response.writeHead(Number(url.searchParams.get('code') ?? 302), { location: to, 'content-length': 0 }).end();
}

function chain(call: Call, n: string): void {
  if (Number(n) > 0) redirect(call, `/chain/${Number(n) - 1}`);
  else send(call, 200, jobPage(1, call.url.href));
}

/** Writes as fast as the reader reads, so that a reader that stops early is not sent the rest. */
function flood({ response }: Call, block: Buffer, blocks: number): void {
  let left = blocks;
  const more = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= 1;
      if (!response.write(block)) {
        response.once('drain', more);
        return;
      }
    }
    response.end();
  };
  more();
}

function huge(call: Call): void {
  call.response.writeHead(200, html);
  flood(call, Buffer.alloc(65536, '<p>filler</p>\n'), Number(call.url.searchParams.get('mb') ?? 100) * 16);
}

/** 16 MB of spaces a member, a few KB each: gzip allows members one after the other. */
function bomb(call: Call): void {
  call.response.writeHead(200, { ...html, 'content-encoding': 'gzip' });
  const member = gzipSync(Buffer.alloc(16 * 1024 * 1024, ' '));
  flood(call, member, Math.ceil(Number(call.url.searchParams.get('mb') ?? 1024) / 16));
}

function encoded(call: Call, encoding: string): void {
  const encoders = { gzip: gzipSync, deflate: deflateSync, raw: deflateRawSync, br: brotliCompressSync };
  const encode = encoders[encoding as keyof typeof encoders];
  const whole = encode(jobPage(3, call.url.href));
  const body = call.url.searchParams.get('cut') ? whole.subarray(0, whole.length - 40) : whole;
  const name = encoding === 'raw' ? 'deflate' : encoding;
  call.response.writeHead(200, { ...html, 'content-encoding': name, 'content-length': body.length }).end(body);
}

function reset({ response }: Call): void {
  response.writeHead(200, { ...html, 'content-length': 5000 });
  response.write('<!doctype html><title>never whole</title>');
  setTimeout(() => response.socket?.resetAndDestroy(), 20);
}

function short({ response }: Call): void {
  response.socket?.end(
    'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 5000\r\n\r\n<title>never whole</title>',
  );
}

function badChunk({ response }: Call): void {
  response.socket?.end(
    'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\nhello\r\n',
  );
}

function download({ response }: Call): void {
  const body = Buffer.alloc(4096, 'x');
  response
    .writeHead(200, {
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="data.bin"',
      'content-length': body.length,
    })
    .end(body);
}

function latin1(call: Call): void {
  const declare = call.url.searchParams.get('declare') ?? 'header';
  const meta = declare === 'meta' ? '<meta charset="iso-8859-1">' : '';
  const text = `<!doctype html><html><head>${meta}<title>Ingénieur à Orléans</title></head><body><h1>Ingénieur à Orléans</h1></body></html>`;
  const type = declare === 'header' ? 'text/html; charset=ISO-8859-1' : 'text/html';
  send(call, 200, Buffer.from(text, 'latin1'), type);
}

function flakyThenFine(call: Call, key: string): void {
  const failed = call.flaky.get(key) ?? 0;
  if (failed >= Number(call.url.searchParams.get('fails') ?? 1)) {
    send(call, 200, jobPage(1, call.url.href));
    return;
  }
  call.flaky.set(key, failed + 1);
  send(call, 503, page('Try later', '', '<h1>Try later</h1>'));
}

function robots(call: Call): void {
  const { robots: wanted } = call.site;
  const answer = typeof wanted === 'string' ? { status: 200, text: wanted } : wanted;
  const { status: code, text = '', headers = {} }: Exclude<RobotsAnswer, string> = answer;
  for (const [name, value] of Object.entries(headers)) call.response.setHeader(name, value);
  send(call, code, text, 'text/plain; charset=utf-8');
}

function cookie(call: Call): void {
  call.response.setHeader('set-cookie', ['seen=yes; Path=/; HttpOnly', 'other=1; Path=/']);
  json(call, { cookie: call.request.headers.cookie ?? null });
}

function wall(call: Call): void {
  if (call.request.headers.cookie?.includes('passed=yes')) {
    send(call, 200, jobPage(9, call.url.href));
    return;
  }
  call.response.setHeader('set-cookie', 'passed=yes; Path=/');
  redirect(call, '/wall');
}
