import { asGleanerError, type ErrorCode } from '../../src/domain/errors.js';
import { RETRIEVAL } from '../../src/domain/retrieval.js';
import type { TaskSpec } from '../../src/domain/task.js';
import { aSpec, CALLER } from '../support/tasks.js';
import type { Books } from './books.js';
import type { SimProcess } from './process.js';
import type { Seeded } from './seeded.js';
import { type Trace, Violation } from './trace.js';
import type { World } from './world.js';

export interface ClientParts {
  world: World;
  seeded: Seeded;
  trace: Trace;
  books: Books;
  check: (act: () => void) => void;
}

export type ClientAct =
  | 'submit'
  | 'batch'
  | 'retrieve'
  | 'pause'
  | 'resume'
  | 'end'
  | 'twice'
  | 'repeat'
  | 'cancel'
  | 'abandon'
  | 'wait'
  | 'redeliver'
  | 'read';

/** How often each is done. */
export const CLIENT_ACTS: Readonly<Record<ClientAct, number>> = {
  submit: 30,
  batch: 30,
  retrieve: 12,
  pause: 5,
  resume: 5,
  end: 2,
  twice: 6,
  repeat: 12,
  cancel: 6,
  abandon: 6,
  wait: 6,
  redeliver: 3,
  read: 6,
};

/** What may be refused: for want of room or of a disk, while stopping, and what retention has forgotten. */
const BORNE = new Set<ErrorCode>([
  'queue_full',
  'shutting_down',
  'storage_unavailable',
  'validation_failed',
  'task_not_found',
  'job_not_found',
  'delivery_not_found',
  'run_not_found',
  'run_over',
]);

interface Request {
  key: string;
  size: number;
  specs: TaskSpec[];
  callbackUrl: string | null;
}

/** Somebody who submits, repeats, cancels and asks, and remembers what he was promised. */
export class Client {
  /** What was answered with a 202. */
  readonly promised = new Set<string>();
  private readonly jobs: string[] = [];
  private readonly runs: string[] = [];
  /** Runs that rest, and nobody has yet let go on. */
  readonly resting = new Set<string>();
  private cases = 0;
  private readonly tasks: string[] = [];
  private readonly requests: Request[] = [];
  private readonly answers = new Map<string, string>();
  private readonly underWay = new Map<SimProcess, number>();
  private calls = 0;

  constructor(private readonly parts: ClientParts) {}

  isWaiting(process: SimProcess): boolean {
    return (this.underWay.get(process) ?? 0) > 0;
  }

  /** The answer may never come: the process may be gone by then. Every fault but a refusal is a violation. */
  act(kind: ClientAct, process: SimProcess): void {
    const { trace, check } = this.parts;
    trace.note(`client:${kind}`, '');
    const count = (by: number): unknown => this.underWay.set(process, (this.underWay.get(process) ?? 0) + by);
    count(1);
    this.call(kind, process)
      .catch((error) => check(() => this.bears(kind, error)))
      .finally(() => count(-1));
  }

  private bears(kind: ClientAct, error: unknown): void {
    if (error instanceof Violation) throw error;
    const { code, stack } = asGleanerError(error);
    this.parts.trace.note('refused', `${kind} ${code}`);
    if (!BORNE.has(code)) throw new Violation('answers', `${kind} was answered ${code}: ${stack}`);
  }

  private async call(kind: ClientAct, { engine }: SimProcess): Promise<void> {
    const { seeded, books } = this.parts;
    switch (kind) {
      case 'submit':
        return this.submit(engine, this.request(0));
      case 'batch':
        return this.submit(engine, this.request(seeded.chance(0.1) ? seeded.int(10, 40) : seeded.int(1, 8)));
      case 'retrieve':
        return this.retrieve(engine);
      case 'pause':
        if (this.runs.length > 0) await this.pause(engine, seeded.pick(this.runs));
        return;
      case 'resume':
        if (this.runs.length > 0) await this.resume(engine, seeded.pick(this.runs));
        return;
      case 'end':
        // Often one that rests: what was being visited then may have ended meanwhile.
        if (this.runs.length > 0) await engine.planned.cancel(seeded.pick(this.restingOr(this.runs)), RETRIEVAL);
        return;
      case 'twice': {
        // Both are on their way before either is answered.
        const request = this.request(seeded.int(0, 3));
        await Promise.all([this.submit(engine, request), this.submit(engine, request)]);
        return;
      }
      case 'repeat':
        return this.requests.length > 0 ? this.submit(engine, seeded.pick(this.requests)) : undefined;
      case 'cancel':
        if (this.jobs.length > 0) await engine.cancelJob(seeded.pick(this.jobs));
        return;
      case 'abandon':
        if (this.tasks.length > 0) await engine.abandon(seeded.pick(this.tasks));
        return;
      case 'wait':
        if (this.tasks.length > 0) await engine.awaitTask(seeded.pick(this.tasks), seeded.int(0, 30_000));
        return;
      case 'redeliver': {
        const ended = [...books.deliveries].filter(([, { status }]) => status !== 'pending');
        if (ended.length > 0) await engine.webhooks.redeliver(seeded.pick(ended)[0]);
        return;
      }
      case 'read':
        return this.read(engine);
    }
  }

