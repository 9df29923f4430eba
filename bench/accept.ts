/**
 * How much of a bare Fastify route is left once every request is validated, authenticated and on disk before its 202.
 * Both servers run in processes of their own, with the same request schema; rounds alternate, medians count.
 *
 *   npm run bench:accept [-- --seconds 4 --rounds 3 --connections 64]
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '64' },
  },
});
const KEY = 'bench-key';
const BODY = { target_type: 'job_posting', target_url: 'http://127.0.0.1:9/job/1', workspace_id: 'ws-1' };

interface Contestant {
  name: string;
  path: string;
  url: string;
  stop: () => Promise<void>;
  rates: number[];
  refused: number;
}

/** Starts a server process and waits until it names its address. */
async function start(script: string, env: Record<string, string>): Promise<{ url: string; stop: () => Promise<void> }> {
  const child = spawn(process.execPath, ['--import', 'tsx', fileURLToPath(new URL(script, import.meta.url))], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    let seen = '';
    child.stdout.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
      const found = /"address":"([^"]+)"/.exec(seen);
      if (found?.[1]) resolve(found[1]);
    });
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}`)));
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = (): Promise<void> => {
    child.kill('SIGTERM');
    return ended;
  };
  return { url, stop };
}

async function measure(contestant: Contestant): Promise<void> {
  const result = await autocannon({
    url: contestant.url + contestant.path,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-key': KEY },
    body: JSON.stringify(BODY),
    connections: Number(values.connections),
    duration: Number(values.seconds),
  });
  contestant.rates.push(result['2xx'] / result.duration);
  contestant.refused += result.non2xx + result.errors;
}

const median = (numbers: number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] as number;

const directory = mkdtempSync(join(tmpdir(), 'gleaner-bench-'));
const service = await start('../src/main.ts', {
  SCRAPER_PORT: '0',
  SCRAPER_SERVICE_KEY: KEY,
  SCRAPER_DATA_DIR: directory,
  SCRAPER_MAX_QUEUE_DEPTH: '10000000',
  SCRAPER_LOG_LEVEL: 'info',
  SCRAPER_EGRESS_ALLOW: '127.0.0.1',
  SCRAPER_GRACEFUL_SHUTDOWN_SECONDS: '1',
  SCRAPER_BROWSER_POOL_SIZE: '1',
  // Nothing is visited while we measure.
  SCRAPER_DOMAIN_POLICIES_PATH: fileURLToPath(new URL('closed-policies.yaml', import.meta.url)),
});
const bare = await start('bare-server.ts', {});
const contestants: Contestant[] = [
  { name: 'bare Fastify route, validation only', path: '/scrape', ...bare, rates: [], refused: 0 },
  { name: 'gleaner POST /api/v1/scrape, durable', path: '/api/v1/scrape', ...service, rates: [], refused: 0 },
];
try {
  for (const contestant of contestants) await measure(contestant);
  for (const contestant of contestants) contestant.rates = [];
  for (let round = 0; round < Number(values.rounds); round++)
    for (const contestant of contestants) await measure(contestant);
  const base = median(contestants[0]?.rates ?? [1]);
  console.table(
    contestants.map(({ name, rates, refused }) => ({
      name,
      'accepted a second': Math.round(median(rates)),
      ratio: (median(rates) / base).toFixed(2),
      'not accepted': refused,
    })),
  );
} finally {
  for (const { stop } of contestants) await stop();
  rmSync(directory, { recursive: true, force: true });
}
