import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { uuidv7 } from 'uuidv7';
import { LocalQueue } from '../src/backends/embedded/local-queue.js';
import { systemClock as clock } from '../src/backends/embedded/system-clock.js';
import type { PolicyBook } from '../src/domain/policy.js';
import type { Task } from '../src/domain/task.js';
import type { EngineParts } from '../src/engine/engine.js';
import { entryFor } from '../src/engine/queue-entry.js';
import type { Guard } from '../src/ports/guard.js';
import type { Store } from '../src/ports/store.js';
import type { Telemetry } from '../src/ports/telemetry.js';
import { aPage, openEngine } from '../test/support/engine-harness.js';
import { openStoreAt } from '../test/support/sqlite-store.js';
import { aTask } from '../test/support/tasks.js';
import { tempDir } from '../test/support/temp-dir.js';

export interface Way {
  tasks: number;
  urls: string[];
  list: Guard[];
  policies: PolicyBook;
  jobSize: number;
  hasGuards: boolean;
  isStored: boolean;
  /** `null`: nobody is told anything. */
  telemetry: Telemetry | null;
  /** `null`: a page of one word, read by an adapter that takes it as it is. */
  reading: (Pick<EngineParts, 'adapters' | 'judgePage'> & { html: string }) | null;
}

const SLOTS = 64;
const LANE_WIDTH = 4;

/** CPU ms a task, from the first that is taken to the last that is settled. */
export async function measureEngine(way: Way): Promise<number> {
  const opened = await openFilled(way);
  const store = way.isStored ? opened.store : inMemory(opened.store, opened.tasks);
  const cpu = await runEngine(way, { store, slots: SLOTS });
  await opened.end();
  return cpu / way.tasks;
}

/** The queue with nothing to do in its slots. */
export async function measureQueue(way: Way): Promise<number> {
  const queue = new LocalQueue({ clock, maxDepth: way.tasks, ...slotsOf(way, SLOTS) });
  const entries = tasksOf(way).map((task) => entryFor(task, 'http', { clock, laneOf: laneOf(way) }));
  globalThis.gc?.();
  const begin = process.cpuUsage();
  for (const entry of entries) queue.add(entry);
  await new Promise<void>((resolve) => {
    let left = way.tasks;
    queue.start(async () => {
      left -= 1;
      if (left === 0) resolve();
    });
  });
  const ms = cpuMs(begin) / way.tasks;
  await queue.stop();
  return ms;
}

/** Commits of claims and settles a task, seen by another connection each time the store has announced one. */
export async function countCommits(way: Way, slots: number): Promise<number> {
  const opened = await openFilled(way);
  const probe = new BetterSqlite3(join(opened.directory, 'gleaner.db'), { readonly: true });
  const seen = new Set<unknown>();
  const look = <T>(value: T): T => {
    seen.add(probe.pragma('data_version', { simple: true }));
    return value;
  };
  const { claim, settle } = opened.store;
  const store: Store = {
    ...opened.store,
    claim: (...given) => claim(...given).then(look),
    settle: (...given) => settle(...given).then(look),
  };
  await runEngine(way, { store, slots });
  probe.close();
  await opened.end();
  return seen.size / way.tasks;
}

async function runEngine(way: Way, { store, slots }: { store: Store; slots: number }): Promise<number> {
  let left = way.tasks;
  let ended = (): void => {};
  const all = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const { telemetry = null } = way;
  const counting = {
    ...SILENT,
    ...telemetry,
    visitSettled(visit: Parameters<Telemetry['visitSettled']>[0]) {
      if (visit.end !== 'completed') throw new Error(`A task ended ${visit.end}: ${visit.reason}`);
      telemetry?.visitSettled(visit);
      left -= 1;
      if (left === 0) ended();
    },
  };
  const html = way.reading?.html ?? 'Engineer';
  const { engine } = openEngine({
    store,
    http: async (request) => aPage(request, html),
    queue: { maxDepth: way.tasks, ...slotsOf(way, slots) },
    parts: {
      telemetry: counting,
      laneOf: laneOf(way),
      ...(way.hasGuards && { guards: way.list }),
      ...(way.reading && { adapters: way.reading.adapters, judgePage: way.reading.judgePage }),
    },
  });
  globalThis.gc?.();
  await engine.start();
  const begin = process.cpuUsage();
  await all;
  const ms = cpuMs(begin);
  await engine.stop(1_000);
  return ms;
}

async function openFilled(way: Way) {
  const directory = tempDir('overhead');
  const { store } = await openStoreAt(directory.path);
  const tasks = tasksOf(way);
  if (way.jobSize === 0) await Promise.all(tasks.map((task) => store.openTask(task)));
  for (let from = 0; way.jobSize > 0 && from < tasks.length; from += way.jobSize) {
    const its = tasks.slice(from, from + way.jobSize);
    const id = its[0]!.jobId!;
    await store.openJob({ id, totalTasks: its.length, callbackUrl: null, createdAt: clock.now() }, its);
  }
  const end = async (): Promise<void> => {
    await store.close();
    directory.remove();
  };
  return { store, tasks, directory: directory.path, end };
}

function tasksOf({ tasks, urls, jobSize }: Way): Task[] {
  let jobId: string | null = null;
  return Array.from({ length: tasks }, (_, n) => {
    if (jobSize > 0 && n % jobSize === 0) jobId = uuidv7();
    const targetUrl = urls[n % urls.length]!;
    const { hostname: domain } = new URL(targetUrl);
    return aTask({ targetUrl, domain, jobId, jobSize, seq: n, createdAt: clock.now() });
  });
}

/** Takes the three calls of a visit, and nothing else, away from the disk. */
function inMemory(store: Store, tasks: Task[]): Store {
  const kept = new Map(tasks.map((task) => [task.id, task]));
  const change = (id: string, changes: Partial<Task>): Task => {
    const task = { ...kept.get(id)!, ...changes };
    kept.set(id, task);
    return task;
  };
  return {
    ...store,
    task: async (id) => kept.get(id) ?? null,
    claim: async (id, now) => change(id, { status: 'running', attempts: 1, visits: 1, startedAt: now }),
    settle: async ({ taskId }, { kind, meta }, now) =>
      change(taskId, { status: kind === 'requeued' ? 'queued' : kind, meta, completedAt: now }),
  };
}

const slotsOf = ({ policies }: Way, slots: number) => ({
  httpConcurrency: slots,
  browserConcurrency: 1,
  laneWidth: (lane: string) => policies.forHost(lane).maxConcurrent ?? LANE_WIDTH,
});

const laneOf =
  ({ policies }: Way) =>
  (url: string): string =>
    policies.laneKey(new URL(url).hostname);

function cpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}

const SILENT: Telemetry = {
  log: { debug() {}, info() {}, warn() {}, error() {} },
  taskAccepted() {},
  taskCancelled() {},
  taskConvicted() {},
  workShed() {},
  visitSettled() {},
  guardWaited() {},
  escalated() {},
  autoDecided() {},
  browserNotNeeded() {},
  deliveryAttempted() {},
  browserRetired() {},
};
