/**
 * What a plan costs: the same pages as tasks of ordinary jobs and as cases of a run (planning in the settle, outcomes,
 * attempts, checkpoints, files), and a run of 100,000 cases whose memory must stay flat. The fetcher answers at once, so
 * nothing of the network is in it; nothing waits for the disk of the database, as in the other benches.
 *
 *   npm run bench:retrieval [-- --ids 3000 --rounds 3 --long 100000]
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRunFiles } from '../src/backends/embedded/run-files.js';
import { systemClock as clock } from '../src/backends/embedded/system-clock.js';
import { RETRIEVAL } from '../src/domain/retrieval.js';
import type { RunFiles } from '../src/ports/run-files.js';
import { noRecordPage, recordPage } from '../test/support/court.js';
import {
  type CourtEngine,
  courtAdapter,
  courtWish,
  openCourtEngine,
  openCourtRun,
} from '../test/support/court-engine.js';
import { aSpec, CALLER } from '../test/support/tasks.js';
import { tempDir } from '../test/support/temp-dir.js';

const { values } = parseArgs({
  options: {
    ids: { type: 'string', default: '3000' },
    rounds: { type: 'string', default: '3' },
    long: { type: 'string', default: '100000' },
  },
});

const WINDOW = 50;

interface Opened extends CourtEngine {
  path: string;
  /** What writing checkpoints took, all in all. */
  checkpoints: { count: number; ms: number };
}

async function open(page: 'record' | 'none'): Promise<Opened> {
  const directory = tempDir('bench-retrieval');
  const checkpoints = { count: 0, ms: 0 };
  const court = await openCourtEngine({
    dataDir: directory.path,
    fetch: async (id) => (page === 'none' ? noRecordPage : recordPage(id)),
    runFiles: timed(createRunFiles({ dataDir: directory.path, clock }), checkpoints),
    window: WINDOW,
    checkpointMs: 5_000,
    queue: { maxDepth: 1_000_000, httpConcurrency: 64, laneWidth: () => 64 },
  });
  // What tests would ask for later is not the engine's memory.
  const forget = setInterval(() => {
    court.telemetry.visits.splice(0);
    court.asked.splice(0);
  }, 100);
  await court.engine.start();
  const end = async (): Promise<void> => {
    clearInterval(forget);
    await court.end();
    directory.remove();
  };
  return { ...court, path: directory.path, checkpoints, end };
}

function timed(files: RunFiles, spent: { count: number; ms: number }): RunFiles {
  return {
    ...files,
    async writeCheckpoint(runId, pieces) {
      const begun = performance.now();
      await files.writeCheckpoint(runId, pieces);
      spent.count += 1;
      spent.ms += performance.now() - begun;
    },
  };
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const openRun = (court: Opened, ids: number, saveHtml: boolean): Promise<string> =>
  openCourtRun(court, courtWish(0, ids - 1, { saveHtml }));

/** CPU ms (all threads) and wall ms a case. */
async function measure(act: () => Promise<void>, ids: number): Promise<{ cpu: number; wall: number }> {
  globalThis.gc?.();
  const [cpu, begun] = [process.cpuUsage(), performance.now()];
  await act();
  const { user, system } = process.cpuUsage(cpu);
  return { cpu: (user + system) / 1_000 / ids, wall: (performance.now() - begun) / ids };
}

async function asRun(ids: number, page: 'record' | 'none', saveHtml = true): Promise<{ cpu: number; wall: number }> {
  const opened = await open(page);
  const cost = await measure(async () => {
    const id = await openRun(opened, ids, saveHtml);
    while ((await opened.engine.planned.find(id, RETRIEVAL)).job.completedAt === null) await sleep(20);
  }, ids);
  await opened.end();
  return cost;
}

async function asJobs(ids: number, page: 'record' | 'none'): Promise<{ cpu: number; wall: number }> {
  const opened = await open(page);
  const cost = await measure(async () => {
    const jobs: string[] = [];
    for (let from = 0; from < ids; from += 100) {
      const targets = Array.from({ length: 100 }, (_, n) =>
        aSpec({ targetType: courtAdapter.targetType, targetUrl: `https://court.example/case/IMM-${from + n}-25` }),
      );
      jobs.push((await opened.engine.submitBatch({ targets, callbackUrl: null }, CALLER)).job.id);
    }
    for (const id of jobs) while ((await opened.engine.job(id)).completedAt === null) await sleep(20);
  }, ids);
  await opened.end();
  return cost;
}

const ids = Number(values.ids);
const WAYS = {
  'tasks of jobs of 100': () => asJobs(ids, 'none'),
  'a run, pages without a record': () => asRun(ids, 'none'),
  'a run, records kept': () => asRun(ids, 'record', false),
  'a run, records and pages kept': () => asRun(ids, 'record'),
};
type Name = keyof typeof WAYS;
const costs = new Map<Name, { cpu: number; wall: number }[]>();
for (let round = 0; round <= Number(values.rounds); round += 1) {
  for (const name of Object.keys(WAYS) as Name[]) {
    const cost = await WAYS[name]();
    // The first round runs uncompiled.
    if (round > 0) costs.set(name, [...(costs.get(name) ?? []), cost]);
  }
}
const median = (numbers: number[]): number => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
console.log(`${ids} cases, windows of ${WINDOW}; medians of ${values.rounds} interleaved rounds\n`);
console.log('| way | CPU ms a case | × tasks of jobs | wall ms a case |\n| --- | --- | --- | --- |');
const plain = median((costs.get('tasks of jobs of 100') ?? []).map((one) => one.cpu));
for (const [name, seen] of costs) {
  const [cpu, wall] = [median(seen.map((one) => one.cpu)), median(seen.map((one) => one.wall))];
  console.log(`| ${name} | ${cpu.toFixed(3)} | ${(cpu / plain).toFixed(2)} | ${wall.toFixed(3)} |`);
}

const long = Number(values.long);
if (long > 0) await measureLong(long);

async function measureLong(count: number): Promise<void> {
  const opened = await open('none');
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  console.log(`\n| cases ended | heap MB above the start | queued and running | wall s |\n| --- | --- | --- | --- |`);
  const begun = performance.now();
  const id = await openRun(opened, count, false);
  let next = count / 10;
  for (;;) {
    const { job, ended } = await opened.engine.planned.find(id, RETRIEVAL);
    if (ended >= next || job.completedAt !== null) {
      globalThis.gc?.();
      const heap = ((process.memoryUsage().heapUsed - before) / 1024 / 1024).toFixed(1);
      const { depth, activeWorkers } = opened.engine.queueStats();
      console.log(
        `| ${ended} | ${heap} | ${depth + activeWorkers} | ${((performance.now() - begun) / 1_000).toFixed(1)} |`,
      );
      next += count / 10;
    }
    if (job.completedAt !== null) break;
    await sleep(50);
  }
  await sleep(2_000);
  const bytes = statSync(join(opened.path, 'checkpoints', id, 'checkpoint.json')).size;
  const database = readdirSync(opened.path)
    .filter((name) => name.startsWith('gleaner.db'))
    .reduce((sum, name) => sum + statSync(join(opened.path, name)).size, 0);
  const { count: written, ms } = opened.checkpoints;
  console.log(
    `\n${written} checkpoints took ${(ms / 1_000).toFixed(1)} s together (${((ms * 1_000) / count).toFixed(1)} µs a case); the last has ` +
      `${(bytes / 1024 / 1024).toFixed(1)} MB, the database ${(database / 1024 / 1024).toFixed(1)} MB.`,
  );
  await opened.end();
}
