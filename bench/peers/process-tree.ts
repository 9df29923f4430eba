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
  /** With everybody in it. At once, so that it can be done while the process ends. */
  remove(): void;
}

const HIERARCHIES = ['/sys/fs/cgroup/unified', '/sys/fs/cgroup/cpuacct', '/sys/fs/cgroup'];

/** A control group of its own is the only place where the CPU of Chromium's short-lived children is added up. */
export function createProcessTree(): ProcessTree {
  const folder = HIERARCHIES.map((root) => join(root, `gleaner-bench-${process.pid}`)).find(isUsable);
  if (!folder) throw new MissingError('npm run bench must be run as root on Linux: it counts CPU in a control group.');
  const pids = (): string[] => readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean);
  const sum = (read: (pid: string) => number): number => pids().reduce((total, pid) => total + orZero(read, pid), 0);
  const kill = (): void => {
    for (const pid of pids()) orFalse(() => process.kill(Number(pid), 'SIGKILL'));
  };
  return {
    add: (pid) => writeFileSync(join(folder, 'cgroup.procs'), String(pid)),
    cpuMs: () => cpuMsIn(folder),
    rssMb: () => sum((pid) => Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096) / 2 ** 20,
    pssMb: () =>
      sum((pid) => Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1])) / 1024,
    kill,
    remove() {
      kill();
      // The killed take a moment to be gone; a folder with somebody in it cannot be removed.
      for (let tries = 0; tries < 50 && !orFalse(() => rmdirSync(folder)); tries++) sleep(20);
    },
  };
}

function isUsable(folder: string): boolean {
  if (!orFalse(() => mkdirSync(folder))) return false;
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

function orFalse(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

const sleep = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
