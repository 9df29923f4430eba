import { readdir, readFile } from 'node:fs/promises';
import type { Clock } from '../ports/clock.js';

const STEP_MS = 20;
const LONGEST_WAIT_MS = 2000;

/**
 * Kills a browser with everything it started, and resolves when nothing of it runs any more: only then may its files
 * go. Playwright starts it as the leader of a process group, but where the executable is a wrapper script the leader
 * is the shell: the group is asked for, not guessed.
 */
export async function killBrowser(found: BrowserProcess, clock: Clock): Promise<void> {
  if (found.group !== null) signal(-found.group, 'SIGKILL');
  signal(found.pid, 'SIGKILL');
  for (let waited = 0; waited < LONGEST_WAIT_MS && (await isRunning(found)); waited += STEP_MS) {
    await clock.wait(STEP_MS);
  }
}

export interface BrowserProcess {
  pid: number;
  /** Process group of its own, or null where that cannot be known (not Linux, already gone, or it is ours). */
  group: number | null;
  /** Where its profile is, from its command line. */
  profile: string | null;
}

export async function inspectBrowser(pid: number): Promise<BrowserProcess> {
  const [line, own, ours] = await Promise.all([commandLine(pid), statOf(pid), statOf(process.pid)]);
  return { pid, group: own && own.group !== ours?.group ? own.group : null, profile: profileIn(line) };
}

/** The profiles that living browsers work in, whoever started them; `null` where that cannot be known (not Linux). */
export async function profilesInUse(): Promise<Set<string> | null> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  if (pids.length === 0) return null;
  const lines = await Promise.all(pids.map(commandLine));
  return new Set(lines.flatMap((line) => profileIn(line) ?? []));
}

const profileIn = (line: string[]): string | null =>
  line.find((part) => part.startsWith(PROFILE_FLAG))?.slice(PROFILE_FLAG.length) ?? null;

const PROFILE_FLAG = '--user-data-dir=';

export async function commandLine(pid: number): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return text.split('\0').filter(Boolean);
}

/** Zombies do not count: nobody but init can remove them, and they write no files. */
async function isRunning({ pid, group }: BrowserProcess): Promise<boolean> {
  if (group === null) return signal(pid, 0);
  return (await livingProcesses()).some((stat) => stat.group === group);
}

/** How many processes there are from `root` down, itself included: the service and all its browsers. */
export async function countProcesses(root: number): Promise<number> {
  const children = new Map<number, number[]>();
  for (const { pid, parent } of await livingProcesses()) children.set(parent, [...(children.get(parent) ?? []), pid]);
  const family = [root];
  for (const pid of family) family.push(...(children.get(pid) ?? []));
  return family.length;
}

async function livingProcesses(): Promise<ProcessStat[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  const stats = await Promise.all(pids.map(statOf));
  return stats.filter((stat): stat is ProcessStat => stat !== null && !/[ZX]/.test(stat.state));
}

interface ProcessStat {
  pid: number;
  state: string;
  parent: number;
  group: number;
}

/** State, parent and group: the first fields after the command's name, which may itself hold spaces and brackets. */
async function statOf(pid: number): Promise<ProcessStat | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (text === null) return null;
  const [state = '', parent, group] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { pid, state, parent: Number(parent), group: Number(group) };
}

/** Answers whether there was somebody to signal. */
function signal(target: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(target, name);
    return true;
  } catch {
    return false;
  }
}
