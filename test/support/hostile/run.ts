/**
 * Shows a hostile page to Chromium, once as it comes and once as we ship it, and tells what reached addresses that
 * are not public. Runs only inside a network namespace of its own: it adds addresses and answers DNS queries.
 *
 *   unshare -rn node --import tsx test/support/hostile/run.ts <name of the outer namespace> <directory for scratch>
 */
import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { chmodSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createSecureServer, type ServerHttp2Stream } from 'node:http2';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { findChromium } from '../../../src/fetching/chromium.js';
import { PLAYWRIGHT_DISABLED_FEATURES } from '../../../src/fetching/chromium-flags.js';
import { startBrowsers } from '../../fetching/browser-kit.js';
import { TLS_CERT, TLS_KEY } from '../tls.js';
import { type Canaries, startCanaries, type Touch } from './canaries.js';
import { type Aim, DONE, hostileHeaders, hostilePage, KINDS, type Kind, SERVICE_WORKER } from './kinds.js';

/** What the test reads, as one line of JSON. */
export interface HostileReport {
  control: Shown;
  shipped: Shown;
}

export interface Shown {
  /** Names of the kinds that reached a non-public address, and how. */
  through: string[];
  tcp: number;
  udp: number;
  /** DNS queries that left the browser. */
  dns: number;
  /** What the pages wrote once they had tried everything, the plain one first. */
  said: string[];
}

const PUBLIC = '93.184.216.34';
const INSIDE = '10.0.0.5';
const METADATA = '169.254.169.254';
/** Leads to the public address when we ask for the first time, and inside whenever else. */
const REBINDING = 'rebind.test';
const HOSTS = ['127.0.0.1', '[::1]', 'localhost', INSIDE, METADATA, REBINDING];
const STAY_MS = 4000;
const LEAVE_MS = 500;

// ── The namespace ────────────────────────────────────────────────────────────────────────────────────────────────

function refuseOuterNamespace(outer: string): void {
  const own = readlinkSync('/proc/self/ns/net');
  if (!/^net:\[\d+\]$/.test(outer) || own === outer)
    throw new Error('This runs in a network namespace of its own only.');
}

/** The outside, the inside, and whatever address the machine's resolver has: all of them end here. */
function addAddresses(): void {
  const ip = (...args: string[]): void => void execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  ip('link', 'set', 'lo', 'up');
  // WebRTC looks for an interface that is not loopback.
  ip('link', 'add', 'd0', 'type', 'veth', 'peer', 'name', 'd1');
  ip('addr', 'add', `${INSIDE}/24`, 'dev', 'd0');
  // An address that the kernel makes by itself a second later would be a change of network to Chromium.
  for (const end of ['d0', 'd1']) ip('link', 'set', end, 'addrgenmode', 'none', 'up');
  ip('route', 'add', 'default', 'dev', 'd0');
  const resolvers = [...readFileSync('/etc/resolv.conf', 'utf8').matchAll(/^\s*nameserver\s+([\d.]+)\s*$/gm)];
  const others = [PUBLIC, METADATA, ...resolvers.map(([, address]) => address!)];
  for (const address of new Set(others.filter((one) => !one.startsWith('127.') && one !== INSIDE))) {
    ip('addr', 'add', `${address}/32`, 'dev', 'lo');
  }
}

// ── What stands there ────────────────────────────────────────────────────────────────────────────────────────────

/** Says of every name that it lies inside. Our own lookup is injected, so only the browser can ask here. */
async function startLyingDns(): Promise<{ queries: number }> {
  const seen = { queries: 0 };
  const socket = createSocket('udp6', (query, from) => {
    seen.queries += 1;
    socket.send(answerTo(query), from.port, from.address);
  });
  socket.bind(53, '::');
  await once(socket, 'listening');
  return seen;
}

function answerTo(query: Buffer): Buffer {
  const end = query.indexOf(0, 12) + 5;
  const isA = query.readUInt16BE(end - 4) === 1;
  const header = Buffer.from([query[0]!, query[1]!, 0x81, 0x80, 0, 1, 0, isA ? 1 : 0, 0, 0, 0, 0]);
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...INSIDE.split('.').map(Number)]);
  return Buffer.concat([header, query.subarray(12, end), ...(isA ? [record] : [])]);
}

const staying = KINDS.filter(({ leaves, needsTls }) => !leaves && !needsTls);
const overTls = KINDS.filter(({ needsTls }) => needsTls);
const leaving = KINDS.filter(({ leaves }) => leaves);

async function serveHostileSite({ portOf }: Canaries): Promise<void> {
  const aimsOver = (scheme: string, hosts: string[]) => (kind: Kind) => aims(scheme, hosts, portOf(kind.name));
  const all = aimsOver('http', HOSTS);
  const plain = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://x');
    if (pathname === '/service-worker.js') {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(SERVICE_WORKER);
      return;
    }
    const kind = leaving.find(({ name }) => pathname === `/${name}`);
    const kinds = kind ? [kind] : staying;
    const aim = kind ? aimsOver('http', [INSIDE]) : all;
    for (const [name, values] of Object.entries(hostileHeaders(kinds, aim))) response.setHeader(name, values);
    response.writeHead(200, { 'content-type': 'text/html' }).end(hostilePage(kinds, aim));
  });
  plain.listen(80, PUBLIC);
  await once(plain, 'listening');

  // Early hints are heeded over HTTP/2 only, Alt-Svc over TLS only.
  const secure = createSecureServer({ cert: TLS_CERT, key: TLS_KEY });
  secure.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => {});
    answerOverTls(stream, headers[':path'] ?? '', aimsOver('https', HOSTS));
  });
  secure.on('sessionError', () => {});
  secure.listen(443, PUBLIC);
  await once(secure, 'listening');
}

