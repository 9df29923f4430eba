import { CheckpointFault } from '../domain/checkpoint.js';
import { asGleanerError, type FieldFault, GleanerError } from '../domain/errors.js';
import type { Job } from '../domain/job.js';
import type { Outcome } from '../domain/outcome.js';
import type { Plan, PlanBook } from '../domain/plan.js';
import type { Task } from '../domain/task.js';
import type { PlannedJob, RestoredJob } from '../ports/plans.js';
import type { RunFiles, RunLock } from '../ports/run-files.js';
import type { NewJob, Once, PageOf } from '../ports/store.js';
import { refuseIfFaulty, urlFaults } from './admission.js';
import type { Caller } from './api.js';
import { knownPlan, taskOf } from './plan-rules.js';
import { entryFor } from './queue-entry.js';
import { restoredFrom } from './run-checkpoint.js';
import { RunKeeper } from './run-keeper.js';
import type { SubmissionParts, Submissions } from './submissions.js';
import { untilStored } from './until-stored.js';
import type { Ending } from './visit.js';

export interface PlannedParts extends SubmissionParts {
  plans: PlanBook;
  runFiles: RunFiles;
  /** How many tasks of one job are queued or running at most. */
  planWindow: number;
  checkpointMs: number;
}

export interface PlannedWish {
  kind: string;
  /** In the plan's own words; it says what is wrong with it. */
  wish: unknown;
  callbackUrl: string | null;
}

/** What the doors may ask about jobs with a plan. Ids that nothing has reject with `run_not_found`. */
export interface PlannedApi {
  /** Durable when it resolves. `once` as with `submit`. */
  open(wish: PlannedWish, caller: Caller, once?: Once): Promise<{ planned: PlannedJob; isReplay: boolean }>;
  find(id: string, kind: string): Promise<PlannedJob>;
  outcomes(
    id: string,
    page: { limit: number; cursor: string | null; outcome: string | null },
  ): Promise<PageOf<Outcome>>;
  /** What was kept of an outcome; `null`: nothing, or it is gone. */
  record(path: string): Promise<Record<string, unknown> | null>;
  /** What runs may finish; nothing else is taken until it is resumed. Rejects with `run_over`. */
  pause(id: string, kind: string): Promise<PlannedJob>;
  /**
   * Goes on, from the store or, where that knows nothing of it, from its checkpoint. Rejects with `run_over`,
   * `run_locked` and `checkpoint_unreadable`.
   */
  resume(id: string, kind: string): Promise<PlannedJob>;
  cancel(id: string, kind: string): Promise<PlannedJob>;
}

const PAUSED = 'It was asked to.';
const DISK_REFUSED = 'The disk refused its files when the service started; it is tried again.';
const TAKE_UP_AGAIN_MS = 10_000;

/** Jobs with a plan: opened, kept, paused and taken up again. What is visited next is the plan's and the store's affair. */
export class PlannedJobs implements PlannedApi {
  private readonly keepers = new Map<string, RunKeeper>();
  /** Whose locks are being taken: who asks meanwhile waits with them. */
  private readonly locking = new Map<string, Promise<RunKeeper>>();
  private readonly disarms = new Map<string, () => void>();
  private readonly stopping = new AbortController();
  private readonly unsubscribe: () => void;

  constructor(
    private readonly parts: PlannedParts,
    private readonly submissions: Submissions,
    private readonly engine: {
      cancelJob(id: string): Promise<unknown>;
      refuseIfStopping(): void;
      acceptsWork(): boolean;
    },
  ) {
    this.unsubscribe = parts.store.onChange(({ planned, jobs }) => {
      for (const task of planned) {
        this.enqueue(task);
        parts.telemetry.taskAccepted(task);
      }
      for (const jobId of jobs) this.keepers.get(jobId)?.nudge();
    });
  }

  /** Takes up what an earlier process left; before the queue is filled, since what is another's must stay out of it. */
  async start(): Promise<void> {
    for (const planned of await this.parts.store.plans.unfinished()) {
      const isOver = planned.job.completedAt !== null;
      if (isOver || planned.paused === null || planned.paused === DISK_REFUSED) await this.takeUp(planned, isOver);
    }
  }

  /** What cannot be taken up rests: another process has it, or the disk refuses, which may be over soon. */
  private async takeUp(planned: PlannedJob, isOver: boolean): Promise<void> {
    const { store, clock, telemetry } = this.parts;
    const { id } = planned.job;
    try {
      (await this.keep(planned)).nudge();
      if (planned.paused !== null && !isOver) await store.plans.resume(id, clock.now());
    } catch (error) {
      const { code, message } = asGleanerError(error);
      telemetry.log.error({ err: error, run_id: id }, 'a run cannot be taken up and rests');
      const isPassing = code === 'storage_unavailable';
      if (!isOver) await store.plans.pause(id, isPassing ? DISK_REFUSED : message, clock.now());
      if (isPassing) this.takeUpLater(id);
    }
  }

