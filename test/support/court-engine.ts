import { uuidv7 } from 'uuidv7';
import { createCaseAdapter, createCaseBook } from '../../src/adapters/case-record.js';
import { judgePage } from '../../src/adapters/page-verdict.js';
import { registryWith } from '../../src/adapters/registry.js';
import { createRunFiles } from '../../src/backends/embedded/run-files.js';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import { createPlanBook, type PlanBook } from '../../src/domain/plan.js';
import { RETRIEVAL } from '../../src/domain/retrieval.js';
import type { Engine } from '../../src/engine/engine.js';
import { createPlanRules } from '../../src/engine/plan-rules.js';
import { createReader } from '../../src/engine/reader.js';
import { createRetrieval } from '../../src/plans/retrieval.js';
import type { Clock } from '../../src/ports/clock.js';
import type { Fetcher } from '../../src/ports/fetcher.js';
import type { PlannedJob } from '../../src/ports/plans.js';
import type { RunFiles } from '../../src/ports/run-files.js';
import type { Store } from '../../src/ports/store.js';
import { COURT, recordPage } from './court.js';
import { aPage, type HarnessOptions, openEngine } from './engine-harness.js';
import type { QuietTelemetry } from './quiet-telemetry.js';
import { openStoreAt } from './sqlite-store.js';
import { CALLER } from './tasks.js';

export const courtAdapter = createCaseAdapter({ ...COURT, url: 'https://court.example/case/{id}' });
const adapters = registryWith([courtAdapter]);
export const courtPlans = createPlanBook([
  createRetrieval({ cases: createCaseBook([courtAdapter]), stopAfterNoRecords: 0 }),
]);
export const courtRules = createPlanRules({ plans: courtPlans, adapters, newId: uuidv7 });

export interface CourtEngine {
  engine: Engine;
  store: Store;
  telemetry: QuietTelemetry;
  /** Ids of the cases asked for, in order. */
  asked: string[];
  end(): Promise<void>;
}

export interface CourtEngineOptions {
  dataDir: string;
  /** Where the database is, where that is not with the files. */
  storeDir?: string;
  fetch?: (id: string, request: Parameters<Fetcher['fetch']>[0], signal: AbortSignal) => Promise<string>;
  runFiles?: RunFiles;
  window?: number;
  checkpointMs?: number;
  queue?: HarnessOptions['queue'];
  clock?: Clock;
  parts?: HarnessOptions['parts'];
  /** Told of runs that end. */
  defaultReceiver?: string;
  /** Where the register is not configured. */
  plans?: PlanBook;
}

/** The real engine with the real plan, files and store; the register answers at once, and is no site. */
export async function openCourtEngine(options: CourtEngineOptions): Promise<CourtEngine> {
  const { dataDir, storeDir = dataDir, fetch = async (id) => recordPage(id), window = 5, checkpointMs = 1 } = options;
  const { plans = courtPlans, clock = systemClock } = options;
  const rules = plans === courtPlans ? courtRules : createPlanRules({ plans, adapters, newId: uuidv7 });
  const { store } = await openStoreAt(storeDir, { plans: rules, defaultReceiver: options.defaultReceiver ?? null });
  const asked: string[] = [];
  const { engine, telemetry } = openEngine({
    store,
    clock,
    ...(options.queue && { queue: options.queue }),
    http: async (request, signal) => {
      const id = request.url.split('/').at(-1) ?? '';
      asked.push(id);
      return aPage(request, await fetch(id, request, signal));
    },
    parts: {
      adapters,
      judgePage,
      reader: createReader({ adapters, judgePage }),
      plans,
      runFiles: options.runFiles ?? createRunFiles({ dataDir, clock }),
      planWindow: window,
      checkpointMs,
      ...options.parts,
    },
  });
  const end = async (): Promise<void> => {
    await engine.stop(0);
    await store.close();
  };
  return { engine, store, telemetry, asked, end };
}

export const courtWish = (from: number, to: number, changes: object = {}) => ({
  adapter: 'court',
  workspaceId: 'ws',
  prefix: null,
  year: '25',
  range: { from, to },
  identifiers: null,
  render: null,
  stopAfterNoRecords: null,
  saveHtml: false,
  ...changes,
});

export async function openCourtRun({ engine }: CourtEngine, wish: object): Promise<string> {
  return (await engine.planned.open({ kind: RETRIEVAL, wish, callbackUrl: null }, CALLER)).planned.job.id;
}

/** Polls until the run is as described. */
export async function untilRun(
  { engine }: CourtEngine,
  runId: string,
  isThere: (run: PlannedJob) => boolean = ({ job }) => job.completedAt !== null,
): Promise<PlannedJob> {
  for (;;) {
    const run = await engine.planned.find(runId, RETRIEVAL);
    if (isThere(run)) return run;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export async function outcomesOf({ engine }: CourtEngine, runId: string) {
  return (await engine.planned.outcomes(runId, { limit: 10_000, cursor: null, outcome: null })).items;
}
