import { createSocket } from 'node:dgram';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startHttpProxy, startSocksProxy } from '../support/proxy-servers.js';
import { type Site, startSite } from '../support/site.js';
import { jobFacts } from '../support/site-pages.js';
import { type Browsers, startBrowsers } from './browser-kit.js';

/** 127.0.0.1 … 3 play the internet. 127.0.0.8 is inside, and a name that leads there is, too. */
const ALLOW = ['127.0.0.0/30'];
const INSIDE = '127.0.0.8';

let site: Site;
let browsers: Browsers;
let inside: Inside;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  [site, inside] = await Promise.all([startSite(), startInside()]);
  browsers = await startBrowsers({
    allow: ALLOW,
    async lookup(name) {
      return [{ address: name === 'outside.test' ? '127.0.0.2' : INSIDE, family: 4 }];
    },
  });
});

afterAll(async () => {
  await browsers.close();
  await site.close();
  for (const close of closing) close();
});

beforeEach(() => {
  inside.touches.length = 0;
});

describe('the inside', () => {
  it.each(['http', 'https'])('is refused as a target and at the end of a redirect (%s)', async (scheme) => {
    for (const host of [INSIDE, 'inside.test', 'localhost']) {
      const url = `${scheme}://${host}:${inside.port}/`;
      expect(await browsers.fault(url)).toMatchObject({ code: 'egress_denied' });
      const redirect = site.url(`/redirect?to=${encodeURIComponent(url)}`);
      expect(await browsers.fault(redirect)).toMatchObject({ code: 'egress_denied' });
    }
    expect(inside.touches).toEqual([]);
  });

  it('is refused when a script leads there', async () => {
    const hostile = await serve(`<script>location = 'http://${INSIDE}:${inside.port}/'</script>`);
    const wait = { waitFor: { selectors: ['#never'], timeoutMs: 3000 } };
    expect(await browsers.fault(hostile, wait)).toMatchObject({ code: 'egress_denied' });
    expect(inside.touches).toEqual([]);
  });
});

describe('the outside', () => {
  it('is resolved by us, never by the browser', async () => {
    const page = await browsers.get(`http://outside.test:${site.port}/job/3`);
    expect(page.html).toContain(jobFacts(3).title);
    expect(page.finalUrl).toBe(`http://outside.test:${site.port}/job/3`);
  });

  it.each(['http', 'socks5'] as const)("is reached through the visit's own proxy (%s)", async (protocol) => {
    const upstream = await (protocol === 'http' ? startHttpProxy : startSocksProxy)({ auth: 'user:pass' });
    closing.push(() => upstream.close());
    const through = (login: string) => ({
      proxy: { id: 'p1', url: `${protocol}://${login}@127.0.0.1:${upstream.port}`, region: null },
    });
    const page = await browsers.get(`http://outside.test:${site.port}/job/4`, through('user:pass'));
    expect(page.html).toContain(jobFacts(4).title);
    expect(upstream.targets).toContain(`127.0.0.2:${site.port}`);
    const fault = await browsers.fault(`http://outside.test:${site.port}/job/4`, through('user:wrong'));
    expect(fault).toMatchObject({ code: 'proxy_failed' });
    const secure = await browsers.fault(`https://outside.test:${site.port}/`, through('user:wrong'));
    expect(secure).toMatchObject({ code: 'proxy_failed' });
  });
});

interface Inside {
  port: number;
  /** Every TCP connection and every datagram that came in. */
  touches: string[];
}

async function startInside(): Promise<Inside> {
  const touches: string[] = [];
  const tcp = createServer((socket) => {
    touches.push('tcp');
    socket.destroy();
  });
  await new Promise<void>((resolve) => tcp.listen(0, INSIDE, resolve));
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket('udp4', () => touches.push('udp'));
  await new Promise<void>((resolve) => udp.bind(port, INSIDE, resolve));
  closing.push(
    () => tcp.close(),
    () => udp.close(),
  );
  return { port, touches };
}

async function serve(html: string): Promise<string> {
  const server = createHttpServer((_, response) => response.setHeader('content-type', 'text/html').end(html));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
