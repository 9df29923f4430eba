import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEgress } from '../../src/fetching/egress.js';
import { createProbe } from '../../src/fetching/proxy-probe.js';
import { startChainProxy, startHttpProxy, startSocksProxy } from '../support/proxy-servers.js';
import { PROXY_CERT } from '../support/proxy-tls.js';
import { type Site, startSite } from '../support/site.js';

let site: Site;
const closing: (() => unknown)[] = [];
beforeAll(async () => {
  site = await startSite();
  closing.push(() => site.close());
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

const options = { egress: createEgress({ allow: ['127.0.0.0/8'] }), connectTimeoutMs: 2000, ca: PROXY_CERT };

/** `null`, or what the probe said. */
const failing = (proxyUrl: string, url: string | null = null, signal = new AbortController().signal) =>
  createProbe({ ...options, url })({ id: 'p1', url: proxyUrl, region: null }, signal).then(
    () => null,
    (error: Error) => error,
  );

describe.each([
  ['an HTTP proxy', 'http', startHttpProxy],
  ['proxy-chain', 'http', startChainProxy],
  ['proxy-chain with TLS', 'https', (more: object = {}) => startChainProxy({ ...more, tls: true })],
  ['a SOCKS5 proxy', 'socks5', startSocksProxy],
] as const)('a probe of %s', (_, scheme, start) => {
  it('succeeds where the proxy takes us, and touches no website', async () => {
    const [open, closed] = [await start(), await start({ auth: 'user:right-word' })];
    closing.push(open.close, closed.close);
    const before = site.connections();
    expect(await failing(`${scheme}://127.0.0.1:${open.port}`)).toBeNull();
    expect(await failing(`${scheme}://user:right-word@127.0.0.1:${closed.port}`)).toBeNull();
    expect(new Set(closed.logins)).toEqual(new Set(['user:right-word']));
    const own = [open, closed].map(({ port }) => `127.0.0.1:${port}`);
    const others = [...open.targets, ...closed.targets].filter((target) => !target.endsWith('.invalid:443'));
    expect(others.filter((target) => !own.includes(target))).toEqual([]);
    expect(site.connections()).toBe(before);
  });

  it('fails where the proxy refuses our password, is down or falls silent, and tells no password', async () => {
    const proxy = await start({ auth: 'user:right-word' });
    closing.push(proxy.close);
    const refused = await failing(`${scheme}://user:wrong-word@127.0.0.1:${proxy.port}`);
    expect(refused).toMatchObject({ code: 'proxy_failed' });
    expect(`${refused} ${JSON.stringify(refused)} ${refused?.cause}`).not.toMatch(/wrong-word/);
    expect(await failing(`${scheme}://127.0.0.1:1`)).toMatchObject({ code: 'proxy_failed' });
    expect(await failing(`${scheme}://127.0.0.1:${await silentPort()}`)).toMatchObject({ code: 'proxy_failed' });
  });

  it('with a URL of its own fetches that through the proxy', async () => {
    const proxy = await start({ exit: '127.0.0.120' });
    closing.push(proxy.close);
    const at = `${scheme}://127.0.0.1:${proxy.port}`;
    expect(await failing(at, site.url('/status/404'))).toBeNull();
    expect(site.requests.at(-1)).toMatchObject({ path: '/status/404', from: '127.0.0.120' });
    expect(await failing(at, site.url('/status/503'))).toMatchObject({ code: 'proxy_failed' });
    expect(await failing(at, 'http://127.0.0.1:1/')).not.toBeNull();
  });
});

it('a probe is content with any refusal but that of our password', async () => {
  const refusing = await startHttpProxy({ refuseWith: 502 });
  const doubting = await startHttpProxy({ refuseWith: 407 });
  closing.push(refusing.close, doubting.close);
  expect(await failing(`http://127.0.0.1:${refusing.port}`)).toBeNull();
  expect(refusing.targets).toEqual(['gleaner-probe.invalid:443']);
  expect(await failing(`http://127.0.0.1:${doubting.port}`)).toMatchObject({ code: 'proxy_failed' });
});

it('a probe ends when it is told to', async () => {
  const stop = new AbortController();
  const probing = failing(`http://127.0.0.1:${await silentPort()}`, null, stop.signal);
  const begun = performance.now();
  stop.abort();
  expect(await probing).not.toBeNull();
  expect(performance.now() - begun).toBeLessThan(1500);
});

async function silentPort(): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket.on('error', () => {}))).listen(0, '127.0.0.1');
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
