/**
 * What one node carries: a million tasks over a hundred thousand domains through the real queue, breaker and limiter,
 * on the virtual clock. Domains are as unequal as they are on the web; some are slow, some fail for an hour or for
 * ever, some answer 429; jobs are of all sizes. Prints what a task and a domain take in memory, what a dispatch costs
 * as n grows, and how long tasks waited against what their domain's rate alone asks for; and fails if a task ended
 * other than once, was passed over, or took a token that was not back.
 *
 *   npm run bench:scale [-- --tasks 1000000]
 */
import { parseArgs } from 'node:util';
import { DispatchRun } from '../test/support/dispatch-run.js';
import { VirtualClock } from '../test/support/virtual-clock.js';
import { breakerBytes, cpuUs, fillQueue, limiterBytes } from './scale-memory.js';
import { printWaits } from './scale-waits.js';
import { policiesOf, scaleWorld, TASKS_PER_DOMAIN } from './scale-world.js';

const { values } = parseArgs({ options: { tasks: { type: 'string', default: '1000000' } } });
const MOST = Number(values.tasks);
const SIZES = [1_000, 10_000, 100_000, 1_000_000].filter((size) => size <= MOST);
const SLOTS = { http: 256, browser: 32 };
/** Small runs are repeated until this many tasks went through: a thousand of them take no measurable time. */
const AT_LEAST = 20_000;
const LONGEST_RUN_MS = 60 * 24 * 3_600_000;

interface Row {
  tasks: number;
  enqueueUs: number;
  dispatchUs: number;
  /** The last of its runs. */
  run: DispatchRun;
}

async function dispatch(tasks: number): Promise<{ us: number; run: DispatchRun }> {
  const world = scaleWorld(tasks);
  const clock = new VirtualClock();
  const run = new DispatchRun({ clock, world, policies: policiesOf(world.domains), slots: SLOTS });
  run.arrive();
  globalThis.gc?.();
  const begin = process.cpuUsage();
  await run.toTheEnd(LONGEST_RUN_MS);
  const us = cpuUs(begin) / run.looks;
  check(run, tasks);
  return { us, run };
}

function check({ ends, overtaken, ledger }: DispatchRun, tasks: number): void {
  const wrong = ends.filter((times) => times !== 1).length;
  if (wrong + overtaken + ledger.early === 0) return;
  throw new Error(`${tasks} tasks: ${wrong} ended not once, ${overtaken} passed over, ${ledger.early} early grants`);
}

async function measure(tasks: number): Promise<Row> {
  const rounds = Math.max(1, AT_LEAST / tasks);
  const policies = policiesOf(tasks / TASKS_PER_DOMAIN);
  let [enqueueUs, dispatchUs] = [0, 0];
  for (let round = 1; ; round += 1) {
    enqueueUs += (await fillQueue(tasks, scaleWorld(tasks).task, policies)).enqueueUs / rounds;
    const { us, run } = await dispatch(tasks);
    dispatchUs += us / rounds;
    if (round >= rounds) return { tasks, enqueueUs, dispatchUs, run };
  }
}

const count = (value: number): string => Math.round(value).toLocaleString('en');
const row = (...cells: (string | number)[]): void => console.log(`| ${cells.join(' | ')} |`);
const head = (...cells: string[]): void => {
  row(...cells);
  row(...cells.map(() => '---'));
};

async function printMemory(): Promise<void> {
  const domains = MOST / TASKS_PER_DOMAIN;
  const { task } = scaleWorld(MOST);
  const policies = policiesOf(domains);
  const asTask = (n: number, domain: number) => ({
    ...task(n),
    url: task(n).url.replace(/site-\d+/, `site-${domain}`),
  });
  const { bytesPerTask: spread } = await fillQueue(domains, (n) => asTask(n, n), policies);
  const { bytesPerTask: together } = await fillQueue(domains, (n) => asTask(n, 0), policies);
  const { bytesPerTask: all } = await fillQueue(MOST, task, policies);
  head('held in memory', 'bytes');
  row('queue: a task, its domain already there', count(together));
  row('queue: a domain with something waiting', count(spread - together));
  row(`queue: a task, all ${count(MOST)} over ${count(domains)} domains`, count(all));
  row('limiter: a domain visited within the last minute', count(await limiterBytes(domains)));
  row('breaker: a domain that failed once', count(await breakerBytes(domains, 1)));
  row('breaker: a domain whose circuit is open', count(await breakerBytes(domains, 6)));
}

async function printCosts(): Promise<DispatchRun> {
  const rows: Row[] = [];
  for (const size of SIZES) rows.push(await measure(size));
  const [first] = rows as [Row];
  console.log();
  head('tasks', 'domains', 'enqueue µs', 'dispatch µs', 'dispatches a visit', 'times the first row', 'log n', 'linear');
  for (const { tasks, enqueueUs, dispatchUs, run } of rows) {
    const growth = (dispatchUs / first.dispatchUs).toFixed(2);
    const asLog = (Math.log(tasks) / Math.log(first.tasks)).toFixed(2);
    const costs = [enqueueUs.toFixed(1), dispatchUs.toFixed(1), (run.looks / run.visits).toFixed(2)];
    row(count(tasks), count(tasks / TASKS_PER_DOMAIN), ...costs, growth, asLog, count(tasks / first.tasks));
  }
  return rows.at(-1)!.run;
}

async function printEnd(run: DispatchRun): Promise<void> {
  console.log();
  printWaits(run, scaleWorld(MOST), SLOTS);
  const { keys } = await run.limiter.counts();
  const { closed, open, half_open } = run.breaker.counts();
  const left = { ...run.queue.stats(), limiterKeys: keys, breakers: closed + open + half_open };
  console.log(`\nLeft when all is done: ${JSON.stringify(left)}`);
}

// The first thousands of calls run uncompiled.
await dispatch(10_000);
await printMemory();
await printEnd(await printCosts());
console.log(`Peak RSS of the whole bench: ${count(process.resourceUsage().maxRSS / 1024)} MB.`);
