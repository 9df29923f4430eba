import { asGleanerError, GleanerError } from '../domain/errors.js';
import { nextStep } from '../domain/retry.js';
import { EMPTY_META, isTerminal, type Task } from '../domain/task.js';
import type { Clock, Random } from '../ports/clock.js';
import type { Guard, VisitPlan } from '../ports/guard.js';
import type { QueueEntry, TaskQueue } from '../ports/queue.js';
import type { Settlement, Store } from '../ports/store.js';
import type { Telemetry } from '../ports/telemetry.js';
import { type Passage, passGuards } from './pass-guards.js';
import { type VisitOutcome, type VisitParts, visit } from './visit.js';

export interface ExecutorParts extends VisitParts {
  store: Store;
  queue: TaskQueue;
  guards: readonly Guard[];
  clock: Clock;
  random: Random;
  telemetry: Telemetry;
  taskTimeoutMs: number;
  maxAttempts: number;
  /** Told about every task that has ended. */
  onEnded: (task: Task) => void;
}

const STORE_RETRY_MS = 1_000;
const LONGEST_REST_MS = 30_000;
/** A stored time further away than this is a clock that was wrong when it was written. */
const LONGEST_DELAY_MS = 24 * 3_600_000;

/** The outcome of a leg, and how long it was at work. */
interface Leg {
  outcome: Exclude<VisitOutcome, { kind: 'escalate' }>;
  durationMs: number;
}

/**
 * Takes what the queue hands out through one visit:
 *   1. read the task   2. guards   3. claim it in the store   4. visit   5. tell the guards   6. settle
 * A guard that says *wait* sends the entry back to its lane and holds the lane: nothing was written, nothing is held.
 * A visit that needs a browser after all goes back to the queue for its second leg, so that it waits for its token and
 * its browser in the lanes like everybody else; in the store it stays `running`.
 */
export class Executor {
  private readonly parts: ExecutorParts;
  private readonly running = new Set<AbortController>();
  private readonly stopping = new AbortController();
  private durations = { sum: 0, count: 0 };
  private storeFaults = 0;
  private restsUntil = 0;

  constructor(parts: ExecutorParts) {
    this.parts = parts;
  }

  averageDurationMs(): number {
    return this.durations.count === 0 ? 0 : this.durations.sum / this.durations.count;
  }

  /** Ends every visit under way; each goes back to the queue without losing an attempt. */
  abortAll(): void {
    this.stopping.abort();
    for (const controller of this.running) {
      controller.abort(new GleanerError('shutting_down', 'The service is stopping.'));
    }
  }

  /** For TaskQueue.start. Never rejects: a task that cannot even be settled stays for the next start. */
  async run(entry: QueueEntry): Promise<void> {
    try {
      await this.attempt(entry);
      this.storeFaults = 0;
    } catch (error) {
      this.restAfter(error, entry);
    }
  }

  private async attempt(entry: QueueEntry): Promise<void> {
    const { store, guards } = this.parts;
    const task = await store.task(entry.taskId);
    if (task?.status !== (entry.spentMs === null ? 'queued' : 'running')) return;

    const plan = planFor(task, entry);
    const { controller, disarm } = this.openLeg(this.parts.taskTimeoutMs - (entry.spentMs ?? 0));
    try {
      const passage = await passGuards(guards, plan, controller.signal);
      if (passage.kind === 'wait') return this.waitInLane(entry, passage);

      const claimed = entry.spentMs === null ? await this.claim(task, passage) : task;
      if (claimed) await this.takeThrough(entry, claimed, passage, { plan, signal: controller.signal });
    } finally {
      disarm();
    }
  }

