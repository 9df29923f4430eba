import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Something that `npm run bench` needs and this machine does not have. The message is for a person. */
export class MissingError extends Error {
  override name = 'MissingError';
}

/** All processes that descend from those that were added, also those that have ended or left their parent. */
export interface ProcessTree {
  add(pid: number): void;
  cpuMs(): number;
  /** What is resident, counted in every process that shares it. */
  rssMb(): number;
  /** What is resident, shared memory divided among its users. Costs too much to be asked often. */
  pssMb(): number;
  kill(): void;
  remove(): void;
}

const HIERARCHIES = ['/sys/fs/cgroup/unified', '/sys/fs/cgroup/cpuacct', '/sys/fs/cgroup'];

/** A control group of its own is the only place where the CPU of Chromium's short-lived children is added up. */
export function createProcessTree(): ProcessTree {
  const folder = HIERARCHIES.map((root) => join(root, `gleaner-bench-${process.pid}`)).find(isUsable);
  if (!folder) throw new MissingError('npm run bench must be run as root on Linux: it counts CPU in a control group.');
  const pids = (): string[] => readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean);
  const sum = (read: (pid: string) => number): number => pids().reduce((total, pid) => total + orZero(read, pid), 0);
  return {
    add: (pid) => writeFileSync(join(folder, 'cgroup.procs'), String(pid)),
    cpuMs: () => cpuMsIn(folder),
    rssMb: () => sum((pid) => Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096) / 2 ** 20,
    pssMb: () =>
      sum((pid) => Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1])) / 1024,
    kill: () => {
      for (const pid of pids()) orZero((id) => Number(process.kill(Number(id), 'SIGKILL')), pid);
    },
    remove: () => rmdirSync(folder),
  };
}

function isUsable(folder: string): boolean {
  try {
    mkdirSync(folder);
  } catch {
    return false;
  }
  if (existsSync(join(folder, 'cpuacct.usage')) || existsSync(join(folder, 'cpu.stat'))) return true;
  rmdirSync(folder);
  return false;
}

/** Version 1 counts in nanoseconds, version 2 in microseconds. */
function cpuMsIn(folder: string): number {
  const old = join(folder, 'cpuacct.usage');
  if (existsSync(old)) return Number(readFileSync(old, 'utf8')) / 1e6;
  return Number(/usage_usec (\d+)/.exec(readFileSync(join(folder, 'cpu.stat'), 'utf8'))?.[1]) / 1e3;
}

/** A process may end between being listed and being asked. */
function orZero(read: (pid: string) => number, pid: string): number {
  try {
    return read(pid) || 0;
  } catch {
    return 0;
  }
}
