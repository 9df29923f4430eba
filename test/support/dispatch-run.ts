import { createLocalLimiter } from '../../src/backends/embedded/local-limiter.js';
import { LocalQueue } from '../../src/backends/embedded/local-queue.js';
import type { GleanerError } from '../../src/domain/errors.js';
import { type PolicyBook, rateFor } from '../../src/domain/policy.js';
import { priorityKey } from '../../src/domain/priority.js';
import { domainOf } from '../../src/domain/registrable-domain.js';
import { nextStep } from '../../src/domain/retry.js';
import { passGuards } from '../../src/engine/pass-guards.js';
import { createBreakerGuard } from '../../src/fetching/guards/breaker-guard.js';
import { createRateLimitGuard } from '../../src/fetching/guards/rate-limit-guard.js';
import type { QueueEntry } from '../../src/ports/queue.js';
import { DomainLedger, OrderWatch } from './dispatch-checks.js';
import { memoryNotes } from './memory-notes.js';
import type { VirtualClock } from './virtual-clock.js';
import { visitPlan } from './visit-plan.js';

export interface WorldTask {
  /** Which of the world's domains it is at. */
  domain: number;
  url: string;
  jobSize: number;
  needs: QueueEntry['needs'];
  /** Virtual ms; no task arrives before the one before it. */
  arrivesAt: number;
}

/** What there is to visit, and how it answers. */
export interface World {
  tasks: number;
  domains: number;
  task(n: number): WorldTask;
  visit(domain: number, now: number): { tookMs: number; error: GleanerError | null };
}

export interface RunParts {
  clock: VirtualClock;
  world: World;
  policies: PolicyBook;
  slots: Record<QueueEntry['needs'], number>;
}

const LANE_WIDTH = 4;
const MAX_ATTEMPTS = 3;
const BREAKER = { windowSize: 10, failureThreshold: 5, cooldownMs: 120_000 };
/** Everything here is in memory: one turn lets all of it happen. */
const ONE_TURN = { turns: 1 };
const STEP_MS = 60_000;

/**
 * Takes every task of a world through the real queue, breaker and limiter, as the executor does: ask, wait in the lane
 * or visit, tell the guards, end or try again. Only visits and store are left out. What must hold is watched on the way.
 */
export class DispatchRun {
  readonly queue: LocalQueue;
  readonly limiter;
  readonly breaker;
  /** How often each task has ended. */
  readonly ends: Uint8Array;
  /** When each task's first visit began, from its arrival on; -1 if it had none. */
  readonly waits: Float64Array;
  /** What the rate of its domain alone made it wait. */
  readonly forced: Float64Array;
  readonly ledger: DomainLedger;
  /** Entries handed out; more than visits, since whoever must wait is handed out again. */
  looks = 0;
  visits = 0;
  /** Slots taken, in virtual ms. */
  busyMs = 0;
  readonly opened = new Set<number>();
  private left: number;
  private arrived = 0;
  private readonly guards;
  private readonly seen: Uint8Array;
  private readonly attempts: Uint8Array;
  private readonly throttles: Uint8Array;
  private readonly order = { http: new OrderWatch(), browser: new OrderWatch() };
  private readonly signal = new AbortController().signal;

  constructor(private readonly parts: RunParts) {
    const { clock, world, policies, slots } = parts;
    this.left = world.tasks;
    this.ends = new Uint8Array(world.tasks);
    this.seen = new Uint8Array(world.tasks);
    this.attempts = new Uint8Array(world.tasks);
    this.throttles = new Uint8Array(world.tasks);
    this.waits = new Float64Array(world.tasks).fill(-1);
    this.forced = new Float64Array(world.tasks);
    this.ledger = new DomainLedger(world.domains);
    for (let n = 0; n < world.tasks; n += 1) this.ledger.expect(world.task(n).domain);
    this.queue = new LocalQueue({
      clock,
      maxDepth: world.tasks,
      httpConcurrency: slots.http,
      browserConcurrency: slots.browser,
      laneWidth: (lane) => policies.forHost(lane).maxConcurrent ?? LANE_WIDTH,
    });
    this.limiter = createLocalLimiter({ clock });
    this.breaker = createBreakerGuard({ notes: memoryNotes(), clock, settings: BREAKER, log: SILENT });
    this.guards = [this.breaker, createRateLimitGuard({ limiter: this.limiter, policies, clock })];
  }

