import { randomUUID } from 'node:crypto';
import { type ClientRequest, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { pino } from 'pino';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import { type Adapter, type AdapterRegistry, FORMATS } from '../../src/domain/adapter.js';
import {
  CompanyWebsiteResult,
  JobPostingResult,
  LinkedInProfileResult,
  WebPageResult,
} from '../../src/domain/records.js';
import { type AnsweredRequest, buildApp, type Door } from '../../src/http/app.js';
import { domainParts } from '../support/domain-parts.js';
import { MemoryEngine } from '../support/memory-engine.js';
import { keep, lookAt } from '../support/sinks.js';

export const KEY = 'CANARY-door-key-5e21b0';
export const SCRAPE = '/api/v1/scrape';

/** A registry of the real record types, with adapters that read nothing: the door never asks them to. */
export const registry: AdapterRegistry = registryOf({
  linkedin_profile: LinkedInProfileResult,
  company_website: CompanyWebsiteResult,
  job_posting: JobPostingResult,
  web_page: WebPageResult,
});

export const target = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  target_type: 'job_posting',
  target_url: 'https://www.example.com/jobs/1',
  workspace_id: 'ws_1',
  ...changes,
});

export interface TestDoor {
  app: FastifyInstance;
  engine: MemoryEngine;
  logLines: Record<string, unknown>[];
  answered: AnsweredRequest[];
  /** With the service key. */
  call(options: InjectOptions): Promise<LightMyRequestResponse>;
  post(url: string, body: unknown, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
  get(url: string): Promise<LightMyRequestResponse>;
}

export async function openDoor(changes: Partial<Door> = {}): Promise<TestDoor> {
  const engine = new MemoryEngine(registry, systemClock);
  const logLines: Record<string, unknown>[] = [];
  const answered: AnsweredRequest[] = [];
  const logger = pino(
    { level: 'trace' },
    {
      write(line: string) {
        logLines.push(JSON.parse(line));
        keep('log', line);
      },
    },
  );
  const app = await buildApp({
    engine,
    domains: domainParts({ clock: systemClock, log: logger }).domains,
    adapters: registry,
    serviceKeys: [KEY, 'the-next-key'],
    health: async () => ({ status: 'ok' }),
    readiness: () => ({ browsersAvailable: 1, healthyProxies: 1 }),
    metricsText: async () => '# HELP up Is it up.\n# TYPE up gauge\nup 1\n',
    logger,
    onRequest: (request) => answered.push(request),
    limits: { maxRequestBytes: 1024 * 1024, requestTimeoutMs: 30_000 },
    newRequestId: randomUUID,
    clock: systemClock,
    version: '0.0.0-test',
    ...changes,
  });
  app.inject = lookedAt(app.inject.bind(app)) as FastifyInstance['inject'];
  const call = (options: InjectOptions): Promise<LightMyRequestResponse> =>
    app.inject({ ...options, headers: { 'x-service-key': KEY, ...options.headers } });
  const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
    call({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', ...headers },
      payload: JSON.stringify(body),
    });
  return { app, engine, logLines, answered, call, post, get: (url) => call({ method: 'GET', url }) };
}

type Inject = (options: InjectOptions | string) => Promise<LightMyRequestResponse>;

/** Whoever asks, with the key or without: what is answered is looked through for secrets. */
const lookedAt =
  (inject: Inject): Inject =>
  async (options) => {
    const response = await inject(options);
    lookAt('answer', `${JSON.stringify(response.headers)}\n${response.body}`, answerTo(options));
    return response;
  };

const answerTo = (options: InjectOptions | string): string =>
  typeof options === 'string' ? `the answer to ${options}` : `the answer to ${options.method ?? 'GET'} ${options.url}`;

export async function listening(app: FastifyInstance): Promise<number> {
  await app.listen({ host: '127.0.0.1', port: 0 });
  return (app.server.address() as AddressInfo).port;
}

/** A request over a real socket, for tests that hang up (`destroy`) or read slowly. */
export function hangingRequest(
  port: number,
  { path, body, headers = {} }: { path: string; body?: unknown; headers?: Record<string, string> },
): ClientRequest {
  const method = body === undefined ? 'GET' : 'POST';
  const sent = { 'x-service-key': KEY, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers };
  const client = request({ host: '127.0.0.1', port, path, method, headers: sent });
  client.on('error', () => undefined);
  client.end(body === undefined ? undefined : JSON.stringify(body));
  return client;
}

/** Writes bytes to a fresh connection and gives back everything that comes until the server closes it or time is up. */
export function rawExchange(port: number, chunks: (string | Buffer)[], waitMs = 3000): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => {
      for (const chunk of chunks) socket.write(chunk);
    });
    const end = (): void => {
      clearTimeout(timer);
      socket.destroy();
      lookAt('answer', received, 'a raw answer');
      resolve(received);
    };
    const timer = setTimeout(end, waitMs);
    socket.on('data', (data) => {
      received += data.toString('latin1');
    });
    socket.on('error', end);
    socket.on('close', end);
  });
}

/** The status, headers and body of the first answer in raw bytes. */
export function parseAnswer(raw: string): { status: number; headers: Record<string, string>; body: string } {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { status: Number(statusLine.split(' ')[1]), headers, body: rest.join('\r\n\r\n') };
}

function registryOf(schemas: Record<string, Adapter['schema']>): AdapterRegistry {
  const adapters = Object.entries(schemas).map(([targetType, schema]): [string, Adapter] => [
    targetType,
    {
      targetType,
      schema,
      version: '1',
      keyField: Object.keys(schema.properties)[0] ?? '',
      waitFor: { selectors: [], timeoutMs: 0 },
      extract: () => ({ fields: {}, provenance: {}, notes: [] }),
      enough: () => true,
      scriptSign: () => null,
      ...(targetType === 'web_page' && { formats: FORMATS }),
    },
  ]);
  const byType = new Map(adapters);
  return { get: (type) => byType.get(type), types: () => [...byType.keys()] };
}

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
