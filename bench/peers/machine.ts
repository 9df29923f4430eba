import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

export const CORES = cpus().length;

/** CPU of everything on this machine since it started, and what its host took away. */
export function machineMs(): { busy: number; stolen: number } {
  const line = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] as string;
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = line.split(/\s+/).slice(1).map(Number);
  return { busy: (user + nice + system + irq + softirq) * 10, stolen: steal * 10 };
}

/** Waits, but not for long, until nobody else is at work. */
export async function quiet(timeoutMs = 6000): Promise<void> {
  const sliceMs = 300;
  for (const end = Date.now() + timeoutMs; Date.now() < end; ) {
    const before = machineMs();
    await pause(sliceMs);
    if ((machineMs().busy - before.busy) / (sliceMs * CORES) < 0.2) return;
  }
}

/** One line that says on what was measured. */
export function machineLine(chromium: string): string {
  const version = execFileSync(chromium, ['--version'], { encoding: 'utf8' }).trim().split(' built on')[0];
  return `${CORES} cores (${cpus()[0]?.model.trim()}), Node ${process.versions.node}, ${version}`;
}
