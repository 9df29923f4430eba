import { GleanerError } from '../src/domain/errors.js';
import { createPolicyBook, DEFAULT_POLICY, type PolicyBook } from '../src/domain/policy.js';
import type { World, WorldTask } from '../test/support/dispatch-run.js';

export const TASKS_PER_DOMAIN = 10;
/** The largest sites have agreed to more than the default. */
const LARGE_SITES = 100;
const LARGE_RATE = { tokensPerInterval: 40, maxConcurrent: 8 };
/** Four of five tasks are there from the beginning; the others come over two hours, as callers do. */
const BACKLOG = 0.8;
const TRICKLE_MS = 2 * 3_600_000;
const JOB_SIZES = [0, 0, 0, 5, 20, 100, 100, 1_000, 1_000, 100_000];

export const CHARACTERS = ['well', 'slow', 'down for an hour', 'always failing', 'answers 429'] as const;
export type Character = (typeof CHARACTERS)[number];

/** The largest are well. Of a hundred others one always fails, one sends 429s, three are down for an hour, five slow. */
export function characterOf(domain: number): Character {
  if (domain < LARGE_SITES) return 'well';
  const kind = (domain * 37) % 100;
  if (kind < 5) return 'slow';
  if (kind < 8) return 'down for an hour';
  if (kind === 8) return 'always failing';
  return kind === 9 ? 'answers 429' : 'well';
}

const hostOf = (domain: number): string => `jobs.site-${domain}.com`;

export function policiesOf(domains: number): PolicyBook {
  const large = Array.from({ length: Math.min(LARGE_SITES, domains / 10) }, (_, n) => `site-${n}.com`);
  return createPolicyBook(DEFAULT_POLICY, new Map(large.map((domain) => [domain, LARGE_RATE])));
}

/** Every domain has a task; the rest go by Zipf's law, so that the largest has thousands and half have hardly more. */
export function scaleWorld(tasks: number): World {
  const domains = tasks / TASKS_PER_DOMAIN;
  const random = seeded(tasks);
  const domainOf = new Uint32Array(tasks);
  const pick = zipf(domains, random);
  for (let n = 0; n < tasks; n += 1) domainOf[n] = n % TASKS_PER_DOMAIN === 0 ? n / TASKS_PER_DOMAIN : pick();
  const backlog = Math.floor(tasks * BACKLOG);
  const task = (n: number): WorldTask => ({
    domain: domainOf[n]!,
    url: `https://${hostOf(domainOf[n]!)}/openings/2026/posting-${n}?ref=list`,
    jobSize: JOB_SIZES[(n * 7) % JOB_SIZES.length]!,
    needs: n % 50 === 3 ? 'browser' : 'http',
    arrivesAt: n < backlog ? 0 : Math.round(((n - backlog) / (tasks - backlog)) * TRICKLE_MS),
  });
  const visit: World['visit'] = (domain, now) => answer(characterOf(domain), now, random);
  return { tasks, domains, task, visit };
}

function answer(character: Character, now: number, random: () => number): ReturnType<World['visit']> {
  const tookMs = Math.round(200 + random() * 1_800);
  if (character === 'slow') return { tookMs: 8 * tookMs, error: null };
  if (character === 'answers 429' && random() < 0.1) return { tookMs, error: THROTTLED };
  if (character === 'always failing' || (character === 'down for an hour' && now < 3_600_000)) {
    return { tookMs, error: DOWN };
  }
  return { tookMs, error: null };
}

const DOWN = new GleanerError('target_server_error', 'The site answered 500.');
const THROTTLED = new GleanerError('rate_limited', 'The site answered 429.');

function zipf(count: number, random: () => number): () => number {
  const upTo = new Float64Array(count);
  let sum = 0;
  for (let n = 0; n < count; n += 1) upTo[n] = sum += 1 / (n + 1);
  return () => {
    const at = random() * sum;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (upTo[middle]! < at) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/** The same numbers in every run (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
