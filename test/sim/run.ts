import { realTurns, VirtualClock } from '../support/virtual-clock.js';
import { AcrossLives } from './across-lives.js';
import { Books } from './books.js';
import { CLIENT_ACTS, Client, type ClientAct } from './client.js';
import { type ProcessParts, SimProcess } from './process.js';
import { Seeded } from './seeded.js';
import type { CommitFate } from './sim-database.js';
import type { SimFile } from './sim-file.js';
import { SimDisk } from './sim-runs.js';
import { StaleSettles } from './stale-settles.js';
import { Trace, Violation } from './trace.js';
import { createWorld, type World } from './world.js';

export interface RunResult {
  seed: number;
  steps: number;
  tasks: number;
  kills: number;
  /** How often each kind of thing happened. */
  counts: Record<string, number>;
  /** Of everything that happened. */
  hash: string;
  failure: { invariant: string; message: string; tail: string[] } | null;
}

const MOST_STEPS = 60_000;
const HORIZON_MS = 240_000;
type Act = ClientAct | 'kill' | 'restart' | 'jump' | 'stale';
const ACTS: Readonly<Record<Act, number>> = { ...CLIENT_ACTS, kill: 4, restart: 4, jump: 3, stale: 10 };

/** One seed from the first request until everything has ended and everybody is told. */
export async function runSeed(seed: number, file: SimFile): Promise<RunResult> {
  file.empty();
  const run = new Run(seed, file);
  try {
    await run.toTheEnd();
  } catch (error) {
    run.violated(error);
  }
  return run.result();
}

class Run {
  private readonly seeded: Seeded;
  private readonly clock = new VirtualClock();
  private readonly world: World;
  private readonly trace = new Trace(() => this.clock.mono());
  private readonly books: Books;
  private readonly client: Client;
  private readonly parts: ProcessParts;
  private readonly disk = new SimDisk();
  private process: SimProcess | null = null;
  private isUp = false;
  private lives = 0;
  private kills = 0;
  private steps = 0;
  private ids = 0;
  private jumpedAt = Number.NEGATIVE_INFINITY;
  private actsLeft: number;
  private failure: Violation | null = null;

  constructor(
    private readonly seed: number,
    file: SimFile,
  ) {
    const { clock, trace } = this;
    const seeded = new Seeded(seed);
    this.seeded = seeded;
    this.world = createWorld(seeded);
    const { world } = this;
    const { resultTtlMs, defaultReceiver, maxAttempts } = world;
    const now = (): number => clock.now();
    const books = new Books(file, { now, resultTtlMs, defaultReceiver, maxAttempts, lives: () => this.lives });
    this.books = books;
    const check = (act: () => void): void => this.check(act);
    this.client = new Client({ world, seeded, trace, books, check });
    this.actsLeft = seeded.int(4, 24);
    this.parts = {
      world,
      seeded,
      trace,
      books,
      lives: new AcrossLives(),
      stale: new StaleSettles({ books, seeded, trace, check }),
      jumpedAt: () => this.jumpedAt,
      check,
      clock,
      file,
      disk: this.disk,
      isFull: () => !this.isQuiet() && seeded.chance(world.commitFaults.fault),
      newId: () => idOf((this.ids += 1)),
      fate: () => this.commitFate(),
      committed: () => {
        this.parts.lives.committed();
        this.committed();
      },
      die: (why) => this.kill(why),
      crash: (why) => this.mayKill() && this.kill(why),
    };
  }

  async toTheEnd(): Promise<void> {
    this.boot();
    this.plan();
    this.wake();
    await this.until(() => this.actsLeft === 0 && this.isUp && this.isAllDone());
    await this.process?.checkMemory();
    this.process?.checkIdle();
    this.books.checkAttempts();
    this.books.plans.checkFiles(this.disk);
    for (const id of this.client.promised) this.hasEnded(id);
    this.restart(0);
    await this.until(() => !this.isUp && this.process === null);
  }

  result(): RunResult {
    const { seed, steps, kills, trace, failure } = this;
    const tail = failure ? trace.tail() : [];
    return {
      seed,
      steps,
      tasks: trace.counts.task ?? 0,
      kills,
      counts: trace.counts,
      hash: trace.digest(),
      failure: failure && { invariant: failure.invariant, message: failure.message, tail },
    };
  }

  violated(error: unknown): void {
    const violation = error instanceof Violation ? error : new Violation('no surprise', String((error as Error).stack));
    this.failure ??= violation;
    this.process?.life.end();
  }

