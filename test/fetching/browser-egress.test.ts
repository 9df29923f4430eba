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
const asked: string[] = [];
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  [site, inside] = await Promise.all([startSite(), startInside()]);
  browsers = await startBrowsers({
    allow: ALLOW,
    async lookup(name) {
      asked.push(name);
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

  it('is reached by nothing a page can do, and the page is brought all the same', async () => {
    const hostile = await serve(hostilePage([INSIDE, 'inside.test', 'localhost', '[::1]'], inside.port));
    const page = await browsers.get(hostile, { waitFor: { selectors: ['#never'], timeoutMs: 2500 } });
    expect(page.html).toContain('done trying');
    // The attempts were real: names were asked for that only the page knows.
    expect(asked).toContain('inside.test');
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

/** Everything we know a page can make a browser connect with. */
function hostilePage(hosts: string[], port: number): string {
  const bases = hosts.map((host) => `http://${host}:${port}`);
  const tags = bases.map(
    (base) => `<link rel=preconnect href=${base}><link rel=prefetch href=${base}/p><link rel=stylesheet href=${base}/s>
      <script src=${base}/js></script><img src=${base}/i><iframe src=${base}/f></iframe><video src=${base}/v autoplay></video>
      <object data=${base}/o></object><embed src=${base}/e><link rel=preload as=fetch href=${base}/l>
      <script type=speculationrules>{"prefetch":[{"urls":["${base}/sp"],"eagerness":"immediate"}]}</script>
      <form id=x action=${base}/form method=post target=n></form><iframe name=n></iframe>`,
  );
  const script = `
    const hosts = ${JSON.stringify(hosts)}, port = ${port};
    const attempt = (f) => { try { const r = f(); if (r && r.catch) r.catch(() => {}); } catch {} };
    const code = (host) => \`const a = (f) => { try { const r = f(); if (r && r.catch) r.catch(() => {}); } catch {} };
      a(() => fetch('http://\${host}:\${port}/w', { mode: 'no-cors' })); a(() => new WebSocket('ws://\${host}:\${port}/w'));
      a(() => importScripts('http://\${host}:\${port}/w.js'));\`;
    for (const host of hosts) {
      const base = 'http://' + host + ':' + port;
      attempt(() => fetch(base + '/x', { mode: 'no-cors' }));
      attempt(() => fetch(base + '/x', { method: 'POST', mode: 'no-cors', body: 'x', keepalive: true }));
      attempt(() => navigator.sendBeacon(base + '/b', 'x'));
      attempt(() => new EventSource(base + '/es'));
      attempt(() => new WebSocket('ws://' + host + ':' + port + '/ws'));
      attempt(() => new WebSocket('wss://' + host + ':' + port + '/ws'));
      attempt(() => new WebTransport('https://' + host + ':' + port + '/wt').ready);
      attempt(() => import(base + '/m.js'));
      attempt(() => new Worker(URL.createObjectURL(new Blob([code(host)]))));
      attempt(() => new SharedWorker(URL.createObjectURL(new Blob([code(host)]))));
      attempt(() => window.open(base + '/popup'));
      attempt(() => {
        const peer = new RTCPeerConnection({ iceServers: [
          { urls: 'stun:' + host + ':' + port },
          { urls: ['turn:' + host + ':' + port, 'turn:' + host + ':' + port + '?transport=tcp'], username: 'u', credential: 'c' },
        ] });
        peer.createDataChannel('c');
        return peer.createOffer().then((offer) => peer.setLocalDescription(offer));
      });
    }
    for (const form of document.forms) attempt(() => form.submit());
    document.body.append('done trying');`;
  return `<body>${tags.join('')}<script>${script}</script></body>`;
}
