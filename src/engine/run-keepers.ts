import type { Plan } from '../domain/plan.js';
import type { PlannedJob } from '../ports/plans.js';
import type { RunLock } from '../ports/run-files.js';
import { knownPlan } from './plan-rules.js';
import type { PlannedParts } from './planned-jobs.js';
import { catchUp } from './run-catch-up.js';
import { RunKeeper } from './run-keeper.js';

type KeepersParts = Pick<
  PlannedParts,
  'plans' | 'runFiles' | 'store' | 'clock' | 'telemetry' | 'checkpointMs' | 'adapters' | 'newId'
>;

/** The runs that are ours: each with its lock, and with somebody who keeps its files. */
export class RunKeepers {
  private readonly keepers = new Map<string, RunKeeper>();
  /** Whose locks are being taken: who asks meanwhile waits with them. */
  private readonly locking = new Map<string, Promise<RunKeeper>>();
  /** Whose locks are about to be free: who wants one of them waits for that. */
  private readonly leaving = new Map<string, Promise<void>>();

  constructor(private readonly parts: KeepersParts) {}

  get size(): number {
    return this.keepers.size + this.leaving.size;
  }

  get(id: string): RunKeeper | undefined {
    return this.keepers.get(id);
  }

  /**
   * Rejects with `run_locked` where it is another's, and with `checkpoint_unreadable` where its files may be further than
   * the store and cannot be read. What the store says of it may be another by then. The keeper is held, and has to be freed.
   */
  async keep(planned: PlannedJob): Promise<RunKeeper> {
    const { id } = planned.job;
    for (let leaving = this.leaving.get(id); leaving; leaving = this.leaving.get(id)) await leaving;
    const keeper = this.keepers.get(id) ?? (await (this.locking.get(id) ?? this.begin(planned)));
    keeper.hold();
    return keeper;
  }

  adopt(plan: Plan, planned: PlannedJob, lock: RunLock): RunKeeper {
    const { store, runFiles: files, clock, telemetry, checkpointMs } = this.parts;
    const { id } = planned.job;
    if (lock.takenFrom !== null) {
      telemetry.log.warn({ run_id: id, taken_from: lock.takenFrom }, 'took over a run whose owner has died');
    }
    const onLeft = (isFree: Promise<void>): void => {
      this.keepers.delete(id);
      const gone = isFree.catch(() => undefined).finally(() => this.leaving.delete(id));
      this.leaving.set(id, gone);
    };
    const keeper = new RunKeeper(
      { store: store.plans, files, clock, log: telemetry.log, checkpointMs },
      { plan, planned, lock, onLeft },
    );
    this.keepers.set(id, keeper);
    return keeper;
  }

  /** Their files are brought up to date, and their locks are free. */
  async releaseAll(): Promise<void> {
    await Promise.allSettled(this.locking.values());
    await Promise.all([...this.keepers.values()].map((keeper) => keeper.release()));
    await Promise.all(this.leaving.values());
    this.keepers.clear();
  }

  private begin(planned: PlannedJob): Promise<RunKeeper> {
    const { id } = planned.job;
    const taken = this.take(planned).finally(() => this.locking.delete(id));
    this.locking.set(id, taken);
    return taken;
  }

  private async take(planned: PlannedJob): Promise<RunKeeper> {
    const { runFiles, clock, plans } = this.parts;
    const plan = knownPlan(plans, planned.kind);
    const lock = await runFiles.lock(planned.job.id, clock.now());
    try {
      return this.adopt(plan, await catchUp(planned, this.parts), lock);
    } catch (error) {
      await lock.release();
      throw error;
    }
  }
}