  private check(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.violated(error);
    }
  }

  /** One timer after the other; whatever follows from it has happened before the next. */
  private async until(isDone: () => boolean): Promise<void> {
    await realTurns(1);
    while (!isDone()) {
      if (this.failure) throw this.failure;
      const at = this.clock.nextAt;
      if (at === null || this.steps > MOST_STEPS) throw new Violation('everything ends', this.whatIsLeft());
      this.steps += 1;
      this.clock.step(at);
      await realTurns(1);
    }
    if (this.failure) throw this.failure;
  }

  private plan(): void {
    const inMs = this.seeded.int(0, Math.ceil((2 * HORIZON_MS) / (this.actsLeft + 1)));
    this.clock.after(inMs, () => {
      this.actsLeft -= 1;
      this.act(this.seeded.weighted(ACTS));
      if (this.actsLeft > 0) this.plan();
    });
  }

  /** Now and then, and until all others are done, somebody lets go on what rests. */
  private wake(): void {
    this.clock.after(60_000, () => {
      if (this.process && this.isUp) this.client.resumeAll(this.process);
      if (this.actsLeft > 0 || this.client.resting.size > 0) this.wake();
    });
  }

  private act(act: Act): void {
    const { process, isUp, seeded } = this;
    if (act === 'jump') this.jump(seeded.int(-3_600, 3_600) * 1_000);
    else if (act === 'kill') this.parts.crash('by hand');
    else if (process && isUp) {
      if (act === 'restart') this.restart(seeded.pick([0, 1_000, 10_000]));
      else if (act === 'stale') this.parts.stale.repeatOne(process.store, this.clock.now());
      else this.client.act(act, process);
    }
  }

  /** Somebody sets the wall clock. */
  private jump(byMs: number): void {
    this.trace.note('jump', String(byMs));
    this.jumpedAt = this.clock.mono();
    this.clock.jumpWall(byMs);
  }

  private boot(): void {
    this.lives += 1;
    this.parts.lives.lost();
    const process = new SimProcess(this.parts, this.lives);
    this.process = process;
    this.trace.note('boot', String(this.lives));
    process.start().then(
      () => {
        this.trace.note('up', String(this.lives));
        this.isUp = true;
      },
      (error) => {
        // As the service does: it cannot begin, ends, and whoever runs it starts it again.
        this.trace.note('boot failed', String(error));
        this.gone(process);
      },
    );
  }

  private restart(graceMs: number): void {
    const { process } = this;
    if (!process) return;
    this.isUp = false;
    this.trace.note('stop', String(graceMs));
    process.engine.stop(graceMs).then(
      () => {
        this.trace.note('stopped', '');
        this.check(() => process.checkStopped());
        this.gone(process);
      },
      (error) => this.violated(error),
    );
  }

  private mayKill(): boolean {
    return this.process !== null && this.kills < this.world.maxKills;
  }

  private kill(why: string): true {
    this.kills += 1;
    this.trace.note('kill', why);
    if (this.process) this.gone(this.process);
    return true;
  }

  private gone(process: SimProcess): void {
    process.life.end();
    if (this.process !== process) return;
    this.process = null;
    this.isUp = false;
    this.clock.after(this.seeded.int(0, 5_000), () => this.process ?? this.boot());
  }

  private commitFate(): { fate: CommitFate; syncMs: number } {
    const { seeded, world } = this;
    const syncMs = seeded.int(0, 8);
    const { fault, dies_before, dies_after } = world.commitFaults;
    const isQuiet = this.isQuiet();
    const mayDie = !isQuiet && this.mayKill();
    const fate = seeded.weighted<CommitFate>({
      ok: 1,
      fault: isQuiet ? 0 : fault,
      dies_before: mayDie ? dies_before : 0,
      dies_after: mayDie ? dies_after : 0,
    });
    if (fate !== 'ok') this.trace.note(`commit:${fate}`, '');
    if (fate === 'fault') this.parts.lives.lost();
    return { fate, syncMs };
  }

  /** From some time on nothing fails any more, so that everything can end. */
  private isQuiet(): boolean {
    return this.clock.mono() > 2 * HORIZON_MS;
  }

  private committed(): void {
    this.check(() => {
      for (const { kind, id, before, after } of this.books.commit()) {
        if (kind === 'task' && before === null) this.trace.note('task', id);
        this.trace.note('row', `${kind} ${id} ${before?.status} ${after?.status} ${after?.attempts}`);
      }
    });
  }

  private isAllDone(): boolean {
    const { openTasks, pendingDeliveries, plans } = this.books;
    const isEmpty = openTasks + pendingDeliveries === 0;
    return isEmpty && this.areRunsDone(plans.unfinished) && this.isAtRest();
  }

  /** Their files are complete, and nobody keeps them any more. */
  private areRunsDone(unfinished: number): boolean {
    return unfinished + this.client.resting.size + this.disk.owned === 0;
  }

  private isAtRest(): boolean {
    const { process } = this;
    if (!process || this.client.isWaiting(process)) return false;
    const { depth, activeWorkers } = process.queue.stats();
    return depth + activeWorkers + process.engine.webhookStats().underWay === 0;
  }

  private hasEnded(id: string): void {
    const task = this.books.tasks.get(id);
    // Forgotten by retention, which the books have allowed.
    if (!task) return;
    if (task.completed_at === null) throw new Violation('everything ends', `${id} is ${task.status} at the end`);
  }

  private whatIsLeft(): string {
    const { openTasks, pendingDeliveries } = this.books;
    const { unfinished } = this.books.plans;
    return `${openTasks} tasks open, ${pendingDeliveries} deliveries pending, ${unfinished} runs unfinished, ${this.disk.owned} owned, up: ${this.isUp}`;
  }
}

/** Of the length and the order that real ids have. */
const idOf = (n: number): string => `019a0000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
