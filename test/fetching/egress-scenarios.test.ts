/**
 * Every row of ssrf_scenarios.json, on the real parts. 127.0.0.2 plays the internet: it alone is on the allow-list.
 * 127.0.0.3 is inside, and whatever touches it is counted.
 */
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import { isAccepted } from '../../src/domain/delivery.js';
import type { GleanerError } from '../../src/domain/errors.js';
import { parseEgressAllow } from '../../src/domain/target-url.js';
import { createEgress, type LookupAll } from '../../src/fetching/egress.js';
import { createEgressGuard } from '../../src/fetching/guards/egress-guard.js';
import type { HttpFetcher } from '../../src/fetching/http-fetch.js';
import { createRobots } from '../../src/fetching/robots.js';
import { isOwnDoor } from '../../src/http/own-door.js';
import { openDoor, SCRAPE, target } from '../http/support.js';
import { type Canaries, startCanaries } from '../support/hostile/canaries.js';
import {
  type Aim,
  DONE,
  hostileHeaders,
  hostilePage,
  KINDS,
  type Kind,
  SERVICE_WORKER,
} from '../support/hostile/kinds.js';
import { takePortOf } from '../support/hostile/outage.js';
import { openHttpFetcher } from '../support/http-fetcher.js';
import { pageOf } from '../support/page-of.js';
import { verdictOf } from '../support/robots.js';
import { visitPlan } from '../support/visit-plan.js';
import { openWebhookPost } from '../support/webhook-post.js';
import { type Browsers, request, startBrowsers, until } from './browser-kit.js';

interface Row {
  id: string;
  name: string;
}

const rows = JSON.parse(readFileSync(new URL('../vectors/ssrf_scenarios.json', import.meta.url), 'utf8')) as Row[];

const PUBLIC = '127.0.0.2';
const INSIDE = '127.0.0.3';
const ALLOW = [PUBLIC];
const shown = new Set<string>();

let site: Server;
let origin: string;
let canaries: Canaries;
let inside: string;
let http: HttpFetcher;
let browsers: Browsers;
let pages: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {};
/** What a name leads to, one answer after the other; the last one stays. */
let answers: Record<string, string[]> = {};
const visited: string[] = [];
const asked: string[] = [];

const lookup: LookupAll = async (name) => {
  asked.push(name);
  const left = answers[name] ?? [name.startsWith('pub') ? PUBLIC : INSIDE];
  return [{ address: left.length > 1 ? left.shift()! : left[0]!, family: 4 }];
};

beforeAll(async () => {
  site = createServer((received, response) => {
    const { pathname } = new URL(received.url ?? '/', 'http://x');
    visited.push(pathname);
    const page = pages[pathname];
    if (page) page(received, response);
    else response.writeHead(200, { 'content-type': 'text/html' }).end('<title>public</title><p>a public page</p>');
  });
  site.listen(0, PUBLIC);
  await once(site, 'listening');
  const { port } = site.address() as AddressInfo;
  origin = `http://${PUBLIC}:${port}`;
  canaries = await startCanaries(['any', ...KINDS.map(({ name }) => name)], INSIDE);
  inside = `http://${INSIDE}:${canaries.portOf('any')}`;
  http = createHttp();
  browsers = await startBrowsers({ allow: ALLOW, lookup });
});

afterAll(async () => {
  await browsers.close();
  await http.close();
  canaries.close();
  site.close();
});

beforeEach(() => {
  pages = {};
  answers = {};
  visited.length = 0;
  canaries.touches.length = 0;
});

function scenario(id: string, prove: () => Promise<void>): void {
  shown.add(id);
  const name = rows.find((row) => row.id === id)?.name;
  it(`${id}: ${name}`, async () => {
    await prove();
    expect(canaries.touches).toEqual([]);
  });
}

