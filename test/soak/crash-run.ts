import { type Receiver, startReceiver } from '../support/receiver.js';
import { type Site, startSite } from '../support/site.js';
import {
  changedEnds,
  compareAll,
  type Finding,
  type FindingKind,
  finding,
  hasEnded,
  refetchedAfterKill,
  wrongAttempts,
} from './accounts.js';
import { certainlyIn } from './certain.js';
import { type Chance, createChance } from './chance.js';
import { seconds } from './crash-table.js';
import { createLoader, type Loader, type Page, type Submission, type Target } from './load.js';
import { familyOf, isBrowser, type Process, stillAlive } from './processes.js';
import { createPromises, type Promises } from './promises.js';
import { chromiumsIn, type Life, type Place, startLife, strayFiles, untilEmpty } from './service-run.js';
import { lookAtCopy, lookBeside, type StoreLook } from './store-copy.js';
import {
  chooseKinds,
  chooseVictim,
  endService,
  endsService,
  hit,
  isHang,
  type Kind,
  type StrikeParts,
} from './strikes.js';
import { tellingsOf } from './tellings.js';

export interface CrashOptions {
  kills: number;
  seed: number;
  place: Place;
  built?: boolean;
  /** Told of every blow. */
  say?: (line: string) => void;
}

export interface CrashReport {
  kinds: ReadonlyMap<Kind, number>;
  tasks: number;
  jobs: number;
  webhooks: number;
  /** Requests for work that were sent again, because nobody knew whether they had arrived. */
  resent: number;
  refetched: number;
  wornOut: number;
  integrityOk: number;
  integrityChecks: number;
  /** Longest of each, in ms. */
  slowest: Record<'boot' | 'resume' | 'gone' | 'hang' | 'refill' | 'stop', number>;
  findings: Finding[];
}

/** Chromium processes of a service that is no more must be gone by then. */
const GONE_MS = 5_000;
/** A browser that hangs is noticed by the visits in it, and killed when it does not close: both take their time. */
const HANG_GONE_MS = 60_000;
const REFILL_MS = 30_000;
const DRAIN_MS = 120_000;
const GRACE_SECONDS = 3;
const STOP_MS = GRACE_SECONDS * 1_000 + 10_000;
const SLOTS = 4;
const SEATS = ['2', '6'];

/** Hits a service under load again and again, starts it again where it died, and compares what everybody knows. */
export async function runCrashes(options: CrashOptions): Promise<CrashReport> {
  const site = await startSite();
  const receiver = await startReceiver();
  const run = new CrashRun(options, site, receiver);
  try {
    return await run.run();
  } finally {
    await run.close();
    await Promise.all([site.close(), receiver.close()]);
  }
}

class CrashRun {
  private readonly chance: Chance;
  private readonly loader: Loader;
  private readonly promises: Promises;
  private readonly kinds = new Map<Kind, number>();
  private readonly findings: Finding[] = [];
  private readonly ends = new Map<string, string>();
  private readonly slowest = { boot: 0, resume: 0, gone: 0, hang: 0, refill: 0, stop: 0 };
  private readonly counts = { resent: 0, refetched: 0, integrityOk: 0, integrityChecks: 0 };
  private lastKill: { atKill: StoreLook; mark: number } | null = null;
  private life!: Life;
  private seats = 2;

  constructor(
    private readonly options: CrashOptions,
    private readonly site: Site,
    private readonly receiver: Receiver,
  ) {
    this.chance = createChance(options.seed);
    this.loader = createLoader({ site, chance: this.chance });
    this.promises = createPromises(() => this.life);
    // Now and then a receiver fails, and has to be told again.
    const moods = createChance(options.seed + 1);
    receiver.behave = () => (moods.happens(0.05) ? 503 : 200);
  }

  async run(): Promise<CrashReport> {
    this.life = await this.start();
    const kinds = chooseKinds(this.options.kills, this.chance);
    for (const [n, kind] of kinds.entries()) {
      this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
      const known = this.findings.length;
      if (endsService(kind)) await this.killService(kind);
      else await this.hitBrowser(kind);
      this.options.say?.(`${n + 1}/${kinds.length} ${kind}: ${this.promises.tasks.length} tasks promised`);
      for (const { what } of this.findings.slice(known)) this.options.say?.(`  ! ${what}`);
    }
    return this.conclude();
  }

  async close(): Promise<void> {
    if (this.life && !this.life.hasEnded()) await this.life.end('SIGKILL');
    for (const { pid } of chromiumsIn(this.options.place, this.life?.pid ?? 0)) process.kill(pid, 'SIGKILL');
  }

  // ── Load ───────────────────────────────────────────────────────────────────────────────────────────────────────

  private load(): Submission[] {
    const { chance, loader, receiver } = this;
    const some = (count: number) =>
      Array.from({ length: count }, () => {
        return loader.any({ unsoundShare: 0.1, tells: chance.happens(0.5) ? receiver : undefined });
      });
    const batch = loader.batch(some(chance.between(4, 10)), chance.happens(0.7) ? receiver : undefined);
    return chance.shuffled([batch, ...some(chance.between(2, 4)).map(loader.standalone)]);
  }