  /** From here on the task is `running` in the store: whatever happens, it must be settled. */
  private async takeThrough(
    entry: QueueEntry,
    task: Task,
    passage: Exclude<Passage, { kind: 'wait' }>,
    { plan, signal }: { plan: VisitPlan; signal: AbortSignal },
  ): Promise<void> {
    const { clock } = this.parts;
    const begun = clock.mono();
    const spent = (): number => Math.round(clock.mono() - begun) + (entry.spentMs ?? 0);
    try {
      const outcome = await this.outcomeOf(passage, task, plan, signal);
      if (outcome.kind === 'escalate') return this.escalate(entry, task, spent());
      await this.settle(task, { outcome, durationMs: spent() });
    } catch (error) {
      const meta = { ...EMPTY_META, robots: plan.robots };
      await this.settle(task, { outcome: { kind: 'failed', error: asGleanerError(error), meta }, durationMs: spent() });
    }
  }

  /** `null`: cancelled while it waited. What the guards handed out is given back unless the visit starts. */
  private async claim(task: Task, passage: Exclude<Passage, { kind: 'wait' }>): Promise<Task | null> {
    let claimed: Task | null = null;
    try {
      claimed = await this.parts.store.claim(task.id, this.parts.clock.now());
      return claimed;
    } finally {
      if (!claimed && passage.kind === 'go') passage.release();
    }
  }

  /** The clock of the whole leg: past it, fetchers drop everything they hold. */
  private openLeg(timeoutMs: number): { controller: AbortController; disarm: () => void } {
    const controller = new AbortController();
    this.running.add(controller);
    const cancelTimer = this.parts.clock.after(Math.max(0, timeoutMs), () => {
      controller.abort(new GleanerError('task_timeout', `The visit did not end within its time.`));
    });
    const disarm = (): void => {
      cancelTimer();
      this.running.delete(controller);
    };
    return { controller, disarm };
  }

  private async outcomeOf(
    passage: Exclude<Passage, { kind: 'wait' }>,
    task: Task,
    plan: VisitPlan,
    signal: AbortSignal,
  ): Promise<VisitOutcome> {
    if (passage.kind === 'no') {
      return { kind: 'failed', error: passage.error, meta: { ...EMPTY_META, robots: plan.robots } };
    }
    const outcome = await visit(this.parts, task, plan, signal);
    for (const guard of this.parts.guards) guard.after?.(plan, { error: faultOf(outcome) });
    return outcome;
  }

  private waitInLane(entry: QueueEntry, wait: Extract<Passage, { kind: 'wait' }>): void {
    const { queue, clock, telemetry } = this.parts;
    telemetry.guardWaited(wait.guard, wait.until - clock.mono());
    const justThisOne = wait.holds === 'task';
    if (!justThisOne) queue.hold(entry.domain, wait.until);
    queue.add(justThisOne ? { ...entry, notBefore: wait.until } : entry);
  }

  private escalate(entry: QueueEntry, task: Task, spentMs: number): void {
    this.parts.telemetry.escalated(task);
    this.parts.queue.add({ ...entry, needs: 'browser', spentMs, notBefore: 0 });
  }

  private async settle(task: Task, { outcome, durationMs }: Leg): Promise<void> {
    const { store, queue, clock, telemetry, onEnded } = this.parts;
    const settlement = this.settlementFor(task, { outcome, durationMs });
    const settled = await this.untilStored(task, () =>
      store.settle({ taskId: task.id, visits: task.visits }, settlement, clock.now()),
    );
    if (!settled) return;
    this.durations.sum += durationMs;
    this.durations.count += 1;
    telemetry.visitSettled({
      task: settled,
      end: settlement.kind === 'requeued' ? 'retried' : settlement.kind,
      code: outcome.kind === 'failed' ? outcome.error.code : null,
      reason: outcome.kind === 'failed' ? outcome.error.message : null,
      cause: outcome.kind === 'failed' ? outcome.error.cause : undefined,
      durationMs,
      proxyUsed: outcome.meta.proxy ?? 'direct',
      renderedBy: outcome.meta.renderedBy,
      fieldsExtracted: outcome.kind === 'completed' ? nonNull(outcome.result) : [],
    });
    if (isTerminal(settled.status)) onEnded(settled);
    else queue.add(entryFor(settled, clock));
  }

