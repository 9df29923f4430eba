import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Agent, fetch, type RequestInit, type Response } from 'undici';
import { afterAll, beforeAll, expect } from 'vitest';
import { compose, type Service } from '../../src/compose.js';
import { loadConfig } from '../../src/config.js';
import { openSockets } from '../../src/fetching/resources.js';
import { directoriesOf, expectRest, type Holdings, leftBehind, untilNothing, type Whose } from './leak-check.js';
import { operationFor, undocumented } from './openapi.js';
import { keep, keepOutput } from './sinks.js';
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
  headers: Response['headers'];
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
  /** What is no document, such as the metrics. */
  text(path: string): Promise<string>;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown, options?: PostOptions): Promise<Answer>;
  /** Polls until the task or job at this path is in none of the given states. */
  until(path: string, isThere: (data: Record<string, unknown>) => boolean): Promise<Answer>;
}

/** Lets go of idle connections at once: those that a service still has are then none of ours. */
const dispatcher = new Agent({ keepAliveTimeout: 200, keepAliveMaxTimeout: 200 });

export function apiAt(address: string): Api {
  const call = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(address + path, {
      ...init,
      dispatcher,
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
    text: (path) => textAt(address + path),
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

export type StartedService = Api & { service: WatchedService; lines: string[] };

/** How a journey ends: what leaves work behind on purpose says so; of all others it is a leak. */
interface Ending {
  /** `waiting`: tasks that nobody works on; all else is at rest. `running`: anything may be under way. */
  leaves?: 'waiting' | 'running';
}

export interface WatchedService extends Service {
  stop(graceMs: number, how?: Parameters<Service['stop']>[1] & Ending): Promise<void>;
}

/** The whole service in this process, listening on a free port. */
export async function startService(env: Record<string, string>): Promise<StartedService> {
  const lines: string[] = [];
  if (alive.services === 0) alive.socketsBefore = openSockets();
  alive.services += 1;
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

/** Services of this process, and the sockets that were open before the first of them. */
const alive = { services: 0, socketsBefore: 0 };

/** Every journey ends with this: what has nothing to do holds nothing open, and what has stopped has left nothing. */
function withLastLook(service: Service, address: string): WatchedService {
  return {
    ...service,
    async stop(graceMs, { leaves, ...how } = {}) {
      await lookAround(address, { isOwnProcess: false, leaves });
      await service.stop(graceMs, how);
      alive.services -= 1;
      // While another one lives, its sockets are among them.
      const others = alive.services > 0 ? Number.POSITIVE_INFINITY : alive.socketsBefore;
      await untilNothing(async () => leftBehind(await service.resources(), others));
    },
  };
}

const holdingsAt = async (address: string): Promise<Holdings> => JSON.parse(await textAt(`${address}/health`)).data;

const textAt = async (url: string): Promise<string> => (await fetch(url, { dispatcher })).text();

async function lookAround(address: string, { leaves, isOwnProcess }: Ending & Whose): Promise<void> {
  const mayWait = leaves === 'waiting';
  if (leaves !== 'running') await expectRest(() => holdingsAt(address), { isOwnProcess, mayWait });
  await keepOperations(address);
}

/** What anybody may ask without a key, as it is in the end. */
async function keepOperations(address: string): Promise<void> {
  keep('metrics', await textAt(`${address}/metrics`));
  keep('answer', await textAt(`${address}/health`));
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
  kill(signal: NodeJS.Signals, how?: Ending): Promise<number | string | null>;
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
  keepOutput(child);
  const output: string[] = [];
  const address = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output.push(chunk.toString());
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
    async kill(signal, { leaves } = {}) {
      // Who kills rudely means this very moment.
      if (signal === 'SIGTERM') await lookAround(address, { isOwnProcess: true, leaves });
      const exited = once(child, 'exit');
      child.kill(signal);
      const [code, by] = await exited;
      if (code === 0) expect(directoriesOf(child.pid)).toEqual([]);
      return code ?? by;
    },
  };
}
