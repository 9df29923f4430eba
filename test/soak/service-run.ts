import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Api, apiAt, journeyEnv } from '../support/service.js';
import { keepOutput } from '../support/sinks.js';
import { OLD_SECRET } from '../support/told.js';
import { allProcesses, chromiumsOf, type Process } from './processes.js';

/** The directories of one run: the data, and a temp directory of its own, in which nothing may be left. */
export interface Place {
  root: string;
  dataDir: string;
  tempDir: string;
  /** For the copies that are looked at. */
  copiesDir: string;
}

export function makePlace(root: string): Place {
  const place = { root, dataDir: join(root, 'data'), tempDir: join(root, 'tmp'), copiesDir: join(root, 'copies') };
  for (const folder of [place.tempDir, place.copiesDir]) mkdirSync(folder, { recursive: true });
  return place;
}

/** One life of the service, as an operator runs it. */
export interface Life extends Api {
  child: ChildProcess;
  pid: number;
  /** When it was started: monotonic ms of this process. */
  bornAt: number;
  /** From its start until it takes requests. */
  bootMs: number;
  hasEnded(): boolean;
  /** Sends the signal; resolves with the exit code or the name of the signal that ended it. */
  end(signal: NodeJS.Signals): Promise<number | string | null>;
  /** What it said last, for whoever has to find out why. */
  lastWords(): string;
}

export interface LifeOptions {
  place: Place;
  settings?: Record<string, string>;
  /** Runs what was built, which starts sooner, instead of the source. */
  built?: boolean;
}

const MOST_WORDS = 400;

export async function startLife({ place, settings = {}, built = false }: LifeOptions): Promise<Life> {
  const bornAt = performance.now();
  const env = journeyEnv(place.root, { SCRAPER_WEBHOOK_SECRET: OLD_SECRET, ...settings });
  const source = ['--import', createRequire(import.meta.url).resolve('tsx'), 'src/main.ts'];
  const child = spawn(process.execPath, built ? ['dist/main.js'] : source, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env, TMPDIR: place.tempDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  keepOutput(child);
  const ended = once(child, 'exit').then(([code, by]) => code ?? by);
  const words: string[] = [];
  const address = await new Promise<string>((resolve, reject) => {
    const hear = (chunk: Buffer): void => {
      words.push(chunk.toString());
      if (words.length > MOST_WORDS) words.shift();
      const found = /"address":"([^"]+)"/.exec(words.slice(-2).join(''));
      if (found?.[1]) resolve(found[1]);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    void ended.then((end) => reject(new Error(`The service did not start, it ended with ${end}: ${words.join('')}`)));
  });
  return {
    ...apiAt(address),
    child,
    pid: child.pid!,
    bornAt,
    bootMs: performance.now() - bornAt,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    end(signal) {
      child.kill(signal);
      return ended;
    },
    lastWords: () => words.join(''),
  };
}

/** In the temp directory: what belongs neither to the living service nor to a process that still uses it. */
export function strayFiles({ tempDir }: Place, living: Life | null): string[] {
  const commands = allProcesses().map(({ command }) => command);
  return readdirSync(tempDir).filter((name) => {
    if (living && name.startsWith(`gleaner-browser-${living.pid}-`)) return false;
    // What the loader of the source keeps for its next start.
    if (name.startsWith('tsx-') || name === 'node-compile-cache') return false;
    return !commands.some((command) => command.includes(join(tempDir, name)));
  });
}

/** Asks again and again until nothing is left or the time is up. */
export async function untilEmpty<T>(ask: () => T[], withinMs: number): Promise<{ left: T[]; tookMs: number }> {
  const begun = performance.now();
  for (;;) {
    const left = ask();
    const tookMs = performance.now() - begun;
    if (left.length === 0 || tookMs >= withinMs) return { left, tookMs };
    await sleep(50);
  }
}

export const chromiumsIn = (place: Place, pid: number): Process[] => chromiumsOf(pid, place.tempDir);
