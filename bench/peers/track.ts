import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Contestant, PageKind } from './contestants.js';
import type { Run } from './figures.js';
import { CORES, machineMs, quiet } from './machine.js';
import type { ProcessTree } from './process-tree.js';

const RUN_TIMEOUT_MS = 180_000;
const RSS_EVERY_MS = 200;
/** Well inside the measured part: nobody is done sooner. */
const PSS_AFTER_MS = 1000;

/** The site, and a place beside it where one contestant after the other runs and is measured. */
export interface Track {
  /** Rejects with the contestant's own words if it gave no result. */
  run(kind: PageKind, contestant: Contestant): Promise<OwnRun>;
  close(): Promise<void>;
}

/** Ours says more: where its CPU went, and how its pages came. */
export type OwnRun = Run & { serviceCpuMs?: number; clientCpuMs?: number; renderedBy?: Record<string, number> };

type Message = { event: 'begin' } | { event: 'end'; figures: RunnerFigures };
type RunnerFigures = Omit<OwnRun, 'cpuMs' | 'rssMb' | 'pssMb' | 'requests' | 'noise'> & { seconds: number };

interface Place {
  port: number;
  chromium: string;
  tree: ProcessTree;
}

interface Reading {
  cpuMs: number;
  machine: ReturnType<typeof machineMs>;
  site: { requests: number; cpuMs: number };
}

export async function openTrack({ port, chromium, tree }: Place): Promise<Track> {
  const site = fork(pathOf('site.mjs'), [String(port)], { execArgv: [] });
  await once(site, 'message');
  const read = async (): Promise<Reading> => {
    const now = { cpuMs: tree.cpuMs(), machine: machineMs() };
    const answer = await fetch(`http://127.0.0.1:${port}/__stats`, { headers: { connection: 'close' } });
    return { ...now, site: (await answer.json()) as Reading['site'] };
  };
  return {
    async run(kind, { runner, options }) {
      await quiet();
      const child = fork(pathOf(runner), [JSON.stringify({ ...options, kind, port, chromium })], {
        // Not the loader that runs us: contestants are measured as they are.
        execArgv: [],
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      });
      tree.add(child.pid as number);
      try {
        return await measured({ child, tree, read, pages: options.pages });
      } finally {
        await pause(150);
        tree.kill();
        await pause(150);
      }
    },
    async close() {
      site.disconnect();
      await once(site, 'exit');
    },
  };
}

interface Watched {
  child: ChildProcess;
  tree: ProcessTree;
  read: () => Promise<Reading>;
  pages: number;
}

function measured({ child, tree, read, pages }: Watched): Promise<OwnRun> {
  return new Promise((resolve, reject) => {
    let rssMb = 0;
    let pssMb = 0;
    let complaint = '';
    let run: Promise<OwnRun> | null = null;
    let before: Promise<Reading> | null = null;
    const look = (): void => void (rssMb = Math.max(rssMb, tree.rssMb()));
    const timers = [
      setInterval(look, RSS_EVERY_MS),
      setTimeout(() => {
        complaint += `no result within ${RUN_TIMEOUT_MS / 1000} s `;
        tree.kill();
      }, RUN_TIMEOUT_MS),
    ];
    child.stderr?.on('data', (chunk) => (complaint = (complaint + chunk).slice(0, 2000)));
    child.on('message', (message: Message) => {
      if (message.event === 'begin') {
        before = read();
        timers.push(setTimeout(() => (pssMb = tree.pssMb()), PSS_AFTER_MS));
        return;
      }
      // First of all: what follows takes its time, and the contestant goes on.
      const after = read();
      look();
      pssMb ||= tree.pssMb();
      run = finish(message.figures, before as Promise<Reading>, after, pages).then((rest) => ({
        ...rest,
        rssMb,
        pssMb,
      }));
    });
    child.once('exit', () => {
      for (const timer of timers) clearTimeout(timer);
      if (run) run.then(resolve, reject);
      else reject(new Error(complaint.replace(/\s+/g, ' ').slice(0, 300) || 'no result'));
    });
  });
}

async function finish(
  { seconds, ...figures }: RunnerFigures,
  beginning: Promise<Reading>,
  end: Promise<Reading>,
  pages: number,
): Promise<Omit<OwnRun, 'rssMb' | 'pssMb'>> {
  const [before, after] = await Promise.all([beginning, end]);
  const cpuMs = after.cpuMs - before.cpuMs;
  const siteMs = after.site.cpuMs - before.site.cpuMs;
  const othersMs = Math.max(0, after.machine.busy - before.machine.busy - cpuMs - siteMs);
  const lostMs = after.machine.stolen - before.machine.stolen + othersMs;
  return {
    ...figures,
    cpuMs: cpuMs / pages,
    requests: (after.site.requests - before.site.requests) / pages,
    noise: lostMs / (seconds * 1000 * CORES),
  };
}

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
