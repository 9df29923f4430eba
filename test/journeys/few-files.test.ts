import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { journeyEnv, postingAt, spawnService } from '../support/service.js';
import { startSite } from '../support/site.js';
import { tempDir } from '../support/temp-dir.js';

/** A shell that takes itself few descriptors, and becomes the command it is given. */
const FEW_FILES = ['/bin/sh', '-c', 'ulimit -n 256; exec "$@"', 'sh'];

/** So many callers who say nothing; who is sent away comes back. */
function crowd(count: number, come: () => Socket): { disperse(): void } {
  const here = new Set<Socket>();
  let isOver = false;
  const join = (): void => {
    if (isOver) return;
    const socket = come().on('error', () => {});
    here.add(socket);
    socket.on('close', () => {
      here.delete(socket);
      setTimeout(join, 20);
    });
  };
  for (let n = 0; n < count; n += 1) join();
  return {
    disperse() {
      isOver = true;
      for (const socket of here) socket.destroy();
    },
  };
}

describe('a service that has no file descriptor left', () => {
  it('tries again what that fails, dies of nothing, and is well when they are free', { timeout: 120_000 }, async () => {
    const directory = tempDir('few-files');
    const site = await startSite();
    const env = journeyEnv(directory.path, { SCRAPER_MAX_ATTEMPTS: '10' });
    const api = await spawnService(env, { through: FEW_FILES });
    await api.until('/health', (health) => (health.browser_pool as { browsers: number }).browsers > 0);
    const { hostname, port } = new URL(api.address);
    const come = (): Socket => connect(Number(port), hostname);
    const openFiles = (): number => readdirSync(`/proc/${api.child.pid}/fd`).length;
    // Most of them come first: what is left is taken while the first pages are still on their way.
    const early = crowd(100, come);
    await expect.poll(openFiles, { timeout: 10_000 }).toBeGreaterThan(100);
    const targets = Array.from({ length: 100 }, (_, n) =>
      postingAt(site.url(`/slow?ms=2000&close=1&n=${n}`, site.hosts[n % site.hosts.length])),
    );
    const opened = await api.post('/api/v1/scrape/batch', { targets });
    expect(opened.status).toBe(202);
    const late = crowd(200, come);
    await expect.poll(openFiles, { timeout: 10_000 }).toBeGreaterThanOrEqual(250);
    // Every visit needs a connection of its own, and the crowd takes what another one frees.
    const retried = (): boolean => api.output.join('').includes('task back in the queue');
    await expect.poll(retried, { timeout: 20_000 }).toBe(true);
    for (const some of [early, late]) some.disperse();
    await expect.poll(openFiles, { timeout: 10_000 }).toBeLessThan(200);

    const job = await api.until(opened.headers.get('location') ?? '', (data) => data.completed_at !== null);
    expect(job.body.data).toMatchObject({ status: 'completed', completed_tasks: 100 });
    const { body } = await api.get(`${opened.headers.get('location')}/results?limit=100`);
    expect(body.data.items.some((task: { attempts: number }) => task.attempts > 1)).toBe(true);
    expect(await api.kill('SIGTERM')).toBe(0);
    await site.close();
    directory.remove();
  });
});
