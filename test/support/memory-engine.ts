import { randomUUID } from 'node:crypto';
import type { AdapterRegistry } from '../../src/domain/adapter.js';
import { type ErrorCode, GleanerError } from '../../src/domain/errors.js';
import { finalJobStatus, isJobOver, type Job, type JobCounts, type JobStatus } from '../../src/domain/job.js';
import type { JobEvent } from '../../src/domain/job-event.js';
import { parseEgressAllow } from '../../src/domain/target-url.js';
import { EMPTY_META, isTerminal, type Task, type TaskSpec } from '../../src/domain/task.js';
import { faultsOf, newTask, refuseIfFaulty, urlFaults } from '../../src/engine/admission.js';
import type { BatchSpec, Caller, EngineApi, EventsOptions, OpenedJob } from '../../src/engine/api.js';
import type { Clock } from '../../src/ports/clock.js';
import type { JobFilter, KnownSubmission, Once, PageOf } from '../../src/ports/store.js';
import { MemoryJobEvents } from './memory-job-events.js';
import { pageOf } from './memory-page.js';
import { MemoryPlanned } from './memory-planned.js';
import { MemoryWebhooks } from './memory-webhooks.js';

interface OpenJob {
  id: string;
  callbackUrl: string | null;
  createdAt: number;
  updatedAt: number;
  cancelled: boolean;
  taskIds: string[];
  /** As last told. */
  status: JobStatus;
}

/**
 * The engine's twin: keeps the whole contract of EngineApi in memory and visits nothing. What a visit would do, the
 * test says: `run`, `complete`, `fail`. `broken` makes every call reject with it, as a faulty store would.
 */
export class MemoryEngine implements EngineApi {
  readonly tasks = new Map<string, Task>();
  readonly pictures = new Map<string, Uint8Array>();
  readonly abandoned: string[] = [];
  readonly callers: Caller[] = [];
  capacity = Number.POSITIVE_INFINITY;
  stopping = false;
  readonly events: MemoryJobEvents;
  readonly webhooks: MemoryWebhooks;
  readonly planned: MemoryPlanned;
  /** What becomes of a standalone task at once, if anything. */
  visit: ((taskId: string) => void) | undefined;
  private fault: unknown;
  private readonly submissions = new Map<string, KnownSubmission>();
  private readonly openJobs = new Map<string, OpenJob>();
  private readonly listeners = new Map<string, Set<() => void>>();
  private readonly rules: { adapters: AdapterRegistry; egressAllow: ReturnType<typeof parseEgressAllow> };

  constructor(
    adapters: AdapterRegistry,
    private readonly clock: Clock,
  ) {
    this.rules = { adapters, egressAllow: parseEgressAllow([]) };
    this.events = new MemoryJobEvents(clock);
    this.webhooks = new MemoryWebhooks(clock, this.rules.egressAllow);
    this.planned = new MemoryPlanned(clock);
  }

  get broken(): unknown {
    return this.fault;
  }

  set broken(fault: unknown) {
    this.fault = fault;
    this.webhooks.broken = fault;
    this.planned.broken = fault;
  }

  async submit(spec: TaskSpec, caller: Caller, once?: Once): Promise<Task> {
    this.admit(1, caller);
    refuseIfFaulty(faultsOf(spec, this.rules));
    const known = this.known(once);
    if (known) return this.task(known.taskId!);
    const queued = { ...this.open(spec, caller, { jobId: null, seq: 0, jobSize: 0 }) };
    if (once) this.submissions.set(once.key, { fingerprint: once.fingerprint, taskId: queued.id, jobId: null });
    this.visit?.(queued.id);
    return queued;
  }

  async submitBatch({ targets, callbackUrl }: BatchSpec, caller: Caller, once?: Once): Promise<OpenedJob> {
    this.admit(targets.length, caller);
    refuseIfFaulty(this.batchFaults({ targets, callbackUrl }));
    const known = this.known(once);
    if (known) return { ...(await this.opened(known.jobId!)), isReplay: true };
    const id = randomUUID();
    if (once) this.submissions.set(once.key, { fingerprint: once.fingerprint, taskId: null, jobId: id });
    const jobSize = targets.length;
    const taskIds = targets.map((spec, seq) => this.open(spec, caller, { jobId: id, seq, jobSize }).id);
    const now = this.clock.now();
    const status = 'queued';
    this.openJobs.set(id, { id, callbackUrl, createdAt: now, updatedAt: now, cancelled: false, taskIds, status });
    this.events.record(id, { kind: 'job', status });
    return { ...(await this.opened(id)), isReplay: false };
  }

