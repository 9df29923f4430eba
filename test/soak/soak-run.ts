import { setTimeout as sleep } from 'node:timers/promises';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { type Site, startSite } from '../support/site.js';
import { compareAll, type Finding, finding } from './accounts.js';
import { type Chance, createChance } from './chance.js';
import { countOf } from './crash-books.js';
import { seconds } from './crash-table.js';
import type { Sample } from './figures.js';
import { createLoader } from './load.js';
import { familyOf, rssMb } from './processes.js';
import { createPromises, type Promises } from './promises.js';
import { type Counters, counters, healthOf, isQuiet, leaksBetween } from './resting.js';
import { chromiumsIn, type Life, type Place, startLife, strayFiles, untilEmpty } from './service-run.js';
import { faultyLoad, healthyHosts, healthyLoad, type SoakLoadParts } from './soak-load.js';
import { latency, type Measured, memoryOf, type Phase, type SoakReport, waitsOf } from './soak-report.js';
import { lookAtCopy, openBeside } from './store-copy.js';
import { chooseVictim, hit, KINDS, type Kind } from './strikes.js';
import { tellingsOf } from './tellings.js';

export interface SoakOptions {
  minutes: number;
  seed: number;
  place: Place;
  built?: boolean;
  say?: (line: string) => void;
}

const FAULT_SHARE = 0.1;
/** Seconds between two blows to a browser. */
const BLOW_EVERY_S = [8, 16] as const;
const BLOWS: Kind[] = ['F10', 'F10', 'F10', 'F11', 'F11', 'F11', 'F11', 'F12', 'F13', 'F13'];
const SAMPLE_EVERY_S = 2;
const DRAIN_MS = 180_000;
/** Slots beyond the resting size and pages made ready ahead are given up only after a while. */
const REST_MS = 180_000;
const GONE_MS = 5_000;

/** A mixed load, first in peace, then with faults around it; then everything must end, be told and be at rest. */
export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const site = await startSite();
  const receiver = await startReceiver();
  const deadReceivers = await startDeadReceivers();
  const run = new SoakRun(options, site, receiver, deadReceivers);
  try {
    return await run.run();
  } finally {
    await run.close();
    await Promise.all([site, receiver, ...deadReceivers.map((one) => one.receiver)].map((one) => one.close()));
  }
}

async function startDeadReceivers(): Promise<SoakLoadParts['deadReceivers']> {
  const hangs = await startReceiver({ host: '127.0.0.2', behave: 'hang' });
  const refuses = await startReceiver({ host: '127.0.0.3', behave: 500 });
  const resets = await startReceiver({ host: '127.0.0.4', behave: 'reset' });
  return [
    { name: 'receiver that hangs', receiver: hangs },
    { name: 'receiver that answers 500', receiver: refuses },
    { name: 'receiver that resets', receiver: resets },
  ];
}

class SoakRun {
  private readonly chance: Chance;
  private readonly load: SoakLoadParts;
  private readonly promises: Promises;
  private readonly findings: Finding[] = [];
  private readonly faults = new Map<string, number>();
  private readonly accepts: Record<Phase, number[]> = { calm: [], faulty: [] };
  private readonly samples: Record<Measured, Sample[]> = { service: [], tree: [] };
  private readonly pending = new Set<Promise<void>>();
  private refused = 0;
  private nextBlowAt = 0;
  private faultyFrom = Number.POSITIVE_INFINITY;
  private life!: Life;

  constructor(
    private readonly options: SoakOptions,
    private readonly site: Site,
    private readonly receiver: Receiver,
    deadReceivers: SoakLoadParts['deadReceivers'],
  ) {
    this.chance = createChance(options.seed);
    this.promises = createPromises(() => this.life);
    const loader = createLoader({ site, chance: this.chance });
    this.load = { site, loader, chance: this.chance, receiver, deadReceivers };
  }

  async run(): Promise<SoakReport> {
    const { place, built = false, minutes } = this.options;
    this.life = await startLife({ place, settings: SETTINGS, built });
    const before = await this.atRest();
    const phaseSeconds = Math.round(minutes * 30);
    await this.phase('calm', 0, phaseSeconds);
    this.faultyFrom = Date.now();
    await this.phase('faulty', phaseSeconds, phaseSeconds * 2);
    await Promise.all(this.pending);
    await this.everythingEnded();
    const after = await this.atRest();
    this.findings.push(...leaksBetween(before, after));
    return this.conclude({ before, after });
  }

  async close(): Promise<void> {
    if (this.life && !this.life.hasEnded()) await this.life.end('SIGKILL');
    for (const { pid } of chromiumsIn(this.options.place, this.life?.pid ?? 0)) process.kill(pid, 'SIGKILL');
  }

  // ── Load and faults ────────────────────────────────────────────────────────────────────────────────────────────

