import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import type { GleanerError } from '../../src/domain/errors.js';
import { createEgress, type LookupAll } from '../../src/fetching/egress.js';
import { createHttpFetcher, type HttpFetcher } from '../../src/fetching/http-fetch.js';
import type { FetchRequest } from '../../src/ports/fetcher.js';
import { startHttpProxy, startSocksProxy } from '../support/proxy-servers.js';
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
    timezone: 'America/New_York',
    locale: 'en-US',
    geolocation: null,
    headers: {},
  },
  proxy: { id: 'p1', url: proxyUrl, region: null },
  waitFor: { selectors: [], timeoutMs: 0 },
});

const get = (url: string, proxyUrl: string) => fetcher.fetch(through(url, proxyUrl), AbortSignal.timeout(5000));

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
  fetcher = createHttpFetcher({
    egress: createEgress({ allow: ['tls.example', '127.0.0.3'], lookup }),
    maxBodyBytes: 1024 * 1024,
    connectTimeoutMs: 2000,
    headersTimeoutMs: 2000,
    bodyTimeoutMs: 2000,
    maxRedirects: 20,
    clock: systemClock,
    ca: TLS_CERT,
  });
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
  ['a SOCKS5 proxy', 'socks5', startSocksProxy],
] as const)('%s', (_, scheme, start) => {
  it('carries plain and TLS visits to the address that was checked', async () => {
    const proxy = await start({ auth: 'user:p@ss' });
    closing.push(proxy.close);
    const url = `${scheme}://user:p%40ss@127.0.0.1:${proxy.port}`;
    expect((await get(`http://site.example:${site.port}/job/5`, url)).html).toContain('Gardener Grade 5');
    expect((await get(`https://tls.example:${tlsPort}/`, url)).html).toBe('secure');
    expect(proxy.targets).toEqual([`127.0.0.3:${site.port}`, `127.0.0.3:${tlsPort}`]);
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
    expect(error.code).toBe('proxy_failed');
    expect(`${error.message} ${JSON.stringify(error)} ${error.cause}`).not.toContain('hush');
  });

  it('is to blame when it is down or silent', async () => {
    expect(await fault(`http://site.example:${site.port}/`, `${scheme}://127.0.0.1:1`)).toMatchObject({
      code: 'proxy_failed',
    });
    const silent = createServer((socket) => socket.on('error', () => {}));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    expect(await fault(`http://site.example:${site.port}/`, `${scheme}://127.0.0.1:${port}`)).toMatchObject({
      code: 'proxy_failed',
    });
    silent.close();
  });
});

it('a proxy that answers 502 is to blame, a target that fails behind a working one is itself', async () => {
  const refusing = await startHttpProxy({ refuseWith: 502 });
  const working = await startHttpProxy();
  closing.push(refusing.close, working.close);
  const target = `http://site.example:${site.port}`;
  expect(await fault(`${target}/job/1`, `http://127.0.0.1:${refusing.port}`)).toMatchObject({ code: 'proxy_failed' });
  expect(await fault(`${target}/status/500`, `http://127.0.0.1:${working.port}`)).toMatchObject({
    code: 'target_server_error',
  });
  expect(await fault(`${target}/x`, 'gopher://127.0.0.1:1')).toMatchObject({ code: 'proxy_failed' });
});
