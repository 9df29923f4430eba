import { randomUUID } from 'node:crypto';
import { createCaseAdapter, createCaseBook } from '../../src/adapters/case-record.js';
import { fieldError, GleanerError } from '../../src/domain/errors.js';
import type { Outcome } from '../../src/domain/outcome.js';
import { createPlanBook } from '../../src/domain/plan.js';
import type { Caller } from '../../src/engine/api.js';
import type { PlannedApi, PlannedWish } from '../../src/engine/planned-jobs.js';
import { createRetrieval } from '../../src/plans/retrieval.js';
import type { Clock } from '../../src/ports/clock.js';
import type { PlannedJob } from '../../src/ports/plans.js';
import type { Once, PageOf } from '../../src/ports/store.js';
import { COURT } from './court.js';
import { pageOf } from './memory-page.js';

/** The twin of what the engine says of jobs with a plan: opened, paused, cancelled, and visited by nobody. */
export class MemoryPlanned implements PlannedApi {
  broken: unknown;
  readonly runs = new Map<string, PlannedJob>();
  readonly ended = new Map<string, Outcome[]>();
  private readonly keys = new Map<string, { fingerprint: string; id: string }>();
  private readonly plans = createPlanBook([
    createRetrieval({
      cases: createCaseBook([createCaseAdapter({ ...COURT, url: 'https://court.example/case/{id}' })]),
      stopAfterNoRecords: 0,
    }),
  ]);

  constructor(private readonly clock: Clock) {}

  async open({ kind, wish, callbackUrl }: PlannedWish, caller: Caller, once?: Once) {
    this.refuseIfBroken();
    const known = once && this.keys.get(once.key);
    if (known && known.fingerprint !== once.fingerprint) {
      throw new GleanerError('idempotency_conflict', 'The Idempotency-Key was used with another request.');
    }
    if (known) return { planned: await this.find(known.id, kind), isReplay: true };
    const plan = this.plans.get(kind)!;
    const admitted = plan.admit(wish);
    if ('faults' in admitted) throw fieldError(admitted.faults);
    const { params } = admitted;
    const id = randomUUID();
    const now = this.clock.now();
    const total = plan.total(params, plan.begin(params));
    const counts = { total, queued: total, running: 0, completed: 0, failed: 0, cancelled: 0 };
    const planned: PlannedJob = {
      kind,
      params,
      cursor: plan.begin(params),
      window: 5,
      ...caller,
      paused: null,
      ended: 0,
      attempts: 0,
      job: { id, status: 'queued', callbackUrl, createdAt: now, updatedAt: now, completedAt: null, counts, plan: kind },
    };
    this.runs.set(id, planned);
    if (once) this.keys.set(once.key, { fingerprint: once.fingerprint, id });
    return { planned, isReplay: false };
  }

  async find(id: string, kind: string): Promise<PlannedJob> {
    this.refuseIfBroken();
    const planned = this.runs.get(id);
    if (planned?.kind !== kind) throw new GleanerError('run_not_found', `There is no run ${id}.`);
    return { ...planned };
  }

  async outcomes(
    id: string,
    page: { limit: number; cursor: string | null; outcome: string | null },
  ): Promise<PageOf<Outcome>> {
    this.refuseIfBroken();
    const all = this.ended.get(id) ?? [];
    return pageOf(
      all.filter(({ outcome }) => page.outcome === null || outcome === page.outcome),
      page,
    );
  }

  async record(path: string): Promise<Record<string, unknown> | null> {
    return { path };
  }

  pause: PlannedApi['pause'] = (id, kind) => this.change(id, kind, (planned) => ({ ...planned, paused: 'asked' }));

  resume: PlannedApi['resume'] = (id, kind) => this.change(id, kind, (planned) => ({ ...planned, paused: null }));

  async cancel(id: string, kind: string): Promise<PlannedJob> {
    const planned = await this.find(id, kind);
    const counts = { ...planned.job.counts, queued: 0, cancelled: planned.job.counts.queued };
    const job = { ...planned.job, status: 'cancelled' as const, completedAt: this.clock.now(), counts };
    this.runs.set(id, { ...planned, job });
    return this.find(id, kind);
  }

  private async change(id: string, kind: string, apply: (planned: PlannedJob) => PlannedJob): Promise<PlannedJob> {
    const planned = await this.find(id, kind);
    if (planned.job.completedAt !== null) throw new GleanerError('run_over', `The run ${id} is over.`);
    this.runs.set(id, apply(planned));
    return this.find(id, kind);
  }

  private refuseIfBroken(): void {
    if (this.broken !== undefined) throw this.broken;
  }
}
