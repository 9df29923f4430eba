/**
 * How many webhooks a second one receiver is told that answers at once: alone, and beside a hundred receivers that are
 * dead (fifty refuse the connection, fifty accept it and say nothing), all with as much to be told. The real ledger on
 * disk, the real loop, the real sender; receivers in a process of their own. The first row is what the sender alone can
 * do: the same bodies, six at a time, nothing kept.
 *
 * Every round has a store of its own. Everything falls due at one moment, when the good receiver has answered once and
 * nobody has spoken to the others. Rounds alternate, medians count.
 *
 *   npm run bench:webhooks [-- --rounds 5 --deliveries 2000]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { systemClock as clock } from '../src/backends/embedded/system-clock.js';
import { Secret } from '../src/domain/secret.js';
import { EMPTY_META } from '../src/domain/task.js';
import { webhookHeaders } from '../src/domain/webhook-signature.js';
import { Webhooks } from '../src/engine/webhooks.js';
import { Circuit } from '../src/fetching/circuit.js';
import { webhookPayloads } from '../src/http/webhook-payload.js';
import type { AttemptedDelivery } from '../src/ports/telemetry.js';
import { QuietTelemetry } from '../test/support/quiet-telemetry.js';
import { openTempStore, type TempStore } from '../test/support/sqlite-store.js';
import { aTask } from '../test/support/tasks.js';
import { openWebhookPost } from '../test/support/webhook-post.js';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, deliveries: { type: 'string', default: '2000' } },
});
const DELIVERIES = Number(values.deliveries);
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
/** As many as a receiver gets that has answered before. */
const AT_ONCE = 6;
/** Fills one shared transaction. */
const BITE = 500;
/** More than filling takes, so that nothing is due before all of it is there. */
const FILLING_MS = 6_000;

interface Round {
  perSecond: number;
  /** Of an attempt, in ms. */
  p95: number;
  /** Attempts at the dead ones meanwhile. */
  others: number;
  /** CPU of this process per wall clock: 1 is a whole core. */
  cores: number;
}

/** Ended tasks with a callback, through the store as the engine does it; due then. */
async function fill({ store }: TempStore, urls: string[], dueAt: number): Promise<void> {
  for (let from = 0; from < urls.length; from += BITE) {
    const work = urls.slice(from, from + BITE).map(async (callbackUrl) => {
      const task = aTask({ callbackUrl });
      await store.openTask(task);
      const claimed = await store.claim(task.id, dueAt);
      const result = { job_title: 'Engineer', company_name: 'Example Ltd', description: 'x'.repeat(1_000) };
      const settlement = { kind: 'completed' as const, result, meta: EMPTY_META };
      await store.settle({ taskId: task.id, visits: claimed?.visits ?? 0 }, settlement, dueAt);
    });
    await Promise.all(work);
  }
}

/** Counts what the good receiver was told, and tells when it was all. */
class Count extends QuietTelemetry {
  readonly durations: number[] = [];
  others = 0;
  lastAt = 0;

  constructor(
    private readonly good: string,
    private readonly onDelivered: (count: number) => void,
  ) {
    super();
  }

  override deliveryAttempted({ delivery, end }: AttemptedDelivery): void {
    if (delivery.receiver !== this.good) {
      this.others += 1;
      return;
    }
    if (end.next.kind !== 'delivered') throw new Error(`The good receiver failed: ${end.error}`);
    this.durations.push(end.durationMs);
    this.lastAt = clock.now();
    this.onDelivered(this.durations.length);
  }
}

