import { once } from 'node:events';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { journeyEnv, postingAt, type ServiceProcess, spawnService } from '../support/service.js';
import { type Site, startSite } from '../support/site.js';
import { onSmallDisk } from '../support/small-disk.js';
import { tempDir } from '../support/temp-dir.js';

const SCRAPE = '/api/v1/scrape';
const REFUSED = { status: 503, body: { meta: { code: 'storage_unavailable', retryable: true } } };
const isOver = (data: Record<string, unknown>): boolean => data.completed_at !== null;
/** Nobody here needs a browser. */
const NO_BROWSER = { SCRAPER_CHROMIUM_PATH: '/no/such/chromium', SCRAPER_HTTP_CONCURRENCY: '4' };

const command = onSmallDisk(8);
const why = command ? '' : ' (skipped: no right to mount a small disk here)';

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());

/** Posts until one is refused; the ids of those that were taken. */
async function fill(api: ServiceProcess): Promise<string[]> {
  const taken: string[] = [];
  for (let n = 0; n < 5_000; n += 1) {
    const host = site.hosts[n % site.hosts.length];
    const answer = await api.post(SCRAPE, postingAt(site.url(`/slow?ms=200&n=${n}`, host)));
    if (answer.status !== 202) {
      expect(answer).toMatchObject(REFUSED);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      return taken;
    }
    taken.push(answer.body.data.task_id);
  }
  throw new Error('The disk did not fill up.');
}

async function completed(api: ServiceProcess, ids: string[]): Promise<void> {
  for (const id of ids) {
    const { body } = await api.until(`${SCRAPE}/${id}`, isOver);
    expect(body.data.status).toBe('completed');
  }
}

describe.skipIf(!command)(`a disk that is full${why}`, () => {
  it('takes no new work, loses none, and goes on without a restart once there is room', {
    timeout: 120_000,
  }, async () => {
    const directory = tempDir('full-disk');
    const env = journeyEnv(directory.path, { ...NO_BROWSER, SCRAPER_MAX_QUEUE_DEPTH: '10000' });
    mkdirSync(env.SCRAPER_DATA_DIR!);
    const api = await spawnService({ ...env, SMALL_DISK: env.SCRAPER_DATA_DIR! }, { through: command! });
    try {
      // The disk as the service sees it.
      const data = join('/proc', String(api.child.pid), 'root', env.SCRAPER_DATA_DIR!);
      const ballast = join(data, 'ballast');
      expect(() => writeFileSync(ballast, Buffer.alloc(16 * 1024 * 1024))).toThrow('ENOSPC');
      const taken = await fill(api);
      expect((await api.get('/health')).status).toBe(200);
      for (const id of taken) expect((await api.get(`${SCRAPE}/${id}`)).status).toBe(200);
      rmSync(ballast);
      const later = await expectTaken(api);
      await completed(api, [...taken, later]);
      // SQLite finds its way only among what this process sees itself.
      for (const file of ['gleaner.db', 'gleaner.db-wal']) copyFileSync(join(data, file), join(directory.path, file));
      const store = new BetterSqlite3(join(directory.path, 'gleaner.db'));
      expect(store.pragma('integrity_check', { simple: true })).toBe('ok');
      expect(store.prepare('SELECT COUNT(*) FROM tasks').pluck().get()).toBe(taken.length + 1);
      store.close();
    } finally {
      await api.kill('SIGKILL');
      directory.remove();
    }
  });
});

async function expectTaken(api: ServiceProcess): Promise<string> {
  const answer = await api.post(SCRAPE, postingAt(site.url('/job/1')));
  expect(answer.status).toBe(202);
  return answer.body.data.task_id;
}

describe('a store that another process has locked', () => {
  it('takes no new work, goes on answering, and loses nothing', { timeout: 60_000 }, async () => {
    const directory = tempDir('locked-store');
    const env = journeyEnv(directory.path, NO_BROWSER);
    const api = await spawnService(env);
    try {
      const before = await expectTaken(api);
      const other = new BetterSqlite3(join(env.SCRAPER_DATA_DIR!, 'gleaner.db'), { timeout: 5_000 });
      other.exec('BEGIN IMMEDIATE');
      for (let n = 0; n < 3; n += 1) {
        expect(await api.post(SCRAPE, postingAt(site.url('/job/2')))).toMatchObject(REFUSED);
        expect((await api.get('/health')).status).toBe(200);
        expect((await api.get(`${SCRAPE}/${before}`)).status).toBe(200);
      }
      other.exec('ROLLBACK');
      const count = other.prepare('SELECT COUNT(*) FROM tasks').pluck();
      expect(count.get()).toBe(1);
      other.close();
      await completed(api, [before, await expectTaken(api)]);
    } finally {
      await api.kill('SIGKILL');
      directory.remove();
    }
  });
});

describe('a disk that refuses to keep what is written', () => {
  it('ends the service at once with nothing more accepted, and the next start has all that was', {
    timeout: 60_000,
  }, async () => {
    const directory = tempDir('failing-disk');
    const env = journeyEnv(directory.path, NO_BROWSER);
    const DISK_FAILS_WITH = join(directory.path, 'fail');
    const preload = fileURLToPath(new URL('../support/failing-sync.mjs', import.meta.url));
    const api = await spawnService({ ...env, DISK_FAILS_WITH }, { preload });
    const before = await Promise.all([expectTaken(api), expectTaken(api), expectTaken(api)]);
    await completed(api, before);
    const exited = once(api.child, 'exit');
    writeFileSync(DISK_FAILS_WITH, '');
    const answers = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => api.post(SCRAPE, postingAt(site.url(`/job/${n}`)))),
    );
    // Those that were answered at all; the others found the door closed.
    for (const answer of answers) if (answer.status === 'fulfilled') expect(answer.value.status).toBe(503);
    const [code] = await exited;
    expect(code).toBeGreaterThan(0);
    const next = await spawnService(env);
    try {
      await completed(next, before);
      await completed(next, [await expectTaken(next)]);
    } finally {
      await next.kill('SIGKILL');
      directory.remove();
    }
  });
});

describe('a store that is damaged', () => {
  it('keeps the service from starting, with a sentence that says what to do', { timeout: 60_000 }, async () => {
    const directory = tempDir('damaged-store');
    const env = journeyEnv(directory.path, NO_BROWSER);
    mkdirSync(env.SCRAPER_DATA_DIR!);
    writeFileSync(join(env.SCRAPER_DATA_DIR!, 'gleaner.db'), Buffer.alloc(8_192, 0xa5));
    await expect(spawnService(env)).rejects.toThrow(/ended with 1: gleaner cannot start: The store .* is damaged/);
    directory.remove();
  });
});
