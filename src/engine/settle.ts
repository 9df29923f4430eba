import {
  afterBrowserCrash,
  afterVisit,
  type Charge,
  isBrowserCrash,
  isPoison,
  lastCode,
  POISON_MESSAGE,
} from '../domain/poison.js';
import { nextStep } from '../domain/retry.js';
import { isTerminal, type Task } from '../domain/task.js';
import type { Clock, Random } from '../ports/clock.js';
import type { TaskQueue } from '../ports/queue.js';
import type { Settlement, Store } from '../ports/store.js';
import type { Telemetry } from '../ports/telemetry.js';
import type { AutoRender } from './auto-render.js';
import { entryFor } from './queue-entry.js';
import { untilStored } from './until-stored.js';
import type { Ending } from './visit.js';

export interface SettleParts {
  store: Store;
  queue: TaskQueue;
  clock: Clock;
  random: Random;
  telemetry: Telemetry;
  maxAttempts: number;
  /** The lane in which a visit of this URL waits. */
  laneOf: (url: string) => string;
  auto: AutoRender;
  /** Told about every task that has ended. */
  onEnded: (task: Task) => void;
}

/** The outcome of a leg, and how long it was at work. */
interface Leg {
  outcome: Ending;
  durationMs: number;
}

/** Puts the outcome of a visit into effect: result, end or retry in the store, then the queue and whoever waits. */
export class Settler {
  private readonly parts: SettleParts;
  private readonly stopping = new AbortController();
  private durations = { sum: 0, count: 0 };
  private isDying = false;

  constructor(parts: SettleParts) {
    this.parts = parts;
  }

  averageDurationMs(): number {
    return this.durations.count === 0 ? 0 : this.durations.sum / this.durations.count;
  }

  /**
   * The service stops: what the store does not take now is visited again after the next start. `isCrash`: something
   * unforeseen stops it. Then nothing is settled any more: who is at work now is judged together.
   */
  stopWaiting({ isCrash }: { isCrash: boolean }): void {
    this.isDying = isCrash;
    this.stopping.abort();
  }

  async settle(task: Task, { outcome, durationMs }: Leg): Promise<void> {
    if (this.isDying) return;
    const { store, queue, clock, telemetry, auto, onEnded } = this.parts;
    const settlement = this.settlementFor(task, { outcome, durationMs });
    const settled = await untilStored(
      () => store.settle({ taskId: task.id, visits: task.visits }, settlement, clock.now()),
      { clock, log: telemetry.log, stopping: this.stopping.signal },
      {
        fields: { request_id: task.requestId, task_id: task.id },
        message: 'a result could not be stored and is tried again',
      },
    );
    if (!settled) return;
    this.durations.sum += durationMs;
    this.durations.count += 1;
    telemetry.visitSettled({
      task: settled,
      end: settlement.kind === 'requeued' ? 'retried' : settlement.kind,
      code: settlement.kind === 'failed' ? settlement.code : outcome.kind === 'failed' ? outcome.error.code : null,
      reason: outcome.kind === 'failed' ? outcome.error.message : null,
      cause: outcome.kind === 'failed' ? outcome.error.cause : undefined,
      durationMs,
      // Nothing was fetched: then nothing went directly either.
      proxyUsed: outcome.meta.renderedBy === null ? 'none' : (outcome.meta.proxy ?? 'direct'),
      renderedBy: outcome.meta.renderedBy,
      fieldsExtracted: outcome.kind === 'completed' ? nonNull(outcome.result) : [],
    });
    if (isTerminal(settled.status)) onEnded(settled);
    else queue.add(entryFor(settled, auto.needsOf(settled), this.parts));
  }

  private settlementFor(task: Task, { outcome, durationMs }: Leg): Settlement {
    const meta = { ...outcome.meta, durationMs, lastError: task.meta?.lastError ?? null };
    if (outcome.kind === 'completed') return { kind: 'completed', result: outcome.result, meta };
    const { error } = outcome;
    const stopping = error.code === 'shutting_down';
    const { maxAttempts, random, clock } = this.parts;
    const retried = { ...meta, lastError: { type: error.code, message: error.message, ts: clock.now() } };
    const charge = chargeAfter(outcome, task);
    if (isPoison(charge)) {
      return { kind: 'failed', code: 'poison', error: POISON_MESSAGE, notBefore: null, meta };
    }
    // Of a shared browser that took too much memory nobody knows whose it was: it costs nobody an attempt.
    const isUnclear = error.code === 'resource_limit' && error.isSuspicion;
    if (stopping || isUnclear) {
      const { throttles } = task;
      return { kind: 'requeued', notBefore: null, refundAttempt: true, throttles, ...charge, meta: retried };
    }
    const step = nextStep(error, { attempts: task.attempts, throttles: task.throttles, maxAttempts, random });
    if (step.kind === 'give_up') {
      const notBefore = error.retryAfterMs === undefined ? null : clock.now() + error.retryAfterMs;
      const code = lastCode(error, charge);
      return { kind: 'failed', code, error: code === 'poison' ? POISON_MESSAGE : error.message, notBefore, meta };
    }
    const throttled = step.kind === 'throttle';
    const throttles = throttled ? step.throttles : 0;
    return {
      kind: 'requeued',
      notBefore: clock.now() + step.delayMs,
      refundAttempt: throttled,
      throttles,
      ...charge,
      meta: retried,
    };
  }
}

/** A visit that was broken off, or refused before it began, shows neither the one nor the other. */
function chargeAfter({ error, meta }: Extract<Ending, { kind: 'failed' }>, task: Task): Charge {
  const { suspicion, crashes } = task;
  if (error.code === 'shutting_down' || meta.renderedBy === null) return { suspicion, crashes };
  return isBrowserCrash(error) ? afterBrowserCrash(task) : afterVisit(task);
}

const nonNull = (record: Record<string, unknown>): string[] =>
  Object.keys(record).filter((field) => record[field] !== null && record[field] !== undefined);
