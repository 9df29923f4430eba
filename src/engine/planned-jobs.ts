import type { FieldFault } from '../domain/errors.js';
import type { Job } from '../domain/job.js';
import type { Outcome } from '../domain/outcome.js';
import type { Plan, PlanBook } from '../domain/plan.js';
import type { Task } from '../domain/task.js';
import type { PlannedJob } from '../ports/plans.js';
import type { RunFiles } from '../ports/run-files.js';
import type { NewJob, Once, PageOf } from '../ports/store.js';
import { refuseIfFaulty, schemaFaults, urlFaults } from './admission.js';
import type { Caller } from './api.js';
import { knownPlan, taskOf } from './plan-rules.js';
import { entryFor } from './queue-entry.js';
import { archive } from './run-archive.js';
import { RunKeepers } from './run-keepers.js';
import { mayGoOn, restoreRun, runMissing, runOver } from './run-restore.js';
import { RunTakeUp } from './run-take-up.js';
import type { SubmissionParts, Submissions } from './submissions.js';
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
   * Goes on, from the store or, where that knows nothing of it or less, from its checkpoint. Rejects with `run_over`,
   * `run_locked`, `checkpoint_unreadable` and `queue_full`.
   */
  resume(id: string, kind: string): Promise<PlannedJob>;
  cancel(id: string, kind: string): Promise<PlannedJob>;
}

const PAUSED = 'It was asked to.';

/** Jobs with a plan: opened, kept, paused and taken up again. What is visited next is the plan's and the store's affair. */
export class PlannedJobs implements PlannedApi {
  private readonly keepers: RunKeepers;
  private readonly takeUp: RunTakeUp;
  private readonly restoring = new Map<string, Promise<void>>();
  private readonly leftOver = new Set<string>();
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
    this.keepers = new RunKeepers(parts);
    this.takeUp = new RunTakeUp(parts, this.keepers, {
      reserve: (count) => submissions.reserve(count),
      enqueue: (task) => this.enqueue(task),
    });
    this.unsubscribe = parts.store.onChange(({ planned, jobs }) => {
      for (const task of planned) {
        this.enqueue(task);
        parts.telemetry.taskAccepted(task);
      }
      for (const jobId of jobs) this.keepers.get(jobId)?.nudge();
    });
  }

  /** Before the queue is filled, since what is another's must stay out of it. */
  start(): Promise<void> {
    return this.takeUp.all();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.unsubscribe();
    this.takeUp.stop();
    await this.keepers.releaseAll();
  }

  async open({ kind, wish, callbackUrl }: PlannedWish, caller: Caller, once?: Once) {
    this.engine.refuseIfStopping();
    const earlier = await this.submissions.earlierJob(once);
    if (earlier !== null) return { planned: await this.find(earlier, kind), isReplay: true };
    const plan = knownPlan(this.parts.plans, kind);
    const admitted = plan.admit(wish);
    const params = 'params' in admitted ? admitted.params : null;
    const faults = 'faults' in admitted ? admitted.faults : this.paramsFaults(plan, admitted.params);
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
      this.keepers.adopt(plan, { ...kept, job, paused: null, ended: 0, attempts: 0 }, lock);
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
    if (planned?.kind !== kind) throw runMissing(id);
    return planned;
  }

  outcomes: PlannedApi['outcomes'] = (id, page) => this.parts.store.plans.outcomes(id, page);

  record: PlannedApi['record'] = (path) => this.parts.runFiles.record(path);

  async pause(id: string, kind: string): Promise<PlannedJob> {
    const { store, clock, queue } = this.parts;
    refuseIfOver(await this.find(id, kind));
    this.takeUp.forget(id);
    for (const taskId of await store.plans.pause(id, PAUSED, clock.now())) queue.remove(taskId);
    await this.keepers.get(id)?.writeNow();
    return this.find(id, kind);
  }

  async resume(id: string, kind: string): Promise<PlannedJob> {
    const { store } = this.parts;
    this.engine.refuseIfStopping();
    const isKnown = (await store.plans.find(id)) !== null;
    if (!isKnown) await this.restore(id);
    const planned = await this.find(id, kind);
    if (isKnown) refuseIfOver(planned);
    await this.takeUp.goOn(planned);
    return this.find(id, kind);
  }

  /** However many ask for it at once: it is read once, and none of them is another process. */
  private restore(id: string): Promise<void> {
    const known = this.restoring.get(id);
    if (known) return known;
    const restored = restoreRun(id, this.parts).finally(() => this.restoring.delete(id));
    this.restoring.set(id, restored);
    return restored;
  }

  async cancel(id: string, kind: string): Promise<PlannedJob> {
    const planned = await this.find(id, kind);
    if (planned.job.completedAt !== null) return planned;
    await this.engine.cancelJob(id);
    return this.find(id, kind);
  }

  /**
   * Where a job has a plan and is not over, somebody keeps its files, until what is answered is called at least. Rejects as
   * `keepers.keep` does.
   */
  async takeCare(id: string): Promise<() => void> {
    const planned = await this.parts.store.plans.find(id);
    if (!planned || planned.job.completedAt !== null) return () => {};
    const keeper = await this.keepers.keep(planned);
    return () => keeper.free();
  }

  /** The ending with what its plan wants to have kept. Tasks without a plan pass unchanged. */
  async archived(task: Task, ending: Ending): Promise<Ending> {
    const run = task.jobId === null ? undefined : this.keepers.get(task.jobId)?.run;
    if (!run) return ending;
    const { clock, telemetry, runFiles } = this.parts;
    return archive(run, { task, ending }, { runFiles, clock, log: telemetry.log, stopping: this.stopping.signal });
  }

  /** No new files are kept for those; the service stops. */
  stopWaiting(): void {
    this.stopping.abort();
  }

  /** Runs whose locks are ours right now: they are going on, or their last files are being written. */
  held(): number {
    return this.keepers.size;
  }

  /** Whose files are not to be forgotten, however old they are. */
  async isKept(): Promise<(runId: string) => Promise<boolean>> {
    const unfinished = new Set((await this.parts.store.plans.unfinished()).map(({ job }) => job.id));
    return async (runId) =>
      unfinished.has(runId) || this.keepers.get(runId) !== undefined || (await this.isLeftOver(runId));
  }

  /** The store knows nothing of it, so its files are all there is, and they can be gone on from. */
  private async isLeftOver(id: string): Promise<boolean> {
    if (await this.parts.store.job(id)) return false;
    // Each is read once: it may be long, and it is asked about again and again.
    if (!this.leftOver.has(id) && (await mayGoOn(id, this.parts))) this.leftOver.add(id);
    return this.leftOver.has(id);
  }

  /** What its own checkpoint would refuse must not be begun. */
  private paramsFaults(plan: Plan, params: unknown): FieldFault[] {
    const faults = schemaFaults(plan.paramsSchema, params);
    return faults.length > 0 ? faults : this.firstFaults(plan, params);
  }

  /** Where its first target may not be visited, none of the others may. */
  private firstFaults(plan: Plan, params: unknown): FieldFault[] {
    const { targetUrl } = plan.targetAt(params, 0);
    return urlFaults('adapter', targetUrl, this.parts.egressAllow);
  }

  private enqueue(task: Task): void {
    const { queue, auto } = this.parts;
    // What is written while the service starts or stops is queued by the start.
    if (!this.engine.acceptsWork()) return;
    queue.add(entryFor(task, auto.needsOf(task), this.parts));
  }
}

function refuseIfOver({ job }: PlannedJob): void {
  if (job.completedAt === null && job.status !== 'cancelled') return;
  throw runOver(job.id, job.status);
}
