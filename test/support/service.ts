import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { compose, type Service } from '../../src/compose.js';
import { loadConfig } from '../../src/config.js';
import { operationFor, undocumented } from './openapi.js';
import { keep } from './sinks.js';
import { tempDir } from './temp-dir.js';

export const SERVICE_KEY = 'CANARY-journey-key-7f3a9c';

/** Settings for a service that may reach our own site and nothing else, quickly. */
export function journeyEnv(dataDir: string, changes: Record<string, string> = {}): Record<string, string> {
  const policies = join(dataDir, 'policies.yaml');
  writeFileSync(policies, 'domains:\n  default:\n    tokens_per_interval: 1000\n    interval_seconds: 1\n');
  return {
    SCRAPER_PORT: '0',
    SCRAPER_SERVICE_KEY: SERVICE_KEY,
    SCRAPER_DATA_DIR: join(dataDir, 'data'),
    SCRAPER_DOMAIN_POLICIES_PATH: policies,
    SCRAPER_EGRESS_ALLOW: '127.0.0.0/8',
    SCRAPER_BROWSER_POOL_SIZE: '2',
    SCRAPER_GRACEFUL_SHUTDOWN_SECONDS: '5',
    SCRAPER_NAVIGATION_TIMEOUT_MS: '10000',
    ...changes,
  };
}

export interface Answer {
  status: number;
  headers: Headers;
  // The journeys read answers as a client in another language would: by name.
  // biome-ignore lint/suspicious/noExplicitAny: a wire document without a compile-time shape
  body: any;
}

interface PostOptions {
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

export interface Api {
  address: string;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown, options?: PostOptions): Promise<Answer>;
  /** Polls until the task or job at this path is in none of the given states. */
  until(path: string, isThere: (data: Record<string, unknown>) => boolean): Promise<Answer>;
}

export function apiAt(address: string): Api {
  const call = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(address + path, {
      ...init,
      headers: {
        'x-service-key': SERVICE_KEY,
        ...(init.body ? { 'content-type': 'application/json' } : {}),
        ...init.headers,
      },
    });
    const text = await response.text();
    keep('answer', `${JSON.stringify([...response.headers])}\n${text}`);
    expectDocumented(init.method ?? 'GET', path, response, text);
    return { status: response.status, headers: response.headers, body: JSON.parse(text) };
  };
  const get = (path: string): Promise<Answer> => call(path, {});
  return {
    address,
    get,
    post: (path, body, options = {}) =>
      call(path, { method: 'POST', ...(body === undefined ? {} : { body: JSON.stringify(body) }), ...options }),
    async until(path, isThere) {
      for (;;) {
        const answer = await get(path);
        if (answer.body.data && isThere(answer.body.data)) return answer;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}

/** Every answer of every journey is one that the document promises. */
function expectDocumented(method: string, path: string, { status, headers }: Response, body: string): void {
  const operation = operationFor(method, path);
  const answered = { status, contentType: headers.get('content-type'), body };
  if (operation) expect(undocumented(operation, answered)).toEqual([]);
}

export type StartedService = Api & { service: Service; lines: string[] };

/** The whole service in this process, listening on a free port. */
export async function startService(env: Record<string, string>): Promise<StartedService> {
  const lines: string[] = [];
  const service = await compose(loadConfig(env), {
    logTo: {
      write(line) {
        lines.push(line);
        keep('log', line);
      },
    },
  });
  const address = await service.start();
  return { ...apiAt(address), service: withLastLook(service, address), lines };
}

/** Every journey ends with this: what had nothing to do holds nothing open, and what has stopped has left nothing. */
function withLastLook(service: Service, address: string): Service {
  return {
    ...service,
    async stop(graceMs, how) {
      const { depth, activeWorkers } = service.engine.queueStats();
      if (depth + activeWorkers === 0) await untilNothing(() => leftOpen(service));
      await keepOperations(address);
      await service.stop(graceMs, how);
      await untilNothing(() => leftBehind(service));
    },
  };
}

const LEAK_PATIENCE_MS = 10_000;

async function untilNothing(look: () => Promise<string[]>): Promise<void> {
  const giveUp = performance.now() + LEAK_PATIENCE_MS;
  for (let left = await look(); left.length > 0; left = await look()) {
    if (performance.now() > giveUp) throw new Error(`The service holds on to ${left.join(', ')}.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** What a service without work still holds beyond its resting state. */
async function leftOpen({ resources }: Service): Promise<string[]> {
  const { browsers, contexts, pages, temp_directories } = await resources();
  return [
    ...(contexts > 0 ? [`${contexts} contexts`] : []),
    ...(pages > browsers ? [`${pages} pages in ${browsers} browsers`] : []),
    // Other services of the same process have theirs, too, and a browser that is being launched has one already.
    ...(temp_directories < browsers ? [`${browsers} browsers in ${temp_directories} directories`] : []),
  ];
}

/** What a service that has stopped still holds. Sockets may be the test's own. */
async function leftBehind({ resources }: Service): Promise<string[]> {
  const { sockets, ...held } = await resources();
  return Object.entries(held).flatMap(([kind, count]) => (count > 0 ? [`${count} ${kind}`] : []));
}

/** What anybody may ask without a key, as it is in the end. */
async function keepOperations(address: string): Promise<void> {
  const ask = async (path: string): Promise<string> => (await fetch(address + path)).text();
  keep('metrics', await ask('/metrics'));
  keep('answer', await ask('/health'));
}

/** One service for all tests of the block it is called in. */
export function useService(name: string, changes: Record<string, string> = {}): { api: StartedService } {
  const directory = tempDir(name);
  const used = {} as { api: StartedService };
  beforeAll(async () => {
    used.api = await startService(journeyEnv(directory.path, changes));
  });
  afterAll(async () => {
    await used.api.service.stop(1_000);
    directory.remove();
  });
  return used;
}

/** A posting of our site as a caller asks for it; plain HTTP, unless told otherwise. */
export const postingAt = (targetUrl: string, changes: object = {}) => ({
  target_type: 'job_posting',
  target_url: targetUrl,
  workspace_id: 'ws-1',
  render: 'http',
  ...changes,
});

export interface ServiceProcess extends Api {
  child: ChildProcess;
  output: string[];
  /** Resolves with the exit code, or the signal's name. */
  kill(signal: NodeJS.Signals): Promise<number | string | null>;
}

export interface SpawnOptions {
  /** A command that ends by becoming the one it is given, in surroundings of its own making. */
  through?: string[];
  /** Loaded before the service. */
  preload?: string;
}

/** The service as an operator runs it: a process of its own that can be killed. */
export async function spawnService(
  env: Record<string, string>,
  { through = [], preload }: SpawnOptions = {},
): Promise<ServiceProcess> {
  const tsx = createRequire(import.meta.url).resolve('tsx');
  const loaded = [tsx, ...(preload ? [preload] : [])].flatMap((module) => ['--import', module]);
  const [program, ...args] = [...through, process.execPath, ...loaded, 'src/main.ts'];
  const child = spawn(program!, args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  const address = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output.push(chunk.toString());
      keep('log', chunk.toString());
      const found = /"address":"([^"]+)"/.exec(output.join(''));
      if (found?.[1]) resolve(found[1]);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', (code) => reject(new Error(`The service ended with ${code}: ${output.join('')}`)));
  });
  return {
    ...apiAt(address),
    child,
    output,
    async kill(signal) {
      // Who kills rudely means this very moment.
      if (signal === 'SIGTERM') await keepOperations(address);
      const exited = once(child, 'exit');
      child.kill(signal);
      const [code, by] = await exited;
      return code ?? by;
    },
  };
}
