import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { journeyEnv, postingAt, type ServiceProcess, spawnService, useService } from '../support/service.js';
import { type Site, startSite } from '../support/site.js';
import { tempDir } from '../support/temp-dir.js';

const isOver = (data: Record<string, unknown>): boolean => data.completed_at !== null;
const ENV = { SCRAPER_CHROMIUM_PATH: '/bin/false' };

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());

const target = (path: string, changes: object = {}) => postingAt(site.url(path), changes);
const withKey = (key: string) => ({ headers: { 'idempotency-key': key } });
const visitsOf = (path: string): number => site.requests.filter((request) => request.path === path).length;

describe('a submit that is repeated after the service was killed', () => {
  const directory = tempDir('idempotency');
  let api: ServiceProcess;
  const start = async (): Promise<void> => {
    api = await spawnService(journeyEnv(directory.path, ENV));
  };
  const killAndStart = async (): Promise<void> => {
    expect(await api.kill('SIGKILL')).toBe('SIGKILL');
    await start();
  };
  afterEach(async () => {
    if (api.child.exitCode === null && api.child.signalCode === null) await api.kill('SIGKILL');
  });
  afterAll(() => directory.remove());

  it('is the same task and the same job, and nothing is visited twice', async () => {
    await start();
    const single = () => api.post('/api/v1/scrape', target('/job/1'), withKey('single'));
    const batch = () =>
      api.post('/api/v1/scrape/batch', { targets: [target('/job/2'), target('/job/3')] }, withKey('batch'));
    const [task, job] = [await single(), await batch()];
    expect([task.status, job.status]).toEqual([202, 202]);
    expect(task.headers.get('idempotent-replayed')).toBeNull();
    await api.until(`/api/v1/scrape/${task.body.data.task_id}`, isOver);
    await api.until(`/api/v1/scrape/jobs/${job.body.data.job_id}`, isOver);
    await killAndStart();

    const [taskAgain, jobAgain] = [await single(), await batch()];
    expect([taskAgain.status, jobAgain.status]).toEqual([202, 202]);
    for (const answer of [taskAgain, jobAgain]) expect(answer.headers.get('idempotent-replayed')).toBe('true');
    expect(taskAgain.body.data.task_id).toBe(task.body.data.task_id);
    expect(jobAgain.body.data).toMatchObject({
      job_id: job.body.data.job_id,
      task_ids: job.body.data.task_ids,
      total_tasks: 2,
    });
    for (const n of [1, 2, 3]) expect(visitsOf(`/job/${n}`)).toBe(1);
    // Another request under the same key is a mistake, also after the restart.
    for (const wrong of [
      await api.post('/api/v1/scrape', target('/job/9'), withKey('single')),
      await api.post('/api/v1/scrape/sync', target('/job/1'), withKey('single')),
      await api.post('/api/v1/scrape', target('/job/1'), withKey('batch')),
    ])
      expect(wrong).toMatchObject({ status: 422, body: { meta: { code: 'idempotency_conflict' } } });
    expect(await api.kill('SIGTERM')).toBe(0);
  }, 60_000);

  it('is there once, whether or not the first one was stored when the service died', async () => {
    await start();
    const moments = [
      () => sleep(0),
      () => sleep(5),
      // Stored beyond doubt, and perhaps not yet answered.
      () => expect.poll(() => site.requests.some(({ path }) => path.endsWith('?round=2')), { interval: 1 }).toBe(true),
    ];
    for (const [round, moment] of moments.entries()) {
      const body = { targets: Array.from({ length: 50 }, (_, n) => target(`/job/${n}?round=${round}`)) };
      const submit = () => api.post('/api/v1/scrape/batch', body, withKey(`round-${round}`));
      const lost = submit().catch(() => null);
      await moment();
      await killAndStart();
      const first = await lost;
      const { job_id: id } = (await submit()).body.data;
      // What was accepted is what is answered again.
      expect([undefined, id]).toContain(first?.body.data.job_id);
      const done = await api.until(`/api/v1/scrape/jobs/${id}`, isOver);
      expect(done.body.data).toMatchObject({ status: 'completed', completed_tasks: 50 });
    }
    const jobs = (await api.get('/api/v1/scrape/jobs?limit=100')).body.data.items;
    expect(jobs.filter((job: { total_tasks: number }) => job.total_tasks === 50)).toHaveLength(3);
    expect(await api.kill('SIGTERM')).toBe(0);
  }, 60_000);
});

describe('a synchronous submit that is repeated while the first one still runs', () => {
  const service = useService('idempotency-sync', ENV);
  const untilVisited = (path: string) => expect.poll(() => visitsOf(path)).toBe(1);

  it('waits for the same visit and is given the same answer', async () => {
    const path = '/slow?ms=1200&twins';
    const submit = () => service.api.post('/api/v1/scrape/sync', target(path), withKey('twins'));
    const first = submit();
    await untilVisited(path);
    const [one, other, another] = await Promise.all([first, submit(), submit()]);
    expect([one, other, another].map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(other.body.data).toEqual(one.body.data);
    expect(another.body.data).toEqual(one.body.data);
    expect([one, other].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
    expect(visitsOf(path)).toBe(1);
  });

  it('is answered although the first caller has gone, even before its visit began', async () => {
    const busy = Array.from({ length: 4 }, (_, n) => target(`/slow?ms=1000&busy=${n}`));
    const job = await service.api.post('/api/v1/scrape/batch', { targets: busy });
    await service.api.until(`/api/v1/scrape/jobs/${job.body.data.job_id}`, (data) => data.running_tasks === 4);
    const caller = new AbortController();
    const submit = (signal?: AbortSignal) =>
      service.api.post('/api/v1/scrape/sync', target('/job/40'), { ...withKey('left'), ...(signal && { signal }) });
    const lost = submit(caller.signal).catch((error: Error) => error.name);
    await service.api.until('/health', ({ queue }) => (queue as { queue_depth: number }).queue_depth === 1);
    caller.abort();
    expect(await lost).toBe('AbortError');
    const done = await submit();
    expect(done).toMatchObject({ status: 200, body: { data: { status: 'completed' } } });
    expect(done.headers.get('idempotent-replayed')).toBe('true');
    expect(visitsOf('/job/40')).toBe(1);
  });

  it('replays a failure with its status, and visits nothing again', async () => {
    const submit = () => service.api.post('/api/v1/scrape/sync', target('/status/404?once'), withKey('failed'));
    const [first, again] = [await submit(), await submit()];
    expect(first).toMatchObject({ status: 502, body: { meta: { code: 'target_client_error' } } });
    expect(again).toMatchObject({
      status: 502,
      body: { error: first.body.error, meta: { code: 'target_client_error' } },
    });
    expect(visitsOf('/status/404?once')).toBe(1);
  });
});
