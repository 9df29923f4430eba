import { setTimeout as sleep } from 'node:timers/promises';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { type Site, startSite } from '../support/site.js';
import { wrongAttempts } from './accounts.js';
import { certainlyIn } from './certain.js';
import { type Chance, createChance } from './chance.js';
import { CrashBooks, type CrashReport, GRACE_SECONDS } from './crash-books.js';
import { createLoader, type Loader, type Page, type Submission, type Target } from './load.js';
import { familyOf, isBrowser, type Process, stillAlive } from './processes.js';
import { createPromises, type Promises } from './promises.js';
import { healthOf } from './resting.js';
import { chromiumsIn, type Life, type Place, startLife, strayFiles, untilEmpty } from './service-run.js';
import { lookAtCopy, lookBeside, openBeside, type StoreLook } from './store-copy.js';
import {
  chooseKinds,
  chooseVictim,
  endService,
  endsService,
  endWith,
  hit,
  hitsBrowser,
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

/** Chromium processes of a service that is no more must be gone by then. */
const GONE_MS = 5_000;
/** A browser that hangs owes an answer for five seconds, and is killed. */
const BROWSER_HANGS_MS = 15_000;
/** A renderer that hangs is noticed by the visit in it: when its time is up, it is closed, or else killed. */
const RENDERER_HANGS_MS = 60_000;
const REFILL_MS = 30_000;
const DRAIN_MS = 120_000;
const SLOTS = 4;
const SEATS = [2, 6];

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
  private readonly books: CrashBooks;
  private readonly place: Place;
  private life!: Life;
  /** Pages that share a browser in this life. */
  private seats = 0;

  constructor(
    private readonly options: CrashOptions,
    private readonly site: Site,
    private readonly receiver: Receiver,
  ) {
    this.place = options.place;
    this.chance = createChance(options.seed);
    this.loader = createLoader({ site, chance: this.chance });
    this.promises = createPromises(() => this.life);
    this.books = new CrashBooks(site);
    // Now and then a receiver fails, and has to be told again.
    const moods = createChance(options.seed + 1);
    receiver.behave = () => (moods.happens(0.05) ? 503 : 200);
  }

  async run(): Promise<CrashReport> {
    const { kills, say } = this.options;
    const { findings } = this.books;
    await this.start();
    for (const [n, kind] of chooseKinds(kills, this.chance).entries()) {
      this.books.struck(kind);
      const known = findings.length;
      if (endsService(kind)) await this.killService(kind);
      else await this.hitBrowser(kind);
      say?.(`${n + 1}/${kills} ${kind}: ${this.promises.tasks.length} tasks promised`);
      for (const { what } of findings.slice(known)) say?.(`  ! ${what}`);
    }
    return this.conclude();
  }

  async close(): Promise<void> {
    if (!this.life) return;
    if (!this.life.hasEnded()) await this.life.end('SIGKILL');
    for (const { pid } of chromiumsIn(this.place, this.life.pid)) process.kill(pid, 'SIGKILL');
  }

  // ── Load ───────────────────────────────────────────────────────────────────────────────────────────────────────

  private load(): Submission[] {
    const { chance, loader, receiver } = this;
    const maybe = (share: number): Receiver | undefined => (chance.happens(share) ? receiver : undefined);
    const some = (count: number): Target[] =>
      Array.from({ length: count }, () => loader.any({ unsoundShare: 0.1, tells: maybe(0.5) }));
    const batch = loader.batch(some(chance.between(4, 10)), maybe(0.7));
    return chance.shuffled([batch, ...some(chance.between(2, 4)).map(loader.standalone)]);
  }

  /** As many as there are slots, each long enough to be hit. */
  private longPages(): Submission {
    const { loader, chance, site } = this;
    const targets = Array.from({ length: SLOTS }, () => {
      const page: Page = { path: `/slow?ms=${chance.between(1_000, 2_500)}`, render: 'browser' };
      return loader.target(page, { host: chance.pick(site.hosts.slice(0, -1)), isSound: true });
    });
    return loader.batch(targets);
  }

  /** Resolves when all of it has been accepted, by whichever life. */
  private async submit(submissions: readonly Submission[]): Promise<void> {
    const sent = await Promise.all(submissions.map((one) => this.promises.submit(one)));
    this.books.resent(sent.filter(({ resent }) => resent > 0).length);
  }

  // ── Blows to the service ───────────────────────────────────────────────────────────────────────────────────────

  private async killService(kind: Kind): Promise<void> {
    const submitted = this.submit(this.load());
    submitted.catch(() => undefined);
    const chromiums = chromiumsIn(this.place, this.life.pid);
    const ended = await endService(kind, this.strikeParts());
    if (kind === 'F04') this.books.stopped(ended);
    const { atKill, mark } = await this.lookAtTheDead(chromiums);
    await this.start();
    await this.resumed(atKill, mark);
    await submitted;
    // Now and then the next blow finds it still busy with what the last one left.
    if (this.chance.happens(0.7)) await this.soundEnded();
    await this.noStrays();
  }

  /** What it left: processes, and a store. */
  private async lookAtTheDead(chromiums: Process[]): Promise<{ atKill: StoreLook; mark: number }> {
    const alive = () => [...stillAlive(chromiums), ...chromiumsIn(this.place, this.life.pid)];
    const { left, tookMs } = await untilEmpty(alive, GONE_MS);
    this.books.slow('gone', tookMs);
    for (const { pid, command } of left)
      this.books.found('left', `after the kill ${pid} runs: ${command.slice(0, 80)}`);
    const atKill = lookAtCopy(this.place.dataDir, this.place.copiesDir);
    return { atKill, mark: this.books.died(atKill) };
  }

  /** Work that was interrupted is at work again: the website hears of it. */
  private async resumed(atKill: StoreLook, mark: number): Promise<void> {
    this.books.slow('boot', this.life.bootMs);
    if (!atKill.tasks.some(({ status }) => status === 'running')) return;
    const { requests } = this.site;
    const { left } = await untilEmpty(() => (requests.length > mark ? [] : ['silence']), DRAIN_MS);
    if (left.length > 0) return this.books.found('broken', 'interrupted work was not taken up again');
    this.books.slow('resume', requests[mark]!.at - this.life.bornAt);
  }

  // ── Blows to its browsers ──────────────────────────────────────────────────────────────────────────────────────

  private async hitBrowser(kind: Kind): Promise<void> {
    const { dataDir } = this.place;
    await this.submit([...this.load(), this.longPages()]);
    const victim = await chooseVictim(kind, this.strikeParts());
    if (!victim) return this.books.found('broken', `there was no process to hit for ${kind}`);
    const browsers = familyOf(this.life.pid).filter(isBrowser).length;
    const before = this.soundOf(lookBeside(dataDir));
    const isAll = hitsBrowser(kind) && browsers === 1;
    const certain = isAll ? certainlyIn(this.promises.tasks, this.site.requests) : new Set<string>();
    hit(kind, victim);
    // A page that was made ready ahead may be the one that hangs: only the next visits find that out.
    if (kind === 'F13') await this.submit([this.longPages()]);
    await this.victimGone(kind, victim);
    if (isBrowser(victim)) await this.refilled(victim);
    await this.soundEnded();
    const mostHit = hitsBrowser(kind) ? this.seats : 1;
    // A visit in a browser that hangs may end by its own time before that is known: one visit and one attempt, too, and
    // its next try finds the browser silent. A renderer that hangs may be met by one visit after the other.
    if (kind !== 'F13') this.books.add(wrongAttempts(before, lookBeside(dataDir), { mostHit, certain }));
    await this.noStrays();
  }

  private async victimGone(kind: Kind, victim: Process): Promise<void> {
    const withinMs = kind === 'F12' ? BROWSER_HANGS_MS : kind === 'F13' ? RENDERER_HANGS_MS : GONE_MS;
    const { left, tookMs } = await untilEmpty(() => stillAlive([victim]), withinMs);
    this.books.slow(kind === 'F12' ? 'browserHung' : kind === 'F13' ? 'rendererHung' : 'gone', tookMs);
    if (left.length > 0) this.books.found('left', `${kind}: process ${victim.pid} was there after ${withinMs} ms`);
  }

  /**
   * The pool is full again: it has as many browsers as its slots need. There may be fewer than before all the same: one
   * that served a single suspect is no part of that pool, and is not replaced.
   */
  private async refilled(victim: Process): Promise<void> {
    const begun = performance.now();
    const others = () => familyOf(this.life.pid).filter((one) => isBrowser(one) && one.pid !== victim.pid).length;
    let short = '';
    for (; performance.now() - begun < REFILL_MS; await sleep(50)) {
      const { browser_pool: pool } = await healthOf(this.life);
      const full = Math.ceil(Math.max(pool.total, SLOTS) / this.seats);
      const there = Math.min(pool.browsers, others());
      if (there >= full && pool.launching === 0) return this.books.slow('refill', performance.now() - begun);
      short = `${there} of ${full} browsers, ${pool.launching} launching`;
    }
    this.books.found('broken', `the pool was not full again within ${REFILL_MS} ms: ${short}`);
  }

  private strikeParts(): StrikeParts {
    const { life, receiver, chance, place } = this;
    return { life, receiver, chance, place };
  }

  // ── What is known ──────────────────────────────────────────────────────────────────────────────────────────────

  private soundIds(): Set<string> {
    return new Set(this.promises.tasks.filter(({ isSound }) => isSound).map(({ id }) => id));
  }

  private soundOf(look: StoreLook): StoreLook {
    const sound = this.soundIds();
    return { ...look, tasks: look.tasks.filter(({ id }) => sound.has(id)) };
  }

  /** Until everything that can succeed has ended; what waits for its next try may go on. */
  private async soundEnded(): Promise<void> {
    const sound = this.soundIds();
    const open = () => openBeside(this.place.dataDir).tasks.filter(({ id }) => sound.has(id));
    const { left } = await untilEmpty(open, DRAIN_MS);
    for (const { id, url, status } of left) this.books.found('lost', `task ${id} (${url}) does not end: ${status}`);
  }

  private async noStrays(): Promise<void> {
    const strays = () => strayFiles(this.place, this.life.hasEnded() ? null : this.life);
    const { left } = await untilEmpty(strays, GONE_MS);
    for (const name of left) this.books.found('left', `${name} was left in the temp directory`);
  }

  private async start(): Promise<void> {
    this.seats = this.chance.pick(SEATS);
    const settings = {
      SCRAPER_BROWSER_POOL_SIZE: String(SLOTS),
      SCRAPER_CONTEXTS_PER_BROWSER: String(this.seats),
      SCRAPER_NAVIGATION_TIMEOUT_MS: '6000',
      SCRAPER_TASK_TIMEOUT_SECONDS: '15',
      SCRAPER_GRACEFUL_SHUTDOWN_SECONDS: String(GRACE_SECONDS),
    };
    this.life = await startLife({ place: this.place, settings, built: this.options.built ?? false });
  }

  /** Everything ends and is told; then the service is stopped, and its store looked at for the last time. */
  private async conclude(): Promise<CrashReport> {
    const open = () => {
      const { tasks, receivers } = openBeside(this.place.dataDir);
      return [...tasks, ...receivers];
    };
    await untilEmpty(open, DRAIN_MS);
    const chromiums = chromiumsIn(this.place, this.life.pid);
    this.books.stopped(await endWith(this.life, 'SIGTERM'));
    const { atKill } = await this.lookAtTheDead(chromiums);
    await this.noStrays();
    const { told, findings } = tellingsOf(this.receiver.requests);
    this.books.add(findings);
    return this.books.conclude(this.promises, atKill, told);
  }
}