  private settlementFor(task: Task, { outcome, durationMs }: Leg): Settlement {
    const meta = { ...outcome.meta, durationMs };
    if (outcome.kind === 'completed') return { kind: 'completed', result: outcome.result, meta };
    const { error } = outcome;
    const stopping = error.code === 'shutting_down';
    if (stopping) return { kind: 'requeued', notBefore: null, refundAttempt: true, throttles: task.throttles, meta };
    const { maxAttempts, random, clock } = this.parts;
    const step = nextStep(error, { attempts: task.attempts, throttles: task.throttles, maxAttempts, random });
    if (step.kind === 'give_up') {
      const notBefore = error.retryAfterMs === undefined ? null : clock.now() + error.retryAfterMs;
      return { kind: 'failed', code: error.code, error: error.message, notBefore, meta };
    }
    const throttled = step.kind === 'throttle';
    const throttles = throttled ? step.throttles : 0;
    return { kind: 'requeued', notBefore: clock.now() + step.delayMs, refundAttempt: throttled, throttles, meta };
  }

  /**
   * A result in hand is not thrown away because the disk is full: the worker holds it and tries again until the store
   * takes it. When the service stops first, the task is still `running` there and is visited again after the restart.
   */
  private async untilStored<T>(task: Task, write: () => Promise<T>): Promise<T | null> {
    const ids = { request_id: task.requestId, task_id: task.id };
    const { clock, telemetry } = this.parts;
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (!(error instanceof GleanerError) || error.code !== 'storage_unavailable') throw error;
        telemetry.log.error({ err: error, ...ids }, 'a result could not be stored and is tried again');
      }
      if (this.stopping.signal.aborted) return null;
      await clock.wait(STORE_RETRY_MS, this.stopping.signal);
    }
  }

  /**
   * Our own fault, almost always the store's: the task is still queued there and goes back to its lane. While the store
   * is in trouble every entry would fail the same way, so the whole queue rests, longer each time, and one line says so.
   */
  private restAfter(error: unknown, entry: QueueEntry): void {
    const { queue, clock, telemetry } = this.parts;
    const now = clock.mono();
    queue.add(entry);
    if (now < this.restsUntil) return;
    const restMs = Math.min(STORE_RETRY_MS * 2 ** this.storeFaults, LONGEST_REST_MS);
    this.storeFaults += 1;
    this.restsUntil = now + restMs;
    queue.rest(this.restsUntil);
    telemetry.log.error(
      { err: error, task_id: entry.taskId, rest_ms: restMs },
      'tasks cannot be taken; the queue rests',
    );
  }
}

/** What the guards hear: the fault of the page, also of one that a browser will look at once more. */
function faultOf(outcome: VisitOutcome): GleanerError | null {
  if (outcome.kind === 'failed') return outcome.error;
  return outcome.kind === 'escalate' ? outcome.because : null;
}

/** A queued task as the queue takes it. Its age counts from when it was accepted, also after a restart. */
export function entryFor(
  task: Pick<Task, 'id' | 'jobId' | 'domain' | 'jobSize' | 'render' | 'createdAt' | 'notBefore'>,
  clock: Clock,
): QueueEntry {
  const now = clock.now();
  const mono = clock.mono();
  return {
    taskId: task.id,
    jobId: task.jobId,
    domain: task.domain,
    jobSize: task.jobSize,
    since: mono - Math.max(0, now - task.createdAt),
    notBefore: task.notBefore === null ? 0 : mono + Math.min(Math.max(0, task.notBefore - now), LONGEST_DELAY_MS),
    needs: task.render === 'browser' ? 'browser' : 'http',
    spentMs: null,
  };
}

function planFor(task: Task, entry: QueueEntry): VisitPlan {
  return {
    taskId: task.id,
    url: task.targetUrl,
    domain: task.domain,
    workspaceId: task.workspaceId,
    needs: entry.needs,
    robots: null,
    proxy: null,
    identity: null,
  };
}

const nonNull = (record: Record<string, unknown>): string[] =>
  Object.keys(record).filter((field) => record[field] !== null && record[field] !== undefined);
