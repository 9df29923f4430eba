import type { SqlValue } from '../../src/store/database.js';
import { PlanBooks } from './plan-books.js';
import type { Change, SimFile } from './sim-file.js';
import { Violation } from './trace.js';

type Row = Record<string, SqlValue>;

interface BooksOptions {
  now: () => number;
  resultTtlMs: number;
  defaultReceiver: string | null;
  maxAttempts: number;
  /** Boots so far: each may follow a death that cost a task an attempt beyond its limit. */
  lives: () => number;
}

const ENDED = new Set<SqlValue | undefined>(['completed', 'failed', 'cancelled']);
const STEPS = new Set([
  'queued>running',
  'running>completed',
  'running>failed',
  'running>queued',
  // Between two legs, and what a crash is noted as.
  'running>running',
  'queued>cancelled',
  'queued>queued',
]);
/** The first try and seven more. */
const MOST_FAILURES = 8;
const DAY_MS = 24 * 3_600_000;

/** A second set of books: every row change of every commit is checked against what may happen, and against the rest. */
export class Books {
  readonly tasks = new Map<string, Row>();
  readonly jobs = new Map<string, Row>();
  readonly deliveries = new Map<string, Row>();
  readonly plans: PlanBooks;
  openTasks = 0;
  pendingDeliveries = 0;
  /** Ids that a receiver took, and that one answered 410. */
  readonly accepted = new Set<string>();
  readonly refusedForGood = new Set<string>();
  /** Jobs whose rows are gone. */
  private readonly forgotten = new Set<string>();
  private readonly left = new Map<string, number>();

  constructor(
    private readonly file: SimFile,
    private readonly options: BooksOptions,
  ) {
    this.plans = new PlanBooks(file);
  }

  /** Everything that one commit has written. */
  commit(): Change[] {
    const changes = this.file.takeChanges();
    const jobs = new Set<string>();
    for (const change of changes) {
      if (change.kind === 'task') this.taskChanged(change, jobs);
      else if (change.kind === 'job') this.jobChanged(change, jobs);
      else this.deliveryChanged(change);
    }
    for (const { kind, id, after } of changes) if (kind === 'task' && after) this.isToldOf(id, after);
    for (const id of jobs) {
      if (this.plans.has(id)) this.plans.check(id);
      else this.checkJob(id);
    }
    return changes;
  }

  /** At rest every attempt at a delivery has ended in the ledger, also one whose process died. */
  checkAttempts(): void {
    const open = this.file.all<{ n: number }>('SELECT COUNT(*) AS n FROM delivery_attempts WHERE duration_ms IS NULL');
    if (open[0]?.n !== 0) throw new Violation('attempts', `${open[0]?.n} attempts at deliveries never ended`);
  }

  private taskChanged({ id, before, after }: Change, jobs: Set<string>): void {
    const jobId = (after ?? before)?.job_id;
    if (typeof jobId === 'string') jobs.add(jobId);
    if (!after) {
      this.taskForgotten(id, before as Row);
      return;
    }
    this.checkStep(id, before, after);
    this.checkState(id, after);
    this.tasks.set(id, after);
    const change = Number(!ENDED.has(after.status)) - Number(before !== null && !ENDED.has(before.status));
    this.openTasks += change;
    if (typeof jobId === 'string') this.left.set(jobId, (this.left.get(jobId) ?? 0) + change);
  }

  private checkStep(id: string, before: Row | null, after: Row): void {
    if (before === null) {
      if (after.status !== 'queued') throw new Violation('task steps', `${id} was born ${after.status}`);
      return;
    }
    if (ENDED.has(before.status))
      throw new Violation('ends once', `${id} had ended ${before.status} and was written again: ${after.status}`);
    if (!STEPS.has(`${before.status}>${after.status}`))
      throw new Violation('task steps', `${id} went from ${before.status} to ${after.status}`);
    const isClaimed = before.status === 'queued' && after.status === 'running';
    if (Number(after.visits) !== Number(before.visits) + Number(isClaimed))
      throw new Violation('visits', `${id} had ${before.visits} visits and has ${after.visits} as ${after.status}`);
  }

  private checkState(id: string, { status, attempts, completed_at, result }: Row): void {
    if (Number(attempts) > this.options.maxAttempts + this.options.lives() || Number(attempts) < 0)
      throw new Violation('attempts', `${id} has ${attempts}, ${this.options.maxAttempts} are allowed`);
    if ((completed_at !== null) !== ENDED.has(status))
      throw new Violation('ends once', `${id} is ${status} with completed_at ${completed_at}`);
    if ((status === 'completed') !== (result !== null))
      throw new Violation('result', `${id} is ${status}, result ${result}`);
  }

