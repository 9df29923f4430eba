import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumsOf } from '../soak/processes.js';
import { journeyEnv, postingAt, SERVICE_KEY, type ServiceProcess, spawnService } from '../support/service.js';
import { type Site, startSite } from '../support/site.js';
import { tempDir } from '../support/temp-dir.js';

const isOver = (data: Record<string, unknown>): boolean => data.completed_at !== null;
const GRACE_SECONDS = 600;

describe('a service that ends without grace', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite();
  });
  afterAll(() => site.close());

  const open = async (api: ServiceProcess, path: string, changes: object = {}): Promise<string> => {
    const { status, body } = await api.post('/api/v1/scrape', postingAt(site.url(path), changes));
    expect(status).toBe(202);
    return `/api/v1/scrape/${body.data.task_id}`;
  };
  /** Some at work, one of them in a browser, and more that wait. */
  const fill = async (api: ServiceProcess): Promise<string[]> => {
    const shown = await open(api, '/slow?ms=2500&n=0', { render: 'browser' });
    const tasks = [shown];
    for (let n = 1; n < 12; n++) tasks.push(await open(api, `/slow?ms=1000&n=${n}`));
    await api.until(shown, ({ status }) => status !== 'queued');
    return tasks;
  };
  const allComplete = async (api: ServiceProcess, tasks: string[]): Promise<void> => {
    for (const path of tasks) {
      expect((await api.until(path, isOver)).body.data).toMatchObject({ status: 'completed' });
    }
  };
  const leftBy = (api: ServiceProcess) =>
    chromiumsOf(api.child.pid ?? 0, `${tmpdir()}/gleaner-browser-${api.child.pid}-`);

  it('is out at once at the second signal, whatever still runs, and the next start has everything', {
    timeout: 120_000,
  }, async () => {
    const directory = tempDir('second-signal');
    const env = journeyEnv(directory.path, { SCRAPER_GRACEFUL_SHUTDOWN_SECONDS: String(GRACE_SECONDS) });
    const api = await spawnService(env);
    const stuck = await open(api, '/hang');
    const tasks = await fill(api);
    await api.until(stuck, ({ status }) => status === 'running');
    const exited = once(api.child, 'exit');
    api.child.kill('SIGTERM');
    await expect.poll(() => api.output.join(''), { timeout: 30_000 }).toContain('"stopping"');
    api.child.kill('SIGINT');
    // The visit that hangs would have kept it for all of its time, and the grace is longer than this test.
    expect(await exited).toEqual([1, null]);
    await expect.poll(() => leftBy(api), { timeout: 30_000 }).toEqual([]);

    const next = await spawnService({ ...env, SCRAPER_GRACEFUL_SHUTDOWN_SECONDS: '0' });
    await allComplete(next, tasks);
    expect((await next.get(stuck)).status).toBe(200);
    expect(await next.kill('SIGTERM', { leaves: 'running' })).toBe(0);
    directory.remove();
  });

  it.each([
    ['an error that nobody caught', 'error', 'nobody caught this'],
    ['a promise that nobody awaited', 'rejection', 'nobody awaited this'],
  ])(
    'ends at %s, tells of it without its secrets, and the next start has everything',
    {
      timeout: 120_000,
    },
    async (_what, UNFORESEEN, words) => {
      const directory = tempDir('unforeseen');
      const env = journeyEnv(directory.path, { SCRAPER_GRACEFUL_SHUTDOWN_SECONDS: String(GRACE_SECONDS) });
      const preload = fileURLToPath(new URL('../support/unforeseen.mjs', import.meta.url));
      const api = await spawnService({ ...env, UNFORESEEN }, { preload });
      const tasks = await fill(api);
      const exited = once(api.child, 'exit');
      api.child.kill('SIGWINCH');
      expect(await exited).toEqual([1, null]);
      const told = api.output.join('');
      expect(told).toContain('something unforeseen happened; stopping');
      expect(told).toContain(words);
      expect(told).not.toContain(SERVICE_KEY);
      await expect.poll(() => leftBy(api), { timeout: 30_000 }).toEqual([]);

      const next = await spawnService({ ...env, SCRAPER_GRACEFUL_SHUTDOWN_SECONDS: '0' });
      await allComplete(next, tasks);
      expect(await next.kill('SIGTERM')).toBe(0);
      directory.remove();
    },
  );
});
