import { readFile } from 'node:fs/promises';
import type { Clock } from '../ports/clock.js';

const STEP_MS = 20;
const LONGEST_WAIT_MS = 2000;

/**
 * Kills a browser with everything it started. Playwright starts it as the leader of a process group, but where the
 * executable is a wrapper script the leader is the shell: the group is asked for, not guessed.
 */
export async function killBrowser(found: BrowserProcess, clock: Clock): Promise<void> {
  const target = found.group === null ? found.pid : -found.group;
  signal(target, 'SIGKILL');
  signal(found.pid, 'SIGKILL');
  // Its files may be removed only when nobody writes them any more. A zombie that init never reaps must not hold us.
  for (let waited = 0; waited < LONGEST_WAIT_MS && signal(target, 0); waited += STEP_MS) await clock.wait(STEP_MS);
}

export interface BrowserProcess {
  pid: number;
  /** Process group of its own, or null where that cannot be known (not Linux, already gone, or it is ours). */
  group: number | null;
  /** Where its profile is, from its command line. */
  profile: string | null;
}

export async function inspectBrowser(pid: number): Promise<BrowserProcess> {
  const [line, group, ours] = await Promise.all([commandLine(pid), groupOf(pid), groupOf(process.pid)]);
  const profile = line.find((part) => part.startsWith('--user-data-dir='))?.slice('--user-data-dir='.length) ?? null;
  return { pid, group: group === ours ? null : group, profile };
}

export async function commandLine(pid: number): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return text.split('\0').filter(Boolean);
}

/** Field 5 of stat, counted after the command's name, which may itself hold spaces and brackets. */
async function groupOf(pid: number): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  const group = text
    ?.slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .at(2);
  return group ? Number(group) : null;
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
