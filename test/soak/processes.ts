import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** One process as /proc shows it. */
export interface Process {
  pid: number;
  parent: number;
  group: number;
  state: string;
  /** In ticks since boot: with the pid it names a process for good, though pids come again. */
  startedAt: string;
  command: string;
}

export function allProcesses(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => processOf(Number(name)) ?? []);
}

/** A service and everything it has started, as long as nobody in between has died. */
export function familyOf(root: number, processes = allProcesses()): Process[] {
  const family = processes.filter(({ pid }) => pid === root);
  for (const { pid } of family) family.push(...processes.filter(({ parent }) => parent === pid));
  return family;
}

const isChromium = ({ command }: Process): boolean => /--(headless|type=|user-data-dir=)/.test(command);
/** Not the script that starts it: where the program is a wrapper, its shell waits beside the browser. */
export const isBrowser = (one: Process): boolean =>
  isChromium(one) && !one.command.includes('--type=') && !/^\S*sh\s/.test(one.command);
export const isRenderer = ({ command }: Process): boolean => command.includes('--type=renderer');
export const isZombie = ({ state }: Process): boolean => state === 'Z';

/** Those of them that still run. A zombie does not: whoever adopted it has only not looked yet. */
export function stillAlive(those: readonly Process[]): Process[] {
  return those.filter((one) => {
    const now = processOf(one.pid);
    return now !== null && now.startedAt === one.startedAt && !isZombie(now);
  });
}

/** Everything of a service that runs Chromium: from its family tree, and whoever names a file of its temp directory. */
export function chromiumsOf(servicePid: number, tempDir: string): Process[] {
  const processes = allProcesses();
  const family = familyOf(servicePid, processes).filter(isChromium);
  const groups = new Set(family.filter(isBrowser).map(({ group }) => group));
  const others = processes.filter((one) => groups.has(one.group) || usesDirectory(one, tempDir));
  return [...new Map([...family, ...others].map((one) => [one.pid, one])).values()].filter(
    (one) => isChromium(one) && !isZombie(one),
  );
}

/** What is resident, in MB; shared memory counts in every process that shares it. */
export const rssMb = (those: readonly Process[]): number =>
  those.reduce((sum, { pid }) => sum + residentPages(pid) * 4096, 0) / 2 ** 20;

/** Sockets that a process holds open. */
export function socketsOf(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return orElse(() => readdirSync(folder), []).filter((fd) =>
    orElse(() => readlinkSync(`${folder}/${fd}`), '').startsWith('socket:'),
  ).length;
}

const usesDirectory = ({ pid, command }: Process, directory: string): boolean =>
  command.includes(directory) || orElse(() => readFileSync(`/proc/${pid}/environ`, 'utf8'), '').includes(directory);

const residentPages = (pid: number): number =>
  orElse(() => Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]), 0);

function processOf(pid: number): Process | null {
  const text = orElse(() => readFileSync(`/proc/${pid}/stat`, 'utf8'), null);
  if (text === null) return null;
  // The fields follow the command's name, which may itself hold spaces and brackets.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', parent, group] = fields;
  const command = orElse(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'), '').replaceAll('\0', ' ');
  return { pid, state, parent: Number(parent), group: Number(group), startedAt: fields[19] ?? '', command };
}

/** A process may end between being listed and being asked. */
function orElse<T>(ask: () => T, otherwise: T): T {
  try {
    return ask();
  } catch {
    return otherwise;
  }
}
