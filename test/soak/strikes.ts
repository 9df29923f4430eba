import { watch } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Receiver } from '../support/receiver.js';
import type { Chance } from './chance.js';
import { familyOf, isBrowser, isRenderer, type Process } from './processes.js';
import type { Life, Place } from './service-run.js';
import { storePath } from './store-copy.js';

/** What is done to the service or its browsers, by its number in the table of faults. */
export const KINDS = {
  F01: 'service killed at any moment',
  F02: 'service killed as a receiver answers',
  F03: 'service killed as the store writes',
  F04: 'service stopped (SIGTERM)',
  F10: 'browser killed',
  F11: 'renderer killed',
  F12: 'browser hangs (SIGSTOP)',
  F13: 'renderer hangs (SIGSTOP)',
} as const;
export type Kind = keyof typeof KINDS;

const DECK: Kind[] = ['F01', 'F01', 'F02', 'F02', 'F03', 'F04', 'F10', 'F11', 'F12', 'F13'];

export const endsService = (kind: Kind): boolean => kind < 'F10';
export const hitsBrowser = (kind: Kind): boolean => kind === 'F10' || kind === 'F12';
const isHang = (kind: Kind): boolean => kind === 'F12' || kind === 'F13';

/** Ten at a time are shuffled, so that ten already hold every kind. */
export function chooseKinds(count: number, chance: Chance): Kind[] {
  const kinds: Kind[] = [];
  while (kinds.length < count) kinds.push(...chance.shuffled(DECK));
  return kinds.slice(0, count);
}

export interface StrikeParts {
  life: Life;
  place: Place;
  receiver: Receiver;
  chance: Chance;
}

/** Longest wait for a moment that may not come. */
const LATEST_MS = 4_000;
const RANDOM_MS = 2_500;

/** Waits for the moment of the kind and kills the service; resolves with how it ended, and how long that took. */
export async function endService(kind: Kind, parts: StrikeParts): Promise<Ended> {
  const { life, chance } = parts;
  if (kind === 'F02') await receiverAnswers(parts);
  else if (kind === 'F03') await storeWrites(parts);
  else await sleep(chance.between(0, RANDOM_MS));
  return endWith(life, kind === 'F04' ? 'SIGTERM' : 'SIGKILL');
}

export interface Ended {
  with: number | string | null;
  tookMs: number;
}

export async function endWith(life: Life, signal: NodeJS.Signals): Promise<Ended> {
  const begun = performance.now();
  const end = await life.end(signal);
  return { with: end, tookMs: performance.now() - begun };
}

/** Before its answer leaves, or right after: either way nobody here learns what the receiver knows. */
function receiverAnswers({ receiver, life, chance }: StrikeParts): Promise<void> {
  const usual = receiver.behave;
  const isLate = chance.happens(0.5);
  let left = chance.between(1, 4);
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      receiver.behave = usual;
      resolve();
    };
    const kill = (): void => {
      life.child.kill('SIGKILL');
      done();
    };
    const timer = setTimeout(done, LATEST_MS);
    receiver.behave = () => {
      left -= 1;
      if (left === 0 && isLate) setImmediate(kill);
      else if (left === 0) kill();
      return 200;
    };
  });
}

function storeWrites({ place, life, chance }: StrikeParts): Promise<void> {
  let left = chance.between(1, 30);
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      watcher.close();
      resolve();
    };
    const watcher = watch(`${storePath(place.dataDir)}-wal`, () => {
      left -= 1;
      if (left > 0) return;
      life.child.kill('SIGKILL');
      done();
    });
    const timer = setTimeout(done, LATEST_MS);
  });
}

/**
 * A browser of the service, or one of its renderers; `null` if there is none within the time. Of browsers the one with
 * most to do, so that there are visits to lose.
 */
export async function chooseVictim(kind: Kind, { life, chance }: StrikeParts): Promise<Process | null> {
  const candidates = (): Process[] => {
    const family = familyOf(life.pid);
    const pagesOf = (one: Process): number => family.filter((it) => isRenderer(it) && it.group === one.group).length;
    if (!hitsBrowser(kind)) return family.filter(isRenderer);
    const browsers = family.filter((one) => isBrowser(one) && pagesOf(one) > 0);
    return browsers.sort((a, b) => pagesOf(b) - pagesOf(a)).slice(0, 1);
  };
  await found(candidates);
  await sleep(chance.between(0, RANDOM_MS / 2));
  const victims = await found(candidates);
  return victims.length > 0 ? chance.pick(victims) : null;
}

async function found(candidates: () => Process[]): Promise<Process[]> {
  for (let waited = 0; ; waited += 50) {
    const victims = candidates();
    if (victims.length > 0 || waited >= LATEST_MS) return victims;
    await sleep(50);
  }
}

export function hit(kind: Kind, { pid }: Process): void {
  try {
    process.kill(pid, isHang(kind) ? 'SIGSTOP' : 'SIGKILL');
  } catch {
    // It went by itself in the meantime.
  }
}
