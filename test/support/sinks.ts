import type { ChildProcess } from 'node:child_process';
import { appendFileSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { canariesIn, type Finding, type SinkKind } from './canary-scan.js';

/**
 * All that comes out of the services under test, gathered over the whole run and looked through at its end
 * (`secrecy-run.ts`). Outside of such a run nothing is kept.
 */
export const SINKS = 'GLEANER_TEST_SINKS';

/** Text that left the service, each time a whole one. */
export function keep(kind: SinkKind, text: string): void {
  const run = process.env[SINKS];
  if (run) appendFileSync(join(run, `${kind}.${process.pid}.txt`), text.endsWith('\n') ? text : `${text}\n`);
}

let streams = 0;

/** The same for what comes in pieces: one stream stays in one piece, so that a secret is found that a border cuts. */
export function keepStream(kind: SinkKind): (piece: Buffer) => void {
  const name = `${kind}.${process.pid}.${(streams += 1)}.txt`;
  return (piece) => {
    const run = process.env[SINKS];
    if (run) appendFileSync(join(run, name), piece);
  };
}

/** All that a process of ours says. */
export function keepOutput({ stdout, stderr }: Pick<ChildProcess, 'stdout' | 'stderr'>): void {
  for (const stream of [stdout, stderr]) stream?.on('data', keepStream('log'));
}

/** Looked through now, as of many thousands of answers not each can be kept. */
export function lookAt(kind: SinkKind, text: string, where: string): void {
  const run = process.env[SINKS];
  if (run) look(run, kind, { bytes: Buffer.from(text), where });
}

/** Files that are about to be removed are looked through now: gathering them all would take a disk. */
export function keepFiles(directory: string): void {
  const run = process.env[SINKS];
  if (!run) return;
  for (const path of filesBelow(directory)) look(run, kindOf(path), { bytes: readFileSync(path), where: path });
}

function look(run: string, kind: SinkKind, { bytes, where }: { bytes: Buffer; where: string }): void {
  appendFileSync(join(run, `seen.${process.pid}`), `${kind} ${bytes.length}\n`);
  for (const finding of canariesIn(bytes, kind, where)) {
    appendFileSync(join(run, `found.${process.pid}`), `${JSON.stringify(finding)}\n`);
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
