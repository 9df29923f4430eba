import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { journeyEnv, type ServiceProcess, spawnService } from '../support/service.js';
import { type Site, startSite } from '../support/site.js';
import { tempDir } from '../support/temp-dir.js';

const isOver = (data: Record<string, unknown>): boolean => data.completed_at !== null;

describe('a service that dies or is stopped', () => {
  const directory = tempDir('restart');
  let site: Site;
  beforeAll(async () => {
    site = await startSite();
  });
  afterAll(async () => {
    await site.close();
    directory.remove();
  });

  const batch = (count: number) => ({
    targets: Array.from({ length: count }, (_, n) => ({
      target_type: 'job_posting',
      // Half of them need a browser; spread over the site's addresses, so that no lane is the bottleneck.
      target_url: site.url(n % 2 === 0 ? `/slow?ms=300&n=${n}` : `/js/${n}`, site.hosts[n % site.hosts.length]),
      workspace_id: 'ws-1',
    })),
  });
  const finished = async (api: ServiceProcess, jobId: string): Promise<string[]> => {
    const { body } = await api.get(`/api/v1/scrape/jobs/${jobId}/results?limit=100`);
    return body.data.items.map((task: { task_id: string }) => task.task_id);
  };
  const pathOf = async (api: ServiceProcess, taskId: string): Promise<string> => {
    const { body } = await api.get(`/api/v1/scrape/${taskId}`);
    const { pathname, search } = new URL(body.data.target_url);
    return pathname + search;
  };

  it('ends every accepted task exactly once though it is killed again and again', { timeout: 240_000 }, async () => {
    const env = journeyEnv(directory.path);
    let api = await spawnService(env);
    const accepted = await api.post('/api/v1/scrape/batch', batch(60));
    expect(accepted.status).toBe(202);
    const { job_id: jobId, task_ids: taskIds } = accepted.body.data;
    const path = `/api/v1/scrape/jobs/${jobId}`;

    const ended: { path: string; since: number }[] = [];
    // Ten times: whoever kills it from outside convicts nobody.
    for (let goal = 5; goal <= 50; goal += 5) {
      await api.until(path, (job) => Number(job.completed_tasks) >= goal);
      const before = await finished(api, jobId);
      const donePaths = await Promise.all(before.map((id) => pathOf(api, id)));
      expect(chromiumsOf(api.child.pid)).not.toEqual([]);
      expect(await api.kill('SIGKILL')).toBe('SIGKILL');
      await expect.poll(() => chromiumsOf(api.child.pid), { timeout: 5_000 }).toEqual([]);
      api = await spawnService(env);
      expect(await finished(api, jobId)).toEqual(expect.arrayContaining(before));
      const { body } = await api.get(path);
      const { queued_tasks, running_tasks, completed_tasks, failed_tasks } = body.data;
      expect(queued_tasks + running_tasks + completed_tasks + failed_tasks).toBe(60);
      ended.push(...donePaths.map((done) => ({ path: done, since: site.requests.length })));
    }
    const done = await api.until(path, isOver);
    expect(done.body.data).toMatchObject({ status: 'completed', completed_tasks: 60 });
    expect((await finished(api, jobId)).sort()).toEqual([...taskIds].sort());
    // What had ended before a kill was never fetched again after it.
    for (const { path: done, since } of ended) {
      expect(site.requests.slice(since).map((request) => request.path)).not.toContain(done);
    }
    expect(await api.kill('SIGTERM')).toBe(0);
  });

  it('stops with grace on SIGTERM: no new work, running work ends or goes back, nothing is left behind', async () => {
    const env = journeyEnv(directory.path, { SCRAPER_GRACEFUL_SHUTDOWN_SECONDS: '2' });
    let api = await spawnService(env);
    await api.until('/health', (health) => (health.browser_pool as { browsers: number }).browsers > 0);
    const target = (path: string) => ({
      target_type: 'job_posting',
      target_url: site.url(path),
      workspace_id: 'ws-1',
      render: 'http',
    });
    const quick = await api.post('/api/v1/scrape', target('/slow?ms=1000'));
    const stuck = await api.post('/api/v1/scrape', target('/hang'));
    const rendering = await api.post('/api/v1/scrape', { ...target('/hang?in=browser'), render: 'browser' });
    await api.until(`/api/v1/scrape/${rendering.body.data.task_id}`, (task) => task.status === 'running');
    await api.until(`/api/v1/scrape/${stuck.body.data.task_id}`, (task) => task.status === 'running');
    expect(chromiumsOf(api.child.pid)).not.toEqual([]);
    const ended = api.kill('SIGTERM', { leaves: 'running' });
    await expect.poll(async () => (await api.get('/readiness')).status).toBe(503);
    const refused = await api.post('/api/v1/scrape', target('/job/1'));
    expect(refused).toMatchObject({ status: 503, body: { meta: { code: 'shutting_down' } } });
    expect(refused.headers.get('retry-after')).not.toBeNull();
    expect(await ended).toBe(0);
    expect(chromiumsOf(api.child.pid)).toEqual([]);
    expect(readdirSync('/tmp').filter((name) => name.startsWith(`gleaner-browser-${api.child.pid}`))).toEqual([]);

    api = await spawnService({ ...env, SCRAPER_GRACEFUL_SHUTDOWN_SECONDS: '20' });
    const finishedQuick = await api.get(`/api/v1/scrape/${quick.body.data.task_id}`);
    expect(finishedQuick.body.data).toMatchObject({ status: 'completed', attempts: 1 });
    const again = await api.until(`/api/v1/scrape/${stuck.body.data.task_id}`, (task) => task.status === 'running');
    expect(again.body.data.attempts).toBe(1);
    const rendered = await api.get(`/api/v1/scrape/${rendering.body.data.task_id}`);
    expect(rendered.body.data.attempts).toBeLessThanOrEqual(1);
    // A second signal waits neither for the grace nor for the visit that hangs.
    const begun = performance.now();
    const first = api.kill('SIGTERM', { leaves: 'running' });
    await expect.poll(() => api.output.join('')).toContain('stopping');
    api.child.kill('SIGTERM');
    await first;
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it('refuses to start twice on the same data, and leaves the work of the first alone', async () => {
    const env = journeyEnv(directory.path);
    const api = await spawnService(env);
    const target = { target_type: 'job_posting', target_url: site.url('/slow?ms=2500&twice'), workspace_id: 'ws-1' };
    const task = await api.post('/api/v1/scrape', target);
    const path = `/api/v1/scrape/${task.body.data.task_id}`;
    await api.until(path, (data) => data.status === 'running');
    const failure = await spawnService(env).catch((error: Error) => error.message);
    expect(failure).toContain('Another gleaner is running');
    expect((await api.until(path, isOver)).body.data).toMatchObject({ status: 'completed', attempts: 1 });
    // On the same data: what hung when the one before was stopped hangs here, too.
    expect(await api.kill('SIGTERM', { leaves: 'running' })).toBe(0);
  });

  it('does not wait for a client that says nothing', async () => {
    const api = await spawnService(journeyEnv(directory.path, { SCRAPER_GRACEFUL_SHUTDOWN_SECONDS: '0' }));
    const { hostname, port } = new URL(api.address);
    const silent = connect(Number(port), hostname);
    await once(silent, 'connect');
    silent.on('error', () => {});
    const begun = performance.now();
    // Not SIGTERM: before that one our tests wait until nobody is connected any more.
    expect(await api.kill('SIGINT')).toBe(0);
    expect(performance.now() - begun).toBeLessThan(5_000);
    silent.destroy();
  });

  it('says everything that is wrong with its settings and does not start', async () => {
    const env = {
      ...journeyEnv(directory.path),
      SCRAPER_PORT: 'eighty',
      SCRAPER_MAX_QUEUE_DEPTH: '-1',
      SCRAPER_HOTS: 'x',
    };
    const failure = await spawnService(env).catch((error: Error) => error.message);
    for (const part of ['SCRAPER_PORT', 'eighty', 'SCRAPER_MAX_QUEUE_DEPTH', '-1', 'SCRAPER_HOTS', 'ended with 78']) {
      expect(failure).toContain(part);
    }
  });
});

/** Living Chromium processes that this service started: their environment names its scratch directory. */
function chromiumsOf(pid: number | undefined): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/environ`, 'utf8').includes(`gleaner-browser-${pid}-`);
      } catch {
        return false;
      }
    });
}
