import type { Plan } from '../domain/plan.js';
import type { Clock } from '../ports/clock.js';
import type { PlannedJob, PlanStore } from '../ports/plans.js';
import type { RunFiles, RunLock } from '../ports/run-files.js';
import type { Log } from '../ports/telemetry.js';
import { checkpointOf } from './run-checkpoint.js';

export interface KeeperParts {
  store: PlanStore;
  files: RunFiles;
  clock: Clock;
  log: Log;
  /** Least time between two checkpoints. */
  checkpointMs: number;
}

export interface KeptRun {
  plan: Plan;
  planned: PlannedJob;
  lock: RunLock;
  /** Nobody keeps it any more: it is over, or rests, with its files written. Its lock is about to be free. */
  onLeft: (isFree: Promise<void>) => void;
}

const NOTES_AT_ONCE = 500;
const MOST_PAGES = 10;
const TROUBLE_MS = 1_000;
/** Writing a checkpoint may take a twentieth of the time, however long the run. */
const REST_FACTOR = 20;

/**
 * Keeps the files of one run beside what the store knows: attempts as they happen, a checkpoint now and then, and at the
 * end checkpoint and audit. The store is the truth: whatever is missing here after a crash is written after the next start.
 * A run that rests, with nothing of it running, is let go: it may rest for years, and there may be thousands of them.
 */
export class RunKeeper {
  private isDirty = true;
  /** Its files are complete, or somebody else's affair. */
  private isStopped = false;
  private isReleasing = false;
  /** The first write after a start, or after a pause, comes at once. */
  private nextCheckpointAt = 0;
  /** Checkpoint and audit are wanted at once: somebody is about to look, or the run has come to rest. */
  private isWanted = false;
  private restsFor: string | null;
  private lastNote: number | null = null;
  /** Who is about to change the run: until they are done it is not let go. */
  private holders = 0;
  private working: Promise<void> | null = null;
  private disarm: () => void = () => {};

  constructor(
    private readonly parts: KeeperParts,
    readonly run: KeptRun,
  ) {
    this.restsFor = run.planned.paused;
  }

  /** Something happened to the run. */
  nudge(): void {
    this.isDirty = true;
    if (this.isStopped || this.isReleasing || this.working) return;
    this.disarm();
    this.working = this.work();
  }

  hold(): void {
    this.holders += 1;
  }

  /** Whoever held it has done what there was to do. */
  free(): void {
    this.holders -= 1;
    this.nudge();
  }

  /** The service stops, and the run with it: what is known is written, and somebody else may go on. */
  async release(): Promise<void> {
    this.isReleasing = true;
    this.disarm();
    // It may be in the middle of its end.
    await this.working;
    if (this.isStopped) return;
    this.isStopped = true;
    try {
      while (!(await this.flushNotes()));
      await this.writeBoth();
    } catch (error) {
      this.parts.log.warn(
        { err: error, run_id: this.id },
        'the files of a run are behind; the next start completes them',
      );
    }
    await this.run.lock.release();
  }

  /** Checkpoint and audit as they are now, for somebody who is about to look. */
  async writeNow(): Promise<void> {
    this.isWanted = true;
    this.nudge();
    // Also where it is at something else right now: then it goes round once more.
    await this.working;
  }

  private get id(): string {
    return this.run.planned.job.id;
  }

  private async work(): Promise<void> {
    const { clock, log } = this.parts;
    try {
      while (this.isDirty && !this.isStopped && !this.isReleasing) {
        this.isDirty = false;
        // Asked first: once it is over no attempt can be added to those that are told now.
        const { isOver, isAtRest } = await this.look();
        const isAllTold = await this.flushNotes();
        if (isOver && isAllTold) return await this.finish();
        if (isAtRest && isAllTold) await this.rest();
        else if (this.isWanted) await this.writeBoth();
        else if (clock.mono() >= this.nextCheckpointAt) await this.writeCheckpoint();
        else this.wakeAt(this.nextCheckpointAt);
      }
    } catch (error) {
      this.isDirty = true;
      // Half a line may be there: the file says what it has.
      this.lastNote = null;
      log.error({ err: error, run_id: this.id }, 'the files of a run cannot be written and are tried again');
      this.wakeAt(clock.mono() + TROUBLE_MS);
    } finally {
      // Here and not behind it: whoever nudges in between would be heard by nobody.
      this.working = null;
    }
  }