async function tell(good: string, dead: string[]): Promise<Round> {
  const opened = await openTempStore();
  const sender = openWebhookPost();
  const dueAt = clock.now() + FILLING_MS;
  const each = Math.ceil(DELIVERIES / Math.max(1, dead.length));
  await fill(opened, [`${good}/hook`], clock.now());
  await fill(
    opened,
    Array.from({ length: DELIVERIES }, () => `${good}/hook`),
    dueAt,
  );
  await fill(
    opened,
    dead.flatMap((origin) => Array<string>(each).fill(`${origin}/hook`)),
    dueAt,
  );
  if (clock.now() > dueAt - 500) throw new Error('Filling took too long: fewer deliveries, or a quicker disk.');

  let done = (): void => {};
  const all = new Promise<void>((resolve) => {
    done = resolve;
  });
  const count = new Count(good, (delivered) => {
    if (delivered === DELIVERIES + 1) done();
  });
  const webhooks = new Webhooks({
    ...opened,
    sender,
    payloads: webhookPayloads,
    secrets: [new Secret(SECRET)],
    clock,
    random: Math.random,
    telemetry: count,
    newCircuit: () => new Circuit({ windowSize: 10, failureThreshold: 5, cooldownMs: 60_000 }),
  });
  await webhooks.start();
  await sleep(dueAt - clock.now());
  const begun = process.cpuUsage();
  await all;
  const tookMs = count.lastAt - dueAt;
  const round = {
    perSecond: DELIVERIES / (tookMs / 1_000),
    cores: cpuMs(begun) / tookMs,
    p95: percentile(count.durations.slice(1), 0.95),
    others: count.others,
  };
  await webhooks.stop(0);
  await sender.close();
  await opened.end();
  return round;
}

/** The sender without anything around it. */
async function bare(good: string): Promise<Round> {
  const sender = openWebhookPost();
  const body = JSON.stringify(webhookPayloads.task(aTask({ result: { description: 'x'.repeat(1_000) } })));
  const durations: number[] = [];
  let left = DELIVERIES;
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      const begun = clock.mono();
      const webhook = { id: String(left), timestamp: Math.floor(clock.now() / 1_000), attempt: 1, event: 'x', body };
      const request = { url: `${good}/hook`, headers: webhookHeaders(webhook, [SECRET]), body };
      await sender.send(request, new AbortController().signal);
      durations.push(clock.mono() - begun);
    }
  };
  const begun = clock.mono();
  const cpu = process.cpuUsage();
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const tookMs = clock.mono() - begun;
  const cores = cpuMs(cpu) / tookMs;
  await sender.close();
  return { perSecond: DELIVERIES / (tookMs / 1_000), p95: percentile(durations, 0.95), others: 0, cores };
}

function cpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}

async function startReceivers(): Promise<{ fast: string; hanging: string[]; stop: () => Promise<void> }> {
  const script = fileURLToPath(new URL('webhook-receivers.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const stop = async (): Promise<void> => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  return { ...(JSON.parse(line) as { fast: string; hanging: string[] }), stop };
}

const percentile = (numbers: number[], part: number): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length * part)] as number;
const median = (numbers: number[]): number => percentile(numbers, 0.5);

const receivers = await startReceivers();
// Nobody listens there. On the same addresses, so that the ledger lists one of each kind after the other.
const refusing = receivers.hanging.map((origin) => `http://${new URL(origin).hostname}:9`);
const contestants: { name: string; run: () => Promise<Round>; rounds: Round[] }[] = [
  { name: 'the sender alone', run: () => bare(receivers.fast), rounds: [] },
  { name: 'webhooks, durable', run: () => tell(receivers.fast, []), rounds: [] },
  {
    name: 'the same beside 100 dead receivers',
    run: () => tell(receivers.fast, [...refusing, ...receivers.hanging]),
    rounds: [],
  },
];
try {
  // Warm: the first thousands of calls run uncompiled.
  await contestants[0]?.run();
  await contestants[1]?.run();
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const { run, rounds } of contestants) {
      rounds.push(await run());
      // What was broken off closes its sockets.
      await sleep(200);
    }
  }
  const base = median(contestants[1]?.rounds.map(({ perSecond }) => perSecond) ?? []);
  console.table(
    contestants.map(({ name, rounds }) => ({
      name,
      'delivered a second': Math.round(median(rounds.map(({ perSecond }) => perSecond))),
      ratio: (median(rounds.map(({ perSecond }) => perSecond)) / base).toFixed(2),
      'p95 of an attempt, ms': median(rounds.map(({ p95 }) => p95)).toFixed(1),
      'cores busy': median(rounds.map(({ cores }) => cores)).toFixed(2),
      'attempts at dead ones': median(rounds.map(({ others }) => others)),
    })),
  );
} finally {
  await receivers.stop();
}