  /** `size` 0 is a task of its own. */
  private request(size: number): Request {
    const { seeded, world } = this.parts;
    const callback = (): string | null => (seeded.chance(0.4) ? seeded.pick(world.receivers).url : null);
    const specs = Array.from({ length: Math.max(1, size) }, (_, n) =>
      aSpec({
        targetUrl: `https://${seeded.pick(world.sites).domain}/${n}`,
        render: seeded.pick(['auto', 'auto', 'http', 'browser'] as const),
        callbackUrl: seeded.chance(0.3) ? callback() : null,
      }),
    );
    const request = { key: `key-${(this.calls += 1)}`, size, specs, callbackUrl: callback() };
    if (seeded.chance(0.5)) this.requests.push(request);
    return request;
  }

  private async submit(engine: SimProcess['engine'], { key, size, specs, callbackUrl }: Request): Promise<void> {
    const once = { key, fingerprint: key };
    if (size === 0) {
      const { id } = await engine.submit({ ...specs[0]!, callbackUrl }, CALLER, once);
      return this.answered(key, id, [id]);
    }
    const { job, taskIds } = await engine.submitBatch({ targets: specs, callbackUrl }, CALLER, once);
    this.answered(key, job.id, taskIds);
    this.jobs.push(job.id);
  }

  /** No two runs share a case, so that what is asked for tells whose it is. */
  private async retrieve(engine: SimProcess['engine']): Promise<void> {
    const { seeded, world, trace, books } = this.parts;
    const from = this.cases;
    this.cases += seeded.int(1, 20);
    const wish = {
      adapter: seeded.pick(world.sites).domain.replace('.com', ''),
      workspaceId: 'ws',
      prefix: null,
      year: '25',
      range: { from, to: this.cases - 1 },
      identifiers: null,
      render: seeded.pick([null, 'http', 'browser'] as const),
      stopAfterNoRecords: seeded.chance(0.5) ? 1 : 0,
      saveHtml: false,
    };
    const callbackUrl = seeded.chance(0.4) ? seeded.pick(world.receivers).url : null;
    const { planned } = await engine.planned.open({ kind: RETRIEVAL, wish, callbackUrl }, CALLER);
    const { id } = planned.job;
    if (!books.jobs.has(id)) throw new Violation('nothing lost', `run ${id} was promised and is not in the store`);
    this.runs.push(id);
    this.jobs.push(id);
    trace.note('run', `${id} ${from} ${this.cases - 1}`);
  }

  private restingOr(runs: readonly string[]): readonly string[] {
    return this.resting.size > 0 && this.parts.seeded.chance(0.7) ? [...this.resting] : runs;
  }

  /** Noted before it is answered: the process may die in between, and the run rests all the same. */
  private async pause(engine: SimProcess['engine'], id: string): Promise<void> {
    this.resting.add(id);
    await engine.planned.pause(id, RETRIEVAL);
  }

  async resume(engine: SimProcess['engine'], id: string): Promise<void> {
    await engine.planned.resume(id, RETRIEVAL);
    this.resting.delete(id);
  }

  /** So that everything comes to its end. */
  resumeAll({ engine }: SimProcess): void {
    for (const id of this.resting) {
      this.resume(engine, id).catch((error) => {
        const { code } = asGleanerError(error);
        if (code === 'run_over' || code === 'run_not_found') this.resting.delete(id);
        this.parts.check(() => this.bears('resume', error));
      });
    }
  }

  /** One key, one submission; and what is promised is in the books by then. */
  private answered(key: string, id: string, taskIds: string[]): void {
    const { books, trace } = this.parts;
    const earlier = this.answers.get(key) ?? id;
    this.answers.set(key, id);
    if (earlier !== id) throw new Violation('idempotency', `${key} stood for ${earlier} and now for ${id}`);
    const missing = taskIds.find((taskId) => !books.tasks.has(taskId));
    if (missing) throw new Violation('nothing lost', `${missing} was promised and is not in the store`);
    for (const taskId of taskIds) this.promised.add(taskId);
    this.tasks.push(...taskIds);
    trace.note('accepted', `${key} ${id} ${taskIds.length}`);
  }

  private async read(engine: SimProcess['engine']): Promise<void> {
    if (this.jobs.length === 0) return;
    const { counts, id } = await engine.job(this.parts.seeded.pick(this.jobs));
    const sum = counts.queued + counts.running + counts.completed + counts.failed + counts.cancelled;
    if (sum !== counts.total) throw new Violation('counts', `job ${id}: ${JSON.stringify(counts)}`);
  }
}
