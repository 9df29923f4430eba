import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { journeyEnv, postingAt, spawnService } from '../support/service.js';
import { startSite } from '../support/site.js';
import { tempDir } from '../support/temp-dir.js';

/** A shell that takes itself few descriptors, and becomes the command it is given. */
const FEW_FILES = ['/bin/sh', '-c', 'ulimit -n 256; exec "$@"', 'sh'];

describe('a service that has no file descriptor left', () => {
  it('tries again what that fails, dies of nothing, and is well when they are free', { timeout: 120_000 }, async () => {
    const directory = tempDir('few-files');
    const site = await startSite();
    const env = journeyEnv(directory.path, { SCRAPER_MAX_ATTEMPTS: '10' });
    const api = await spawnService(env, { through: FEW_FILES });
    await api.until('/health', (health) => (health.browser_pool as { browsers: number }).browsers > 0);
    const targets = Array.from({ length: 100 }, (_, n) =>
      postingAt(site.url(`/slow?ms=300&n=${n}`, site.hosts[n % site.hosts.length])),
    );
    const opened = await api.post('/api/v1/scrape/batch', { targets });
    expect(opened.status).toBe(202);
    const { hostname, port } = new URL(api.address);
    const flood = Array.from({ length: 300 }, () => connect(Number(port), hostname).on('error', () => {}));
    const openFiles = (): number => readdirSync(`/proc/${api.child.pid}/fd`).length;
    await expect.poll(openFiles, { timeout: 10_000 }).toBeGreaterThanOrEqual(250);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    for (const socket of flood) socket.destroy();

    const job = await api.until(opened.headers.get('location') ?? '', (data) => data.completed_at !== null);
    expect(job.body.data).toMatchObject({ status: 'completed', completed_tasks: 100 });
    const { body } = await api.get(`${opened.headers.get('location')}/results?limit=100`);
    expect(body.data.items.some((task: { attempts: number }) => task.attempts > 1)).toBe(true);
    expect(await api.kill('SIGTERM')).toBe(0);
    await site.close();
    directory.remove();
  });
});
