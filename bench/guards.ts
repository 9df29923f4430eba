/**
 * What the guards cost a visit: the real list, from egress to identity, over many domains whose robots.txt is known and
 * whose policy lets everybody through. Every pass ends as a visit does, with the guards told how it went.
 *
 *   npm run bench:guards
 */
import { passGuards } from '../src/engine/pass-guards.js';
import type { Guard } from '../src/ports/guard.js';
import { visitPlan } from '../test/support/visit-plan.js';
import { openGuards } from './guard-list.js';

const PASSES = 20_000;
const DOMAINS = 100;
const ROUNDS = 5;

const signal = new AbortController().signal;

/** Microseconds per pass. */
async function measure(guards: readonly Guard[], urls: string[]): Promise<number> {
  const begin = performance.now();
  for (let n = 0; n < PASSES; n += 1) {
    const plan = visitPlan(urls[n % urls.length]!);
    const passage = await passGuards(guards, plan, signal);
    if (passage.kind !== 'go') throw new Error(`a guard said ${passage.kind}`);
    for (const guard of guards) guard.after?.(plan, { error: null });
  }
  return ((performance.now() - begin) * 1000) / PASSES;
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

const { list, urls, close } = await openGuards(DOMAINS);
const ways: [string, readonly Guard[]][] = [
  ['no guards', []],
  ...list.map((guard): [string, readonly Guard[]] => [guard.name, [guard]]),
  ['all of them', list],
];
const times = new Map(ways.map(([name]) => [name, [] as number[]]));
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, guards] of ways) times.get(name)!.push(await measure(guards, urls));
}
const none = median(times.get('no guards')!);
console.log(`${PASSES} passes over ${DOMAINS} domains, medians of ${ROUNDS} interleaved rounds\n`);
console.log('| guards | µs a pass | times no guards |\n| --- | --- | --- |');
for (const [name] of ways) {
  const us = median(times.get(name)!);
  console.log(`| ${name} | ${us.toFixed(1)} | ${(us / none).toFixed(1)} |`);
}
await close();
