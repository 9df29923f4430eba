import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import type { AdapterRegistry } from '../domain/adapter.js';
import { GleanerError } from '../domain/errors.js';
import type { EngineApi } from '../engine/api.js';
import { buildApp } from './app.js';

/** The application as far as its document is concerned: every route is there, and none of them can do anything. */
export function buildDocumentationApp(adapters: AdapterRegistry, version: string): Promise<FastifyInstance> {
  return buildApp({
    engine: IDLE_ENGINE,
    domains: { list: refuse, report: refuse, reset: refuse },
    adapters,
    version,
    serviceKeys: [],
    health: async () => ({}),
    readiness: () => ({ browsersAvailable: 0, healthyProxies: 0 }),
    metricsText: async () => '',
    logger: pino({ level: 'silent' }),
    limits: { maxRequestBytes: 1, requestTimeoutMs: 1_000 },
    newRequestId: randomUUID,
    clock: { now: () => 0, mono: () => 0, wait: async () => undefined, after: () => () => undefined },
  });
}

const refuse = (): Promise<never> =>
  Promise.reject(new GleanerError('shutting_down', 'This application only describes itself.'));

const IDLE_ENGINE: EngineApi = {
  submit: refuse,
  batchFaults: () => [],
  submitBatch: refuse,
  task: refuse,
  screenshot: refuse,
  awaitTask: refuse,
  abandon: refuse,
  job: refuse,
  jobs: refuse,
  jobResults: refuse,
  cancelJob: refuse,
  jobEvents: refuse,
  webhooks: { list: refuse, report: refuse, redeliver: refuse, redeliverAll: refuse, ping: refuse },
  planned: {
    open: refuse,
    find: refuse,
    outcomes: refuse,
    record: refuse,
    pause: refuse,
    resume: refuse,
    cancel: refuse,
  },
  queueStats: () => ({
    depth: 0,
    activeWorkers: 0,
    standalone: 0,
    batch: 0,
    delayed: 0,
    lanes: 0,
    averageDurationMs: 0,
  }),
  acceptsWork: () => false,
};
