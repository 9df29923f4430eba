import { spawnSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteDatabase, type SqliteOptions } from '../../src/backends/embedded/sqlite-database.js';
import { tempDir } from '../support/temp-dir.js';

const PAGE = 4096;
const UNAVAILABLE = { code: 'storage_unavailable' };

let directory: ReturnType<typeof tempDir>;
let opened: SqliteDatabase[];
const at = (name: string): string => join(directory.path, name);

beforeEach(() => {
  directory = tempDir('sqlite-damage');
  opened = [];
});
afterEach(async () => {
  for (const database of opened) await database.close();
  directory.remove();
});

function open(name = 'gleaner.db', options: SqliteOptions = {}): SqliteDatabase {
  const database = new SqliteDatabase(at(name), options);
  opened.push(database);
  return database;
}

const create = (database: SqliteDatabase): Promise<number> =>
  database.write((tx) => tx.run('CREATE TABLE notes (id BIGINT PRIMARY KEY, text TEXT)'));

/** One commit each. */
async function insert(database: SqliteDatabase, from: number, to: number): Promise<void> {
  for (let id = from; id <= to; id += 1) {
    await database.write((tx) => tx.run('INSERT INTO notes VALUES (?, ?)', [id, `${id} ${'x'.repeat(3_000)}`]));
  }
}

const idsIn = async (database: SqliteDatabase): Promise<number[]> =>
  (await database.read.all<{ id: number; text: string }>('SELECT id, text FROM notes ORDER BY id')).map((row) => {
    expect(row.text.startsWith(`${row.id} x`)).toBe(true);
    return row.id;
  });

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

function overwrite(path: string, position: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(PAGE, 0xa5), 0, PAGE, position);
  closeSync(file);
}

async function closedStoreOf(rows: number): Promise<string> {
  const database = new SqliteDatabase(at('gleaner.db'));
  await create(database);
  await insert(database, 1, rows);
  await database.close();
  return at('gleaner.db');
}

