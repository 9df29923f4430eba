import { readFile } from 'node:fs/promises';
import os from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { MachineReading } from '../domain/visit-limit.js';
import type { Clock } from '../ports/clock.js';

/** What the machine, or the part of it that we were given, has left. */
export interface Machine {
  /** Since the last look. */
  look(): Promise<MachineLook>;
  /** Processors we may use; less than one counts as one. */
  cores(): Promise<number>;
  close(): void;
}

export type MachineLook = Omit<MachineReading, 'running' | 'isMoreReady'>;

interface MachineOptions {
  clock: Clock;
  /** Roots of the two file systems that tell of it on Linux; elsewhere Node knows some of it. */
  proc?: string;
  cgroup?: string;
}

export function createMachine({ clock, proc = '/proc', cgroup = '/sys/fs/cgroup' }: MachineOptions): Machine {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  let lastTimes: CpuTimes | null = null;
  let lastUse: { usedMs: number; atMs: number } | null = null;

  const wholeMachine = async (): Promise<number> => {
    const times = parseStat(await textOf(`${proc}/stat`)) ?? nodeTimes();
    const since = lastTimes && { busy: times.busy - lastTimes.busy, all: times.all - lastTimes.all };
    lastTimes = times;
    return since && since.all > 0 ? since.busy / since.all : 0;
  };
  /** Of what the container may use: a quota is used up long before the machine is. */
  const ourShare = async (): Promise<number> => {
    const [quota, stat] = [await quotaIn(cgroup), await textOf(`${cgroup}/cpu.stat`)];
    const usec = /^usage_usec (\d+)/m.exec(stat)?.[1];
    if (quota === null || usec === undefined) return 0;
    const use = { usedMs: Number(usec) / 1_000, atMs: clock.mono() };
    const since = lastUse && (use.usedMs - lastUse.usedMs) / (quota * (use.atMs - lastUse.atMs));
    lastUse = use;
    return since ?? 0;
  };

  return {
    async look() {
      const [machine, share, memory] = await Promise.all([wholeMachine(), ourShare(), memoryIn(proc, cgroup)]);
      // Nanoseconds; without a sample since the last look it is not a number.
      const loopDelayMs = delay.percentile(90) / 1e6 || 0;
      delay.reset();
      return { cpuBusy: Math.min(1, Math.max(machine, share)), loopDelayMs, ...memory };
    },
    cores: async () =>
      Math.max(1, Math.min(os.availableParallelism(), (await quotaIn(cgroup)) ?? Number.POSITIVE_INFINITY)),
    close: () => delay.disable(),
  };
}

interface CpuTimes {
  busy: number;
  all: number;
}

/** `cpu  user nice system idle iowait irq softirq steal …`: what others on the same hardware took counts as busy. */
function parseStat(text: string): CpuTimes | null {
  const [user, nice, system, idle, waiting, irq, softirq, steal] =
    /^cpu +([\d ]+)/m.exec(text)?.[1]?.split(' ').map(Number) ?? [];
  if (user === undefined || idle === undefined) return null;
  const busy = user + (nice ?? 0) + (system ?? 0) + (irq ?? 0) + (softirq ?? 0) + (steal ?? 0);
  return { busy, all: busy + idle + (waiting ?? 0) };
}

function nodeTimes(): CpuTimes {
  const all = os.cpus().flatMap(({ times }) => Object.values(times));
  const idle = os.cpus().map(({ times }) => times.idle);
  return { busy: sum(all) - sum(idle), all: sum(all) };
}

/** Processors by `cpu.max` (`200000 100000` are two); `null` where there is no bound. */
async function quotaIn(cgroup: string): Promise<number | null> {
  const [quota, period] = (await textOf(`${cgroup}/cpu.max`)).split(/\s/).map(Number);
  return quota && period ? quota / period : null;
}

type Memory = Pick<MachineLook, 'memoryAvailableBytes' | 'memoryTotalBytes'>;

/** The tighter of the machine's and the container's. Files that are merely cached can be given up, so they are free. */
async function memoryIn(proc: string, cgroup: string): Promise<Memory> {
  const [info, max, used, stat] = await Promise.all([
    textOf(`${proc}/meminfo`),
    textOf(`${cgroup}/memory.max`),
    textOf(`${cgroup}/memory.current`),
    textOf(`${cgroup}/memory.stat`),
  ]);
  const kib = (name: string): number => Number(new RegExp(`^${name}: +(\\d+) kB`, 'm').exec(info)?.[1]) * 1024;
  const machine = {
    memoryAvailableBytes: kib('MemAvailable') || os.freemem(),
    memoryTotalBytes: kib('MemTotal') || os.totalmem(),
  };
  const limit = Number(max.trim());
  if (!limit || limit >= machine.memoryTotalBytes) return machine;
  const cached = Number(/^inactive_file (\d+)/m.exec(stat)?.[1] ?? 0);
  const left = Math.max(0, limit - (Number(used) - cached));
  return { memoryAvailableBytes: Math.min(left, machine.memoryAvailableBytes), memoryTotalBytes: limit };
}

const textOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