  batchFaults: EngineApi['batchFaults'] = ({ targets, callbackUrl }) => [
    ...targets.flatMap((spec, index) => (spec ? faultsOf(spec, this.rules, `targets[${index}].`) : [])),
    ...urlFaults('callback_url', callbackUrl, this.rules.egressAllow),
  ];

  async task(id: string): Promise<Task> {
    return { ...this.find(id) };
  }

  async screenshot(id: string): Promise<Uint8Array> {
    this.find(id);
    const picture = this.pictures.get(id);
    if (!picture) throw new GleanerError('screenshot_not_found', `There is no screenshot of task ${id}.`);
    return picture;
  }

  async awaitTask(id: string, waitMs: number, signal?: AbortSignal): Promise<Task> {
    if (isTerminal(this.find(id).status)) return this.task(id);
    const ended = new AbortController();
    const tell = (): void => ended.abort();
    const listeners = this.listeners.get(id) ?? new Set();
    this.listeners.set(id, listeners.add(tell));
    await this.clock.wait(waitMs, signal ? AbortSignal.any([signal, ended.signal]) : ended.signal);
    listeners.delete(tell);
    return this.task(id);
  }

  /** How many wait for the task. */
  waitingFor(id: string): number {
    return this.listeners.get(id)?.size ?? 0;
  }

  async abandon(taskId: string): Promise<boolean> {
    this.abandoned.push(taskId);
    return this.cancel(this.find(taskId));
  }

  async job(id: string): Promise<Job> {
    return this.jobNow(id);
  }

  async jobs(filter: JobFilter, page: { limit: number; cursor: string | null }): Promise<PageOf<Job>> {
    this.refuseIfBroken();
    const jobs = await Promise.all([...this.openJobs.keys()].reverse().map((id) => this.job(id)));
    const wanted = jobs.filter(
      (job) =>
        (filter.status === undefined || job.status === filter.status) &&
        (filter.createdAfter === undefined || job.createdAt >= filter.createdAfter) &&
        (filter.createdBefore === undefined || job.createdAt < filter.createdBefore),
    );
    return pageOf(wanted, page);
  }

  async jobResults(
    id: string,
    page: { limit: number; cursor: string | null; includeFailed: boolean },
  ): Promise<PageOf<Task>> {
    const tasks = this.findJob(id).taskIds.map((taskId) => this.find(taskId));
    const wanted = tasks.filter(({ status }) => status === 'completed' || (page.includeFailed && status === 'failed'));
    return pageOf(wanted, page);
  }

  async cancelJob(id: string): Promise<Job> {
    const job = this.findJob(id);
    if (!isJobOver(this.jobNow(id).counts)) job.cancelled = true;
    for (const taskId of job.taskIds) this.cancel(this.find(taskId));
    this.tellOfJob(job);
    return this.job(id);
  }

  async jobEvents(id: string, options: EventsOptions): Promise<AsyncIterable<JobEvent | null> | null> {
    const isOver = (): boolean => isJobOver(this.jobNow(id).counts);
    if (isOver() && this.events.of(id).length <= options.after) return null;
    return this.events.follow(id, options, isOver);
  }

  queueStats(): ReturnType<EngineApi['queueStats']> {
    const depth = [...this.tasks.values()].filter((task) => task.status === 'queued').length;
    return { depth, activeWorkers: 0, standalone: depth, batch: 0, delayed: 0, lanes: 0, averageDurationMs: 0 };
  }

  acceptsWork(): boolean {
    return !this.stopping;
  }

  // What a visit does, done by the test.

  run(id: string): void {
    const task = this.find(id);
    this.change(task, { status: 'running', attempts: task.attempts + 1, startedAt: this.clock.now() });
  }