  /** Resolves when all of it has been accepted, by whichever life. */
  private async submit(submissions: readonly Submission[]): Promise<void> {
    const sent = await Promise.all(submissions.map((one) => this.promises.submit(one)));
    this.counts.resent += sent.filter(({ resent }) => resent > 0).length;
  }

  // ── Blows ──────────────────────────────────────────────────────────────────────────────────────────────────────

  private async killService(kind: Kind): Promise<void> {
    const submitted = this.submit(this.load());
    submitted.catch(() => undefined);
    const begun = performance.now();
    const { place } = this.options;
    const chromiums = chromiumsIn(place, this.life.pid);
    const dead = this.life;
    const end = await endService(kind, this.strikeParts());
    if (kind === 'F04') this.judgeStop(end, performance.now() - begun);
    await this.lookAtTheDead(dead, chromiums);

    const atKill = this.lastKill!.atKill;
    this.life = await this.start();
    await this.resumed(atKill);
    await submitted;
    // Now and then the next blow finds it still busy with what the last one left.
    if (this.chance.happens(0.7)) await this.soundEnded();
    await this.noStrays();
  }

  private judgeStop(end: number | string | null, tookMs: number): void {
    this.note('stop', tookMs);
    if (end !== 0) this.found('broken', `SIGTERM ended the service with ${end}`);
    if (tookMs > STOP_MS) this.found('broken', `SIGTERM took ${Math.round(tookMs)} ms`);
  }

  /** What it left: processes, and a store that must be whole and know everything it knew before. */
  private async lookAtTheDead({ pid }: Life, chromiums: Process[]): Promise<void> {
    const { place } = this.options;
    const alive = () => [...stillAlive(chromiums), ...chromiumsIn(place, pid)];
    const { left, tookMs } = await untilEmpty(alive, GONE_MS);
    this.note('gone', tookMs);
    for (const one of left) this.found('left', `after the kill ${one.pid} runs: ${one.command.slice(0, 80)}`);
    const atKill = lookAtCopy(place.dataDir, place.copiesDir);
    this.counts.integrityChecks += 1;
    if (atKill.integrity === 'ok') this.counts.integrityOk += 1;
    else this.found('broken', `integrity_check says ${atKill.integrity}`);
    this.findings.push(...changedEnds(this.ends, atKill));
    this.judgeRefetches();
    this.lastKill = { atKill, mark: this.site.requests.length };
  }

  /** Of the last kill, once everything has been asked for that it made be asked for again. */
  private judgeRefetches(): void {
    if (!this.lastKill) return;
    const { atKill, mark } = this.lastKill;
    const before = new Set(this.urls().slice(0, mark));
    const after = new Set(this.urls().slice(mark));
    const { refetched, findings } = refetchedAfterKill(atKill, { before, after });
    this.counts.refetched += refetched;
    this.findings.push(...findings);
    this.lastKill = null;
  }

  /** Work that was interrupted is at work again: somebody outside hears of it. */
  private async resumed(atKill: StoreLook): Promise<void> {
    this.note('boot', this.life.bootMs);
    if (!atKill.tasks.some(({ status }) => status === 'running')) return;
    const { mark } = this.lastKill!;
    const bornAt = performance.now() - this.life.bootMs;
    const { tookMs } = await untilEmpty(() => (this.site.requests.length > mark ? [] : ['silence']), DRAIN_MS);
    const first = this.site.requests[mark];
    this.note('resume', first ? first.at - bornAt : tookMs);
  }

  private async hitBrowser(kind: Kind): Promise<void> {
    const { dataDir } = this.options.place;
    await this.submit([...this.load(), this.loader.batch(this.longPages(SLOTS))]);
    const victim = await chooseVictim(kind, this.strikeParts());
    if (!victim) return this.found('broken', `there was no process to hit for ${kind}`);
    const browsers = familyOf(this.life.pid).filter(isBrowser).length;
    const before = this.soundOf(lookBeside(dataDir));
    const isAll = kind === 'F10' && browsers === 1;
    const certain = isAll ? certainlyIn(this.promises.tasks, this.site.requests) : new Set<string>();
    hit(kind, victim);
    // A page that was made ready ahead may be the one that hangs: only the next visits find that out.
    if (isHang(kind)) await this.submit([this.loader.batch(this.longPages(SLOTS))]);
    await this.victimGone(kind, victim, browsers);
    await this.soundEnded();
    const mostHit = kind === 'F10' ? this.seats : 1;
    if (!isHang(kind)) this.findings.push(...wrongAttempts(before, lookBeside(dataDir), { mostHit, certain }));
    await this.noStrays();
  }