  /** Each second begins when it is due, whether or not the one before has been answered: callers do not wait for us. */
  private async phase(phase: Phase, from: number, to: number): Promise<void> {
    const begun = performance.now();
    for (let second = from; second < to; second++) {
      await sleep(Math.max(0, begun + (second - from) * 1_000 - performance.now()));
      const submissions = healthyLoad(second, this.load);
      for (const one of submissions) this.track(this.submit(one, phase));
      if (phase === 'faulty') this.troubleFor(submissions.reduce((sum, { targets }) => sum + targets.length, 0));
      if (phase === 'faulty' && second >= this.nextBlowAt) this.blow(second);
      if (second % SAMPLE_EVERY_S === 0) this.sample();
      if (second % 30 === 0) this.options.say?.(`${second} s of ${to} (${phase}): ${this.promises.tasks.length} tasks`);
    }
  }

  private async submit(one: Parameters<Promises['submit']>[0], phase?: Phase): Promise<void> {
    const { acceptMs, refused } = await this.promises.submit(one);
    this.refused += refused;
    if (phase) this.accepts[phase].push(acceptMs);
  }

  private troubleFor(tasks: number): void {
    for (let n = 0; n < tasks; n++) {
      if (!this.chance.happens(FAULT_SHARE)) continue;
      const { name, submission } = faultyLoad(this.load);
      this.noteFault(name);
      this.track(this.submit(submission));
    }
  }

  private blow(second: number): void {
    this.nextBlowAt = second + this.chance.between(...BLOW_EVERY_S);
    const kind = this.chance.pick(BLOWS);
    const { life, receiver, chance } = this;
    const struck = chooseVictim(kind, { life, receiver, chance, place: this.options.place }).then((victim) => {
      if (!victim) return;
      hit(kind, victim);
      this.noteFault(`${kind} ${KINDS[kind]}`);
    });
    this.track(struck);
  }

  private noteFault(name: string): void {
    this.faults.set(name, (this.faults.get(name) ?? 0) + 1);
  }

  /** What goes wrong here is told at the end, not as an unhandled rejection. */
  private track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => void this.findings.push(finding('broken', String(error))))
      .finally(() => this.pending.delete(tracked));
    this.pending.add(tracked);
  }

  private sample(): void {
    const family = familyOf(this.life.pid);
    const tasks = this.promises.tasks.length;
    this.samples.service.push({ tasks, mb: rssMb(family.slice(0, 1)) });
    this.samples.tree.push({ tasks, mb: rssMb(family) });
  }

  // ── The end ────────────────────────────────────────────────────────────────────────────────────────────────────

  private async everythingEnded(): Promise<void> {
    const { origin } = this.receiver;
    const open = () => {
      const { tasks, receivers } = openBeside(this.options.place.dataDir);
      return [...tasks, ...receivers.filter((one) => one === origin)];
    };
    const { left, tookMs } = await untilEmpty(open, DRAIN_MS);
    this.options.say?.(`everything ended after ${seconds(tookMs)}`);
    if (left.length > 0) this.findings.push(finding('lost', `${left.length} tasks or webhooks do not end`));
  }

  /** Waits until nothing is under way and what was only kept ready has been given up, then counts. */
  private async atRest(): Promise<Counters> {
    for (const begun = performance.now(); ; await sleep(500)) {
      const health = await healthOf(this.life);
      const now = counters(this.life, this.options.place, health);
      const { browsers, launching } = health.browser_pool;
      const isAtRest = browsers === RESTING_BROWSERS && launching === 0 && isQuiet(now);
      if (isAtRest || performance.now() - begun > REST_MS) return now;
    }
  }

  private async conclude(counted: SoakReport['counters']): Promise<SoakReport> {
    const { place } = this.options;
    const chromiums = () => chromiumsIn(place, this.life.pid);
    const end = await this.life.end('SIGTERM');
    if (end !== 0) this.findings.push(finding('broken', `SIGTERM ended the service with ${end}`));
    for (const { pid } of (await untilEmpty(chromiums, GONE_MS)).left)
      this.findings.push(finding('left', `process ${pid}`));
    for (const name of strayFiles(place, null)) this.findings.push(finding('left', `${name} in the temp directory`));

    const stored = lookAtCopy(place.dataDir, place.copiesDir);
    if (stored.integrity !== 'ok') this.findings.push(finding('broken', `integrity_check says ${stored.integrity}`));
    const { told, findings } = tellingsOf(this.receiver.requests);
    const requests = countOf(this.site.requests.map(({ host, path }) => `http://${host}${path}`));
    this.findings.push(...findings, ...compareAll(this.promises, { stored, told, requests }));
    const { tasks, jobs } = this.promises;
    return {
      tasks: tasks.length,
      jobs: jobs.length,
      webhooks: told.length,
      refused: this.refused,
      faults: this.faults,
      memory: { service: memoryOf(this.samples.service), tree: memoryOf(this.samples.tree) },
      accept: { calm: latency(this.accepts.calm), faulty: latency(this.accepts.faulty) },
      wait: waitsOf(stored.waits, { tasks, hosts: healthyHosts(this.site), faultyFrom: this.faultyFrom }),
      counters: counted,
      findings: this.findings,
    };
  }
}

/** Of a pool of four slots. */
const RESTING_BROWSERS = 1;
const SETTINGS = {
  SCRAPER_BROWSER_POOL_SIZE: '4',
  SCRAPER_NAVIGATION_TIMEOUT_MS: '5000',
  SCRAPER_TASK_TIMEOUT_SECONDS: '15',
  SCRAPER_MAX_QUEUE_DEPTH: '5000',
};
