import { createLastingLimiter, type LastingLimiter } from '../../src/backends/embedded/lasting-limiter.js';
import { createLocalLimiter } from '../../src/backends/embedded/local-limiter.js';
import type { LocalQueue } from '../../src/backends/embedded/local-queue.js';
import { RenderExperience } from '../../src/domain/render-experience.js';
import type { Engine } from '../../src/engine/engine.js';
import { createPlanRules } from '../../src/engine/plan-rules.js';
import { Circuit } from '../../src/fetching/circuit.js';
import { type BreakerGuard, type CircuitNote, createBreakerGuard } from '../../src/fetching/guards/breaker-guard.js';
import { createHoursGuard } from '../../src/fetching/guards/hours-guard.js';
import { createRateLimitGuard } from '../../src/fetching/guards/rate-limit-guard.js';
import type { Clock, NewId } from '../../src/ports/clock.js';
import type { Limiter } from '../../src/ports/limiter.js';
import type { Store } from '../../src/ports/store.js';
import { createSiteNotes } from '../../src/store/site-notes.js';
import { createSqlDeliveries } from '../../src/store/sql-deliveries.js';
import { createSqlStore } from '../../src/store/sql-store.js';
import { openEngine } from '../support/engine-harness.js';
import { Life } from './life.js';
import { Outside, type OutsideParts } from './outside.js';
import { QueueWatch } from './queue-watch.js';
import { SimDatabase, type SimDatabaseParts } from './sim-database.js';
import { createSimRunFiles, registersOf, type SimDisk } from './sim-runs.js';
import type { StaleSettles } from './stale-settles.js';
import { Violation } from './trace.js';

const LANE_WIDTH = 4;
const RECEIVER_CIRCUIT = { windowSize: 10, failureThreshold: 5, cooldownMs: 60_000 };

export interface ProcessParts extends OutsideParts, Omit<SimDatabaseParts, 'life'> {
  clock: Clock;
  newId: NewId;
  stale: StaleSettles;
  disk: SimDisk;
  /** Does the disk refuse to write a file now? */
  isFull: () => boolean;
}

/** One start of the service on the data there is: the real engine and its parts, with a made-up world around it. */
export class SimProcess {
  readonly life: Life;
  readonly engine: Engine;
  readonly queue: LocalQueue;
  /** As it is, unwatched. */
  readonly store: Store;
  private readonly watch: QueueWatch;
  private readonly limiter: LastingLimiter;
  private readonly breaker: BreakerGuard;
  private readonly experience = new RenderExperience();

  constructor(
    private readonly parts: ProcessParts,
    number: number,
  ) {
    const { world, seeded, newId, check } = parts;
    const { policies, slots } = world;
    this.life = new Life(number, parts.clock);
    const { clock } = this.life;
    const outside = new Outside(parts, this.life);
    const database = new SimDatabase({ ...parts, life: this.life });
    const local = createLocalLimiter({ clock, maxKeys: world.maxKeys });
    const limiter = { ...local, ...watchedLimiter(local, { outside, clock, check }) };
    this.limiter = createLastingLimiter({ limiter, notes: createSiteNotes(database, 'limit'), clock });
    const notes = createSiteNotes<CircuitNote>(database, 'circuit');
    this.breaker = createBreakerGuard({ clock, settings: world.breaker, log: SILENT, notes });
    const laneWidth = (lane: string): number => policies.forHost(lane).maxConcurrent ?? LANE_WIDTH;
    const { adapters, plans } = registersOf(world.sites);
    const rules = createPlanRules({ plans, adapters, newId });
    const store = createSqlStore(database, { newId, defaultReceiver: world.defaultReceiver, plans: rules });
    this.store = { ...store };
    parts.stale.around(store, this.life);
    const { engine, queue } = openEngine({
      store,
      deliveries: createSqlDeliveries(database),
      clock,
      http: outside.fetcher('http'),
      browser: outside.fetcher('browser'),
      send: outside.send,
      guards: [
        createHoursGuard({ policies, clock }),
        this.breaker,
        createRateLimitGuard({ limiter: this.limiter, policies, clock }),
      ],
      queue: { maxDepth: world.maxDepth, httpConcurrency: slots.http, browserConcurrency: slots.browser, laneWidth },
      parts: {
        random: seeded.next,
        newId,
        experience: this.experience,
        adapters,
        plans,
        runFiles: createSimRunFiles({ ...parts, life: this.life }),
        planWindow: world.planWindow,
        laneOf: (url) => policies.laneKey(new URL(url).hostname),
        maxAttempts: world.maxAttempts,
        resultTtlMs: world.resultTtlMs,
        newCircuit: () => new Circuit(RECEIVER_CIRCUIT),
      },
    });
    this.engine = engine;
    this.queue = queue;
    this.watch = new QueueWatch({ mono: clock.mono, laneWidth, slots, check });
    this.watch.around(queue);
  }

  async start(): Promise<void> {
    await Promise.all([this.limiter.recall(), this.breaker.recall()]);
    await this.engine.start();
  }

  /** Nothing of it grows with what has passed by. */
  async checkMemory(): Promise<void> {
    const { world, check } = this.parts;
    const { keys } = await this.limiter.counts();
    check(() => {
      // What an earlier process noted is taken up in any case.
      const most = this.life.number > 1 ? world.sites.length : Math.min(world.maxKeys, world.sites.length);
      if (keys > most) throw new Violation('memory', `${keys} keys are limited`);
      if ([...this.breaker.known()].length > world.sites.length) throw new Violation('memory', 'breakers of nobody');
      // Of each by its pages and by the cases of every register, which may lead there.
      if (this.experience.size > world.sites.length * (world.sites.length + 1))
        throw new Violation('memory', 'experience with nobody');
    });
  }

  /** After a graceful stop: nobody at work, nothing that would still ring. */
  checkStopped(): void {
    const { activeWorkers } = this.queue.stats();
    if (activeWorkers > 0 || !this.watch.idle()) throw new Violation('slot leaked', `${activeWorkers} are still taken`);
    if (this.life.timers > 0) throw new Violation('timer leaked', `${this.life.timers} are armed after a stop`);
  }

  /** With nothing left to do everybody is idle. */
  checkIdle(): void {
    const { activeWorkers, depth } = this.queue.stats();
    const { underWay } = this.engine.webhookStats();
    if (activeWorkers + depth + underWay > 0 || !this.watch.idle())
      throw new Violation('slot leaked', `at rest ${activeWorkers} at work, ${depth} queued, ${underWay} posting`);
    if (!this.queue.reserve(this.queue.capacity)) throw new Violation('room leaked', 'the empty queue has no room');
    this.queue.unreserve(this.queue.capacity);
  }
}

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

interface LimiterWatch {
  outside: Outside;
  clock: Clock;
  check: (act: () => void) => void;
}

/** Every grant is seen where it is given: at the very moment, without the jitter of what follows it. */
function watchedLimiter(limiter: Limiter, { outside, clock, check }: LimiterWatch): Limiter {
  const takenAt = new Map<string, number>();
  return {
    ...limiter,
    async acquire(key, rate) {
      const answer = await limiter.acquire(key, rate);
      if (answer.granted) {
        takenAt.set(answer.lease.id, clock.mono());
        check(() => outside.watchOf(key).granted(clock.mono(), rate));
      }
      return answer;
    },
    giveBack(lease) {
      outside.watchOf(lease.key).givenBack(takenAt.get(lease.id) ?? -1);
      return limiter.giveBack(lease);
    },
  };
}
