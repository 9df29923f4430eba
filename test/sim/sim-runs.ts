import type { Adapter, AdapterRegistry } from '../../src/domain/adapter.js';
import type { CaseAdapter } from '../../src/domain/case-adapter.js';
import { parseCheckpoint } from '../../src/domain/checkpoint.js';
import { GleanerError } from '../../src/domain/errors.js';
import { createPlanBook, type PlanBook } from '../../src/domain/plan.js';
import { createRetrieval } from '../../src/plans/retrieval.js';
import type { RunFiles, RunLock } from '../../src/ports/run-files.js';
import { noteRegistry } from '../support/engine-harness.js';
import { type Life, never } from './life.js';
import type { Seeded } from './seeded.js';
import { Violation } from './trace.js';
import type { Site } from './world.js';

/** Every site is a register, too. Which of its cases have no record is decided by their numbers. */
export function registersOf(sites: readonly Site[]): { adapters: AdapterRegistry; plans: PlanBook } {
  const registers = new Map(sites.map((site) => [site.domain.replace('.com', ''), registerOf(site)]));
  const byType = new Map([...registers.values()].map((register) => [register.targetType, register]));
  return {
    adapters: { get: (type) => byType.get(type) ?? noteRegistry.get(type), types: () => noteRegistry.types() },
    plans: createPlanBook([
      createRetrieval({
        cases: { get: (name) => registers.get(name), names: () => [...registers.keys()] },
        stopAfterNoRecords: 0,
      }),
    ]),
  };
}

function registerOf({ domain }: Site): CaseAdapter {
  const note = noteRegistry.get('job_posting') as Adapter;
  const name = domain.replace('.com', '');
  return {
    ...note,
    targetType: `case_record:${name}`,
    name,
    prefix: 'IMM',
    render: 'auto',
    noRecordStatuses: [],
    urlOf: ({ id }) => `https://${domain}/${id}`,
    extract(page, wish) {
      const number = Number(/IMM-(\d+)-/.exec(page.url)?.[1] ?? 0);
      return number % 3 === 0 ? { fields: {}, provenance: {}, notes: ['no_record'] } : note.extract(page, wish);
    },
  };
}

/** The disk beside the database: it outlives every process, too. */
export class SimDisk {
  readonly checkpoints = new Map<string, string>();
  readonly attempts = new Map<string, string[]>();
  readonly records = new Set<string>();
  readonly owners = new Map<string, Life>();

  /** Runs that a living process keeps for itself. */
  get owned(): number {
    return [...this.owners.values()].filter((life) => !life.isOver).length;
  }
}

interface SimRunFilesParts {
  disk: SimDisk;
  life: Life;
  seeded: Seeded;
  /** Is this one refused by the disk? */
  isFull: () => boolean;
  check: (act: () => void) => void;
}

/**
 * The files of runs at virtual times: each call takes a while, and the process may be gone before what it writes is
 * there, or before it hears that it is.
 */
export function createSimRunFiles({ disk, life, seeded, isFull, check }: SimRunFilesParts): RunFiles {
  const later = async <T>(act: () => T): Promise<T> => {
    await life.clock.wait(seeded.int(0, 5));
    if (life.isOver) return never<T>();
    if (isFull()) throw new GleanerError('storage_unavailable', 'The files of a run cannot be written right now.');
    const value = act();
    await life.clock.wait(seeded.int(0, 5));
    return life.isOver ? never<T>() : value;
  };
  const lockOf = (runId: string): RunLock => {
    const owner = disk.owners.get(runId);
    if (owner && !owner.isOver) throw new GleanerError('run_locked', `The run ${runId} has an owner.`);
    disk.owners.set(runId, life);
    const release = async (): Promise<void> => void disk.owners.delete(runId);
    return { takenFrom: owner ? 'a process that died' : null, release, discard: release };
  };
  return {
    lock: (runId) => later(() => lockOf(runId)),
    keep: (runId, { name, record }) =>
      later(() => {
        const path = `${runId}/${name}`;
        if (record) disk.records.add(path);
        return { record: record ? path : null, page: null };
      }),
    drop: () => later(() => undefined),
    record: async () => null,
    lastAttempt: ({ runId }) => later(() => disk.attempts.get(runId)?.length ?? 0),
    appendAttempts: ({ runId }, lines) =>
      later(() => void disk.attempts.set(runId, [...(disk.attempts.get(runId) ?? []), ...lines])),
    writeAudit: () => later(() => undefined),
    async writeCheckpoint(runId, pieces) {
      let text = '';
      for await (const piece of pieces) text += piece;
      await later(() => {
        check(() => isConsistent(runId, text, disk.checkpoints.get(runId)));
        disk.checkpoints.set(runId, text);
      });
    },
    readCheckpoint: async (runId) => disk.checkpoints.get(runId) ?? null,
    expire: async () => 0,
  };
}

/** With itself, and with the one before it: what had ended stays as it was. */
function isConsistent(runId: string, text: string, before: string | undefined): void {
  const { jobs, cursor } = parseCheckpoint(text);
  if (jobs.length !== cursor.last_job_index + 1)
    throw new Violation(
      'checkpoint',
      `run ${runId} has ${jobs.length} jobs, its cursor is at ${cursor.last_job_index}`,
    );
  const now = new Map(jobs.map((job) => [job.job_id, JSON.stringify(job)]));
  for (const job of before ? parseCheckpoint(before).jobs : []) {
    const isEnded = job.state === 'succeeded' || job.state === 'failed';
    if (isEnded && now.get(job.job_id) !== JSON.stringify(job))
      throw new Violation('checkpoint', `${job.job_id} of run ${runId} had ended, and is another now`);
  }
}
