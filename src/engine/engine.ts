import { GleanerError } from '../domain/errors.js';
import type { Job } from '../domain/job.js';
import type { EgressAllow } from '../domain/target-url.js';
import { isTerminal, type Task, type TaskSpec } from '../domain/task.js';
import type { NewId } from '../ports/clock.js';
import type { Once } from '../ports/store.js';
import type { BatchSpec, Caller, EngineApi, OpenedJob, WebhookApi } from './api.js';
import { AutoRender, type AutoRenderParts } from './auto-render.js';
import { Executor, type ExecutorParts } from './executor.js';
import { JobEvents } from './job-events.js';
import { type PlannedApi, PlannedJobs, type PlannedParts } from './planned-jobs.js';
import { entryFor } from './queue-entry.js';
import { retain } from './retention.js';
import { Submissions } from './submissions.js';
import { Waiters } from './waiters.js';
import { createLedger } from './webhook-ledger.js';
import { type WebhookParts, Webhooks } from './webhooks.js';

export interface EngineParts
  extends Omit<ExecutorParts, 'onEnded' | 'auto' | 'archive'>,
    AutoRenderParts,
    WebhookParts,
    Omit<PlannedParts, 'auto'> {
  newId: NewId;
  egressAllow: EgressAllow;
  resultTtlMs: number;
  /** How long the files of planned jobs are kept. */
  runTtlMs: number;
}

/** No date is so far away that it could not be written. */
const LONGEST_SHOWN_MS = 366 * 24 * 3_600_000;

/** The one machine: accepts, queues, visits and settles. It knows no use-case and no site. */
export class Engine implements EngineApi {
  private readonly parts: EngineParts;
  private readonly auto: AutoRender;
  private readonly executor: Executor;
  readonly webhooks: WebhookApi;
  readonly planned: PlannedApi;
  private readonly plannedJobs: PlannedJobs;
  private readonly waiters = new Waiters<Task>();
  private readonly submissions: Submissions;
  private readonly teller: Webhooks;
  private readonly events: JobEvents;
  private readonly stopped = new AbortController();
  private retention: Promise<void> = Promise.resolve();
  private accepting = false;

  constructor(parts: EngineParts) {
    this.parts = parts;
    this.auto = new AutoRender(parts);
    const { auto } = this;
    this.submissions = new Submissions({ ...parts, auto });
    this.plannedJobs = new PlannedJobs({ ...parts, auto }, this.submissions, this);
    this.planned = this.plannedJobs;
    this.executor = new Executor({
      ...parts,
      auto,
      onEnded: (task) => this.waiters.tell(task.id, task),
      archive: (task, ending) => this.plannedJobs.archived(task, ending),
    });
    this.teller = new Webhooks(parts);
    this.webhooks = createLedger({ ...parts, webhooks: this.teller });
    this.events = new JobEvents(parts.store, parts.clock);
  }

  /** Takes up what an earlier process left: what was running is queued again, what was queued still is. */
  async start(): Promise<void> {
    const { store, pictures, queue, clock, telemetry, resultTtlMs } = this.parts;
    const { running: interrupted, ended } = await store.requeueRunning({ refundAttempt: false }, clock.now());
    this.tellOfEnded(ended);
    await this.plannedJobs.start();
    let resumed = 0;
    for await (const rows of store.queued()) {
      // Nothing has been learnt yet about those that leave the way to us.
      for (const row of rows) queue.add(entryFor(row, row.render === 'browser' ? 'browser' : 'http', this.parts));
      resumed += rows.length;
    }
    if (resumed > 0) telemetry.log.info({ resumed, interrupted }, 'took up the tasks of the last run');
    await this.teller.start();
    this.accepting = true;
    queue.start((entry) => this.executor.run(entry));
    const forgetRuns = (): Promise<unknown> => this.forgetRuns();
    this.retention = retain(
      { store, pictures, clock, log: telemetry.log, ttlMs: resultTtlMs, forgetRuns },
      this.stopped.signal,
    );
  }

  /**
   * No new work; what runs may finish within the grace, then it goes back to the queue. Nothing queued is lost.
   * `isCrash`: something unforeseen ends the process, so what runs is counted as if it had been killed.
   */
  async stop(graceMs: number, { isCrash = false } = {}): Promise<void> {
    const { queue, clock } = this.parts;
    this.accepting = false;
    this.stopped.abort();
    this.events.stop();
    const idle = queue.stop();
    this.executor.beginNothing();
    // What follows the stop, a second signal or a kill because it takes too long, is no task's doing.
    const pardoned = isCrash ? null : this.blameNobody();
    if (isCrash) this.executor.abortAll({ isCrash });
    const told = this.teller.stop(graceMs);
    const inTime = new AbortController();
    await Promise.race([idle.then(() => inTime.abort()), clock.wait(graceMs, inTime.signal)]);
    this.plannedJobs.stopWaiting();
    this.executor.abortAll({ isCrash });
    await Promise.all([idle, told, pardoned]);
    this.waiters.releaseAll();
    await this.retention;
    await this.requeueRest({ refundAttempt: !isCrash });
  }

  private async blameNobody(): Promise<void> {
    const { store, telemetry } = this.parts;
    await store.blameNobody().catch((error) => {
      telemetry.log.warn({ err: error }, 'the store does not know that the service stops');
    });
  }