  complete(id: string, result: Record<string, unknown>): void {
    const meta = { ...EMPTY_META, renderedBy: 'http' as const, httpStatus: 200, quality: 'ok' as const };
    this.change(this.find(id), { status: 'completed', result, meta, completedAt: this.clock.now() });
  }

  fail(id: string, code: ErrorCode, error: string, notBefore: number | null = null): void {
    const completedAt = this.clock.now();
    this.change(this.find(id), { status: 'failed', code, error, notBefore, meta: EMPTY_META, completedAt });
  }

  private cancel(task: Task): boolean {
    if (task.status !== 'queued') return false;
    const completedAt = this.clock.now();
    this.change(task, { status: 'cancelled', code: 'cancelled', error: 'Cancelled before it ran.', completedAt });
    return true;
  }

  private change(task: Task, changes: Partial<Task>): void {
    Object.assign(task, changes);
    const job = task.jobId === null ? undefined : this.openJobs.get(task.jobId);
    if (job !== undefined) this.tellOfTask(job, task);
    if (!isTerminal(task.status)) return;
    for (const tell of this.listeners.get(task.id) ?? []) tell();
    this.listeners.delete(task.id);
  }

  private tellOfTask(job: OpenJob, { id, status, attempts, code }: Task): void {
    job.updatedAt = this.clock.now();
    this.events.record(job.id, { kind: 'task', taskId: id, status, attempts, code });
    this.tellOfJob(job);
  }

  private tellOfJob(job: OpenJob): void {
    const { status } = this.jobNow(job.id);
    if (status === job.status) return;
    job.status = status;
    this.events.record(job.id, { kind: 'job', status });
  }

  private jobNow(id: string): Job {
    const { taskIds, cancelled, ...rest } = this.findJob(id);
    const tasks = taskIds.map((taskId) => this.find(taskId));
    const counts: JobCounts = { total: tasks.length, queued: 0, running: 0, completed: 0, failed: 0, cancelled: 0 };
    for (const { status } of tasks) counts[status]++;
    const over = isJobOver(counts);
    const begun = counts.queued < counts.total;
    const status = cancelled ? 'cancelled' : over ? finalJobStatus(counts) : begun ? 'running' : 'queued';
    return { ...rest, counts, status, completedAt: over ? rest.updatedAt : null };
  }

  private async opened(jobId: string): Promise<{ job: Job; taskIds: string[] }> {
    return { job: await this.job(jobId), taskIds: [...this.findJob(jobId).taskIds] };
  }

  private known(once: Once | undefined): KnownSubmission | undefined {
    const known = once && this.submissions.get(once.key);
    if (!known || known.fingerprint === once.fingerprint) return known;
    throw new GleanerError('idempotency_conflict', 'The Idempotency-Key was used with another request.');
  }

  private open(spec: TaskSpec, caller: Caller, place: { jobId: string | null; seq: number; jobSize: number }): Task {
    const task = newTask(spec, caller, {
      ...place,
      adapters: this.rules.adapters,
      newId: randomUUID,
      now: this.clock.now(),
    });
    this.tasks.set(task.id, task);
    return task;
  }

  private admit(count: number, caller: Caller): void {
    this.refuseIfBroken();
    this.callers.push(caller);
    if (this.stopping) throw new GleanerError('shutting_down', 'The service is stopping and takes no new work.');
    // Counting is left out where there is no limit: a property test opens tens of thousands of tasks.
    if (this.capacity === Number.POSITIVE_INFINITY || this.queueStats().depth + count <= this.capacity) return;
    throw new GleanerError('queue_full', 'The queue is full.');
  }

  private find(id: string): Task {
    this.refuseIfBroken();
    const task = this.tasks.get(id);
    if (task === undefined) throw new GleanerError('task_not_found', 'No task has this id.');
    return task;
  }

  private findJob(id: string): OpenJob {
    this.refuseIfBroken();
    const job = this.openJobs.get(id);
    if (job === undefined) throw new GleanerError('job_not_found', 'No job has this id.');
    return job;
  }

  private refuseIfBroken(): void {
    if (this.fault !== undefined) throw this.fault;
  }
}
