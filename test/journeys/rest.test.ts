import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { journeyEnv, SERVICE_KEY, startService } from '../support/service.js';
import { type Site, startSite } from '../support/site.js';
import { jobFacts } from '../support/site-pages.js';
import { tempDir } from '../support/temp-dir.js';

const isOver = (data: Record<string, unknown>): boolean => data.completed_at !== null;

describe('through the REST door, with real Chromium', () => {
  const directory = tempDir('journey');
  let site: Site;
  let api: Awaited<ReturnType<typeof startService>>;
  beforeAll(async () => {
    site = await startSite();
    api = await startService(journeyEnv(directory.path));
  });
  afterAll(async () => {
    // One whose site wants to be left alone for longer than anybody waits here.
    await api.service.stop(1_000, { leaves: 'waiting' });
    await site.close();
    directory.remove();
  });

  // What the service said is half of the explanation.
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(api.lines.slice(-40).join(''));
  });

  const target = (path: string, changes: object = {}) => ({
    target_type: 'job_posting',
    target_url: site.url(path),
    workspace_id: 'ws-1',
    ...changes,
  });

  it('accepts a page, and brings its record by plain HTTP', async () => {
    const accepted = await api.post('/api/v1/scrape', target('/job/1'));
    expect(accepted).toMatchObject({ status: 202, body: { success: true, data: { status: 'queued' } } });
    const location = accepted.headers.get('location') ?? '';
    expect(location).toBe(`/api/v1/scrape/${accepted.body.data.task_id}`);
    const done = await api.until(location, isOver);
    expect(done.body.data).toMatchObject({
      status: 'completed',
      attempts: 1,
      result: { job_title: jobFacts(1).title },
      meta: {
        rendered_by: 'http',
        http_status: 200,
        adapter: 'job_posting',
        quality: 'ok',
        provenance: { job_title: { source: 'json-ld', confidence: expect.any(Number) } },
        robots: { allowed: true, basis: 'rules' },
      },
    });
  });

  it('opens a browser for a page that is made by scripts, and answers a waiting caller', async () => {
    const done = await api.post('/api/v1/scrape/sync', target('/js/2', { requested_fields: ['job_title'] }));
    expect(done.status).toBe(200);
    expect(done.body.data).toMatchObject({
      status: 'completed',
      attempts: 1,
      result: { job_title: jobFacts(2).title },
      meta: { rendered_by: 'browser' },
    });
    expect(Object.keys(done.body.data.result)).toEqual(['job_title']);
  });

  it('brings a page in a browser when it is told to', async () => {
    const accepted = await api.post('/api/v1/scrape', target('/job/5', { render: 'browser' }));
    const done = await api.until(accepted.headers.get('location') ?? '', isOver);
    expect(done.body.data).toMatchObject({
      status: 'completed',
      result: { job_title: jobFacts(5).title },
      meta: { rendered_by: 'browser' },
    });
  });

  it('answers 202 when the page takes longer than the caller waits, and finishes the work', async () => {
    const late = await api.post('/api/v1/scrape/sync', target('/slow?ms=6000', { timeout_seconds: 5 }));
    expect(late).toMatchObject({ status: 202, body: { success: true, data: { status: 'running' } } });
    const done = await api.until(late.headers.get('location') ?? '', isOver);
    expect(done.body.data.status).toBe('completed');
  });

  it('answers a failed visit with the status of its error', async () => {
    const gone = await api.post('/api/v1/scrape/sync', target('/status/404'));
    expect(gone).toMatchObject({
      status: 502,
      body: { success: false, meta: { code: 'target_client_error', retryable: false } },
    });
    const forbidden = await api.post('/api/v1/scrape/sync', target('/forbidden/1'));
    expect(forbidden).toMatchObject({ status: 403, body: { meta: { code: 'robots_denied' } } });
    expect(site.requests.some((request) => request.path.startsWith('/forbidden'))).toBe(false);
    const blocked = await api.post('/api/v1/scrape/sync', target('/blocked', { render: 'http' }));
    expect(blocked).toMatchObject({ status: 502, body: { meta: { code: 'blocked_page' } } });
  });

  it('names everything that is wrong in a batch at once, wherever it is found', async () => {
    const targets = [
      target('/job/1'),
      target('/job/2', { render: 'fast' }),
      target('/', { target_url: 'http://10.0.0.1/' }),
      target('/job/3', { requested_fields: ['nose'] }),
    ];
    const refused = await api.post('/api/v1/scrape/batch', { targets });
    expect(refused.status).toBe(422);
    const fields = refused.body.meta.fields.map((fault: { field: string }) => fault.field);
    expect(fields).toEqual(['targets[1].render', 'targets[2].target_url', 'targets[3].requested_fields[0]']);
    for (const fault of refused.body.meta.fields) expect(fault).toHaveProperty('value');
  });

  it('tells a waiting caller when the site wants to be asked again', async () => {
    const busy = await api.post('/api/v1/scrape/sync', {
      ...target('/status/429?retry_after=3600', { render: 'http', timeout_seconds: 5 }),
      target_url: site.url('/status/429?retry_after=3600', '127.0.0.7'),
    });
    // The first 429 sends it back to the queue for an hour: the caller gets the task's address, and sees when.
    expect(busy.status).toBe(202);
    const waiting = await api.get(busy.headers.get('location') ?? '');
    expect(Date.parse(waiting.body.data.not_before) - Date.now()).toBeGreaterThan(3_000_000);
  });

  it('never reaches a private address, by redirect neither', async () => {
    const direct = await api.post('/api/v1/scrape', target('/', { target_url: 'http://10.1.2.3/' }));
    expect(direct).toMatchObject({
      status: 422,
      body: { meta: { code: 'validation_failed', fields: [{ field: 'target_url' }] } },
    });
    const callback = await api.post('/api/v1/scrape', target('/job/1', { callback_url: 'http://169.254.169.254/' }));
    expect(callback).toMatchObject({ status: 422, body: { meta: { fields: [{ field: 'callback_url' }] } } });
    for (const render of ['http', 'browser']) {
      const path = `/redirect?to=${encodeURIComponent('http://10.1.2.3/')}`;
      const redirected = await api.post('/api/v1/scrape/sync', target(path, { render }));
      expect(redirected).toMatchObject({ status: 403, body: { meta: { code: 'egress_denied' } } });
    }
  });

  it('runs a batch with failures to its end, with counts that add up and results in order', async () => {
    const paths = ['/job/1', '/status/404', '/js/3', '/status/410', '/job/4'];
    const accepted = await api.post('/api/v1/scrape/batch', { targets: paths.map((path) => target(path)) });
    expect(accepted).toMatchObject({ status: 202, body: { data: { total_tasks: 5 } } });
    expect(accepted.body.data.task_ids).toHaveLength(5);
    const path = `/api/v1/scrape/jobs/${accepted.body.data.job_id}`;
    const done = await api.until(path, (job) => {
      const counts = ['queued', 'running', 'completed', 'failed', 'cancelled'].map((name) =>
        Number(job[`${name}_tasks`]),
      );
      expect(counts.reduce((sum, count) => sum + count)).toBe(job.total_tasks);
      return isOver(job);
    });
    expect(done.body.data).toMatchObject({ status: 'partially_completed', completed_tasks: 3, failed_tasks: 2 });
    expect(done.body.data).not.toHaveProperty('results');

    const results = await api.get(`${path}/results?limit=2`);
    const rest = await api.get(`${path}/results?limit=2&cursor=${results.body.data.next_cursor}`);
    const titles = [...results.body.data.items, ...rest.body.data.items].map((task) => task.result.job_title);
    expect(titles).toEqual([1, 3, 4].map((n) => jobFacts(n).title));
    const all = await api.get(`${path}/results?include=failed`);
    expect(all.body.data.items.map((task: { code: string | null }) => task.code ?? null)).toEqual([
      null,
      'target_client_error',
      null,
      'target_client_error',
      null,
    ]);
    const listed = await api.get('/api/v1/scrape/jobs?status=partially_completed');
    expect(listed.body.data.items.map((job: { job_id: string }) => job.job_id)).toContain(accepted.body.data.job_id);
  });

  it('cancels what is queued, lets what runs finish, and may be asked twice', async () => {
    const targets = Array.from({ length: 12 }, (_, n) => target(`/slow?ms=1500&n=${n}`));
    const accepted = await api.post('/api/v1/scrape/batch', { targets });
    const path = `/api/v1/scrape/jobs/${accepted.body.data.job_id}`;
    await api.until(path, (job) => Number(job.running_tasks) > 0);
    const cancelled = await api.post(`${path}/cancel`);
    expect(cancelled).toMatchObject({ status: 200, body: { data: { status: 'cancelled', queued_tasks: 0 } } });
    const { running_tasks: running, cancelled_tasks: dropped } = cancelled.body.data;
    expect(running + dropped).toBe(12);
    expect((await api.post(`${path}/cancel`)).body.data).toMatchObject({
      status: 'cancelled',
      cancelled_tasks: dropped,
    });
    const done = await api.until(path, isOver);
    expect(done.body.data).toMatchObject({ status: 'cancelled', completed_tasks: running, cancelled_tasks: dropped });
  });

  it('cancels the queued task of a caller who hung up', async () => {
    const busy = await api.post('/api/v1/scrape/batch', {
      targets: Array.from({ length: 4 }, (_, n) => target(`/slow?ms=2000&busy=${n}`)),
    });
    await api.until(`/api/v1/scrape/jobs/${busy.body.data.job_id}`, (job) => job.running_tasks === 4);
    const caller = new AbortController();
    const lost = api.post('/api/v1/scrape/sync', target('/job/77'), { signal: caller.signal }).catch(() => null);
    await new Promise((resolve) => setTimeout(resolve, 300));
    caller.abort();
    await lost;
    await api.until(`/api/v1/scrape/jobs/${busy.body.data.job_id}`, isOver);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(site.requests.some((request) => request.path === '/job/77')).toBe(false);
  });

  it('tries again after a failure that may pass', async () => {
    const done = await api.post('/api/v1/scrape/sync', target('/flaky/journey?fails=1', { render: 'http' }));
    expect(done.body.data).toMatchObject({ status: 'completed', attempts: 2 });
  });

  it('shows its state to operators and logs no service key', async () => {
    const health = await api.get('/health');
    expect(health.body.data).toMatchObject({
      accepts_work: true,
      queue: { active_workers: 0 },
      browser_pool: { contexts_open: 0 },
    });
    expect((await api.get('/readiness')).status).toBe(200);
    const metrics = await (await fetch(`${api.address}/metrics`)).text();
    expect(metrics).toMatch(/scraper_tasks_total\{target_type="job_posting",status="completed"\} \d+/);
    expect(metrics).toContain('scraper_escalations_total');
    expect(api.lines.join('')).not.toContain(SERVICE_KEY);
    for (const line of api.lines)
      expect(JSON.parse(line)).toMatchObject({
        request_id: expect.any(String),
        level: expect.any(String),
        timestamp: expect.any(String),
      });
  });
});
