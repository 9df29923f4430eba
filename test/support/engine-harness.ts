import { Type } from '@sinclair/typebox';
import { uuidv7 } from 'uuidv7';
import { LocalQueue, type LocalQueueOptions } from '../../src/backends/embedded/local-queue.js';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import type { Adapter, AdapterRegistry } from '../../src/domain/adapter.js';
import type { Page, PageVerdict } from '../../src/domain/page.js';
import { createPlanBook } from '../../src/domain/plan.js';
import { domainOf } from '../../src/domain/registrable-domain.js';
import { RenderExperience } from '../../src/domain/render-experience.js';
import { Secret } from '../../src/domain/secret.js';
import { parseEgressAllow } from '../../src/domain/target-url.js';
import { Engine, type EngineParts } from '../../src/engine/engine.js';
import { createReader } from '../../src/engine/reader.js';
import { Circuit } from '../../src/fetching/circuit.js';
import { webhookPayloads } from '../../src/http/webhook-payload.js';
import type { Clock } from '../../src/ports/clock.js';
import type { Deliveries } from '../../src/ports/deliveries.js';
import type { Fetcher, FetchRequest, Identity } from '../../src/ports/fetcher.js';
import type { Guard } from '../../src/ports/guard.js';
import type { Store } from '../../src/ports/store.js';
import type { WebhookSender } from '../../src/ports/webhook-sender.js';
import { memoryPictures } from './memory-pictures.js';
import { noRunFiles } from './no-run-files.js';
import { quietLedger } from './quiet-ledger.js';
import { QuietTelemetry } from './quiet-telemetry.js';

const WEBHOOK_SECRET = 'whsec_Q0FOQVJZLXNlY3JldC1vZi10aGUtaGFybmVzcw==';

/** Reads `{"job_title": …}`; a page that says `shell` needs a browser. */
const noteAdapter: Adapter = {
  targetType: 'job_posting',
  version: '1',
  schema: Type.Object({
    job_title: Type.Union([Type.String(), Type.Null()]),
    company_name: Type.Union([Type.String(), Type.Null()]),
  }),
  keyField: 'job_title',
  waitFor: { selectors: [], timeoutMs: 0 },
  extract: (page) => ({ fields: { job_title: page.html }, provenance: {}, notes: [] }),
  enough: (page) => page.html !== 'shell',
  scriptSign: () => null,
};

export const noteRegistry: AdapterRegistry = {
  get: (type) => (type === noteAdapter.targetType ? noteAdapter : undefined),
  types: () => [noteAdapter.targetType],
};

const IDENTITY: Identity = {
  userAgent: 'test',
  viewport: { width: 1280, height: 720 },
  screen: { width: 1280, height: 800 },
  timezone: 'UTC',
  locale: 'en-US',
  languages: ['en-US', 'en'],
  geolocation: null,
  headers: {},
};

/** The only guard a visit cannot do without. */
const identityGuard: Guard = {
  name: 'identity',
  check(plan) {
    plan.identity = IDENTITY;
    return { kind: 'go' };
  },
};

export const aPage = (request: FetchRequest, html: string, renderedBy: Page['renderedBy'] = 'http'): Page => ({
  url: request.url,
  finalUrl: request.url,
  httpStatus: 200,
  headers: {},
  contentType: 'text/html',
  html,
  bytes: html.length,
  renderedBy,
  redirects: [],
});

export interface HarnessOptions {
  store: Store;
  /** Of the same database, where something is to be told. */
  deliveries?: Deliveries;
  send?: WebhookSender['send'];
  clock?: Clock;
  http?: Fetcher['fetch'];
  browser?: Fetcher['fetch'];
  guards?: Guard[];
  queue?: Partial<LocalQueueOptions>;
  parts?: Partial<EngineParts>;
}

const judgePage = ({ html }: Page): PageVerdict => {
  if (html === '') return { kind: 'refusal', code: 'empty_page', sign: 'nothing_to_read' };
  return html === 'captcha' ? { kind: 'refusal', code: 'blocked_page', sign: 'captcha' } : { kind: 'content' };
};

/** The real engine and queue on a real store; only the network is an argument. */
export function openEngine(options: HarnessOptions): { engine: Engine; telemetry: QuietTelemetry; queue: LocalQueue } {
  const clock = options.clock ?? systemClock;
  const telemetry = new QuietTelemetry();
  const queue = new LocalQueue({
    clock,
    maxDepth: 500,
    httpConcurrency: 8,
    browserConcurrency: 2,
    laneWidth: () => 8,
    ...options.queue,
  });
  const http = options.http ?? (async (request) => aPage(request, 'Engineer'));
  const browser = options.browser ?? (async (request) => aPage(request, 'Rendered', 'browser'));
  const adapters = options.parts?.adapters ?? noteRegistry;
  const engine = new Engine({
    store: options.store,
    pictures: memoryPictures(clock),
    queue,
    clock,
    telemetry,
    random: () => 0.5,
    newId: uuidv7,
    experience: new RenderExperience(),
    adapters,
    reader: createReader({ adapters, judgePage }),
    fetchers: { http: { fetch: http }, browser: { fetch: browser } },
    judgePage,
    guards: [...(options.guards ?? []), identityGuard],
    egressAllow: parseEgressAllow([]),
    laneOf: domainOf,
    isCredentialSite: () => false,
    taskTimeoutMs: 60_000,
    longPageBytes: 64 * 1024 * 1024,
    maxAttempts: 3,
    resultTtlMs: 3_600_000,
    plans: createPlanBook([]),
    runFiles: noRunFiles,
    planWindow: 10,
    checkpointMs: 1_000,
    runTtlMs: 3_600_000,
    deliveries: options.deliveries ?? quietLedger,
    sender: { send: options.send ?? (async () => ({ status: 200, retryAfterMs: undefined })) },
    payloads: webhookPayloads,
    secrets: [new Secret(WEBHOOK_SECRET)],
    newCircuit: () => new Circuit({ windowSize: 10, failureThreshold: 5, cooldownMs: 60_000 }),
    ...options.parts,
  });
  return { engine, telemetry, queue };
}

/** A fetch that never ends by itself; it obeys its signal as every fetcher must. */
export const hang: Fetcher['fetch'] = (_request, signal) =>
  new Promise((_resolve, reject) => {
    const end = (): void => reject(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
