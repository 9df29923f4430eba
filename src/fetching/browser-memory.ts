import { readFile } from 'node:fs/promises';
import type { Clock } from '../ports/clock.js';
import type { Member } from './browser-member.js';

/** How often the browsers are looked at: several times within what a page needs to fill the machine. */
const LOOK_MS = 2_000;
/** From this share of the limit on a browser gets no new visits; those it has may finish. */
const FULL_SHARE = 0.75;
/** Linux on every machine we run on; elsewhere nothing is known anyway. */
const PAGE_BYTES = 4096;

export interface MemoryWatch {
  members: () => Iterable<Member>;
  limitBytes: number;
  clock: Clock;
  signal: AbortSignal;
  /** Nears the limit. */
  onFull: (member: Member) => void;
  /** Is over it. */
  onOver: (member: Member) => void;
}

/** Looks at what the browsers take for as long as the signal lets it. Never rejects. */
export async function watchMemory({ members, limitBytes, clock, signal, onFull, onOver }: MemoryWatch): Promise<void> {
  while (!signal.aborted) {
    await clock.wait(LOOK_MS, signal);
    for (const member of [...members()]) {
      const bytes = await treeMemoryBytes(member.browser.pid);
      if (signal.aborted) return;
      if (bytes > limitBytes) onOver(member);
      else if (bytes > limitBytes * FULL_SHARE) onFull(member);
    }
  }
}

/**
 * What a process and all it started hold for themselves. Shared pages would count once for every process: the program
 * itself, ten times over.
 */
export async function treeMemoryBytes(root: number): Promise<number> {
  const family = [root];
  let pages = 0;
  for (const pid of family) {
    const [statm, children] = await Promise.all([
      textOf(`/proc/${pid}/statm`),
      textOf(`/proc/${pid}/task/${pid}/children`),
    ]);
    const [, resident = 0, shared = 0] = statm.split(' ').map(Number);
    pages += Math.max(0, resident - shared);
    family.push(...children.split(' ').filter(Boolean).map(Number));
  }
  return pages * PAGE_BYTES;
}

const textOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');
