import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import type { GleanerError } from '../../src/domain/errors.js';
import type { LookupAll } from '../../src/fetching/egress.js';
import type { HttpFetcher } from '../../src/fetching/http-fetch.js';
import type { FetchRequest } from '../../src/ports/fetcher.js';
import { openHttpFetcher } from '../support/http-fetcher.js';
import { pageOf } from '../support/page-of.js';
import { startChainProxy, startHttpProxy, startSocksProxy, type TestProxy } from '../support/proxy-servers.js';
import { PROXY_CERT, PROXY_KEY } from '../support/proxy-tls.js';
import { type Site, startSite } from '../support/site.js';
import { TLS_CERT, TLS_KEY } from '../support/tls.js';

let site: Site;
let fetcher: HttpFetcher;
let tlsPort: number;
const closing: (() => Promise<unknown> | unknown)[] = [];

const lookup: LookupAll = async () => [{ address: '127.0.0.3', family: 4 }];

const through = (url: string, proxyUrl: string): FetchRequest => ({
  url,
  identity: {
    userAgent: 'Mozilla/5.0 Test',
    viewport: { width: 1280, height: 720 },
    screen: { width: 1280, height: 800 },
    timezone: 'America/New_York',
    locale: 'en-US',
    languages: ['en-US', 'en'],
    geolocation: null,
    headers: {},
  },
  proxy: { id: 'p1', url: proxyUrl, region: null },
  waitFor: { selectors: [], timeoutMs: 0 },
});

const get = async (url: string, proxyUrl: string) =>
  pageOf(await fetcher.fetch(through(url, proxyUrl), AbortSignal.timeout(5000)));

async function fault(url: string, proxyUrl: string): Promise<GleanerError> {
  return get(url, proxyUrl).then(
    () => expect.unreachable('it went through'),
    (error: GleanerError) => error,
  );
}

beforeAll(async () => {
  site = await startSite();
  const server = createHttpsServer({ cert: TLS_CERT, key: TLS_KEY }, (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('secure');
  });
  server.listen(0, '127.0.0.3');
  await once(server, 'listening');
  tlsPort = (server.address() as AddressInfo).port;
  fetcher = openHttpFetcher({ allow: ['tls.example', '127.0.0.3'], lookup, ca: `${TLS_CERT}${PROXY_CERT}` });
  closing.push(
    () => site.close(),
    () => server.close(),
    () => fetcher.close(),
  );
});

afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

describe.each([
  ['an HTTP proxy', 'http', startHttpProxy],
  ['proxy-chain as an HTTP proxy', 'http', startChainProxy],
  ['proxy-chain as an HTTPS proxy', 'https', (options: object = {}) => startChainProxy({ ...options, tls: true })],
  ['a SOCKS5 proxy', 'socks5', startSocksProxy],
  ['a SOCKS5 proxy by its other name', 'socks5h', startSocksProxy],
] as const)('%s', (_, scheme, start) => {
  it('carries plain and TLS visits to the address that was checked', async () => {
    const proxy = await start({ auth: 'user:p@ss' });
    closing.push(proxy.close);
    const url = `${scheme}://user:p%40ss@127.0.0.1:${proxy.port}`;
    expect((await get(`http://site.example:${site.port}/job/5`, url)).html).toContain('Gardener Grade 5');
    expect((await get(`https://tls.example:${tlsPort}/`, url)).html).toBe('secure');
    expect(proxy.targets).toEqual([`127.0.0.3:${site.port}`, `127.0.0.3:${tlsPort}`]);
    expect(proxy.logins).toEqual(['user:p@ss', 'user:p@ss']);
  });

  it('is never asked for a forbidden address', async () => {
    const proxy = await start();
    closing.push(proxy.close);
    const url = `${scheme}://127.0.0.1:${proxy.port}`;
    expect(await fault(`http://127.0.0.1:${site.port}/job/5`, url)).toMatchObject({ code: 'egress_denied' });
    expect(proxy.targets).toEqual([]);
  });

  it('is to blame when it refuses us, and its password stays out of the error', async () => {
    const proxy = await start({ auth: 'user:right' });
    closing.push(proxy.close);
    const error = await fault(
      `http://site.example:${site.port}/job/5`,
      `${scheme}://user:hush-hush@127.0.0.1:${proxy.port}`,
    );
    expect(error).toMatchObject({ code: 'proxy_failed', isSuspicion: false });
    expect(`${error.message} ${JSON.stringify(error)} ${error.cause}`).not.toContain('hush');
  });

  it('is to blame when it is down, is silent or speaks something else', async () => {
    const target = `http://site.example:${site.port}/`;
    expect(await fault(target, `${scheme}://127.0.0.1:1`)).toMatchObject({ code: 'proxy_failed', isSuspicion: false });
    const silent = await listen((socket) => void socket.on('error', () => {}));
    expect(await fault(target, `${scheme}://127.0.0.1:${silent}`)).toMatchObject({ code: 'proxy_failed' });
    const chatty = await listen((socket) => void socket.on('error', () => {}).end('220 mail.example ESMTP\r\n'));
    const error = await fault(target, `${scheme}://127.0.0.1:${chatty}`);
    expect(error).toMatchObject({ code: 'proxy_failed', isSuspicion: false });
  });
});

/** A port where everybody is served so. */
async function listen(serve: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    serve(socket);
  }).listen(0, '127.0.0.1');
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

