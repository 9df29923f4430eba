/**
 * How much of a bare Fastify route is left once every request is authenticated, logged and, for new work, on disk
 * before its 202. Both servers are built and run in processes of their own, with the same schemas and the same bytes
 * answered; rounds alternate, medians count.
 *
 *   npm run bench:accept [-- --seconds 4 --rounds 3 --connections 64]
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { markdownTable, median, times, verdict } from './peers/figures.js';
import { addressOf, type BenchService, cpuMsOf, SERVICE_KEY, startService, YOUNG_ROOM } from './peers/service.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '64' },
  },
});
const SITE_PORT = Number(process.env.BENCH_SITE_PORT ?? 8800);
const JOB_SIZE = 100;
const HEADERS = { 'content-type': 'application/json', 'x-service-key': SERVICE_KEY };

/** The site's first host is visited at once; all others once a day, so that nothing is fetched while accepting is measured. */
const POLICIES = `domains:
  default:
    tokens_per_interval: 1
    interval_seconds: 86400
    respect_robots_txt: false
    robots_reason: nothing is visited
  127.0.0.1:
    tokens_per_interval: 10000
    interval_seconds: 1
`;
const target = (host: string, n: number) => ({
  target_type: 'job_posting',
  target_url: `http://${host}:${SITE_PORT}/job/${n}`,
  workspace_id: 'bench',
});
const VISITED = '127.0.0.1';
const WAITING = '127.0.0.2';

interface Server {
  address: string;
  pid: number;
}

interface Route {
  name: string;
  path: string;
  /** Posted, where the route takes new work. */
  body?: string;
  /** Least share of the bare route's rate. */
  bound?: number;
}

interface Measured {
  rates: number[];
  cpuUs: number[];
  refused: number;
}

const site = fork(fileURLToPath(new URL('peers/site.mjs', import.meta.url)), [String(SITE_PORT)], { execArgv: [] });
await once(site, 'message');
const service = await startService({
  policies: POLICIES,
  env: { SCRAPER_MAX_QUEUE_DEPTH: '10000000', SCRAPER_BROWSER_POOL_SIZE: '1' },
});
try {
  await main(service);
} finally {
  await service.stop();
  site.disconnect();
}

async function main(service: BenchService): Promise<void> {
  const { routes, answers } = await prepare(service);
  const child = startBare(answers);
  const bare = { address: await addressOf(child), pid: child.pid as number };
  try {
    const outcomes = await measureAll(routes, [bare, service]);
    console.log(report(routes, outcomes));
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
}

/** Makes what is read: a task that has ended, one that waits, a job whose tasks have all ended. */
async function prepare({ address }: Server): Promise<{ routes: Route[]; answers: Record<string, unknown> }> {
  const ended = `/api/v1/scrape/${(await submit(address, target(VISITED, 1))).task_id}`;
  const waiting = `/api/v1/scrape/${(await submit(address, target(WAITING, 1))).task_id}`;
  const targets = Array.from({ length: JOB_SIZE }, (_, n) => target(VISITED, n));
  const job = `/api/v1/scrape/jobs/${(await submit(address, { targets }, '/batch')).job_id}`;
  for (const path of [ended, job]) await untilCompleted(address, path);
  const paths = [ended, waiting, job];
  const datas = await Promise.all(paths.map((path) => call(address, path)));
  return {
    answers: Object.fromEntries(paths.map((path, n) => [path, datas[n]])),
    routes: [
      { name: 'POST of a task, durable', path: '/api/v1/scrape', body: JSON.stringify(target(WAITING, 2)), bound: 0.7 },
      { name: 'GET of a task that has ended, with its record', path: ended, bound: 0.8 },
      { name: 'GET of a task that waits', path: waiting, bound: 0.8 },
      { name: `GET of a job of ${JOB_SIZE} ended tasks`, path: job },
    ],
  };
}

type Data = Record<string, unknown>;

function submit(address: string, body: object, path = ''): Promise<Data> {
  return call(address, `/api/v1/scrape${path}`, { method: 'POST', body: JSON.stringify(body) });
}

async function call(address: string, path: string, init: RequestInit = {}): Promise<Data> {
  const answer = await fetch(address + path, { ...init, headers: HEADERS });
  const { data, error } = (await answer.json()) as { data: Data; error: string | null };
  if (!answer.ok) throw new Error(`${path}: ${error}`);
  return data;
}

async function untilCompleted(address: string, path: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if ((await call(address, path)).status === 'completed') return;
    await pause(100);
  }
  throw new Error(`${path} has not completed within a minute.`);
}

function startBare(answers: Record<string, unknown>): ChildProcess {
  return spawn(process.execPath, [YOUNG_ROOM, fileURLToPath(new URL('bare-server.mjs', import.meta.url))], {
    env: { ...process.env, BENCH_ANSWERS: JSON.stringify(answers) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Per route: what the bare server gave, and what ours did. The first round only warms them up. */
async function measureAll(routes: Route[], servers: Server[]): Promise<Measured[][]> {
  const outcomes = routes.map(() => servers.map((): Measured => ({ rates: [], cpuUs: [], refused: 0 })));
  for (let round = -1; round < Number(values.rounds); round++) {
    for (const [r, route] of routes.entries()) {
      for (const [s, server] of servers.entries()) {
        const seconds = round < 0 ? 1 : Number(values.seconds);
        const { rate, cpuUs, refused } = await measure(route, server, seconds);
        const outcome = outcomes[r]![s]!;
        outcome.refused += refused;
        if (round < 0) continue;
        outcome.rates.push(rate);
        outcome.cpuUs.push(cpuUs);
      }
    }
  }
  return outcomes;
}

async function measure({ path, body }: Route, { address, pid }: Server, seconds: number) {
  const before = cpuMsOf(pid);
  const result = await autocannon({
    url: address + path,
    method: body === undefined ? 'GET' : 'POST',
    headers: HEADERS,
    ...(body === undefined ? {} : { body }),
    connections: Number(values.connections),
    duration: seconds,
  });
  const answered = result['2xx'];
  return {
    rate: answered / result.duration,
    cpuUs: ((cpuMsOf(pid) - before) * 1000) / answered,
    refused: result.non2xx + result.errors,
  };
}

function report(routes: Route[], outcomes: Measured[][]): string {
  const rows = routes.map(({ name }, r) => {
    const [bare, own] = outcomes[r] as [Measured, Measured];
    const shown = ({ rates, cpuUs }: Measured): string[] => [
      median(rates).toFixed(0),
      `${median(cpuUs).toFixed(0)} µs`,
    ];
    return [
      name,
      ...shown(bare),
      ...shown(own),
      `${times(share(bare, own))} (${times(median(bare.cpuUs) / median(own.cpuUs))})`,
      String(bare.refused + own.refused),
    ];
  });
  const verdicts = routes.flatMap(({ name, bound }, r) => {
    const [bare, own] = outcomes[r] as [Measured, Measured];
    const flaw = own.refused > 0 ? `${own.refused} not answered with success` : null;
    const about = `${name} against a bare Fastify route`;
    return bound === undefined ? [] : [`- ${verdict({ about, bound, measured: share(bare, own), flaw })}`];
  });
  const head = [
    'route',
    'bare Fastify, a second',
    'its CPU',
    'gleaner, a second',
    'its CPU',
    'ratio (by CPU)',
    'refused',
  ];
  const about = `Both with the same schemas and the same answers, ${values.connections} connections.`;
  return ['### Accepting and reading', about, markdownTable(head, rows), verdicts.join('\n')].join('\n\n');
}

function share(bare: Measured, own: Measured): number {
  return median(own.rates) / median(bare.rates);
}
