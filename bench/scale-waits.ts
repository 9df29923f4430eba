import type { DispatchRun, World } from '../test/support/dispatch-run.js';
import { type Character, characterOf } from './scale-world.js';

interface Waits {
  tasks: number;
  longest: number;
  /** What the rate of the domain alone asked of the task that waited longest, and at most of any. */
  forced: number;
  /** Beyond what the rate asks for. */
  beyond: number[];
}

const CLASSES = ['standalone', 'job of up to 100', 'job of 1,000 and more'] as const;
const classOf = (jobSize: number): (typeof CLASSES)[number] =>
  jobSize === 0 ? CLASSES[0] : jobSize <= 100 ? CLASSES[1] : CLASSES[2];

/** Only of domains that serve what they are asked for: a failing one makes its tasks wait, or end, for other reasons. */
const SERVING: ReadonlySet<Character> = new Set<Character>(['well', 'slow']);

/** In hours and seconds of virtual time. */
export function printWaits(run: DispatchRun, world: World, slots: Record<string, number>): void {
  const groups = new Map<string, Waits>();
  for (let n = 0; n < world.tasks; n += 1) {
    const { domain, jobSize, arrivesAt } = world.task(n);
    if (!SERVING.has(characterOf(domain)) || run.waits[n] === -1) continue;
    const name = `${classOf(jobSize)} | ${arrivesAt === 0 ? 'there from the beginning' : 'came later'}`;
    const group = groups.get(name) ?? { tasks: 0, longest: 0, forced: 0, beyond: [] };
    groups.set(name, group);
    group.tasks += 1;
    group.longest = Math.max(group.longest, run.waits[n]!);
    group.forced = Math.max(group.forced, run.forced[n]!);
    group.beyond.push(run.waits[n]! - run.forced[n]!);
  }
  const busyS = run.busyMs / 1_000 / (slots.http! + slots.browser!);
  console.log(
    `${run.looks.toLocaleString('en')} dispatches, ${run.visits.toLocaleString('en')} visits; ` +
      `${run.opened.size.toLocaleString('en')} circuits opened. ` +
      `The slots alone need ${busyS.toFixed(0)} s for all visits. Waits in seconds:\n`,
  );
  console.log('| class | arrival | tasks | longest | longest by rate alone | beyond the rate: median | most |');
  console.log('| --- | --- | --- | --- | --- | --- | --- |');
  for (const name of [...groups.keys()].sort(byClass)) {
    const { tasks, longest, forced, beyond } = groups.get(name)!;
    beyond.sort((a, b) => a - b);
    const cells = [longest, forced, beyond[beyond.length >> 1]!, beyond.at(-1)!].map((ms) => (ms / 1_000).toFixed(1));
    console.log(`| ${name} | ${[tasks.toLocaleString('en'), ...cells].join(' | ')} |`);
  }
}

const rankOf = (name: string): number => CLASSES.findIndex((one) => name.startsWith(one));
const byClass = (a: string, b: string): number => rankOf(a) - rankOf(b) || b.localeCompare(a);