  /** It is taken away and, if it was a browser, there are as many as before. */
  private async victimGone(kind: Kind, victim: Process, browsers: number): Promise<void> {
    const withinMs = isHang(kind) ? HANG_GONE_MS : GONE_MS;
    const { left, tookMs } = await untilEmpty(() => stillAlive([victim]), withinMs);
    if (left.length > 0) this.found('left', `${kind}: process ${victim.pid} was still there after ${seconds(tookMs)}`);
    this.note(isHang(kind) ? 'hang' : 'gone', tookMs);
    if (!isBrowser(victim)) return;
    const isShort = () =>
      familyOf(this.life.pid).filter((one) => isBrowser(one) && one.pid !== victim.pid).length < browsers;
    const refill = await untilEmpty(() => (isShort() ? ['short'] : []), REFILL_MS);
    this.note('refill', refill.tookMs);
    if (refill.left.length > 0) this.found('broken', `the pool was not refilled within ${seconds(REFILL_MS)}`);
  }

  private found(kind: FindingKind, what: string): void {
    this.findings.push(finding(kind, what));
  }

  private strikeParts(): StrikeParts {
    const { life, receiver, chance } = this;
    return { life, receiver, chance, place: this.options.place };
  }

  private longPages(count: number): Target[] {
    const { loader, chance, site } = this;
    return Array.from({ length: count }, () => {
      const page: Page = { path: `/slow?ms=${chance.between(1_000, 2_500)}`, render: 'browser' };
      return loader.target(page, { host: chance.pick(site.hosts.slice(0, -1)), isSound: true });
    });
  }

  // ── What is known ──────────────────────────────────────────────────────────────────────────────────────────────

  private urls(): string[] {
    return this.site.requests.map(({ host, path }) => `http://${host}${path}`);
  }

  private soundOf(look: StoreLook): StoreLook {
    const sound = new Set(this.promises.tasks.filter(({ isSound }) => isSound).map(({ id }) => id));
    return { ...look, tasks: look.tasks.filter(({ id }) => sound.has(id)) };
  }

  /** Until everything that can succeed has ended; what waits for its next try may go on. */
  private async soundEnded(): Promise<void> {
    const open = () => this.soundOf(lookBeside(this.options.place.dataDir)).tasks.filter((row) => !hasEnded(row));
    const { left } = await untilEmpty(open, DRAIN_MS);
    for (const { id, url, status } of left) this.found('lost', `task ${id} (${url}) does not end: ${status}`);
  }

  private async noStrays(): Promise<void> {
    const { left } = await untilEmpty(
      () => strayFiles(this.options.place, this.life.hasEnded() ? null : this.life),
      GONE_MS,
    );
    for (const name of left) this.found('left', `${name} was left in the temp directory`);
  }

  private async start(): Promise<Life> {
    const { place, built = false } = this.options;
    const seats = this.chance.pick(SEATS);
    this.seats = Number(seats);
    const settings = {
      SCRAPER_BROWSER_POOL_SIZE: String(SLOTS),
      SCRAPER_CONTEXTS_PER_BROWSER: seats,
      SCRAPER_NAVIGATION_TIMEOUT_MS: '6000',
      SCRAPER_TASK_TIMEOUT_SECONDS: '15',
      SCRAPER_GRACEFUL_SHUTDOWN_SECONDS: String(GRACE_SECONDS),
    };
    return startLife({ place, settings, built });
  }

  private note(what: keyof CrashReport['slowest'], ms: number): void {
    this.slowest[what] = Math.max(this.slowest[what], ms);
  }

  /** Everything ends and is told; then the service is stopped, and its store looked at for the last time. */
  private async conclude(): Promise<CrashReport> {
    const { place } = this.options;
    const open = () => {
      const { tasks, pending } = lookBeside(place.dataDir);
      return [...tasks.filter((row) => !hasEnded(row)), ...pending.keys()];
    };
    await untilEmpty(open, DRAIN_MS);
    const chromiums = chromiumsIn(place, this.life.pid);
    const begun = performance.now();
    const end = await this.life.end('SIGTERM');
    this.judgeStop(end, performance.now() - begun);
    await this.lookAtTheDead(this.life, chromiums);
    await this.noStrays();

    const stored = this.lastKill!.atKill;
    const { told, findings } = tellingsOf(this.receiver.requests);
    const requests = new Map<string, number>();
    for (const url of this.urls()) requests.set(url, (requests.get(url) ?? 0) + 1);
    this.findings.push(...findings, ...compareAll(this.promises, { stored, told, requests }));
    const { tasks, jobs } = this.promises;
    const sound = new Set(tasks.filter(({ isSound }) => isSound).map(({ id }) => id));
    return {
      kinds: this.kinds,
      tasks: tasks.length,
      jobs: jobs.length,
      webhooks: told.length,
      ...this.counts,
      wornOut: stored.tasks.filter(({ id, status }) => sound.has(id) && status !== 'completed').length,
      slowest: this.slowest,
      findings: this.findings,
    };
  }
}
