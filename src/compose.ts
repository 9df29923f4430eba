import { createRequire } from 'node:module';
import { join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import type { FastifyInstance } from 'fastify';
import type { DestinationStream } from 'pino';
import { uuidv7 } from 'uuidv7';
import { createCaseAdapter, createCaseBook } from './adapters/case-record.js';
import { judgePage } from './adapters/page-verdict.js';
import { registryWith } from './adapters/registry.js';
import { countTimers } from './backends/embedded/counted-clock.js';
import { lockDataDir } from './backends/embedded/data-lock.js';
import { LocalQueue } from './backends/embedded/local-queue.js';
import { createPictureFiles } from './backends/embedded/picture-files.js';
import { createRunFiles } from './backends/embedded/run-files.js';
import { SqliteDatabase } from './backends/embedded/sqlite-database.js';
import { systemClock } from './backends/embedded/system-clock.js';
import { type Config, serviceKeys, webhookSecrets } from './config.js';
import { createPlanBook } from './domain/plan.js';
import { RenderExperience } from './domain/render-experience.js';
import { Secret } from './domain/secret.js';
import { Engine } from './engine/engine.js';
import { createPlanRules } from './engine/plan-rules.js';
import { HTTP_TIMEOUTS, openFetchers } from './fetchers.js';
import { createBrowserAdmission } from './fetching/browser-admission.js';
import { sweepScratch } from './fetching/browser-scratch.js';
import { Circuit } from './fetching/circuit.js';
import { createDomains } from './fetching/domains.js';
import { createLoadWatch } from './fetching/load-watch.js';
import { createMachine } from './fetching/machine.js';
import { countResources, type Resources } from './fetching/resources.js';
import { createWebhookPost } from './fetching/webhook-post.js';
import { buildApp } from './http/app.js';
import { isOwnDoor } from './http/own-door.js';
import { webhookPayloads } from './http/webhook-payload.js';
import { createRetrieval } from './plans/retrieval.js';
import type { Telemetry } from './ports/telemetry.js';
import { createReaders } from './readers.js';
import { createReport } from './service-report.js';
import { migrate } from './store/migrate.js';
import { createSqlDeliveries } from './store/sql-deliveries.js';
import { createSqlStore } from './store/sql-store.js';
import { createScrubber, createTelemetry } from './telemetry.js';
import { openVisitGuards } from './visit-guards.js';

/** How many tasks of one domain may run at once where its policy does not say. */
const LANE_WIDTH = 4;
/** When a receiver of webhooks is left alone, and for how long: as for domains, but looked at again sooner. */
const RECEIVER_CIRCUIT = { windowSize: 10, failureThreshold: 5, cooldownMs: 60_000 };
/** A page in hand takes several times its length: its text, what is read from it, what is written of that. */
const PAGE_COPIES = 8;
const DOOR_GRACE_MS = 1_000;
const MiB = 1024 * 1024;

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

export interface Service {
  app: FastifyInstance;
  engine: Engine;
  telemetry: Telemetry;
  /** Takes up old work, launches browsers, listens. Resolves with the address; `null` where the door was to stay shut. */
  start(): Promise<string>;
  start(options: { isDoorShut: true }): Promise<null>;
  /** Running work gets the grace; then everything opened here is closed, last opened first. */
  stop(graceMs: number, how?: { isCrash?: boolean }): Promise<void>;
  /** What is held open; also after the stop, when it should be nothing. */
  resources(): Promise<Resources>;
}

interface Surroundings {
  /** Where log lines go; standard output unless told otherwise. */
  logTo?: DestinationStream;
}

/** The whole service, wired. Opens the store; `start` does everything that reaches outside. */
export async function compose(config: Config, { logTo }: Surroundings = {}): Promise<Service> {
  const { settings, policies, proxies: choices, cases } = config;
  const closers: (() => Promise<unknown>)[] = [];
  const { clockOf, pending } = countTimers(systemClock);

  // Telemetry first: whatever fails from here on is told, and told without secrets.
  const keys = serviceKeys(settings);
  const signing = webhookSecrets(settings);
  const scrubber = createScrubber();
  const secrets = [keys.keys, choices.map(({ url }) => url), signing.secrets, settings.backendServiceKey].flat();
  for (const secret of secrets) if (secret) scrubber.add(secret);
  const watch = createTelemetry({
    level: settings.logLevel,
    bootId: uuidv7(),
    scrubber,
    ...(logTo && { destination: logTo }),
  });
  const { telemetry } = watch;
  const { log } = telemetry;

  // What is known about pages, and what the use-cases make of it.
  const registers = cases.map(createCaseAdapter);
  const adapters = registryWith(registers);
  const retrieval = createRetrieval({
    cases: createCaseBook(registers),
    stopAfterNoRecords: settings.retrievalStopAfterNoRecords,
  });
  const plans = createPlanBook([retrieval]);

  // The store: the truth.
  const lock = lockDataDir(settings.dataDir);
  closers.push(async () => lock.release());
  const database = new SqliteDatabase(join(settings.dataDir, 'gleaner.db'), {
    onBroken: stopAll,
    onLogLength: (isLong, bytes) => {
      if (isLong) log.warn({ bytes }, 'another process keeps reading the store: its log grows until that ends');
      else log.info({ bytes }, 'the log of the store is short again');
    },
  });
  await migrate(database, systemClock.now());
  const store = createSqlStore(database, {
    newId: uuidv7,
    defaultReceiver: settings.defaultWebhookUrl,
    plans: createPlanRules({ plans, adapters, newId: uuidv7 }),
  });
  const deliveries = createSqlDeliveries(database);
  closers.push(() => store.close());

  // Getting pages, and what is asked before each visit.
  const wiring = { clockOf, telemetry, onClose: (close: () => Promise<unknown>) => void closers.push(close) };
  const fetchers = openFetchers(config, wiring);
  const { egress, http, egressProxy, browsers, browser } = fetchers;
  const { egressAllow, proxies, limiter, robots, guards } = await openVisitGuards(config, {
    ...wiring,
    fetchers,
    database,
    onSecret: (secret) => scrubber.add(secret),
  });

  // Telling of what has ended.
  const webhookPost = createWebhookPost({
    egress,
    clock: clockOf('webhooks'),
    ...HTTP_TIMEOUTS,
    userAgent: `gleaner/${version}`,
    isForbidden: (address, port) => isOwnDoor(app, address, port),
  });
  closers.push(() => webhookPost.close());

  // The machine.
  const experience = new RenderExperience();
  const reader = createReaders(
    { adapters, judgePage },
    { clock: clockOf('reader'), maxBodyBytes: settings.maxBodyBytes, cases },
  );
  closers.push(() => reader.close());
  const queue = new LocalQueue({
    clock: clockOf('queue'),
    maxDepth: settings.maxQueueDepth,
    httpConcurrency: settings.httpConcurrency,
    browserConcurrency: settings.browserPoolSize,
    laneWidth: (lane) => policies.forHost(lane).maxConcurrent ?? LANE_WIDTH,
  });
  const load = createLoadWatch({
    limits: {
      loopDelayMs: settings.shedEventLoopMs,
      heapUsed: settings.shedHeapPercent / 100,
      memoryAvailableBytes: settings.shedFreeMemoryMb * MiB,
    },
    clock: clockOf('machine'),
    log,
  });
  const admission = createBrowserAdmission({
    onLook: load.note,
    machine: createMachine({ clock: systemClock }),
    queue,
    size: settings.browserPoolSize,
    max: settings.browserPoolMax,
    clock: clockOf('machine'),
    log,
  });
  closers.push(() => admission.stop());
  const engine = new Engine({
    store,
    pictures: createPictureFiles(join(settings.dataDir, 'screenshots')),
    queue,
    clock: clockOf('engine'),
    random: Math.random,
    newId: uuidv7,
    telemetry,
    adapters,
    experience,
    judgePage,
    reader,
    fetchers: { http, browser },
    guards: guards.list,
    egressAllow,
    laneOf: (url) => policies.laneKey(new URL(url).hostname),
    isCredentialSite: (provider, domain) => settings.credentialSites.includes(`${provider}=${domain}`),
    taskTimeoutMs: settings.taskTimeoutSeconds * 1_000,
    longPageBytes: getHeapStatistics().heap_size_limit / PAGE_COPIES,
    maxAttempts: settings.maxAttempts,
    plans,
    runFiles: createRunFiles({ dataDir: settings.dataDir, clock: clockOf('runs') }),
    planWindow: settings.retrievalWindow,
    checkpointMs: settings.checkpointIntervalSeconds * 1_000,
    runTtlMs: settings.retrievalTtlDays * 24 * 3_600_000,
    resultTtlMs: settings.resultTtlHours * 3_600_000,
    deliveries,
    sender: webhookPost,
    payloads: webhookPayloads,
    secrets: signing.secrets.map((secret) => new Secret(secret)),
    newCircuit: () => new Circuit(RECEIVER_CIRCUIT),
  });

  // The door, and what it shows of the inside.
  const resources = (): Promise<Resources> => countResources(browsers, pending);
  const report = createReport({
    resources,
    version,
    clock: clockOf('door'),
    engine,
    queue,
    browsers,
    admission,
    load,
    guards,
    proxies,
    deliveries,
  });
  watch.setSources({ ...report.gauges, storeLog: () => database.logBytes });
  const app = await buildApp({
    engine,
    domains: createDomains({
      policies,
      breaker: guards.breaker,
      limiter,
      robots,
      proxies,
      queue,
      experience,
      targetTypes: adapters.types(),
      clock: clockOf('door'),
      log,
    }),
    adapters,
    serviceKeys: keys.keys,
    clock: clockOf('door'),
    version,
    newRequestId: uuidv7,
    logger: watch.pino,
    metricsText: watch.metricsText,
    onRequest: watch.httpRequest,
    limits: { maxRequestBytes: settings.maxRequestBytes, requestTimeoutMs: settings.requestTimeoutSeconds * 1_000 },
    overload: {
      current: load.refusal,
      refuse() {
        const refusal = load.refusal();
        const { reason } = load.current();
        if (reason !== null) telemetry.workShed(reason);
        return refusal;
      },
    },
    readiness: () => ({
      browsersAvailable: browsers.canServe(null) ? browsers.own.pages.stats().browsers : 0,
      healthyProxies: proxies.healthyCount(),
    }),
    health: report.health,
  });
  closers.push(() => closeDoor(app));

  return {
    app,
    engine,
    telemetry,
    resources,
    start: (async ({ isDoorShut = false } = {}) => {
      if (signing.file)
        log.info({ file: signing.file }, 'no SCRAPER_WEBHOOK_SECRET is set; the secret is in this file');
      if (keys.file) log.info({ file: keys.file }, 'no SCRAPER_SERVICE_KEY is set; the key is in this file');
      const swept = await sweepScratch();
      if (swept > 0) log.info({ directories: swept }, 'removed what the browsers of a killed process left behind');
      await egressProxy.start();
      // Before any work is taken up: a port that is taken should leave everything as it was.
      const address = isDoorShut ? null : await app.listen({ host: settings.host, port: settings.port });
      browsers.start();
      proxies.start();
      admission.start();
      await engine.start();
      log.info({ address, version }, isDoorShut ? 'ready' : 'listening');
      return address;
    }) as Service['start'],
    async stop(graceMs, how) {
      await engine.stop(graceMs, how);
      for (const close of closers.reverse()) {
        await close().catch((error) => log.error({ err: error }, 'something could not be closed'));
      }
    },
  };
}

/** Fastify waits for every connection, also for one that never says anything. */
async function closeDoor(app: FastifyInstance): Promise<void> {
  const cut = systemClock.after(DOOR_GRACE_MS, () => app.server.closeAllConnections());
  await app.close();
  cut();
}

/** As what nobody foresaw: whoever runs the process stops it, and starts it again. */
function stopAll(error: Error): void {
  queueMicrotask(() => {
    throw error;
  });
}
