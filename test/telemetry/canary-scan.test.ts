import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fuzz } from '../fuzz/run.js';
import { listening, openDoor, rawExchange } from '../http/support.js';
import { makePlace, startLife } from '../soak/service-run.js';
import { canariesIn, type SinkKind } from '../support/canary-scan.js';
import { journeyEnv, spawnService } from '../support/service.js';
import { keep, keepFiles, keepStream, lookAt, lookThrough, openRun, SINKS } from '../support/sinks.js';
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

  it('finds one that comes in pieces, whatever comes in between from elsewhere', () => {
    const [hear, overhear] = [keepStream('log'), keepStream('log')];
    hear(Buffer.from('{"key":"CANA'));
    overhear(Buffer.from('{"message":"something else"}\n'));
    keep('log', 'a line');
    expect(found()).toEqual([]);
    hear(Buffer.from('RY-planted-80"}\n'));
    expect(found()).toEqual(['log']);
  });

  it('keeps nothing of what is looked at in passing but how much it was, and what was found', () => {
    const answer = 'x'.repeat(100_000);
    for (let n = 0; n < 20; n += 1) lookAt('answer', answer, 'here');
    lookAt('answer', SECRET, 'there');
    const { bytes, findings } = lookThrough(join(run, 'sinks'));
    expect(bytes).toEqual(new Map([['answer', 20 * answer.length + SECRET.length]]));
    expect(findings).toEqual([{ kind: 'answer', where: 'there', text: SECRET }]);
    const kept = readdirSync(join(run, 'sinks')).map((name) => statSync(join(run, 'sinks', name)).size);
    expect(kept.reduce((sum, size) => sum + size, 0)).toBeLessThan(1_000);
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

  describe('sees what comes out', () => {
    const answers = (): number => lookThrough(join(run, 'sinks')).bytes.get('answer') ?? 0;
    // What does not start says which setting it could not read, and how it was set.
    const wrong = { SCRAPER_PORT: SECRET };

    it('of a service in a process of its own', { timeout: 60_000 }, async () => {
      await expect(spawnService(journeyEnv(files, wrong))).rejects.toThrow('SCRAPER_PORT');
      expect(found()).toEqual(['log']);
    });

    it('of each life of a service that is dealt blows', { timeout: 60_000 }, async () => {
      await expect(startLife({ place: makePlace(files), settings: wrong })).rejects.toThrow('SCRAPER_PORT');
      expect(found()).toEqual(['log']);
    });

    it('of the door, whoever asks and however', async () => {
      const { app } = await openDoor({ health: async () => ({ status: SECRET }) });
      await app.inject('/health');
      expect(found()).toEqual(['answer']);
      const before = answers();
      const port = await listening(app);
      await rawExchange(port, ['GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n']);
      expect(found()).toEqual(['answer', 'answer']);
      expect(answers()).toBeGreaterThan(before);
      await app.close();
    });

    it('of requests made from the API document', async () => {
      await fuzz({ requests: 5, seed: 1 });
      expect(answers()).toBeGreaterThan(0);
    });
  });
});