describe('the scenarios', () => {
  scenario('ss-1', async () => {
    redirect('/', `${inside}/x`);
    await expectRefused(`${origin}/`);
  });

  scenario('ss-2', async () => {
    redirect('/metadata', 'http://2852039166/latest/');
    redirect('/loopback', `http://2130706435:${canaries.portOf('any')}/`);
    await expectRefused(`${origin}/metadata`);
    await expectRefused(`${origin}/loopback`);
  });

  scenario('ss-3', async () => {
    for (let n = 1; n < 5; n++) redirect(`/${n}`, `/${n + 1}`);
    redirect('/5', `${inside}/`);
    await expectRefused(`${origin}/1`);
    redirect('/5', 'http://10.0.0.5/');
    await expectRefused(`${origin}/1`);
    expect(visited.filter((path) => path === '/5')).toHaveLength(4);
  });

  scenario('ss-4', async () => {
    for (const to of [`http://localhost:${canaries.portOf('any')}/admin`, `${inside}/admin`]) {
      pages['/hook'] = (_, response) => response.writeHead(307, { location: to }).end();
      const { status } = await tell(`${origin}/hook`);
      expect(isAccepted(status)).toBe(false);
    }
    expect(visited).toEqual(['/hook', '/hook']);
  });

  scenario('ss-5', async () => {
    for (const bring of [viaHttp, viaBrowser]) {
      answers = { 'rebind.test': [PUBLIC, INSIDE] };
      // The name is resolved once, and that very address is dialled.
      expect((await bring(named('rebind.test', '/'))).html).toContain('a public page');
      await http.close();
      http = createHttp();
      await expect(bring(named('rebind.test', '/'))).rejects.toMatchObject({ code: 'egress_denied' });
    }
  });

  scenario('ss-6', async () => {
    // Connections are closed after each answer: one that is kept would lead to the checked address anyway.
    pages['/robots.txt'] = (_, response) => response.writeHead(200, { connection: 'close' }).end('User-agent: *\n');
    const url = new URL(named('rebind.test', '/'));
    for (const bring of [viaHttp, viaBrowser]) {
      answers = { 'rebind.test': [PUBLIC, PUBLIC, INSIDE] };
      const robots = createRobots({ fetchText: http.fetchText, clock: systemClock, agent: 'gleaner' });
      const guard = createEgressGuard({
        egress: createEgress({ allow: ALLOW, lookup }),
        allow: parseEgressAllow(ALLOW),
      });
      expect(await guard.check(visitPlan(url.href), AbortSignal.timeout(5000))).toEqual({ kind: 'go' });
      expect(await verdictOf(robots, url.href)).toMatchObject({ allowed: true });
      await expect(bring(url.href)).rejects.toMatchObject({ code: 'egress_denied' });
    }
    expect(visited).toEqual(['/robots.txt', '/robots.txt']);
  });

  scenario('ss-7', async () => {
    for (const bring of [viaHttp, viaBrowser]) {
      answers = { 'one.test': [PUBLIC], 'two.test': [INSIDE] };
      const [one, two] = await Promise.allSettled([bring(named('one.test', '/1')), bring(named('two.test', '/2'))]);
      expect(one).toMatchObject({ status: 'fulfilled' });
      expect(two).toMatchObject({ status: 'rejected', reason: { code: 'egress_denied' } });
    }
    expect(visited).toEqual(['/1', '/1']);
  });

  for (const id of ['ss-8', 'ss-9', 'ss-10', 'ss-11', 'ss-12', 'ss-13', 'ss-22', 'ss-23']) {
    scenario(id, async () => {
      asked.length = 0;
      const name = `${id}.test`;
      serveHostilePage(
        KINDS.filter((kind) => kind.scenario === id),
        [INSIDE, 'localhost', name],
      );
      const page = await viaBrowser(`${origin}/`, { waitFor: { selectors: ['#never'], timeoutMs: 1000 } });
      expect(page.html).toContain(`${DONE} secure=true popups=0`);
      // The attempts were real, where they are made by what Chromium sends through a proxy at all.
      if (id === 'ss-8' || id === 'ss-9') expect(asked).toContain(name);
    });
  }

  scenario('ss-14', async () => {
    for (const kind of KINDS.filter(({ scenario: of }) => of === 'ss-14')) {
      serveHostilePage([kind], [INSIDE]);
      const fault = await browsers.fault(`${origin}/`, { waitFor: { selectors: ['#never'], timeoutMs: 3000 } });
      expect(fault, kind.name).toMatchObject({ code: 'egress_denied' });
    }
  });

  scenario('ss-15', async () => {
    serveHostilePage(
      KINDS.filter((kind) => kind.scenario === 'ss-15'),
      [INSIDE],
    );
    redirect('/moved', `${inside}/file.bin`);
    const wait = { waitFor: { selectors: ['#never'], timeoutMs: 1500 } };
    expect(await browsers.fault(`${origin}/`, wait)).toMatchObject({ code: 'egress_denied' });
    await expectRefused(`${origin}/moved`);
    const files = browsers.launched.flatMap(({ tempDir }) =>
      readdirSync(tempDir, { recursive: true, encoding: 'utf8' }),
    );
    expect(files.filter((file) => /file\.bin|crdownload/.test(file))).toEqual([]);
  });

  scenario('ss-16', async () => {
    const frames = [
      'file:///etc/passwd',
      'view-source:http://127.0.0.2/',
      'chrome://version',
      'view-source:file:///etc/passwd',
    ];
    pages['/'] = (_, response) =>
      response.setHeader('content-type', 'text/html').end(
        `${frames.map((url) => `<iframe src="${url}"></iframe><object data="${url}"></object>`).join('')}
         <script>fetch('file:///etc/passwd').then((r) => r.text()).then((t) => document.body.append(t)).catch(() => {});
         for (const f of document.querySelectorAll('iframe')) f.onload = () => {
           try { document.body.append(f.contentDocument.body.innerText); } catch {} };
         location.href = 'file:///etc/passwd'; document.body.append('tried');</script>`,
      );
    const page = await viaBrowser(`${origin}/`, { waitFor: { selectors: ['#never'], timeoutMs: 1000 } });
    expect(page.html).toContain('tried');
    expect(page.html).not.toMatch(/Command Line|command_line|root:/);
    for (const url of ['file:///etc/passwd', 'view-source:http://127.0.0.2/', 'chrome://version', 'ws://127.0.0.2/']) {
      await expectRefused(url);
      redirect('/away', url);
      await expect(viaHttp(`${origin}/away`)).rejects.toMatchObject({ code: 'egress_denied' });
      // Some of these Chromium drops without a word: then there is no page, and that is what is said.
      const code = expect.stringMatching(/^(egress_denied|empty_page)$/);
      await expect(viaBrowser(`${origin}/away`), url).rejects.toMatchObject({ code });
    }
  });

  scenario('ss-17', async () => {
    // There is no proxy of a task's own: endpoints are the operator's. The field is refused as one that is unknown.
    const door = await openDoor();
    for (const proxy of ['http://127.0.0.1:6379', 'socks5://10.0.0.1:1080', { url: 'http://127.0.0.1:6379' }]) {
      for (const field of ['proxy', 'proxy_url', 'proxy_endpoint']) {
        const answer = await door.post(SCRAPE, target({ [field]: proxy }));
        expect(answer.statusCode).toBe(422);
        expect(answer.json().meta.fields).toEqual([expect.objectContaining({ field })]);
      }
    }
    await door.app.close();
  });

  scenario('ss-18', async () => {
    const url = named('hook.test', '/hook');
    answers = { 'hook.test': [PUBLIC, INSIDE] };
    // As it was when the work was submitted, and as it is when there is something to tell.
    const allow = parseEgressAllow(ALLOW);
    const guard = createEgressGuard({ egress: createEgress({ allow: ALLOW, lookup }), allow });
    expect(await guard.check(visitPlan(url), AbortSignal.timeout(5000))).toEqual({ kind: 'go' });
    await expect(tell(url)).rejects.toMatchObject({ code: 'egress_denied' });
    expect(visited).toEqual([]);
  });

  scenario('ss-19', async () => {
    const door = await openDoor();
    await door.app.listen({ host: PUBLIC, port: 0 });
    const { port } = door.app.server.address() as AddressInfo;
    answers = { 'gleaner.test': [PUBLIC] };
    for (const host of [PUBLIC, `[::ffff:${PUBLIC}]`, 'gleaner.test']) {
      const sent = tell(`http://${host}:${port}${SCRAPE}`, (address, at) => isOwnDoor(door.app, address, at));
      await expect(sent, host).rejects.toMatchObject({ code: 'egress_denied' });
    }
    expect(door.answered).toEqual([]);
    await door.app.close();
  });

  scenario('ss-20', async () => {
    const { url } = browsers.proxy;
    pages['/hang'] = () => {};
    const hanging = browsers.fault(`${origin}/hang`);
    await until(() => visited.includes('/hang'));
    const impostor = await takePortOf(url);
    expect(await hanging).toMatchObject({ code: 'egress_unavailable', retryable: true });

    visited.length = 0;
    for (let n = 0; n < 3; n++) {
      expect(await browsers.fault(`${origin}/`)).toMatchObject({ code: 'egress_unavailable', retryable: true });
    }
    // Nobody went out directly, and nobody trusted whoever sat on the port.
    expect(visited).toEqual([]);
    expect(impostor.connections).toBe(0);

    await impostor.leave();
    const back = systemClock.mono() + 5000;
    let page = await viaBrowser(`${origin}/`).catch((error: GleanerError) => error);
    while (page instanceof Error && systemClock.mono() < back)
      page = await viaBrowser(`${origin}/`).catch((error) => error);
    expect(page).toMatchObject({ httpStatus: 200 });
    expect(browsers.proxy.url).toBe(url);
  });

  scenario('ss-21', async () => {
    redirect('/robots.txt', `${inside}/robots.txt`);
    const robots = createRobots({ fetchText: http.fetchText, clock: systemClock, agent: 'gleaner' });
    expect(await verdictOf(robots, `${origin}/page`)).toMatchObject({ allowed: false, basis: 'unreachable' });
  });

  scenario('ss-24', async () => {
    const failing = (code: string) => async () => Promise.reject(Object.assign(new Error(code), { code }));
    const troubles: [string, LookupAll][] = [
      ['dns_not_found', failing('ENOTFOUND')],
      ['dns_not_found', async () => []],
      // What a resolver says of a chain that is too long, or of servers that do not answer it.
      ['dns_failed', failing('EAI_FAIL')],
      ['dns_failed', failing('EAI_AGAIN')],
      ['dns_failed', () => new Promise(() => {})],
    ];
    const began = performance.now();
    const faults = await Promise.all(
      troubles.map(([, trouble]) =>
        createHttp(trouble)
          .fetch(request('http://x.example/'), AbortSignal.timeout(10_000))
          .catch((e) => e),
      ),
    );
    expect(performance.now() - began).toBeLessThan(5000);
    expect(faults.map(({ code }) => code)).toEqual(troubles.map(([code]) => code));
  });

  it('are all here', () => {
    expect([...shown].sort()).toEqual(rows.map(({ id }) => id).sort());
  });
});

