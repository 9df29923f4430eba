import { finalJobStatus, isJobOver, type Job, type JobStatus } from '../domain/job.js';
import { isPoison, ownCrashOf, restAfterCrashMs } from '../domain/poison.js';
import { isTerminal, type Task } from '../domain/task.js';
import type { Interrupted, NewJob, Settlement, StoreChange } from '../ports/store.js';
import type { Sql } from './database.js';
import { noteJobEvent, noteTaskEvent } from './events.js';
import * as jobs from './jobs.js';
import type { Outbox } from './outbox.js';
import { Planning, type PlanningParts } from './planning.js';
import { FRESH, insertPlan } from './plans.js';
import * as tasks from './tasks.js';

/** What a transition adds, gathered while it runs. */
export interface Gathered extends StoreChange {
  receivers: Set<string>;
  jobs: Set<string>;
  planned: Task[];
}

interface Claim {
  taskId: string;
  visits: number;
}

/**
 * One transaction in which tasks and jobs change. Nothing else changes their state, so nothing changes it without its
 * event and, at the end, its delivery.
 */
export class Transition {
  readonly planning: Planning;

  constructor(
    private readonly tx: Sql,
    private readonly now: number,
    private readonly outbox: Outbox,
    private readonly gathered: Gathered,
    plans: PlanningParts,
  ) {
    this.planning = new Planning(tx, now, plans, gathered.planned);
  }

  async open(job: NewJob, its: readonly Task[]): Promise<void> {
    await jobs.insertJob(this.tx, job);
    if (job.plan) await insertPlan(this.tx, job.id, job.plan, FRESH);
    for (const task of its) await tasks.insertTask(this.tx, task);
    await this.jobChanged(job.id, 'queued');
  }

  async claim(taskId: string): Promise<Task | null> {
    const task = await tasks.claimTask(this.tx, taskId, this.now);
    if (!task) return null;
    if (task.jobId && (await jobs.markJobRunning(this.tx, task.jobId, this.now)))
      await this.jobChanged(task.jobId, 'running');
    await this.taskChanged(task);
    return task;
  }

  async settle(claim: Claim, settlement: Settlement): Promise<Task | null> {
    const task =
      settlement.kind === 'requeued'
        ? await this.requeue(claim, settlement)
        : await tasks.endTask(this.tx, claim, settlement, this.now);
    if (!task) return null;
    await this.taskChanged(task);
    if (task.jobId) await this.planning.visited(task.jobId, task);
    if (task.jobId) await this.updateJob(task.jobId);
    return task;
  }

  async cancelTask(taskId: string): Promise<Task | null> {
    const task = await tasks.cancelQueuedTask(this.tx, taskId, this.now);
    if (!task) return null;
    await this.taskChanged(task);
    if (task.jobId) await this.updateJob(task.jobId);
    return task;
  }

  async cancelJob(jobId: string): Promise<{ job: Job; cancelled: Task[] } | null> {
    const job = await jobs.findJob(this.tx, jobId);
    if (!job) return null;
    if (job.completedAt !== null || job.status === 'cancelled') return { job, cancelled: [] };
    await jobs.markJobCancelled(this.tx, jobId, this.now);
    await this.jobChanged(jobId, 'cancelled');
    const cancelled = await this.cancelQueuedOf(jobId);
    return { job: (await jobs.findJob(this.tx, jobId)) as Job, cancelled };
  }

  async requeueRunning(options: { refundAttempt: boolean }): Promise<Interrupted> {
    const poisonous = options.refundAttempt ? null : await this.blame();
    const interrupted = await tasks.requeueAllRunning(this.tx, options);
    for (const task of interrupted) {
      await this.taskChanged(task);
      if (task.jobId) await this.planning.interrupted(task.jobId, task);
    }
    const ended = poisonous ? [poisonous] : [];
    for (const jobId of await jobs.cancelledButOpenJobs(this.tx)) ended.push(...(await this.cancelQueuedOf(jobId)));
    return { running: interrupted.length + (poisonous ? 1 : 0), ended };
  }

  /** The process died. Answers the task that has thereby failed, if any. */
  private async blame(): Promise<Task | null> {
    const own = ownCrashOf(await tasks.tasksAtWork(this.tx));
    const crashes = (own?.crashes ?? 0) + 1;
    if (own && isPoison({ crashes })) return this.convict(own.id);
    await tasks.suspectTasksAtWork(this.tx);
    if (own) await tasks.noteOwnCrash(this.tx, own.id, this.now + restAfterCrashMs(crashes));
    return null;
  }

  private async convict(taskId: string): Promise<Task | null> {
    const task = await tasks.failAsPoison(this.tx, taskId, this.now);
    if (!task) return null;
    await this.taskChanged(task);
    if (task.jobId) await this.planning.visited(task.jobId, task);
    if (task.jobId) await this.updateJob(task.jobId);
    return task;
  }

  /** A task of a cancelled job does not go back to the queue: nobody wants it any more. */
  private async requeue(claim: Claim, settlement: Extract<Settlement, { kind: 'requeued' }>): Promise<Task | null> {
    const task = await tasks.requeueTask(this.tx, claim, settlement);
    if (!task?.jobId) return task;
    const isUnwanted = (await jobs.statusOf(this.tx, task.jobId)) === 'cancelled';
    return isUnwanted ? tasks.cancelQueuedTask(this.tx, task.id, this.now) : task;
  }

  private async cancelQueuedOf(jobId: string): Promise<Task[]> {
    const cancelled = await tasks.cancelQueuedTasksOfJob(this.tx, jobId, this.now);
    for (const task of cancelled) await this.taskChanged(task);
    await this.planning.cancelled(jobId, cancelled);
    await this.updateJob(jobId);
    return cancelled;
  }

  /** Is the job over, by what its plan says now? */
  async refresh(jobId: string): Promise<void> {
    await this.updateJob(jobId);
  }

  /** As `refresh`, for a job that was over before it was known here. */
  async endedAt(jobId: string, at: number): Promise<void> {
    await this.updateJob(jobId, at);
  }

  private async updateJob(jobId: string, at = this.now): Promise<void> {
    const job = await jobs.findJob(this.tx, jobId);
    if (!job) return;
    if (!isJobOver(job.counts)) return jobs.touchJob(this.tx, jobId, at);
    // A job that was cancelled stays so, whatever its running tasks still brought.
    const status = job.status === 'cancelled' ? job.status : finalJobStatus(job.counts);
    if (await jobs.endJob(this.tx, jobId, status, at)) await this.jobEnded({ ...job, status });
  }

  private async taskChanged(task: Task): Promise<void> {
    const { jobId } = task;
    if (jobId !== null) {
      await noteTaskEvent(this.tx, { ...task, jobId }, this.now);
      this.gathered.jobs.add(jobId);
    }
    if (isTerminal(task.status)) this.told(await this.outbox.tellOfTask(this.tx, task, this.now));
  }

  private async jobChanged(jobId: string, status: JobStatus): Promise<void> {
    await noteJobEvent(this.tx, jobId, status, this.now);
    this.gathered.jobs.add(jobId);
  }

  /** The last event of a job is its own, also where it was already known to be cancelled. */
  private async jobEnded(job: Job): Promise<void> {
    await this.jobChanged(job.id, job.status);
    this.told(await this.outbox.tellOfJob(this.tx, job, this.now));
  }

  private told(receiver: string | null): void {
    if (receiver !== null) this.gathered.receivers.add(receiver);
  }
}
