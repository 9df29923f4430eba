import { asGleanerError } from '../domain/errors.js';
import type { Task } from '../domain/task.js';
import type { PlannedJob } from '../ports/plans.js';
import { knownPlan } from './plan-rules.js';
import type { PlannedParts } from './planned-jobs.js';
import type { RunKeepers } from './run-keepers.js';

interface TakeUpQueue {
  /** Throws `queue_full`. */
  reserve(count: number): void;
  enqueue(task: Task): void;
}

const DISK_REFUSED = 'The disk refused its files when the service started; it is tried again.';
const AGAIN_MS = 10_000;

/** How runs go on: those that an earlier process left, those that somebody resumes, and those the disk refused for a while. */
export class RunTakeUp {
  /** Of those that will be tried again. */
  private readonly disarms = new Map<string, () => void>();
  private isStopped = false;

  constructor(
    private readonly parts: Pick<PlannedParts, 'store' | 'plans' | 'clock' | 'telemetry' | 'queue'>,
    private readonly keepers: RunKeepers,
    private readonly queue: TakeUpQueue,
  ) {}

  /** What an earlier process left. Nothing of it is queued yet: what is written now, the start queues. */
  async all(): Promise<void> {
    for (const planned of await this.parts.store.plans.unfinished()) {
      const isOver = planned.job.completedAt !== null;
      if (isOver || planned.paused === null || planned.paused === DISK_REFUSED) await this.takeUp(planned, isOver);
    }
  }

  /** Unless it is over, or was told to rest for another reason meanwhile. Rejects as `keepers.keep` does, and with `queue_full`. */
  async goOn(planned: PlannedJob): Promise<void> {
    const { store, clock } = this.parts;
    const { id } = planned.job;
    const keeper = await this.keepers.keep(planned);
    try {
      // It may have turned out to be further than it was known to be.
      if ((await store.job(id))?.completedAt !== null) return;
      const obstacle = this.obstacleTo(planned);
      if (obstacle !== null) await store.plans.pause(id, obstacle, clock.now(), planned);
      else if (planned.paused !== null) await this.queueAgain(planned);
    } finally {
      keeper.free();
    }
  }

  /** It is to rest, whatever it rested for until now. */
  forget(id: string): void {
    this.disarms.get(id)?.();
    this.disarms.delete(id);
  }

  stop(): void {
    this.isStopped = true;
    for (const disarm of this.disarms.values()) disarm();
  }

  /** What cannot be taken up rests: another process has it, or the disk refuses, which may be over soon. */
  private async takeUp(planned: PlannedJob, isOver: boolean): Promise<void> {
    const { store, clock, telemetry } = this.parts;
    const { id } = planned.job;
    try {
      await this.goOn(planned);
    } catch (error) {
      const { code, message } = asGleanerError(error);
      telemetry.log.error({ err: error, run_id: id }, 'a run cannot be taken up and rests');
      const isPassing = code === 'storage_unavailable';
      if (!isOver) await store.plans.pause(id, isPassing ? DISK_REFUSED : message, clock.now(), planned);
      if (isPassing) this.takeUpLater(id);
    }
  }

  private takeUpLater(id: string): void {
    this.disarms.get(id)?.();
    const again = async (): Promise<void> => {
      this.disarms.delete(id);
      const planned = await this.parts.store.plans.find(id);
      if (planned && (planned.job.completedAt !== null || planned.paused === DISK_REFUSED)) await this.goOn(planned);
    };
    const disarm = this.parts.clock.after(AGAIN_MS, () => {
      again().catch(() => {
        if (!this.isStopped) this.takeUpLater(id);
      });
    });
    this.disarms.set(id, disarm);
  }

  /** Why none of its targets can be visited now, such as a register that is configured no more; `null`: nothing. */
  private obstacleTo({ kind, params }: PlannedJob): string | null {
    try {
      knownPlan(this.parts.plans, kind).targetAt(params, 0);
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  }

  /** Room first, as for what is new. A window that is larger than the queue waits until that is empty. */
  private async queueAgain(planned: PlannedJob): Promise<void> {
    const { store, clock, queue } = this.parts;
    const { id } = planned.job;
    const left = (await store.job(id))?.counts.queued ?? 0;
    const room = Math.min(planned.window, left, queue.capacity);
    this.queue.reserve(room);
    let rested: Task[] = [];
    try {
      rested = await store.plans.resume(id, clock.now(), planned);
    } finally {
      queue.unreserve(room);
    }
    for (const task of rested) this.queue.enqueue(task);
  }
}
