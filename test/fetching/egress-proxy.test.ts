import { readFile } from 'node:fs/promises';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEgress } from '../../src/fetching/egress.js';
import { createEgressProxy, type EgressGate, type EgressProxy } from '../../src/fetching/egress-proxy.js';
import type { ProxyChoice } from '../../src/ports/fetcher.js';
import { listenerOf } from '../support/hostile/outage.js';
import { startHttpProxy, startSocksProxy } from '../support/proxy-servers.js';
import { QuietTelemetry } from '../support/quiet-telemetry.js';
import { type Site, startSite } from '../support/site.js';
import { jobFacts } from '../support/site-pages.js';
import { until } from './browser-kit.js';

/** 127.0.0.1 … 3 play the internet, everything else is inside. */
const ALLOW = ['127.0.0.0/30'];
const OUTSIDE = '127.0.0.2';
const INSIDE = '127.0.0.8';

let site: Site;
let proxy: EgressProxy;
/** What names lead to, one answer after the other. */
let answers: string[] = [];
let lookups = 0;

beforeAll(async () => {
  site = await startSite();
  const lookup = async (name: string) => {
    lookups++;
    if (name === 'nowhere.test') throw Object.assign(new Error('no'), { code: 'ENOTFOUND' });
    return (answers.length > 1 ? answers.shift()! : answers[0]!).split(' ').map((address) => ({ address, family: 4 }));
  };
  proxy = createEgressProxy({ egress: createEgress({ allow: ALLOW, lookup }), log: new QuietTelemetry().log });
  await proxy.start();
});

afterAll(async () => {
  await proxy.stop();
  await site.close();
});

beforeEach(() => {
  answers = [OUTSIDE];
  lookups = 0;
  site.requests.length = 0;
});

describe('a request', () => {
  it.each(['plain', 'tunnel'] as const)('without a pass is asked for one and goes nowhere (%s)', async (kind) => {
    const gate = proxy.open({ proxy: null });
    for (const pass of [
      null,
      { username: gate.username, password: 'guessed' },
      { username: 'visit-999', password: '' },
    ]) {
      expect((await ask(kind, site.url('/job/1'), pass)).status).toBe(407);
    }
    gate.close();
    expect((await ask(kind, site.url('/job/1'), gate)).status).toBe(407);
    expect(site.requests).toEqual([]);
  });

  it.each(['plain', 'tunnel'] as const)(
    'goes to the address that was checked, by the name it asked for (%s)',
    async (kind) => {
      const gate = proxy.open({ proxy: null });
      // Who resolves twice would get the inside the second time.
      answers = [OUTSIDE, INSIDE];
      const { status, body } = await ask(kind, `http://shop.test:${site.port}/job/4`, gate);
      expect(status).toBe(200);
      expect(body).toContain(jobFacts(4).title);
      expect(lookups).toBe(1);
      expect(site.requests).toMatchObject([{ host: `shop.test:${site.port}`, path: '/job/4' }]);
      expect(site.requests[0]!.headers).not.toHaveProperty('proxy-connection');
      expect(site.requests[0]!.headers).not.toHaveProperty('proxy-authorization');
      expect(gate.lastRefusal()).toBeNull();
      gate.close();
    },
  );

  it.each(['plain', 'tunnel'] as const)(
    'to the inside is refused, and the reason is kept for its visit alone (%s)',
    async (kind) => {
      const gate = proxy.open({ proxy: null });
      const other = proxy.open({ proxy: null });
      answers = [`${OUTSIDE} ${INSIDE}`];
      const hosts = [
        INSIDE,
        '10.0.0.1',
        '[::1]',
        '0x7f.0.0.8',
        '2130706440',
        'localhost',
        '169.254.169.254',
        'mixed.test',
      ];
      for (const host of hosts) {
        const url = `http://${host}:${site.port}/job/1`;
        expect((await ask(kind, url, gate)).status, host).toBeGreaterThanOrEqual(400);
        expect(gate.refusalOf(url), host).toMatchObject({ code: 'egress_denied' });
        expect(other.refusalOf(url)).toBeNull();
      }
      expect(site.requests).toEqual([]);
      expect(gate.refusalOf(site.url('/job/1'))).toBeNull();
      gate.close();
      other.close();
    },
  );

  it('to a host that does not exist or does not listen says so', async () => {
    const gate = proxy.open({ proxy: null });
    await ask('tunnel', 'https://nowhere.test/', gate);
    expect(gate.refusalOf('https://nowhere.test/')).toMatchObject({ code: 'dns_not_found' });
    await ask('tunnel', `https://${OUTSIDE}:1/`, gate);
    expect(gate.refusalOf(`https://${OUTSIDE}:1/`)).toMatchObject({ code: 'connect_failed' });
    await ask('plain', `http://${OUTSIDE}:1/`, gate);
    expect(gate.lastRefusal()).toMatchObject({ code: 'connect_failed' });
    gate.close();
  });
});