const named = (host: string, path: string): string => `http://${host}:${new URL(origin).port}${path}`;

const viaHttp = async (url: string) => pageOf(await http.fetch(request(url), AbortSignal.timeout(10_000)));

const viaBrowser: Browsers['get'] = (...visit) => browsers.get(...visit);

async function tell(url: string, isForbidden: (address: string, port: number) => boolean = () => false) {
  const post = openWebhookPost({ allow: ALLOW, lookup, isForbidden });
  try {
    return await post.send({ url, headers: {}, body: '{}' }, AbortSignal.timeout(10_000));
  } finally {
    await post.close();
  }
}

const createHttp = (by: LookupAll = lookup): HttpFetcher => openHttpFetcher({ allow: ALLOW, lookup: by });

function redirect(path: string, to: string): void {
  pages[path] = (_, response) => response.writeHead(302, { location: to, connection: 'close' }).end();
}

async function expectRefused(url: string): Promise<void> {
  for (const bring of [viaHttp, viaBrowser]) {
    await expect(bring(url), url).rejects.toMatchObject({ code: 'egress_denied' });
  }
}

function serveHostilePage(kinds: Kind[], hosts: string[]): void {
  const aims = ({ name }: Kind): Aim[] =>
    hosts.map((host) => ({ host, port: canaries.portOf(name), base: `http://${host}:${canaries.portOf(name)}` }));
  pages['/service-worker.js'] = (_, response) =>
    response.setHeader('content-type', 'text/javascript').end(SERVICE_WORKER);
  pages['/'] = (_, response) => {
    const [hint] = aims(KINDS.find(({ name }) => name === 'early-hint')!);
    response.writeEarlyHints({ link: `<${hint!.base}/x.js>; rel=preload; as=script` });
    const [service] = aims(KINDS.find(({ name }) => name === 'alt-svc')!);
    response.setHeader('alt-svc', `h2="${service!.host}:${service!.port}", h3="${service!.host}:${service!.port}"`);
    for (const [name, values] of Object.entries(hostileHeaders(kinds, aims))) response.setHeader(name, values);
    response.setHeader('content-type', 'text/html').end(hostilePage(kinds, aims));
  };
}
