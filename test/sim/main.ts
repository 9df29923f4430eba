import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { describeFailure, Report } from './report.js';
import type { RunResult } from './run.js';

const SPAN = 25;
const PROGRESS_EVERY = 500;
/** Nobody reads more than a few; the first tells enough. */
const FAILURES_SHOWN = 3;

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '10000' }, from: { type: 'string', default: '1' } },
});
const seeds = wholeNumber('--seeds', values.seeds, 1);
const from = wholeNumber('--from', values.from, 0);

const begun = performance.now();
const report = new Report();
let next = from;
await Promise.all(Array.from({ length: Math.min(availableParallelism(), Math.ceil(seeds / SPAN)) }, work));
const failures = report.failures.sort((a, b) => a.seed - b.seed);
for (const failure of failures.slice(0, FAILURES_SHOWN)) console.log(`\n${describeFailure(failure)}`);
if (failures.length > 0) console.log(`\nfailing seeds: ${failures.map(({ seed }) => seed).join(', ')}`);
console.log(`\n${report.figures((performance.now() - begun) / 1_000)}`);
process.exitCode = failures.length > 0 || report.seeds < seeds ? 1 : 0;

/** One process that is given spans of seeds until there are no more. */
function work(): Promise<void> {
  const child = fork(join(import.meta.dirname, 'worker.ts'), { execArgv: ['--import', 'tsx'] });
  child.on('message', (message: { result?: RunResult; isReady?: boolean }) => {
    if (message.result) heard(message.result);
    if (message.isReady) handOut(child);
  });
  return new Promise((resolve) => child.once('exit', () => resolve()));
}

function handOut(child: ChildProcess): void {
  const count = Math.min(SPAN, from + seeds - next);
  if (count <= 0 || report.failures.length >= FAILURES_SHOWN) {
    child.disconnect();
    return;
  }
  child.send({ from: next, count });
  next += count;
}

function heard(result: RunResult): void {
  report.add(result);
  if (report.seeds % PROGRESS_EVERY !== 0) return;
  const seconds = (performance.now() - begun) / 1_000;
  console.log(`${report.seeds} of ${seeds} seeds, ${report.failures.length} failed, ${seconds.toFixed(0)} s`);
}

function wholeNumber(name: string, text: string, least: number): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= least) return number;
  throw new Error(`${name} must be a whole number from ${least} on, not ${JSON.stringify(text)}.`);
}