describe('who is to blame', () => {
  const opened = async (proxy: Promise<TestProxy>): Promise<number> => {
    closing.push((await proxy).close);
    return (await proxy).port;
  };
  const ask = async (scheme: string, proxy: Promise<TestProxy>): Promise<GleanerError> =>
    fault(`http://site.example:${site.port}/job/1`, `${scheme}://127.0.0.1:${await opened(proxy)}`);

  it.each([403, 500, 502, 503, 504])('is unclear when an HTTP proxy answers %d', async (status) => {
    const error = await ask('http', startHttpProxy({ refuseWith: status }));
    expect(error).toMatchObject({ code: 'proxy_failed', isSuspicion: true });
    expect(error.message).toContain(String(status));
  });

  it.each([3, 4, 5, 6])('is the target when a SOCKS5 proxy says so (reply %d)', async (replyWith) => {
    const error = await ask('socks5', startSocksProxy({ replyWith }));
    expect(error).toMatchObject({ code: 'connect_failed', isSuspicion: false });
  });

  it.each([1, 2, 7, 9, 255])('is a SOCKS5 proxy that will not connect us (reply %d)', async (replyWith) => {
    const error = await ask('socks5', startSocksProxy({ replyWith }));
    expect(error).toMatchObject({ code: 'proxy_failed', isSuspicion: false });
  });

  it('is unclear when a SOCKS5 proxy has no such addresses, or falls silent once it was asked', async () => {
    const unclear = { code: 'proxy_failed', isSuspicion: true };
    expect(await ask('socks5', startSocksProxy({ replyWith: 8 }))).toMatchObject(unclear);
    expect(await ask('socks5', startSocksProxy({ silentAfter: 'request' }))).toMatchObject(unclear);
    const before = await ask('socks5', startSocksProxy({ silentAfter: 'greeting' }));
    expect(before).toMatchObject({ code: 'proxy_failed', isSuspicion: false });
  });

  it('is a SOCKS5 proxy that wants a password where we have none', async () => {
    const error = await ask('socks5', startSocksProxy({ auth: 'user:pass' }));
    expect(error).toMatchObject({ code: 'proxy_failed', isSuspicion: false });
  });

  it('is an HTTPS proxy whose certificate we do not trust', async () => {
    const untrusting = openHttpFetcher({ allow: ['127.0.0.3'], lookup, maxBodyBytes: 1024 });
    closing.push(() => untrusting.close());
    const port = await opened(startChainProxy({ tls: true }));
    const request = through(`http://site.example:${site.port}/job/1`, `https://127.0.0.1:${port}`);
    const error = await untrusting.fetch(request, AbortSignal.timeout(5000)).catch((thrown: GleanerError) => thrown);
    expect(error).toMatchObject({ code: 'proxy_failed', isSuspicion: false });
  });

  it('is the target that fails or falls silent behind a tunnel that stands', async () => {
    for (const [scheme, start] of [['http', startHttpProxy] as const, ['socks5', startSocksProxy] as const]) {
      const proxyUrl = `${scheme}://127.0.0.1:${await opened(start())}`;
      const target = `http://site.example:${site.port}`;
      expect(await fault(`${target}/status/500`, proxyUrl)).toMatchObject({ code: 'target_server_error' });
      expect(await fault(`${target}/hang`, proxyUrl)).toMatchObject({ code: 'target_timeout' });
    }
  });

  it('is unclear when a certificate of unknown origin comes through a proxy: it may read along', async () => {
    const liar = createTlsServer({ cert: PROXY_CERT, key: PROXY_KEY }, (socket) => socket.destroy());
    liar.on('tlsClientError', () => {});
    liar.listen(0, '127.0.0.1');
    await once(liar, 'listening');
    const { port } = liar.address() as AddressInfo;
    // A proxy that leads every connection to itself.
    const meddling = createHttpServer();
    meddling.on('connect', (_, socket: Socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const far = connect(port, '127.0.0.1', () => socket.pipe(far).pipe(socket));
      far.on('error', () => socket.destroy());
      socket.on('error', () => far.destroy());
    });
    meddling.listen(0, '127.0.0.1');
    await once(meddling, 'listening');
    closing.push(
      () => liar.close(),
      () => meddling.close(),
    );
    const trustingSites = openHttpFetcher({
      allow: ['tls.example', '127.0.0.3'],
      lookup,
      maxBodyBytes: 1024,
      ca: TLS_CERT,
    });
    closing.push(() => trustingSites.close());
    const proxyUrl = `http://127.0.0.1:${(meddling.address() as AddressInfo).port}`;
    const request = through(`https://tls.example:${tlsPort}/`, proxyUrl);
    const error = await trustingSites.fetch(request, AbortSignal.timeout(5000)).catch((thrown: GleanerError) => thrown);
    expect(error).toMatchObject({ code: 'proxy_failed', isSuspicion: true });
    // Without a proxy there is nobody else: it is the site's.
    const direct = await fetcher
      .fetch({ ...through(`https://site.example:${tlsPort}/`, ''), proxy: null }, AbortSignal.timeout(5000))
      .catch((thrown: GleanerError) => thrown);
    expect(direct).toMatchObject({ code: 'tls_failed' });
  });

  it('is whoever wrote the settings where the scheme is no proxy', async () => {
    const error = await fault(`http://site.example:${site.port}/x`, 'gopher://127.0.0.1:1');
    expect(error).toMatchObject({ code: 'proxy_failed' });
  });
});

it('seventy proxies all go on working, also when their first connections are gone', async () => {
  const proxy = await startHttpProxy();
  closing.push(proxy.close);
  const urls = Array.from({ length: 70 }, (_, n) => `http://user-${n}:pass@127.0.0.1:${proxy.port}`);
  for (const url of [...urls, urls[0]!]) {
    expect((await get(`http://site.example:${site.port}/job/5`, url)).httpStatus).toBe(200);
  }
  // The first one again, where its old connection is gone.
  await systemClock.wait(5500);
  expect((await get(`http://site.example:${site.port}/job/6`, urls[0]!)).httpStatus).toBe(200);
  expect(new Set(proxy.logins).size).toBe(70);
});