describe('a pass', () => {
  it('counts the bytes of its visit', async () => {
    const [gate, other] = [proxy.open({ proxy: null }), proxy.open({ proxy: null })];
    await ask('plain', site.url('/job/1'), gate);
    const one = gate.bytes();
    expect(one).toBeGreaterThan(900);
    await ask('tunnel', site.url('/job/1'), gate);
    expect(gate.bytes()).toBeGreaterThan(one + 900);
    expect(other.bytes()).toBe(0);
    gate.close();
    other.close();
  });

  it.each(['plain', 'tunnel'] as const)('cuts what is still open when its visit ends (%s)', async (kind) => {
    const before = await openSockets(site);
    const gate = proxy.open({ proxy: null });
    const hanging = ask(kind, site.url('/hang'), gate).catch(() => 'cut');
    await until(() => site.requests.length === 1);
    gate.close();
    expect(await hanging).toBe('cut');
    let open = Number.POSITIVE_INFINITY;
    for (let n = 0; n < 50 && open > before; n++) open = await openSockets(site);
    expect(open).toBeLessThanOrEqual(before);
  });
});

describe('an upstream', () => {
  const choice = (url: string): ProxyChoice => ({ id: 'p1', url, region: null });

  it.each(['http', 'socks5'] as const)('with a password carries the visit, checked before (%s)', async (protocol) => {
    const upstream = await (protocol === 'http' ? startHttpProxy : startSocksProxy)({ auth: 'user:p@ss' });
    const gate = proxy.open({ proxy: choice(`${protocol}://user:p%40ss@127.0.0.1:${upstream.port}`) });
    for (const kind of ['plain', 'tunnel'] as const) {
      const { body } = await ask(kind, `http://shop.test:${site.port}/job/5`, gate);
      expect(body).toContain(jobFacts(5).title);
    }
    expect(upstream.targets).toEqual([`${OUTSIDE}:${site.port}`, `${OUTSIDE}:${site.port}`]);
    await ask('tunnel', `https://${INSIDE}:${site.port}/`, gate);
    expect(gate.lastRefusal()).toMatchObject({ code: 'egress_denied' });
    expect(upstream.targets).toHaveLength(2);
    gate.close();
    await upstream.close();
  });

  it('that does not let us in is to blame, and its password stays out of the message', async () => {
    const upstream = await startHttpProxy({ auth: 'user:right' });
    const gate = proxy.open({ proxy: choice(`http://user:wrong-one@127.0.0.1:${upstream.port}`) });
    for (const kind of ['plain', 'tunnel'] as const) {
      expect((await ask(kind, site.url('/job/1'), gate)).status).toBeGreaterThanOrEqual(500);
      expect(gate.refusalOf(site.url('/job/1'))).toMatchObject({ code: 'proxy_failed' });
    }
    expect(String(gate.lastRefusal())).not.toContain('wrong-one');
    gate.close();
    await upstream.close();
  });
});

