import { open, readdir, readFile, rm, stat, truncate } from 'node:fs/promises';
import { join, normalize, sep } from 'node:path';
import type { Clock } from '../../ports/clock.js';
import type { Kept, RunFiles, RunName } from '../../ports/run-files.js';
import { appendDurably, type Disk, makeDirectory, nodeDisk, syncDirectory, writeDurably } from './durable-file.js';
import { orUnavailable as orFault, unlessMissing } from './file-faults.js';
import { lockRun } from './run-lock.js';

const orUnavailable = <T>(work: () => Promise<T>): Promise<T> =>
  orFault('The files of a run cannot be written or read right now.', work);

export interface RunFilesOptions {
  dataDir: string;
  clock: Clock;
  disk?: Disk;
}

/**
 *   checkpoints/<run>/   checkpoint.json, run.lock, owner.json
 *   retrievals/<run>/    audit_<began>.json, attempts_<began>.ndjson, records/NNN/<name>.json, pages/NNN/<name>.html
 */
export function createRunFiles({ dataDir, clock, disk = nodeDisk }: RunFilesOptions): RunFiles {
  const checkpoints = (runId: string): string => join(dataDir, 'checkpoints', safe(runId));
  const output = (runId: string): string => join('retrievals', safe(runId));
  const checkpointFile = (runId: string): string => join(checkpoints(runId), 'checkpoint.json');
  const named = ({ runId, createdAt }: RunName, kind: string, ending: string): string =>
    join(dataDir, output(runId), `${kind}_${stamp(createdAt)}.${ending}`);
  const attemptsFile = (run: RunName): string => named(run, 'attempts', 'ndjson');

  const keepOne = async (path: string, text: string): Promise<string> => {
    await writeDurably(join(dataDir, path), [text], disk);
    return path;
  };

  return {
    async lock(runId) {
      const directory = checkpoints(runId);
      const lock = await orUnavailable(() => lockRun(directory, runId, clock));
      // A draft is of somebody who was killed in the middle of it. The next one replaces it, if need be.
      await rm(`${checkpointFile(runId)}.tmp`, { force: true }).catch(() => undefined);
      return lock;
    },
    keep: (runId, { seq, name, record, page }: Kept) =>
      orUnavailable(async () => {
        const place = (kind: string, ending: string): string =>
          join(output(runId), kind, String(Math.floor(seq / 1_000)).padStart(3, '0'), `${safe(name)}.${ending}`);
        const [recordPath, pagePath] = await Promise.all([
          record && keepOne(place('records', 'json'), `${JSON.stringify({ id: name, ...record })}\n`),
          page === null ? null : keepOne(place('pages', 'html'), page),
        ]);
        return { record: recordPath, page: pagePath };
      }),
    drop: (path) =>
      orUnavailable(async () => {
        if (isOurs(path)) await disk.remove(join(dataDir, path));
      }),
    record: (path) =>
      orUnavailable(async () => {
        const text = isOurs(path) ? await unlessMissing(readFile(join(dataDir, path), 'utf8')) : null;
        return text === null ? null : objectIn(text);
      }),
    lastAttempt: (run) => orUnavailable(() => lastWholeLine(attemptsFile(run))),
    appendAttempts: (run, lines) =>
      orUnavailable(async () => {
        const file = attemptsFile(run);
        const isNew = (await unlessMissing(stat(file))) === null;
        if (isNew) await makeDirectory(join(dataDir, output(run.runId)), disk);
        await appendDurably(file, `${lines.join('\n')}\n`, disk);
        if (isNew) await syncDirectory(join(dataDir, output(run.runId)), disk);
      }),
    writeAudit: (run, audit) =>
      orUnavailable(() => writeDurably(named(run, 'audit', 'json'), [`${JSON.stringify(audit, null, 2)}\n`], disk)),
    writeCheckpoint: (runId, pieces) => orUnavailable(() => writeDurably(checkpointFile(runId), pieces, disk)),
    readCheckpoint: (runId) => orUnavailable(() => unlessMissing(readFile(checkpointFile(runId), 'utf8'))),
    expire: (before, isKept) => orUnavailable(() => removeOld(dataDir, before, isKept)),
  };
}

/** `20251128_080000`, in UTC. */
const stamp = (at: number): string => new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '_');

/** Paths are kept in the database and in checkpoints, and must not lead out of where they began. */
const isOurs = (path: string): boolean => normalize(path).startsWith(`retrievals${sep}`);

/** A name from outside must not lead out of the directory. */
function safe(name: string): string {
  if (!/^[\w-]{1,100}$/.test(name)) throw new Error(`Not a name for a file: ${name.slice(0, 100)}`);
  return name;
}

/** A line is at most so long: what lies before the last of them need not be read. */
const TAIL = 256 * 1024;

/** The number in the last line that is whole. Half a line behind it is of a write that was cut off, and is taken away. */
async function lastWholeLine(file: string): Promise<number> {
  const handle = await unlessMissing(open(file, 'r'));
  if (!handle) return 0;
  let tail: Buffer;
  let from: number;
  try {
    const { size } = await handle.stat();
    from = Math.max(0, size - TAIL);
    tail = Buffer.alloc(size - from);
    await handle.read(tail, 0, tail.length, from);
  } finally {
    await handle.close();
  }
  const end = tail.lastIndexOf('\n') + 1;
  if (end < tail.length) await truncate(file, from + end);
  const line = tail.subarray(0, end).toString('utf8').trimEnd().split('\n').at(-1) ?? '';
  const n = objectIn(line)?.n;
  return typeof n === 'number' ? n : 0;
}

function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** By the younger of its two directories' last writes: a checkpoint is written as long as a run lives. */
async function removeOld(
  dataDir: string,
  before: number,
  isKept: (runId: string) => Promise<boolean>,
): Promise<number> {
  let removed = 0;
  const runs = new Set<string>();
  for (const room of ['checkpoints', 'retrievals']) {
    for (const name of (await unlessMissing(readdir(join(dataDir, room)))) ?? []) runs.add(name);
  }
  for (const runId of runs) {
    const places = ['checkpoints', 'retrievals'].map((room) => join(dataDir, room, runId));
    const times = await Promise.all(places.map(async (place) => (await unlessMissing(stat(place)))?.mtimeMs ?? 0));
    if (Math.max(...times) >= before || (await isKept(runId))) continue;
    for (const place of places) await rm(place, { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}
