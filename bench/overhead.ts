/**
 * What the engine itself costs a task: guards, queue, claim, settle, log and metrics, on the real store. The fetcher
 * answers at once with a page that is ready, so nothing of the network is in it. Ways with a piece left out say what
 * that piece costs; rounds alternate, medians of CPU (all threads of the process) count.
 *
 *   npm run bench:overhead [-- --rounds 7 --tasks 2000]
 */
import { parseArgs } from 'node:util';
import { judgePage } from '../src/adapters/page-verdict.js';
import { createRegistry } from '../src/adapters/registry.js';
import { createTelemetry } from '../src/telemetry.js';
import { openGuards } from './guard-list.js';
import { countCommits, measureEngine, measureQueue, type Way } from './overhead-ways.js';
import { jobPage } from './pages.js';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '7' }, tasks: { type: 'string', default: '2000' } },
});
const ROUNDS = Number(values.rounds);
const TASKS = Number(values.tasks);
const DOMAINS = 100;

const guards = await openGuards(DOMAINS);
const { telemetry } = createTelemetry({
  level: 'info',
  bootId: 'bench',
  destination: { write: () => {} },
  processMetrics: false,
});
const engine: Way = { ...guards, tasks: TASKS, telemetry, jobSize: 0, isStored: true, hasGuards: true, reading: null };
const reading = { adapters: createRegistry(), judgePage, html: jobPage(30_000) };
const WAYS = {
  'the engine, standalone tasks': () => measureEngine(engine),
  'without guards': () => measureEngine({ ...engine, hasGuards: false }),
  'without store': () => measureEngine({ ...engine, isStored: false }),
  'without log and metrics': () => measureEngine({ ...engine, telemetry: null }),
  'the queue alone': () => measureQueue(engine),
  'the engine, tasks of jobs of 100': () => measureEngine({ ...engine, jobSize: 100 }),
  'the engine, and a job page of 30 KB read': () => measureEngine({ ...engine, reading }),
};
type Name = keyof typeof WAYS;
const names = Object.keys(WAYS) as Name[];

const times = new Map(names.map((name) => [name, [] as number[]]));
for (let round = 0; round <= ROUNDS; round += 1) {
  for (const name of names) {
    const ms = await WAYS[name]();
    // The first round runs uncompiled.
    if (round > 0) times.get(name)!.push(ms);
  }
}
const median = (name: Name): number => times.get(name)!.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)]!;
const whole = median('the engine, standalone tasks');
const row = (...cells: string[]): void => console.log(`| ${cells.join(' | ')} |`);

console.log(`${TASKS} tasks over ${DOMAINS} domains, 64 at once; medians of ${ROUNDS} interleaved rounds\n`);
row('way', 'CPU ms a task', 'ratio');
row('---', '---', '---');
for (const name of names) row(name, median(name).toFixed(3), (median(name) / whole).toFixed(2));

const shares: [string, number][] = [
  ['guards', whole - median('without guards')],
  ['store: read, claim, settle', whole - median('without store')],
  ['log line and metrics', whole - median('without log and metrics')],
  ['queue', median('the queue alone')],
];
const rest = whole - shares.reduce((sum, [, ms]) => sum + ms, 0);
console.log();
row('piece of the engine', 'CPU ms a task', 'share');
row('---', '---', '---');
for (const [name, ms] of [...shares, ['the rest: plan, visit, timers', rest] as const]) {
  row(name, ms.toFixed(3), `${((100 * ms) / whole).toFixed(0)} %`);
}

console.log();
row('at once', 'commits a task');
row('---', '---');
for (const slots of [1, 8, 64]) row(String(slots), (await countCommits(engine, slots)).toFixed(3));
await guards.close();