  private taskForgotten(id: string, before: Row): void {
    const isOld = Number(before.completed_at) < this.options.now() - this.options.resultTtlMs;
    // Tasks of a job go with the job, whose own age is what counts.
    if (!ENDED.has(before.status) || (before.job_id === null && !isOld))
      throw new Violation('nothing lost', `${id} was deleted while ${before.status}`);
    this.tasks.delete(id);
  }

  private jobChanged({ id, before, after }: Change, jobs: Set<string>): void {
    if (!after) {
      if (before?.completed_at === null) throw new Violation('nothing lost', `job ${id} was deleted before its end`);
      this.jobs.delete(id);
      this.forgotten.add(id);
      return;
    }
    if (before && before.completed_at !== null) throw new Violation('ends once', `job ${id} was written after its end`);
    this.jobs.set(id, after);
    jobs.add(id);
    if (after.completed_at !== null) this.isTold(id, after.callback_url ?? this.options.defaultReceiver, 'job');
  }

  private checkJob(id: string): void {
    const job = this.jobs.get(id);
    if (!job) return;
    const isOver = job.completed_at !== null;
    const left = this.left.get(id) ?? 0;
    if (isOver !== (left === 0)) throw new Violation('counts', `job ${id} is ${job.status} with ${left} tasks open`);
    const counted = this.file.all<{ status: string; n: number }>(
      'SELECT status, COUNT(*) AS n FROM tasks WHERE job_id = ? GROUP BY status',
      id,
    );
    const of = (status: string): number => counted.find((row) => row.status === status)?.n ?? 0;
    const sum = counted.reduce((all, { n }) => all + n, 0);
    if (sum !== job.total_tasks) throw new Violation('counts', `job ${id} has ${sum} tasks, not ${job.total_tasks}`);
    if (isOver && job.status !== endOf(of, job.status))
      throw new Violation('counts', `job ${id} ended ${job.status} with ${JSON.stringify(counted)}`);
  }

  private isToldOf(id: string, task: Row): void {
    if (!ENDED.has(task.status)) return;
    this.isTold(id, task.callback_url ?? (task.job_id === null ? this.options.defaultReceiver : null), 'task');
  }

  /** In the very commit that ends it, or never. */
  private isTold(id: string, url: SqlValue | undefined, kind: 'task' | 'job'): void {
    const where = kind === 'task' ? 'task_id = ?' : 'job_id = ? AND task_id IS NULL';
    const rows = this.file.all<{ n: number }>(`SELECT COUNT(*) AS n FROM deliveries WHERE ${where}`, id);
    const isWanted = url !== null && url !== undefined;
    // Of a run that was forgotten and is read from its file, an earlier life may have opened one: it stands for both.
    const wanted = isWanted || (this.forgotten.has(id) && rows[0]?.n === 1) ? 1 : 0;
    if (rows[0]?.n !== wanted)
      throw new Violation('delivery lost', `the end of ${kind} ${id} opened ${rows[0]?.n} deliveries, not ${wanted}`);
  }

  private deliveryChanged({ id, before, after }: Change): void {
    this.pendingDeliveries += Number(after?.status === 'pending') - Number(before?.status === 'pending');
    if (!after) {
      if (before?.status === 'pending') throw new Violation('delivery lost', `${id} was deleted while pending`);
      this.deliveries.delete(id);
      return;
    }
    this.deliveries.set(id, after);
    if (before === null) return;
    if (before.body !== null && before.body !== after.body) throw new Violation('one body', `${id} has another body`);
    const isSameRound = before.round === after.round;
    if (before.status === 'delivered' && after.status !== 'delivered' && isSameRound)
      throw new Violation('delivery doubled', `${id} was delivered and is ${after.status}`);
    if (after.status === 'delivered' && before.status !== 'delivered' && !this.accepted.has(id))
      throw new Violation('delivery lost', `${id} counts as delivered, but nobody took it`);
    if (after.status === 'dead' && before.status === 'pending') this.diesRightly(id, after);
  }

  private diesRightly(id: string, row: Row): void {
    const isTired = Number(row.failures) >= MOST_FAILURES;
    const isOld = Number(row.round_began_at) < this.options.now() - DAY_MS;
    if (!isTired && !isOld && !this.refusedForGood.has(id))
      throw new Violation('delivery lost', `${id} was given up after ${row.failures} failures`);
  }
}

function endOf(of: (status: string) => number, given: SqlValue | undefined): SqlValue {
  if (of('cancelled') > 0 || given === 'cancelled') return 'cancelled';
  if (of('failed') === 0) return 'completed';
  return of('completed') === 0 ? 'failed' : 'partially_completed';
}
