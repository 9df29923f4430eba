import type { RetrievalCursor, RetrievalParams } from '../../src/domain/retrieval.js';
import type { SimFile } from './sim-file.js';
import type { SimDisk } from './sim-runs.js';
import { Violation } from './trace.js';

interface PlanRow {
  job_id: string;
  params: string;
  cursor: string;
  window_size: number;
  paused: string | null;
  completed: number;
  failed: number;
  cancelled: number;
  ended: number;
  attempts: number;
  finished: number;
  status: string;
  total_tasks: number;
  completed_at: number | null;
}

/** What must hold of runs after every commit: their cursor, their open tasks and their outcomes are of one moment. */
export class PlanBooks {
  /** Cases that have ended, by name: in a run of the simulator no two runs share one. */
  readonly ended = new Set<string>();

  constructor(private readonly file: SimFile) {}

  /** Runs that are not over, or whose files are not complete. */
  get unfinished(): number {
    return this.file.all<{ n: number }>('SELECT COUNT(*) AS n FROM plans WHERE finished = 0')[0]?.n ?? 0;
  }

  has(jobId: string): boolean {
    return this.file.all('SELECT 1 FROM plans WHERE job_id = ?', jobId).length > 0;
  }

  check(jobId: string): void {
    const [row] = this.file.all<PlanRow>(
      'SELECT p.*, j.status, j.total_tasks, j.completed_at FROM plans p JOIN jobs j ON j.id = p.job_id WHERE p.job_id = ?',
      jobId,
    );
    if (!row) return;
    const open = this.file.all<{ seq: number }>('SELECT seq FROM tasks WHERE job_id = ?', jobId);
    const outcomes = this.file.all<{ seq: number; name: string; outcome: string }>(
      'SELECT seq, name, outcome FROM outcomes WHERE job_id = ?',
      jobId,
    );
    // Retention takes outcomes first; their run is over by then.
    if (outcomes.length < row.ended && row.completed_at !== null) return;
    for (const { name } of outcomes) this.ended.add(name);
    this.checkPlaces(row, [...open, ...outcomes]);
    this.checkCounts(row, { open: open.length, outcomes });
  }

  /** Every case up to the cursor is open or has ended, once; none beyond it is known. */
  private checkPlaces(row: PlanRow, known: readonly { seq: number }[]): void {
    const { planned } = JSON.parse(row.cursor) as RetrievalCursor;
    const places = new Set(known.map(({ seq }) => seq));
    if (places.size !== known.length) throw new Violation('one end', `a case of run ${row.job_id} is there twice`);
    const last = Math.max(-1, ...places);
    if (last >= planned) throw new Violation('cursor', `run ${row.job_id} is at ${planned} and knows of ${last}`);
    if (row.status !== 'cancelled' && places.size !== planned)
      throw new Violation('cursor', `run ${row.job_id} is at ${planned} and knows of ${places.size} cases`);
  }

  private checkCounts(
    row: PlanRow,
    { open, outcomes }: { open: number; outcomes: readonly { outcome: string }[] },
  ): void {
    const { job_id: id, ended, completed, failed, cancelled } = row;
    const cursor = JSON.parse(row.cursor) as RetrievalCursor;
    const of = (name: string): number => outcomes.filter(({ outcome }) => outcome === name).length;
    const told = [cursor.success, cursor.noRecord, cursor.failed].join();
    const counted = [of('success'), of('no-record'), of('failed')].join();
    if (told !== counted) throw new Violation('counts', `run ${id} tells of ${told}, its outcomes are ${counted}`);
    if (ended !== outcomes.length || completed + failed !== ended || failed !== cursor.failed)
      throw new Violation('counts', `run ${id} has ended ${ended} times: ${completed} + ${failed}`);
    const size = sizeOf(JSON.parse(row.params) as RetrievalParams);
    const isOver = row.completed_at !== null;
    // A run that was cancelled counts what it had then, though its last visits may still show that it was at its end.
    const isGoing = row.paused === null && row.status !== 'cancelled';
    if (isGoing && row.total_tasks !== (cursor.hasStopped ? cursor.planned : size))
      throw new Violation('counts', `run ${id} counts ${row.total_tasks} cases`);
    const isDone = ended + cancelled === row.total_tasks && open === 0;
    // One that was read from its checkpoint rests until it is resumed, also where nothing is left to do.
    if (isOver !== isDone && !(isDone && row.paused !== null))
      throw new Violation(
        'counts',
        `run ${id} is ${row.status}: ${ended} + ${cancelled} of ${row.total_tasks}, ${open} open`,
      );
    if (row.status === 'cancelled' && open === 0 && !isOver)
      throw new Violation('counts', `run ${id} was cancelled, nothing of it is open, and it is not over`);
    this.checkWindow(row, { open, cursor, size });
  }

  private checkWindow(row: PlanRow, now: { open: number; cursor: RetrievalCursor; size: number }): void {
    const { open, cursor, size } = now;
    if (open > row.window_size) throw new Violation('window', `run ${row.job_id} has ${open} tasks open`);
    const isGoing = row.paused === null && row.status !== 'cancelled' && !cursor.hasStopped;
    const due = Math.min(row.window_size, open + size - cursor.planned);
    if (isGoing && open < due) throw new Violation('window', `run ${row.job_id} has ${open} tasks open, not ${due}`);
  }

  /** At rest the files tell the same as the store, every attempt once. */
  checkFiles(disk: SimDisk): void {
    const rows = this.file.all<{ job_id: string; attempts: number }>('SELECT job_id, attempts FROM plans');
    for (const { job_id: id, attempts } of rows) {
      const lines = (disk.attempts.get(id) ?? []).map((line) => (JSON.parse(line) as { n: number }).n);
      if (lines.length !== attempts || lines.some((n, index) => n !== index + 1))
        throw new Violation('attempts', `run ${id} made ${attempts}, its file tells of ${lines.join(' ')}`);
      this.checkRecords(id, disk);
    }
  }

  private checkRecords(id: string, disk: SimDisk): void {
    const kept = this.file.all<{ name: string; outcome: string; record_path: string | null }>(
      'SELECT name, outcome, record_path FROM outcomes WHERE job_id = ?',
      id,
    );
    for (const { name, outcome, record_path: path } of kept) {
      if ((outcome === 'success') !== (path !== null && disk.records.has(path)))
        throw new Violation('nothing lost', `${name} is a ${outcome}, its record is at ${path}`);
    }
  }
}

const sizeOf = ({ cases }: RetrievalParams): number =>
  Array.isArray(cases) ? cases.length : cases.to - cases.from + 1;
