import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import { createEgress } from '../../src/fetching/egress.js';
import type { HttpFetcher } from '../../src/fetching/http-fetch.js';
import { createProxies, type Proxies } from '../../src/fetching/proxies.js';
import { createProbe } from '../../src/fetching/proxy-probe.js';
import type { FetchRequest, ProxyChoice } from '../../src/ports/fetcher.js';
import { openHttpFetcher } from '../support/http-fetcher.js';
import { pageOf } from '../support/page-of.js';
import { startChainProxy, startHttpProxy, startSocksProxy, type TestProxy } from '../support/proxy-servers.js';
import { QuietTelemetry } from '../support/quiet-telemetry.js';
import { type Site, startSite } from '../support/site.js';
import { jobFacts } from '../support/site-pages.js';
import { TLS_CERT, TLS_KEY } from '../support/tls.js';
import { type Browsers, request, startBrowsers } from './browser-kit.js';

const SITE = '127.0.0.2';
const allow = ['127.0.0.0/8'];
const egress = createEgress({ allow });

let site: Site;
let browsers: Browsers;
let http: HttpFetcher;
let servers: TestProxy[];
let choices: ProxyChoice[];
const exits = ['127.0.0.111', '127.0.0.112', '127.0.0.113'];

beforeAll(async () => {
  site = await startSite();
  browsers = await startBrowsers({ allow });
  http = openHttpFetcher({ egress, connectTimeoutMs: 5000, headersTimeoutMs: 5000, bodyTimeoutMs: 5000 });
  servers = [
    await startChainProxy({ exit: exits[0]! }),
    await startHttpProxy({ exit: exits[1]!, auth: 'user:p@ss word' }),
    await startSocksProxy({ exit: exits[2]!, auth: 'user:p@ss word' }),
  ];
  const schemes = ['http://', 'http://user:p%40ss%20word@', 'socks5://user:p%40ss%20word@'];
  choices = servers.map(({ port }, n) => ({ id: `p${n}`, url: `${schemes[n]}127.0.0.1:${port}`, region: null }));
});
afterAll(async () => {
  await browsers.close();
  await http.close();
  for (const server of servers) await server.close();
  await site.close();
});

const proxiesOf = (list: ProxyChoice[]): Proxies =>
  createProxies(list, {
    clock: systemClock,
    cooldownMs: 0,
    checkIntervalMs: 1000,
    probe: createProbe({ egress, url: null, connectTimeoutMs: 2000 }),
    log: new QuietTelemetry().log,
  });

describe.each(['http', 'browser'] as const)('by %s', (kind) => {
  const get = async (changes: Partial<FetchRequest> & { url: string }) => {
    const fetcher = kind === 'http' ? http : browsers.fetcher;
    return pageOf(await fetcher.fetch({ ...request(changes.url), ...changes }, AbortSignal.timeout(20_000)));
  };

  it('every visit goes through the proxy whose turn it is, as its own log and the site say', async () => {
    const proxies = proxiesOf(choices);
    for (let n = 1; n <= 6; n += 1) {
      const turn = proxies.next('site.example');
      if (turn.kind !== 'proxy') throw new Error('there are proxies');
      const which = choices.indexOf(turn.proxy);
      expect(which).toBe((n - 1) % 3);
      site.requests.length = 0;
      const before = servers.map(({ targets }) => targets.length);
      const page = await get({ url: site.url(`/job/${n}`, SITE), proxy: turn.proxy });
      expect(page.html).toContain(jobFacts(n).title);
      expect(site.requests.some(({ path }) => path === `/job/${n}`)).toBe(true);
      // Not one request of the visit, whatever it was for, came from elsewhere.
      expect(new Set(site.requests.map(({ from }) => from))).toEqual(new Set([exits[which]]));
      const news = servers.map(({ targets }, at) => targets.slice(before[at]));
      for (const [at, targets] of news.entries()) {
        if (at !== which) expect(targets).toEqual([]);
        else if (n <= 3) expect(targets).toContain(`${SITE}:${site.port}`);
        expect(targets.every((target) => target === `${SITE}:${site.port}`)).toBe(true);
      }
    }
  });

  it('a refusal of the proxy is told as it is, with whom it blames', async () => {
    const fault = async (proxyUrl: string) =>
      get({ url: site.url('/job/1', SITE), proxy: { id: 'bad', url: proxyUrl, region: null } }).then(
        () => expect.unreachable('it went through'),
        (error: unknown) => error,
      );
    const [refusing, unreaching] = [await startHttpProxy({ refuseWith: 502 }), await startSocksProxy({ replyWith: 4 })];
    const certain = { code: 'proxy_failed', isSuspicion: false };
    expect(await fault(`http://user:wrong@127.0.0.1:${servers[1]!.port}`)).toMatchObject(certain);
    expect(await fault(`socks5://user:wrong@127.0.0.1:${servers[2]!.port}`)).toMatchObject(certain);
    expect(await fault('http://127.0.0.1:1')).toMatchObject(certain);
    const unclear = { code: 'proxy_failed', isSuspicion: true };
    expect(await fault(`http://127.0.0.1:${refusing.port}`)).toMatchObject(unclear);
    expect(await fault(`socks5://127.0.0.1:${unreaching.port}`)).toMatchObject({ code: 'connect_failed' });
    await refusing.close();
    await unreaching.close();
  });
});

it('a certificate of unknown origin is a suspicion in a browser too: the proxy may read along', async () => {
  const server = createServer({ cert: TLS_CERT, key: TLS_KEY }, (_, response) => response.end('secure'));
  await once(server.listen(0, SITE), 'listening');
  const url = `https://${SITE}:${(server.address() as AddressInfo).port}/`;
  expect(await browsers.fault(url, { proxy: choices[1]! })).toMatchObject({ code: 'proxy_failed', isSuspicion: true });
  expect(await browsers.fault(url)).toMatchObject({ code: 'tls_failed' });
  server.close();
});

it('a proxy that comes back is restored by its health check', async () => {
  const first = await startHttpProxy();
  const proxy = { id: 'p', url: `http://127.0.0.1:${first.port}`, region: null };
  await first.close();
  const proxies = proxiesOf([proxy]);
  proxies.start();
  await expect.poll(() => proxies.healthyCount()).toBe(0);
  const again = await startHttpProxy({ port: first.port });
  await expect.poll(() => proxies.healthyCount(), { timeout: 5000 }).toBe(1);
  await proxies.stop();
  await again.close();
});