  private wakeAt(at: number): void {
    this.disarm();
    if (this.isStopped || this.isReleasing) return;
    this.disarm = this.parts.clock.after(Math.max(0, at - this.parts.clock.mono()), () => this.nudge());
  }

  /**
   * `false`: there are more, since they come faster than they are written; a checkpoint must not wait for that.
   * Each note is told once: those that a crash kept from being forgotten are known by their number.
   */
  private async flushNotes(): Promise<boolean> {
    const { store, files } = this.parts;
    const name = this.name();
    this.lastNote ??= await files.lastAttempt(name);
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const notes = await store.attemptNotes(this.id, NOTES_AT_ONCE);
      const last = notes.at(-1);
      if (!last) return true;
      const { lastNote } = this;
      const fresh = notes.filter(({ n }) => n > lastNote).map(({ line }) => JSON.stringify(line));
      if (fresh.length > 0) await files.appendAttempts(name, fresh);
      this.lastNote = Math.max(lastNote, last.n);
      await store.forgetNotes(this.id, last.n);
    }
    this.isDirty = true;
    return false;
  }

  /** Is it over, or at rest with nothing running? Where it was told to rest since the last look, its files are wanted. */
  private async look(): Promise<{ isOver: boolean; isAtRest: boolean }> {
    const planned = await this.parts.store.find(this.id);
    if (planned && planned.paused !== this.restsFor) {
      this.restsFor = planned.paused;
      this.isWanted ||= planned.paused !== null;
    }
    const isOver = planned !== null && planned.job.completedAt !== null;
    const isAtRest = !isOver && this.restsFor !== null && planned?.job.counts.running === 0;
    return { isOver, isAtRest };
  }

  private async writeBoth(): Promise<void> {
    this.isWanted = false;
    try {
      await this.writeCheckpoint();
      await this.writeAudit();
    } catch (error) {
      this.isWanted = true;
      throw error;
    }
  }

  private async finish(): Promise<void> {
    this.isStopped = true;
    this.disarm();
    try {
      await this.writeBoth();
      await this.parts.store.finish(this.id);
    } catch (error) {
      this.isStopped = false;
      throw error;
    }
    await this.leave();
  }

  private async rest(): Promise<void> {
    await this.writeBoth();
    // Whoever came meanwhile finds it kept.
    if (this.holders > 0 || this.isDirty || this.isReleasing) return;
    this.isStopped = true;
    this.disarm();
    await this.leave();
  }

  private async leave(): Promise<void> {
    const isFree = this.run.lock.release();
    this.run.onLeft(isFree);
    await isFree;
  }

  private async writeCheckpoint(): Promise<void> {
    const { store, files, clock, checkpointMs } = this.parts;
    const begun = clock.mono();
    const snapshot = await store.snapshot(this.id);
    if (!snapshot) return;
    await files.writeCheckpoint(
      this.id,
      checkpointOf(this.id, { plan: this.run.plan, snapshot, store, now: clock.now() }),
    );
    this.nextCheckpointAt = clock.mono() + Math.max(checkpointMs, REST_FACTOR * (clock.mono() - begun));
  }

  private async writeAudit(): Promise<void> {
    const { store, files, clock } = this.parts;
    const planned = await store.find(this.id);
    if (!planned) return;
    const { job, paused, params, cursor, attempts } = planned;
    const audit = this.run.plan.audit(params, cursor, {
      runId: job.id,
      status: paused !== null && job.completedAt === null ? 'paused' : job.status,
      createdAt: job.createdAt,
      endedAt: job.completedAt,
      now: clock.now(),
      attempts,
      pending: job.counts.queued + job.counts.running,
      cancelled: job.counts.cancelled,
    });
    await files.writeAudit(this.name(), audit);
  }

  private name(): { runId: string; createdAt: number } {
    return { runId: this.id, createdAt: this.run.planned.job.createdAt };
  }
}