  private takeUpLater(id: string): void {
    this.disarms.get(id)?.();
    const again = async (): Promise<void> => {
      this.disarms.delete(id);
      const planned = await this.parts.store.plans.find(id);
      const isOver = planned?.job.completedAt !== null;
      if (!planned || (!isOver && planned.paused !== DISK_REFUSED)) return;
      if (isOver) (await this.keep(planned)).nudge();
      else await this.resume(id, planned.kind);
    };
    const disarm = this.parts.clock.after(TAKE_UP_AGAIN_MS, () => {
      again().catch(() => {
        if (!this.stopping.signal.aborted) this.takeUpLater(id);
      });
    });
    this.disarms.set(id, disarm);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.unsubscribe();
    for (const disarm of this.disarms.values()) disarm();
    await Promise.all([...this.keepers.values()].map((keeper) => keeper.release()));
    this.keepers.clear();
  }

  async open({ kind, wish, callbackUrl }: PlannedWish, caller: Caller, once?: Once) {
    this.engine.refuseIfStopping();
    const earlier = await this.submissions.earlierJob(once);
    if (earlier !== null) return { planned: await this.find(earlier, kind), isReplay: true };
    const plan = knownPlan(this.parts.plans, kind);
    const admitted = plan.admit(wish);
    const params = 'params' in admitted ? admitted.params : null;
    const faults = 'faults' in admitted ? admitted.faults : this.firstFaults(plan, admitted.params);
    refuseIfFaulty([...faults, ...urlFaults('callback_url', callbackUrl, this.parts.egressAllow)]);
    return this.openAdmitted(plan, { params, callbackUrl }, caller, once);
  }

  private async openAdmitted(
    plan: Plan,
    { params, callbackUrl }: { params: unknown; callbackUrl: string | null },
    { requestId, traceparent }: Caller,
    once?: Once,
  ): Promise<{ planned: PlannedJob; isReplay: boolean }> {
    const { newId, clock, queue, runFiles } = this.parts;
    const now = clock.now();
    const id = newId();
    const window = Math.min(this.parts.planWindow, queue.capacity);
    const { targets, cursor } = plan.next(params, plan.begin(params), window);
    const kept = { kind: plan.kind, params, cursor, window, requestId, traceparent };
    const total = plan.total(params, cursor);
    const tasks = targets.map(({ seq, spec }) =>
      taskOf(this.parts, { jobId: id, plan: kept }, { seq, spec, total, now }),
    );
    const opening: NewJob = { id, totalTasks: total, callbackUrl, createdAt: now, plan: kept };
    // Before the job is there: from then on visits may end at any time, and their files need an owner.
    const lock = await runFiles.lock(id, now);
    let isOpened = false;
    const onOpened = (job: Job): void => {
      isOpened = true;
      this.adopt(plan, { ...kept, job, paused: null, ended: 0, attempts: 0 }, lock);
    };
    try {
      const earlier = await this.submissions.openPlanned(opening, tasks, { once, onOpened });
      return { planned: await this.find(earlier ?? id, plan.kind), isReplay: earlier !== null };
    } finally {
      if (!isOpened) await lock.discard();
    }
  }

  async find(id: string, kind: string): Promise<PlannedJob> {
    const planned = await this.parts.store.plans.find(id);
    if (planned?.kind !== kind) throw missing(id);
    return planned;
  }

  outcomes: PlannedApi['outcomes'] = (id, page) => this.parts.store.plans.outcomes(id, page);

  record: PlannedApi['record'] = (path) => this.parts.runFiles.record(path);

  async pause(id: string, kind: string): Promise<PlannedJob> {
    const { store, clock, queue } = this.parts;
    refuseIfOver(await this.find(id, kind));
    for (const taskId of await store.plans.pause(id, PAUSED, clock.now())) queue.remove(taskId);
    await this.keepers.get(id)?.writeNow();
    return this.find(id, kind);
  }

  async resume(id: string, kind: string): Promise<PlannedJob> {
    const { store, clock } = this.parts;
    this.engine.refuseIfStopping();
    if ((await store.plans.find(id)) === null) await this.restore(id);
    const planned = await this.find(id, kind);
    refuseIfOver(planned);
    (await this.keep(planned)).nudge();
    if (planned.paused !== null) {
      for (const task of await store.plans.resume(id, clock.now())) this.enqueue(task);
    }
    return this.find(id, kind);
  }

  async cancel(id: string, kind: string): Promise<PlannedJob> {
    const planned = await this.find(id, kind);
    if (planned.job.completedAt !== null) return planned;
    const keeper = await this.keep(planned);
    await this.engine.cancelJob(id);
    keeper.nudge();
    return this.find(id, kind);
  }

