import fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import { judgePage } from '../../src/adapters/page-verdict.js';
import { registryWith } from '../../src/adapters/registry.js';
import { createRunFiles } from '../../src/backends/embedded/run-files.js';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import { createReader } from '../../src/engine/reader.js';
import { KEY, openDoor, type TestDoor } from '../http/support.js';
import { noRecordPage } from '../support/court.js';
import { courtAdapter, courtPlans, courtRules } from '../support/court-engine.js';
import { aPage, openEngine } from '../support/engine-harness.js';
import { undocumented } from '../support/openapi.js';
import { jobPage } from '../support/site-pages.js';
import { openTempStore } from '../support/sqlite-store.js';
import { tempDir } from '../support/temp-dir.js';
import { anyRequest, type FuzzRequest, type Known } from './requests.js';

export interface FuzzReport {
  requests: number;
  /** How often each status was answered, by operation. */
  answered: Map<string, Map<number, number>>;
  /** Each with the request that led to it. */
  faults: string[];
}

/**
 * Requests made from `openapi.yaml` against the real door, engine and store; pages and receivers are always well, so
 * that nothing but the request can be at fault. No answer may be a 5xx, and every one must be as the document says.
 */
export async function fuzz({ requests, seed }: { requests: number; seed: number }): Promise<FuzzReport> {
  const report: FuzzReport = { requests, answered: new Map(), faults: [] };
  const service = await open();
  try {
    for (const request of fc.sample(anyRequest(KEY), { numRuns: requests, seed })) {
      await send(service, request, report);
    }
  } finally {
    await service.close();
  }
  return report;
}

interface Opened {
  door: TestDoor;
  ids: Record<Known['kind'], string[]>;
  close(): Promise<void>;
}

async function open(): Promise<Opened> {
  const temp = await openTempStore({ plans: courtRules });
  const directory = tempDir('fuzz');
  const adapters = registryWith([courtAdapter]);
  const { engine } = openEngine({
    store: temp.store,
    deliveries: temp.deliveries,
    http: async (request) =>
      aPage(request, request.url.includes('court.example') ? noRecordPage : jobPage(1, request.url)),
    browser: async (request) => aPage(request, jobPage(1, request.url), 'browser'),
    queue: { maxDepth: 1_000_000, httpConcurrency: 64, browserConcurrency: 64 },
    parts: {
      adapters,
      judgePage,
      reader: createReader({ adapters, judgePage }),
      plans: courtPlans,
      runFiles: createRunFiles({ dataDir: directory.path, clock: systemClock }),
      planWindow: 3,
    },
  });
  await engine.start();
  const door = await openDoor({ engine, adapters });
  return {
    door,
    ids: { task: [], job: [], delivery: [], run: [] },
    async close() {
      await door.app.close();
      await engine.stop(0);
      await temp.end();
      directory.remove();
    },
  };
}

async function send(service: Opened, request: FuzzRequest, report: FuzzReport): Promise<void> {
  const { operation } = request;
  const url = urlOf(request, service.ids);
  const injected: InjectOptions = {
    method: operation.method as 'GET',
    url,
    headers: request.headers,
    ...(request.body !== undefined && { payload: request.body }),
  };
  const response = await service.door.app.inject(injected);
  const answer = {
    status: response.statusCode,
    contentType: String(response.headers['content-type'] ?? ''),
    body: response.body,
  };
  note(report, `${operation.method} ${operation.path}`, answer.status);
  remember(service.ids, answer.body);
  // Who follows the events of a run that rests would wait for ever.
  if (url.endsWith('/pause') && answer.status === 200) {
    await service.door.app.inject({ ...injected, url: url.replace(/pause$/, 'resume') });
  }
  const faults = undocumented(operation, answer);
  if (answer.status >= 500) faults.push(`a ${answer.status}`);
  if (!response.headers['x-request-id']) faults.push('no X-Request-ID');
  const sent = `${operation.method} ${url} ${JSON.stringify(request.headers)} ${String(request.body)}`;
  for (const fault of faults)
    report.faults.push(`${fault}\n  to ${sent.slice(0, 600)}\n  answer ${answer.body.slice(0, 300)}`);
}

function urlOf({ operation, path, query }: FuzzRequest, ids: Opened['ids']): string {
  const filled = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = path[name]!;
    const text = typeof value === 'string' ? value : (pick(ids[value.kind], value.n) ?? 'none-yet');
    return encoded(text);
  });
  const pairs = query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`;
}

const pick = (ids: string[], n: number): string | undefined => ids[n % Math.max(1, ids.length)];

/** What is percent-encoded already stays so, right or wrong; half a surrogate cannot be encoded at all. */
const encoded = (text: string): string =>
  /^%/.test(text) ? encodeURI(text).replaceAll('%25', '%') : encodeURIComponent(Buffer.from(text).toString());

/** Ids of whatever the answers tell of. */
function remember(ids: Opened['ids'], body: string): void {
  for (const [, kind, id] of body.matchAll(/"(task|job|delivery|run)_id":"([0-9a-f-]{36})"/g)) {
    const known = ids[kind as Known['kind']];
    if (known.length < 1000) known.push(id!);
  }
}

function note({ answered }: FuzzReport, operation: string, status: number): void {
  const counts = answered.get(operation) ?? new Map<number, number>();
  counts.set(status, (counts.get(status) ?? 0) + 1);
  answered.set(operation, counts);
}
