import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canariesIn, type SinkKind } from '../support/canary-scan.js';
import { keep, keepFiles, lookThrough, openRun, SINKS } from '../support/sinks.js';
import { SPELLINGS } from './canaries.js';

const SECRET = 'CANARY-planted-77';
const CALLBACK = 'CANARY-cb-planted-78';

describe('the look through what came out of the service', () => {
  let run: string;
  let files: string;
  const outer = process.env[SINKS];
  beforeEach(() => {
    run = mkdtempSync(join(tmpdir(), 'gleaner-planted-'));
    files = join(run, 'elsewhere');
    openRun(join(run, 'sinks'));
    mkdirSync(files);
  });
  afterEach(() => {
    if (outer) process.env[SINKS] = outer;
    else delete process.env[SINKS];
    rmSync(run, { recursive: true, force: true });
  });
  const found = (): string[] => lookThrough(join(run, 'sinks')).findings.map(({ kind }) => kind);

  it.each(['log', 'answer', 'metrics', 'webhook'] as const)('finds a secret in a %s', (kind) => {
    keep(kind, 'nothing here');
    expect(found()).toEqual([]);
    keep(kind, `{"text":"before ${SECRET} after"}`);
    expect(found()).toEqual([kind]);
  });

  it.each(Object.entries(SPELLINGS))('finds one that is spelled otherwise: %s', (_, spell) => {
    keep('log', `x=${spell(SECRET)}&y`);
    expect(found().length).toBeGreaterThan(0);
  });

  it.each([
    ['percent-encoded whole', SECRET.replaceAll('-', '%2d')],
    ['percent-encoded twice', SECRET.replaceAll('-', '%252D')],
    ['escaped in JSON', SECRET.replaceAll('-', '\\u002d')],
    ['in the middle of base64', Buffer.from(`ab:${SECRET}`).toString('base64')],
    ['one place further', Buffer.from(`abc:${SECRET}`).toString('base64url')],
    ['two places further', Buffer.from(`abcd:${SECRET}`).toString('base64')],
    ['in lower case', SECRET.toLowerCase()],
  ])('finds one that is %s', (_, text) => {
    expect(canariesIn(Buffer.from(`"${text}"`), 'answer', 'here')).not.toEqual([]);
  });

  it('finds one in a database and in any other file, before they are removed', () => {
    const database = new BetterSqlite3(join(files, 'gleaner.db'));
    database.exec(`CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('${SECRET}')`);
    database.close();
    writeFileSync(join(files, 'picture.png'), Buffer.concat([Buffer.from([0, 255, 128]), Buffer.from(SECRET)]));
    keepFiles(files);
    expect(found().sort()).toEqual(['database', 'file']);
  });

  it('leaves settings alone, which hold secrets by right', () => {
    writeFileSync(join(files, 'proxies.yaml'), `url: http://user:${SECRET}@host`);
    keepFiles(files);
    expect(found()).toEqual([]);
  });

  it('lets the store know where to call back, but not who with, and nobody else', () => {
    const look = (kind: SinkKind, text: string) => canariesIn(Buffer.from(text), kind, 'here');
    expect(look('database', `https://hooks.example/${CALLBACK}`)).toEqual([]);
    expect(look('database', `https://hooks.example/${CALLBACK} ${SECRET}`)).toHaveLength(1);
    expect(look('log', `https://hooks.example/${CALLBACK}`)).toHaveLength(1);
  });
});