  /** What a plan wants to have kept is on the disk before the outcome speaks of it. Tasks without a plan pass unchanged. */
  async archived(task: Task, ending: Ending): Promise<Ending> {
    const run = task.jobId === null ? undefined : this.keepers.get(task.jobId)?.run;
    if (!run) return ending;
    const { plan, planned } = run;
    const record = ending.kind === 'completed' ? ending.record : null;
    const wanted = plan.keeps(planned.params, {
      isRecord: record !== null,
      isPage: ending.html !== undefined,
      notes: ending.meta.notes,
    });
    if (!wanted.record && !wanted.page) return ending;
    const kept = {
      seq: task.seq,
      name: plan.nameOf(planned.params, task.seq),
      record: wanted.record ? record : null,
      page: wanted.page ? (ending.html ?? null) : null,
    };
    const { clock, telemetry, runFiles } = this.parts;
    const files = await untilStored(
      () => runFiles.keep(planned.job.id, kept),
      { clock, log: telemetry.log, stopping: this.stopping.signal },
      {
        fields: { run_id: planned.job.id, task_id: task.id },
        message: 'a record could not be kept and is tried again',
      },
    );
    if (!files) throw new GleanerError('shutting_down', 'The service is stopping.');
    return { ...ending, meta: { ...ending.meta, files } };
  }

  /** No new files are kept for those; the service stops. */
  stopWaiting(): void {
    this.stopping.abort();
  }

  async isKept(): Promise<(runId: string) => boolean> {
    const unfinished = new Set((await this.parts.store.plans.unfinished()).map(({ job }) => job.id));
    return (runId) => unfinished.has(runId) || this.keepers.has(runId);
  }

  /** Where its first target may not be visited, none of the others may. */
  private firstFaults(plan: Plan, params: unknown): FieldFault[] {
    const { targetUrl } = plan.targetAt(params, 0);
    return urlFaults('adapter', targetUrl, this.parts.egressAllow);
  }

  /** From its checkpoint into the store, where it rests. */
  private async restore(id: string): Promise<void> {
    const { runFiles, store, clock } = this.parts;
    if ((await runFiles.readCheckpoint(id)) === null) throw missing(id);
    const lock = await runFiles.lock(id, clock.now());
    try {
      const restored = this.readRun(id, (await runFiles.readCheckpoint(id)) ?? '');
      // Attempts that came after the checkpoint are told of already, and their numbers are taken.
      const told = await runFiles.lastAttempt({ runId: id, createdAt: restored.createdAt });
      await store.plans.restore({ ...restored, attempts: Math.max(restored.attempts, told) });
    } finally {
      await lock.release();
    }
  }

  private readRun(id: string, text: string): RestoredJob {
    try {
      const restored = restoredFrom(text, id, this.parts, this.parts.clock.now());
      if (restored) return restored;
    } catch (error) {
      if (!(error instanceof CheckpointFault)) throw error;
      throw new GleanerError('checkpoint_unreadable', `The checkpoint of run ${id} cannot be used: ${error.message}.`);
    }
    throw over(id, 'cancelled');
  }

  private async keep(planned: PlannedJob): Promise<RunKeeper> {
    const { id } = planned.job;
    const known = this.keepers.get(id) ?? this.locking.get(id);
    if (known) return known;
    const taken = this.take(planned).finally(() => this.locking.delete(id));
    this.locking.set(id, taken);
    return taken;
  }

  private async take(planned: PlannedJob): Promise<RunKeeper> {
    const { runFiles, clock, plans } = this.parts;
    const plan = knownPlan(plans, planned.kind);
    return this.adopt(plan, planned, await runFiles.lock(planned.job.id, clock.now()));
  }

  private adopt(plan: Plan, planned: PlannedJob, lock: RunLock): RunKeeper {
    const { store, runFiles: files, clock, telemetry, checkpointMs } = this.parts;
    const { id } = planned.job;
    if (lock.takenFrom !== null) {
      telemetry.log.warn({ run_id: id, taken_from: lock.takenFrom }, 'took over a run whose owner has died');
    }
    const onFinished = (): void => void this.keepers.delete(id);
    const keeper = new RunKeeper(
      { store: store.plans, files, clock, log: telemetry.log, checkpointMs },
      { plan, planned, lock, onFinished },
    );
    this.keepers.set(id, keeper);
    return keeper;
  }

  private enqueue(task: Task): void {
    const { queue, auto } = this.parts;
    // What is written while the service starts or stops is queued by the start.
    if (!this.engine.acceptsWork()) return;
    queue.add(entryFor(task, auto.needsOf(task), this.parts));
  }
}

const over = (id: string, status: string): GleanerError =>
  new GleanerError('run_over', `The run ${id} is over: ${status}.`);
const missing = (id: string): GleanerError => new GleanerError('run_not_found', `There is no run ${id}.`);

function refuseIfOver({ job }: PlannedJob): void {
  if (job.completedAt === null && job.status !== 'cancelled') return;
  throw over(job.id, job.status);
}