describe('the proxy itself', () => {
  it.each(['plain', 'tunnel'] as const)('comes back on its port when its socket is gone (%s)', async (kind) => {
    const before = proxy.url;
    const gate = proxy.open({ proxy: null });
    expect(gate.lastRefusal()).toBeNull();
    const listener = listenerOf(proxy.url);
    listener.close();
    // Down is down: no pass is given out, and the one that is has a reason for what it misses.
    expect(() => proxy.open({ proxy: null })).toThrow(expect.objectContaining({ code: 'egress_unavailable' }));
    expect(gate.refusalOf(site.url('/job/1'))).toMatchObject({ code: 'egress_unavailable' });
    gate.close();
    await until(() => listener.listening);
    expect(proxy.url).toBe(before);
    const next = proxy.open({ proxy: null });
    expect((await ask(kind, site.url('/job/1'), next)).status).toBe(200);
    expect(next.lastRefusal()).toBeNull();
    next.close();
  });

  it('survives an accept that fails', () => {
    listenerOf(proxy.url).emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }));
    const gate = proxy.open({ proxy: null });
    expect(gate.lastRefusal()).toBeNull();
    gate.close();
  });

  it('stays down when it was stopped, and may be stopped twice', async () => {
    const log = new QuietTelemetry().log;
    const own = createEgressProxy({ egress: createEgress({ allow: [] }), log });
    await own.start();
    const listener = listenerOf(own.url);
    await own.stop();
    await own.stop();
    expect(() => own.open({ proxy: null })).toThrow(expect.objectContaining({ code: 'egress_unavailable' }));
    expect(listener.listening).toBe(false);
  });
});

interface Answer {
  status: number;
  body: string;
}

type Credentials = Pick<EgressGate, 'username' | 'password'> | null;

/** As Chromium asks: http:// by its absolute URL, everything else through a CONNECT. */
async function ask(kind: 'plain' | 'tunnel', url: string, pass: Credentials): Promise<Answer> {
  const authorization = pass && `Basic ${Buffer.from(`${pass.username}:${pass.password}`).toString('base64')}`;
  const headers = { 'proxy-connection': 'keep-alive', ...(authorization && { 'proxy-authorization': authorization }) };
  const { host, hostname, port, pathname, protocol } = rawParts(url);
  const to = { host: '127.0.0.1', port: new URL(proxy.url).port, agent: false as const };
  if (kind === 'plain') return answerOf(httpRequest({ ...to, path: url, headers: { host, ...headers } }));

  const target = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
  const connect = httpRequest({ ...to, method: 'CONNECT', path: target, headers: { host: target, ...headers } }).end();
  const [response, socket] = await new Promise<[IncomingMessage, Socket]>((resolve, reject) => {
    connect.on('connect', (answer, tunnel: Socket) => resolve([answer, tunnel])).on('error', reject);
  });
  if (response.statusCode !== 200) {
    socket.destroy();
    return { status: response.statusCode ?? 0, body: '' };
  }
  return answerOf(
    httpRequest({ createConnection: () => socket, path: pathname, headers: { host, connection: 'close' } }),
  );
}

/** Unlike URL, leaves odd spellings of an address as they are. */
function rawParts(url: string) {
  const [, protocol = '', host = '', pathname = '/'] = /^(https?:)\/\/([^/]+)(\/.*)?$/.exec(url)!;
  const [, hostname = '', port = ''] = /^(.*?)(?::(\d+))?$/.exec(host)!;
  return { protocol, host, hostname, port, pathname };
}

function answerOf(request: ClientRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    });
    request.end();
  });
}

/** TCP connections of the site that are established, as the kernel counts them. */
async function openSockets({ port }: Site): Promise<number> {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n');
  return lines.filter((line) => line.trim().split(/\s+/)[1]?.endsWith(`:${hex}`) && / 01 /.test(line)).length;
}
