import { appendFileSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { canariesIn, type Finding, type SinkKind } from './canary-scan.js';

/**
 * All that comes out of the services under test, gathered over the whole run and looked through at its end
 * (`secrecy-run.ts`). Outside of such a run nothing is kept.
 */
export const SINKS = 'GLEANER_TEST_SINKS';

/** Text that left the service. */
export function keep(kind: SinkKind, text: string): void {
  const run = process.env[SINKS];
  if (run) appendFileSync(join(run, `${kind}.${process.pid}.txt`), text.endsWith('\n') ? text : `${text}\n`);
}

/** Files that are about to be removed are looked through now: gathering them all would take a disk. */
export function keepFiles(directory: string): void {
  const run = process.env[SINKS];
  if (!run) return;
  for (const path of filesBelow(directory)) {
    const bytes = readFileSync(path);
    const kind = kindOf(path);
    appendFileSync(join(run, `seen.${process.pid}`), `${kind} ${bytes.length}\n`);
    for (const finding of canariesIn(bytes, kind, path)) {
      appendFileSync(join(run, `found.${process.pid}`), `${JSON.stringify(finding)}\n`);
    }
  }
}

const kindOf = (path: string): SinkKind => (/\.db(-wal|-shm)?$/.test(path) ? 'database' : 'file');

/** Settings are what the tests themselves wrote, secrets included. */
const isSettings = (path: string): boolean => path.endsWith('.yaml');

function filesBelow(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => !isSettings(path) && lstatSync(path).isFile());
}

export interface Gathered {
  /** Bytes looked through, by kind. */
  bytes: Map<string, number>;
  findings: Finding[];
}

/** Everything that was kept below this directory, looked through. */
export function lookThrough(run: string): Gathered {
  const gathered: Gathered = { bytes: new Map(), findings: [] };
  const count = (kind: string, bytes: number): void => {
    gathered.bytes.set(kind, (gathered.bytes.get(kind) ?? 0) + bytes);
  };
  for (const path of filesBelow(run)) {
    const kind = basename(path).split('.')[0]!;
    if (kind === 'seen') for (const [name, bytes] of words(path)) count(name!, Number(bytes));
    else if (kind === 'found') gathered.findings.push(...lines(path).map((line) => JSON.parse(line) as Finding));
    else {
      const bytes = readFileSync(path);
      count(kind, bytes.length);
      gathered.findings.push(...canariesIn(bytes, kind as SinkKind, basename(path)));
    }
  }
  return gathered;
}

const lines = (path: string): string[] => readFileSync(path, 'utf8').split('\n').filter(Boolean);
const words = (path: string): string[][] => lines(path).map((line) => line.split(' '));

export const openRun = (directory: string): void => {
  mkdirSync(directory, { recursive: true });
  process.env[SINKS] = directory;
};