describe('a store that was damaged while nobody looked', () => {
  it.each([
    ['its first page', 0],
    ['a page in the middle', 50 * PAGE],
  ])('is not opened, and left as it is: %s', async (_, position) => {
    const path = await closedStoreOf(100);
    overwrite(path, position);
    const before = readFileSync(path);
    expect(() => open()).toThrow(expect.objectContaining({ ...UNAVAILABLE, message: expect.stringContaining(path) }));
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('is opened without its index of the log, which is made anew', async () => {
    const database = open();
    await create(database);
    await insert(database, 1, 50);
    copyFileSync(at('gleaner.db'), at('copy.db'));
    copyFileSync(at('gleaner.db-wal'), at('copy.db-wal'));
    expect(existsSync(at('copy.db-shm'))).toBe(false);
    expect(await idsIn(open('copy.db'))).toEqual(upTo(50));
  });

  it('whose log was cut, wherever, holds what came before the cut and nothing half', async () => {
    const database = open();
    await create(database);
    await insert(database, 1, 50);
    const { size } = statSync(at('gleaner.db-wal'));
    const counts: number[] = [];
    for (const [n, part] of [0.31, 0.5, 0.77, 0.999].entries()) {
      copyFileSync(at('gleaner.db'), at(`cut${n}.db`));
      copyFileSync(at('gleaner.db-wal'), at(`cut${n}.db-wal`));
      truncateSync(at(`cut${n}.db-wal`), Math.floor(size * part));
      const ids = await idsIn(open(`cut${n}.db`));
      expect(ids).toEqual(upTo(ids.length));
      counts.push(ids.length);
    }
    expect(counts).toEqual([...counts].sort((left, right) => left - right));
    expect(counts.at(-1)).toBeLessThan(50);
  });
});

describe('a power cut', () => {
  it('takes nothing of which anybody was told, at whatever sync it comes, log moved or not', async () => {
    const images: { name: string; told: number }[] = [];
    let told = 0;
    // What the disk holds for certain once a sync is done is what the files hold when it is asked for.
    const syncFile = async (): Promise<void> => {
      if (told % 150 !== 0) return;
      const name = `image${images.length}.db`;
      copyFileSync(at('gleaner.db'), at(name));
      copyFileSync(at('gleaner.db-wal'), at(`${name}-wal`));
      images.push({ name, told });
    };
    const database = open('gleaner.db', { syncFile });
    await create(database);
    for (let id = 1; id <= 1_500; id += 1) {
      await insert(database, id, id);
      told = id;
    }
    expect(images.length).toBeGreaterThan(9);
    for (const image of images.slice(1)) {
      const ids = await idsIn(open(image.name));
      expect(ids).toEqual(upTo(ids.length));
      expect(ids.length).toBeGreaterThanOrEqual(image.told);
    }
  });
});

describe('a disk that fails while the service runs', () => {
  it('is not read from any more once a page was found damaged, and it is told once', async () => {
    const path = await closedStoreOf(400);
    const broken: Error[] = [];
    const database = open('gleaner.db', { onBroken: (error) => broken.push(error) });
    for (let page = 100; page < 140; page += 1) overwrite(path, page * PAGE);
    await expect(idsIn(database)).rejects.toMatchObject(UNAVAILABLE);
    await expect(insert(database, 1_001, 1_001)).rejects.toMatchObject(UNAVAILABLE);
    await expect(idsIn(database)).rejects.toMatchObject(UNAVAILABLE);
    expect(broken).toMatchObject([UNAVAILABLE]);
  });

  it('and refuses what is moved out of the log ends all trust, which SQLite itself would not tell', async () => {
    const tsx = createRequire(import.meta.url).resolve('tsx');
    const script = fileURLToPath(new URL('limited-disk.mjs', import.meta.url));
    // 6 MiB: the log stays below it, the file does not.
    const limited = `trap '' XFSZ; ulimit -f 6144; exec "$0" --import "$1" "$2" "$3"`;
    const run = spawnSync('bash', ['-c', limited, process.execPath, tsx, script, at('limited.db')], {
      encoding: 'utf8',
      timeout: 25_000,
    });
    expect(run.status, run.stderr).toBe(7);
    const { code, told } = JSON.parse(run.stdout);
    expect(code).toBe('SQLITE_IOERR_WRITE');
    const left = new BetterSqlite3(at('limited.db'));
    expect(left.prepare('SELECT COUNT(*) FROM notes WHERE id <= ?').pluck().get(told)).toBe(told);
    expect(left.pragma('integrity_check', { simple: true })).toBe('ok');
    left.close();
  });
});

describe('the log', () => {
  it('is moved into the file as it grows', async () => {
    const database = open();
    await create(database);
    let longest = 0;
    for (let id = 1; id <= 2_500; id += 50) {
      await insert(database, id, id + 49);
      longest = Math.max(longest, database.logBytes);
    }
    expect(longest).toBeGreaterThan(1024 * 1024);
    expect(longest).toBeLessThan(8 * 1024 * 1024);
  });

  it('that cannot begin anew while another process reads is told of when it is too long, and when it is not any more', async () => {
    const told: { isLong: boolean; bytes: number }[] = [];
    const longLogBytes = 10 * 1024 * 1024;
    const database = open('gleaner.db', { longLogBytes, onLogLength: (isLong, bytes) => told.push({ isLong, bytes }) });
    await create(database);
    await insert(database, 1, 1);
    const reader = new BetterSqlite3(at('gleaner.db'), { readonly: true });
    reader.exec('BEGIN');
    expect(reader.prepare('SELECT COUNT(*) FROM notes').pluck().get()).toBe(1);
    await insert(database, 2, 2_600);
    expect(told).toEqual([{ isLong: true, bytes: expect.any(Number) }]);
    expect(told[0]!.bytes).toBeGreaterThan(longLogBytes);
    reader.exec('COMMIT');
    reader.close();
    await insert(database, 2_601, 4_000);
    expect(told[1]).toMatchObject({ isLong: false });
    expect(await idsIn(database)).toHaveLength(4_000);
  });
});
