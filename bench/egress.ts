/**
 * What the egress proxy costs per page: the browser fetcher as it ships, and the same with its proxy taken out.
 * A page of our own on loopback (document, style sheet, script, two calls of it); rounds alternate, medians count.
 *
 *   npm run bench:egress [-- --seconds 4 --rounds 5 --pages 2]
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright';
import { systemClock as clock } from '../src/backends/embedded/system-clock.js';
import { createContexts } from '../src/fetching/browser-context.js';
import { createBrowserFetcher } from '../src/fetching/browser-fetch.js';
import { createBrowserPool } from '../src/fetching/browser-pool.js';
import { findChromium, type LaunchedBrowser, launchBrowser } from '../src/fetching/chromium.js';
import { chromiumFlags, engineOf, IGNORED_PLAYWRIGHT_FLAGS } from '../src/fetching/chromium-flags.js';
import { createEgress } from '../src/fetching/egress.js';
import { createEgressProxy, type EgressProxy } from '../src/fetching/egress-proxy.js';
import { createIdentities } from '../src/fetching/identity.js';
import type { Fetcher, FetchRequest } from '../src/ports/fetcher.js';
import type { Log } from '../src/ports/telemetry.js';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '5' },
    pages: { type: 'string', default: '2' },
  },
});
const atOnce = Number(values.pages);
const executablePath = findChromium(process.env.SCRAPER_CHROMIUM_PATH);
if (!executablePath) throw new Error('There is no Chromium on this machine.');
const sandbox = process.getuid?.() !== 0;
const quiet: Log = { debug() {}, info() {}, warn: console.warn, error: console.error };

interface Contestant {
  name: string;
  fetcher: Fetcher;
  request(): FetchRequest;
  close(): Promise<void>;
  pagesPerSecond: number[];
  nodeMsPerPage: number[];
}

async function createContestant(
  name: string,
  proxy: EgressProxy,
  launch: () => Promise<LaunchedBrowser>,
): Promise<Contestant> {
  await proxy.start();
  const pool = createBrowserPool({
    size: atOnce,
    max: atOnce,
    contextsPerBrowser: atOnce,
    pageLimit: 100_000,
    maxAgeMs: 3_600_000,
    acquireTimeoutMs: 10_000,
    closeTimeoutMs: 5000,
    hungAfterMs: 5_000,
    launch,
    clock,
    onRetire: () => {},
    log: quiet,
  });
  await pool.start();
  const identities = createIdentities({ chromiumVersion: () => pool.version(), random: Math.random });
  const identity = identities.next(null);
  return {
    name,
    fetcher: createBrowserFetcher({
      poolFor: () => pool,
      egressProxy: proxy,
      maxBodyBytes: 1024 * 1024,
      navigationTimeoutMs: 10_000,
      clock,
      random: Math.random,
    }),
    request: () => ({ url: site, identity, proxy: null, waitFor: { selectors: ['#done'], timeoutMs: 5000 } }),
    async close() {
      await pool.shutdown();
      await proxy.stop();
    },
    pagesPerSecond: [],
    nodeMsPerPage: [],
  };
}

/** Chromium with our flags and without our proxy. */
async function launchDirect(): Promise<LaunchedBrowser> {
  const browser = await chromium.launch({
    executablePath: executablePath!,
    chromiumSandbox: sandbox,
    args: chromiumFlags(engineOf(executablePath!)),
    ignoreDefaultArgs: IGNORED_PLAYWRIGHT_FLAGS,
  });
  const session = await browser.newBrowserCDPSession();
  const newContext = createContexts(session);
  return {
    pid: 0,
    version: browser.version(),
    tempDir: '',
    gone: new Promise((resolve) => browser.once('disconnected', () => resolve())),
    newContext: () => newContext({}),
    answers: () => session.send('Browser.getVersion'),
    close: () => browser.close(),
    kill: () => browser.close(),
  };
}

const noProxy: EgressProxy = {
  start: async () => {},
  url: 'http://127.0.0.1:9',
  open: () => ({
    username: '',
    password: '',
    refusalOf: () => null,
    lastRefusal: () => null,
    bytes: () => 0,
    close: () => {},
  }),
  stop: async () => {},
};

async function measure(contestant: Contestant): Promise<void> {
  const end = clock.mono() + Number(values.seconds) * 1000;
  const began = clock.mono();
  const cpu = process.cpuUsage();
  let brought = 0;
  const visitor = async (): Promise<void> => {
    while (clock.mono() < end) {
      await contestant.fetcher.fetch(contestant.request(), AbortSignal.timeout(20_000));
      brought += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, visitor));
  const { user, system } = process.cpuUsage(cpu);
  contestant.pagesPerSecond.push((brought * 1000) / (clock.mono() - began));
  contestant.nodeMsPerPage.push((user + system) / 1000 / brought);
}

const median = (numbers: number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] as number;

const PARTS: Record<string, [string, string]> = {
  '/': [
    'text/html',
    `<!doctype html><link rel=stylesheet href=/style.css><h1>Gardener</h1>${'<p>Tends trees.</p>'.repeat(200)}<script src=/app.js></script>`,
  ],
  '/style.css': ['text/css', `h1 { color: green } ${'p { margin: 1px } '.repeat(500)}`],
  '/app.js': [
    'text/javascript',
    `Promise.all(['/a.json', '/b.json'].map((url) => fetch(url).then((r) => r.json()))).then(() => {
       document.body.append(Object.assign(document.createElement('p'), { id: 'done' })); });`,
  ],
};
const server = createServer(({ url }, response) => {
  const [type, body] = PARTS[url ?? ''] ?? ['application/json', JSON.stringify({ text: 'x'.repeat(10_000) })];
  response.writeHead(200, { 'content-type': type }).end(body);
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

const egress = createEgress({ allow: ['127.0.0.1'] });
const egressProxy = createEgressProxy({ egress, log: quiet });
const contestants = [
  await createContestant('without the egress proxy', noProxy, launchDirect),
  await createContestant('through the egress proxy', egressProxy, () =>
    launchBrowser({ executablePath, sandbox, egressProxyUrl: egressProxy.url, clock }),
  ),
] as const;
try {
  for (const contestant of contestants) await measure(contestant);
  for (const contestant of contestants) contestant.pagesPerSecond.length = contestant.nodeMsPerPage.length = 0;
  for (let round = 0; round < Number(values.rounds); round++) {
    // Who begins changes, so that a load that comes and goes falls on both.
    for (const contestant of round % 2 === 0 ? contestants : [...contestants].reverse()) await measure(contestant);
  }
  const [base] = contestants;
  const ratios = contestants.map(({ pagesPerSecond }) =>
    median(pagesPerSecond.map((rate, round) => rate / base.pagesPerSecond[round]!)),
  );
  console.table(
    contestants.map(({ name, pagesPerSecond, nodeMsPerPage }, n) => ({
      name,
      'pages a second': median(pagesPerSecond).toFixed(1),
      'ratio, median of rounds': ratios[n]!.toFixed(2),
      'our CPU ms a page': median(nodeMsPerPage).toFixed(1),
    })),
  );
} finally {
  for (const { close } of contestants) await close();
  server.close();
  server.closeAllConnections();
}