  /** Visits that waited for their next leg are still marked as running, and after a crash all that were at work. */
  private async requeueRest(how: { refundAttempt: boolean }): Promise<void> {
    const { store, clock, telemetry } = this.parts;
    try {
      const { ended } = await store.requeueRunning(how, clock.now());
      this.tellOfEnded(ended);
    } catch (error) {
      telemetry.log.warn({ err: error }, 'the store took no more writes; the next start takes up what was running');
    }
    await this.plannedJobs.stop();
  }

  /** Of those that no visit ends any more. Nobody waits for them: they were found when nothing else ran. */
  private tellOfEnded(ended: readonly Task[]): void {
    const { telemetry } = this.parts;
    for (const task of ended) {
      if (task.status === 'cancelled') telemetry.taskCancelled(task);
      else telemetry.taskConvicted(task);
    }
  }

  async submit(spec: TaskSpec, caller: Caller, once?: Once): Promise<Task> {
    this.refuseIfStopping();
    const submitted = await this.submissions.submit(spec, caller, once);
    return 'earlier' in submitted ? this.task(submitted.earlier) : submitted;
  }

  async submitBatch(batch: BatchSpec, caller: Caller, once?: Once): Promise<OpenedJob> {
    this.refuseIfStopping();
    const submitted = await this.submissions.submitBatch(batch, caller, once);
    if (!('earlier' in submitted)) return submitted;
    const job = await this.job(submitted.earlier);
    return { job, taskIds: await this.parts.store.taskIds(job.id), isReplay: true };
  }

  batchFaults: EngineApi['batchFaults'] = (batch) => this.submissions.batchFaults(batch);

  async task(id: string): Promise<Task> {
    const task = await this.parts.store.task(id);
    if (!task) throw new GleanerError('task_not_found', `There is no task ${id}.`);
    return this.withDelay(task);
  }

  async screenshot(id: string): Promise<Uint8Array> {
    // A picture is part of a result: without one it is not shown either.
    const { result } = await this.task(id);
    const picture = result?.screenshot ? await this.parts.pictures.find(id) : null;
    if (!picture) throw new GleanerError('screenshot_not_found', `There is no screenshot of task ${id}.`);
    return picture;
  }

  async awaitTask(id: string, waitMs: number, signal?: AbortSignal): Promise<Task> {
    const done = new AbortController();
    const giveUp = (): void => done.abort();
    signal?.addEventListener('abort', giveUp, { once: true });
    let ended: Task | null = null;
    // Listening begins before looking, or an end in between would be missed.
    const stopListening = this.waiters.on(id, (task) => {
      ended = task;
      done.abort();
    });
    try {
      const task = await this.task(id);
      // While stopping nobody would be told any more.
      if (isTerminal(task.status) || !this.accepting) return task;
      if (!signal?.aborted) await this.parts.clock.wait(waitMs, done.signal);
      return ended ?? (await this.task(id));
    } finally {
      stopListening();
      signal?.removeEventListener('abort', giveUp);
    }
  }

  async abandon(taskId: string): Promise<boolean> {
    const { store, clock } = this.parts;
    const cancelled = await store.cancelTask(taskId, clock.now());
    if (cancelled) this.forget(cancelled);
    return cancelled !== null;
  }

  async job(id: string): Promise<Job> {
    const job = await this.parts.store.job(id);
    if (!job) throw new GleanerError('job_not_found', `There is no job ${id}.`);
    return job;
  }

  jobs: EngineApi['jobs'] = (filter, page) => this.parts.store.jobs(filter, page);

  jobResults: EngineApi['jobResults'] = async (id, page) => {
    await this.job(id);
    return this.parts.store.jobResults(id, page);
  };

  async cancelJob(id: string): Promise<Job> {
    const { store, clock } = this.parts;
    // A run that rests may have nobody who keeps its files; they must tell of this, too.
    const done = await this.plannedJobs.takeCare(id);
    try {
      const ending = await store.cancelJob(id, clock.now());
      if (!ending) throw new GleanerError('job_not_found', `There is no job ${id}.`);
      for (const task of ending.cancelled) this.forget(task);
      return ending.job;
    } finally {
      done();
    }
  }

  jobEvents: EngineApi['jobEvents'] = (id, options) => this.events.follow(id, options);

  webhookStats(): ReturnType<Webhooks['stats']> {
    return this.teller.stats();
  }

  queueStats(): ReturnType<EngineApi['queueStats']> {
    return { ...this.parts.queue.stats(), averageDurationMs: this.executor.averageDurationMs() };
  }

  runStats(): { held: number } {
    return { held: this.plannedJobs.held() };
  }

  acceptsWork(): boolean {
    return this.accepting;
  }

  /** A task that waits in its lane says until when, also for its next leg; only the queue knows. */
  private withDelay(task: Task): Task {
    const { queue, clock } = this.parts;
    const due = isTerminal(task.status) ? null : queue.dueAt(task.id);
    if (due === null) return task;
    const waitMs = Math.min(due - clock.mono(), LONGEST_SHOWN_MS);
    return { ...task, notBefore: Math.max(task.notBefore ?? 0, Math.round(clock.now() + waitMs)) };
  }

  private async forgetRuns(): Promise<void> {
    const { runFiles, clock, runTtlMs } = this.parts;
    await runFiles.expire(clock.now() - runTtlMs, await this.plannedJobs.isKept());
  }

  private forget(task: Task): void {
    this.parts.queue.remove(task.id);
    this.parts.telemetry.taskCancelled(task);
    this.waiters.tell(task.id, task);
  }

  refuseIfStopping(): void {
    if (this.accepting) return;
    throw new GleanerError('shutting_down', 'The service is starting or stopping and takes no work.', {
      retryAfterMs: 10_000,
    });
  }
}
