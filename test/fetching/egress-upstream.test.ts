/** The reverse of the scenarios: what must stay possible. A proxy on a private address leads to public targets. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { LookupAll } from '../../src/fetching/egress.js';
import type { HttpFetcher } from '../../src/fetching/http-fetch.js';
import type { ProxyChoice } from '../../src/ports/fetcher.js';
import { openHttpFetcher } from '../support/http-fetcher.js';
import { pageOf } from '../support/page-of.js';
import { type Site, startSite } from '../support/site.js';
import { jobFacts } from '../support/site-pages.js';
import { type Browsers, request, startBrowsers } from './browser-kit.js';

const PUBLIC = '93.184.216.34';

let site: Site;
let upstream: CorporateProxy;
let http: HttpFetcher;
let browsers: Browsers;
let proxy: ProxyChoice;

const lookup: LookupAll = async (name) => [{ address: name === 'shop.example' ? PUBLIC : '10.0.0.5', family: 4 }];

beforeAll(async () => {
  site = await startSite();
  upstream = await startCorporateProxy(site.port);
  proxy = { id: 'corporate', url: `http://127.0.0.1:${upstream.port}`, region: null };
  // No exceptions at all: the operator's own proxy needs none.
  http = openHttpFetcher({ allow: [], lookup });
  browsers = await startBrowsers({ allow: [], lookup });
});

afterAll(async () => {
  await browsers.close();
  await http.close();
  await upstream.close();
  await site.close();
});

beforeEach(() => {
  upstream.targets.length = 0;
});

const fetchers = ['http', 'browser'] as const;

const bring = async (by: (typeof fetchers)[number], url: string) =>
  pageOf(
    await (by === 'http' ? http : browsers.fetcher).fetch({ ...request(url), proxy }, AbortSignal.timeout(15_000)),
  );

it.each(fetchers)('a public target is reached through it, by the address that was checked (%s)', async (by) => {
  for (const host of [PUBLIC, 'shop.example', 'shop.example.']) {
    const page = await bring(by, `http://${host}/job/6`);
    expect(page.html).toContain(jobFacts(6).title);
  }
  expect(new Set(upstream.targets)).toEqual(new Set([`${PUBLIC}:80`]));
});

it.each(fetchers)('an inside target is refused before it is asked (%s)', async (by) => {
  for (const host of ['10.0.0.5', 'inside.example', '127.0.0.1', `127.0.0.1:${upstream.port}`, '[::ffff:10.0.0.5]']) {
    await expect(bring(by, `http://${host}/job/6`), host).rejects.toMatchObject({ code: 'egress_denied' });
  }
  expect(upstream.targets).toEqual([]);
});

interface CorporateProxy {
  port: number;
  /** What it was asked to CONNECT to. */
  targets: string[];
  close(): Promise<void>;
}

/** Whatever public address it is asked for, it knows the way to: our own site plays the internet. */
async function startCorporateProxy(sitePort: number): Promise<CorporateProxy> {
  const targets: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((_, response) => response.writeHead(405).end());
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => socket.destroy())));
  server.on('connect', (asked, near: Socket) => {
    targets.push(asked.url ?? '');
    const far = connect(sitePort, '127.0.0.1', () => near.write('HTTP/1.1 200 Connection established\r\n\r\n'));
    sockets.add(far.on('error', () => near.destroy()).on('close', () => near.destroy()));
    near.pipe(far).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    targets,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