function answerOverTls(stream: ServerHttp2Stream, path: string, aim: (kind: Kind) => Aim[]): void {
  const aimsOf = (name: string): Aim[] => aim(KINDS.find((kind) => kind.name === name)!);
  const hints = aimsOf('early-hint').map(
    ({ base }) => `<${base}>; rel=preconnect, <${base}/x.js>; rel=preload; as=script`,
  );
  if (path === '/') stream.additionalHeaders({ ':status': 103, link: hints.join(', ') });
  const isScript = path.startsWith('/service-worker.js');
  const services = aimsOf('alt-svc').map(
    ({ host, port }) => `h2="${host}:${port}"; ma=60, h3="${host}:${port}"; ma=60`,
  );
  const respond = (): void => {
    if (stream.destroyed) return;
    const contentType = isScript ? 'text/javascript' : 'text/html';
    stream.respond({ ':status': 200, 'content-type': contentType, 'alt-svc': services.join(', ') });
    stream.end(isScript ? SERVICE_WORKER : AGAIN + hostilePage(overTls, aim));
  };
  // A hint that comes together with the answer is none.
  setTimeout(respond, path === '/' ? 500 : 0);
}

/** The second request is the one that an Alt-Svc would lead astray. */
const AGAIN = `<script>setInterval(() => fetch('/again', { cache: 'no-store' }), 300)</script>`;

const aims = (scheme: string, hosts: string[], port: number): Aim[] =>
  hosts.map((host) => ({ host, port, base: `${scheme}://${host}:${port}` }));

// ── Showing it ───────────────────────────────────────────────────────────────────────────────────────────────────

/** The Chromium that ships, with one switch more that only gives pages more power: our certificate is good enough. */
function powerfulChromium(directory: string): string {
  const real = findChromium(process.env.SCRAPER_CHROMIUM_PATH);
  if (!real) throw new Error('There is no Chromium on this machine.');
  const path = join(directory, /headless[-_]shell/.test(real) ? 'chromium-headless-shell' : 'chromium');
  writeFileSync(path, `#!/bin/sh\nexec ${real} --ignore-certificate-errors "$@"\n`);
  chmodSync(path, 0o755);
  return path;
}

type Show = (url: string, ms: number) => Promise<string>;

async function measure(open: () => Promise<{ show: Show; close: () => Promise<void> }>): Promise<Shown> {
  canaries.touches.length = 0;
  dns.queries = 0;
  const browser = await open();
  const said = await Promise.all(['http', 'https'].map((scheme) => browser.show(`${scheme}://${PUBLIC}/`, STAY_MS)));
  for (const { name } of leaving) await browser.show(`http://${PUBLIC}/${name}`, LEAVE_MS).catch(() => '');
  await browser.close();
  const inside = canaries.touches.filter(isInside);
  return {
    through: [...new Set(inside.map(({ kind, by }) => `${kind} ${by}`))].sort(),
    tcp: inside.filter(({ by }) => by === 'tcp').length,
    udp: inside.filter(({ by }) => by === 'udp').length,
    dns: dns.queries,
    said,
  };
}

/** A datagram counts wherever it went: none may leave at all. */
const isInside = ({ by, at }: Touch): boolean => by === 'udp' || !at.endsWith(PUBLIC);

async function showAsItComes(): Promise<{ show: Show; close: () => Promise<void> }> {
  // The permission question about local networks is turned off: it is no boundary, and would hide what gets through.
  // The last list of features wins: without Playwright's own, full Chromium would try every plain page over TLS.
  const questions = ['', 'WebRTC', 'WebSockets'].map((kind) => `LocalNetworkAccessChecks${kind}`);
  const args = [`--disable-features=${[...PLAYWRIGHT_DISABLED_FEATURES, ...questions].join(',')}`];
  const browser = await chromium.launch({ executablePath, chromiumSandbox: false, args });
  return {
    async show(url, ms) {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(url, { waitUntil: 'commit' });
      await page.waitForTimeout(ms);
      await untilQuiet();
      const said = saidIn(await page.content());
      await context.close();
      return said;
    },
    close: () => browser.close(),
  };
}

/** On a busy machine attempts come late; a control that misses them would say nothing. */
async function untilQuiet(): Promise<void> {
  for (let tries = 0, before = -1; tries < 8 && canaries.touches.length > before; tries++) {
    before = canaries.touches.length;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

async function showAsShipped(): Promise<{ show: Show; close: () => Promise<void> }> {
  process.env.SCRAPER_CHROMIUM_PATH = executablePath;
  let asked = 0;
  const browsers = await startBrowsers({
    allow: [],
    lookup: async (name) => [{ address: name === REBINDING && asked++ === 0 ? PUBLIC : INSIDE, family: 4 }],
  });
  return {
    async show(url, ms) {
      const page = await browsers.get(url, { waitFor: { selectors: ['#never'], timeoutMs: ms } });
      return saidIn(page.html);
    },
    close: () => browsers.close(),
  };
}

const saidIn = (html: string): string => html.slice(html.lastIndexOf(DONE)).replace(/<[\s\S]*$/, '');

const [outerNamespace = '', scratch = ''] = process.argv.slice(2);
refuseOuterNamespace(outerNamespace);
addAddresses();
const canaries = await startCanaries(
  KINDS.map(({ name }) => name),
  '::',
);
const dns = await startLyingDns();
await serveHostileSite(canaries);
const executablePath = powerfulChromium(scratch);

const control = await measure(showAsItComes);
const shipped = await measure(showAsShipped);
process.stdout.write(`${JSON.stringify({ control, shipped } satisfies HostileReport)}\n`, () => process.exit(0));
