import type { BrowserPoolStats } from './browser-pool.js';
import { countScratch } from './browser-scratch.js';
import type { Browsers } from './browsers.js';

/** What is held open right now. At rest: the resting browsers, a page kept ready in each for a while, and no visits. */
export interface Resources {
  browsers: number;
  /** Of visits, and of those being closed. */
  contexts: number;
  /** Those made ready ahead included. */
  pages: number;
  temp_directories: number;
  sockets: number;
  timers: number;
  /** The same by whose they are. */
  timers_of: Record<string, number>;
}

/** Cheap enough to be asked at any time: counters, and one look into the directory for temporary files. */
export async function countResources(browsers: Browsers, timers: () => Record<string, number>): Promise<Resources> {
  const timersOf = timers();
  const all = poolsOf(browsers);
  const sum = (key: keyof BrowserPoolStats): number => all.reduce((total, stats) => total + stats[key], 0);
  return {
    browsers: sum('browsers'),
    contexts: sum('contexts_open'),
    pages: sum('contexts_open') + sum('contexts_ready'),
    temp_directories: await countScratch(),
    sockets: openSockets(),
    timers: Object.values(timersOf).reduce((total, count) => total + count, 0),
    timers_of: timersOf,
  };
}

/** Of the whole process, without those that are only kept for the next time. */
export const openSockets = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;

const poolsOf = ({ own, other }: Browsers): BrowserPoolStats[] =>
  [own, other].flatMap((pools) => (pools ? [pools.pages.stats(), pools.pictures.stats(), pools.solitary.stats()] : []));