  /** Dispatches in which somebody who waited longer than his handicap was passed over; among domains of one task. */
  get overtaken(): number {
    return this.order.http.overtaken + this.order.browser.overtaken;
  }

  /** Queues what has arrived by now. */
  arrive(): void {
    const { clock, world } = this.parts;
    while (this.arrived < world.tasks) {
      const task = world.task(this.arrived);
      if (task.arrivesAt > clock.mono()) {
        clock.after(task.arrivesAt - clock.mono(), () => this.arrive());
        return;
      }
      this.queue.add(this.entryOf(this.arrived, task));
      this.arrived += 1;
    }
  }

  entryOf(n: number, task: WorldTask): QueueEntry {
    const { policies } = this.parts;
    return {
      taskId: idOf(n),
      jobId: task.jobSize === 0 ? null : 'job',
      lane: policies.laneKey(new URL(task.url).hostname),
      jobSize: task.jobSize,
      since: task.arrivesAt,
      notBefore: 0,
      needs: task.needs,
      isProbe: false,
      leg: null,
    };
  }

  /** Until every task has ended; throws if that takes longer than `maxMs` of virtual time. */
  async toTheEnd(maxMs: number): Promise<void> {
    const { clock } = this.parts;
    // A moment after the first have come, so that all of them can be told from whoever goes first.
    await clock.advance(1, ONE_TURN);
    this.queue.start((entry) => this.take(entry));
    for (const end = clock.mono() + maxMs; this.left > 0; ) {
      if (clock.mono() > end) throw new Error(`${this.left} tasks never ended: ${JSON.stringify(this.queue.stats())}`);
      await clock.advance(STEP_MS, ONE_TURN);
    }
    await this.queue.stop();
  }

  private async take(entry: QueueEntry): Promise<void> {
    const { clock, world } = this.parts;
    const n = numberOf(entry.taskId);
    const task = world.task(n);
    this.looks += 1;
    if (this.ledger.isSingle(task.domain) && this.seen[n] === 0) this.watchOrder(task);
    this.seen[n] = 1;
    const plan = visitPlan(task.url, { taskId: entry.taskId, domain: domainOf(task.url), needs: entry.needs });
    const passage = await passGuards(this.guards, plan, this.signal);
    if (passage.kind === 'wait') {
      this.queue.hold(entry.lane, passage.until, passage.expected);
      this.queue.add(entry);
      return;
    }
    this.attempts[n]! += 1;
    if (passage.kind === 'no') return this.settle(entry, n, passage.error);
    this.begin(n, task);
    const { tookMs, error } = world.visit(task.domain, clock.mono());
    this.busyMs += tookMs;
    await clock.wait(tookMs);
    for (const guard of this.guards) guard.after?.(plan, { error });
    if (error && this.breaker.report(plan.domain).state === 'open') this.opened.add(task.domain);
    this.settle(entry, n, error);
  }

  private begin(n: number, { domain, url, arrivesAt }: WorldTask): void {
    const { clock, policies } = this.parts;
    this.visits += 1;
    const rate = rateFor(policies.forHost(new URL(url).hostname), null);
    const earliest = this.ledger.granted(domain, { now: clock.mono(), arrivesAt, rate });
    if (this.waits[n] !== -1) return;
    this.waits[n] = clock.mono() - arrivesAt;
    this.forced[n] = earliest - arrivesAt;
  }

  private settle(entry: QueueEntry, n: number, error: GleanerError | null): void {
    const { clock } = this.parts;
    const history = { attempts: this.attempts[n]!, throttles: this.throttles[n]!, maxAttempts: MAX_ATTEMPTS };
    const step = error ? nextStep(error, { ...history, random: () => 0.5 }) : null;
    if (!step || step.kind === 'give_up') {
      this.ends[n]! += 1;
      this.left -= 1;
      return;
    }
    if (step.kind === 'throttle') {
      this.attempts[n]! -= 1;
      this.throttles[n] = step.throttles;
    }
    this.queue.add({ ...entry, notBefore: clock.mono() + step.delayMs });
  }

  private watchOrder({ needs, arrivesAt, jobSize }: WorldTask): void {
    const key = priorityKey(arrivesAt, jobSize);
    this.order[needs].dispatched({ key, arrivesAt, now: this.parts.clock.mono() });
  }
}

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** Of the length and the order that real ids have. */
export const idOf = (n: number): string => `019a0000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
const numberOf = (id: string): number => Number.parseInt(id.slice(24), 16);
