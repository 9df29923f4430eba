import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { journeyEnv, postingAt, startService } from '../support/service.js';
import { type Site, startSite } from '../support/site.js';
import { jobFacts } from '../support/site-pages.js';
import { tempDir } from '../support/temp-dir.js';
import { OLD_SECRET, told } from '../support/told.js';

describe('what has ended is told', () => {
  const directory = tempDir('webhooks');
  let site: Site;
  let usual: Receiver;
  let receiver: Receiver;
  let api: Awaited<ReturnType<typeof startService>>;

  beforeAll(async () => {
    site = await startSite();
    usual = await startReceiver({ host: '127.0.0.2' });
    api = await startService(
      journeyEnv(directory.path, {
        SCRAPER_CHROMIUM_PATH: '/bin/false',
        SCRAPER_LOG_LEVEL: 'trace',
        SCRAPER_WEBHOOK_SECRET: OLD_SECRET,
        SCRAPER_DEFAULT_WEBHOOK_URL: usual.url('/usual-path?token=CANARY-cb-usual-query'),
      }),
    );
  });
  afterAll(async () => {
    await api.service.stop(1_000);
    await Promise.all([site.close(), usual.close()]);
    directory.remove();
  });
  beforeEach(async () => {
    receiver = await startReceiver();
    usual.requests.length = 0;
  });
  afterEach(async ({ task }) => {
    await receiver.close();
    // What the service said is half of the explanation.
    if (task.result?.state === 'fail') console.error(api.lines.slice(-40).join(''));
  });

  const target = (path: string, changes: object = {}) => postingAt(site.url(path), changes);
  const hook = (): string => receiver.url('/own-path?token=CANARY-cb-own-query');
  const submitBatch = async (targets: object[], changes: object = {}): Promise<{ id: string; path: string }> => {
    const accepted = await api.post('/api/v1/scrape/batch', { targets, callback_url: hook(), ...changes });
    expect(accepted.status).toBe(202);
    const id: string = accepted.body.data.job_id;
    return { id, path: `/api/v1/scrape/jobs/${id}` };
  };
  /** Nothing more comes: all deliveries have ended. */
  const untilAllTold = () =>
    api.until('/health', ({ webhooks }) => {
      const { pending, under_way: underWay } = webhooks as { pending: number; under_way: number };
      return pending + underWay === 0;
    });

  it('once for each job, however it ended', async () => {
    const completed = await submitBatch([target('/job/1'), target('/job/2')]);
    const mixed = await submitBatch([target('/status/404'), target('/job/3'), target('/forbidden/1')]);
    const failed = await submitBatch([target('/status/410'), target('/forbidden/2')]);
    const hosts = site.hosts.slice(1, 3);
    const slow = Array.from({ length: 12 }, (_, n) => ({
      ...target('/'),
      target_url: site.url(`/slow?ms=700&n=${n}`, hosts[n % hosts.length]),
    }));
    const cancelled = await submitBatch(slow);
    await api.until(cancelled.path, (job) => Number(job.running_tasks) > 0);
    const { running_tasks: ran } = (await api.post(`${cancelled.path}/cancel`)).body.data;
    await receiver.until(4);
    await untilAllTold();

    const events = told(receiver);
    expect(events.map(({ attempts }) => attempts)).toEqual([[1], [1], [1], [1]]);
    const of = (job: { id: string }) => events.find(({ payload }) => payload.job_id === job.id);
    expect(of(completed)).toMatchObject({
      event: 'job.completed',
      payload: { status: 'completed', summary: { total: 2, completed: 2, failed: 0 } },
    });
    expect(of(mixed)).toMatchObject({
      event: 'job.partially_completed',
      payload: { status: 'partially_completed', summary: { total: 3, completed: 1, failed: 2 } },
    });
    expect(of(failed)).toMatchObject({
      event: 'job.failed',
      payload: { status: 'failed', summary: { total: 2, completed: 0, failed: 2 } },
    });
    expect(of(cancelled)).toMatchObject({
      event: 'job.cancelled',
      payload: { status: 'cancelled', summary: { total: 12, completed: ran, failed: 0 } },
    });
    // In the order of the request, as the API shows them.
    const results = of(mixed)?.payload.results;
    expect(results.map((task: { code?: string; status: string }) => task.code ?? task.status)).toEqual([
      'target_client_error',
      'completed',
      'robots_denied',
    ]);
    for (const task of results) {
      expect((await api.get(`/api/v1/scrape/${task.task_id}`)).body.data).toEqual(task);
    }
    const ends = of(cancelled)?.payload.results.map((task: { status: string }) => task.status);
    expect(ends.filter((status: string) => status === 'cancelled')).toHaveLength(12 - ran);
    expect(usual.requests).toEqual([]);
  });

  it('not before the API shows the end itself', async () => {
    const seen: string[] = [];
    receiver.behave = async ({ body }) => {
      const { job_id: id } = JSON.parse(body.toString());
      seen.push((await api.get(`/api/v1/scrape/jobs/${id}`)).body.data.status);
      return 200;
    };
    await submitBatch([target('/job/4')]);
    await receiver.until(1);
    await untilAllTold();
    expect(seen).toEqual(['completed']);
  });

  it('of a task that stands alone, also when somebody waits for it or it fails', async () => {
    const waited = await api.post('/api/v1/scrape/sync', target('/job/5', { callback_url: hook() }));
    const failing = await api.post('/api/v1/scrape', target('/status/404', { callback_url: hook() }));
    await receiver.until(2);
    const events = told(receiver);
    expect(events).toMatchObject([
      {
        event: 'task.completed',
        payload: {
          task_id: waited.body.data.task_id,
          status: 'completed',
          summary: { total: 1, completed: 1, failed: 0 },
          results: [{ result: { job_title: jobFacts(5).title } }],
        },
      },
      {
        event: 'task.failed',
        payload: { task_id: failing.body.data.task_id, results: [{ code: expect.any(String) }] },
      },
    ]);
  });

  it('of a target that names its own callback, besides the job it belongs to', async () => {
    const other = await startReceiver({ host: '127.0.0.3' });
    const job = await submitBatch([target('/job/6', { callback_url: other.url('/one') }), target('/job/7')]);
    await Promise.all([receiver.until(1), other.until(1)]);
    await untilAllTold();
    expect(told(receiver)).toMatchObject([{ event: 'job.completed', payload: { job_id: job.id } }]);
    expect(told(other)).toMatchObject([
      { event: 'task.completed', payload: { results: [{ job_id: job.id, result: { job_title: jobFacts(6).title } }] } },
    ]);
    // Nobody learns where the other one is told.
    expect(receiver.requests[0]?.body.toString()).not.toContain(other.origin);
    await other.close();
  });

  it('to the usual receiver where no other is named, and only there', async () => {
    const job = await submitBatch([target('/job/8'), target('/job/9')], { callback_url: undefined });
    const task = await api.post('/api/v1/scrape', target('/job/10'));
    await usual.until(2);
    await untilAllTold();
    const events = told(usual);
    expect(new Set(events.map(({ event }) => event))).toEqual(new Set(['job.completed', 'task.completed']));
    expect(events.map(({ payload }) => payload.job_id ?? payload.task_id).sort()).toEqual(
      [job.id, task.body.data.task_id].sort(),
    );
    expect(receiver.requests).toEqual([]);
  });

  it('and how that goes is in /health and /metrics', async () => {
    receiver.behave = 410;
    await submitBatch([target('/job/11')]);
    await receiver.until(1);
    await untilAllTold();
    // Counts are a few seconds old at most.
    const health = await api.until('/health', ({ webhooks }) => (webhooks as { dead: number }).dead === 1);
    expect(health.body.data.webhooks).toEqual({
      pending: 0,
      dead: 1,
      oldest_pending_seconds: 0,
      under_way: 0,
      receivers_in_trouble: 0,
    });
    const metrics = await (await fetch(`${api.address}/metrics`)).text();
    for (const line of [
      /^scraper_webhook_attempts_total\{end="delivered"\} [1-9]\d*$/m,
      /^scraper_webhook_attempts_total\{end="dead"\} 1$/m,
      /^scraper_webhook_deliveries\{status="pending"\} 0$/m,
      /^scraper_webhook_deliveries\{status="dead"\} 1$/m,
      /^scraper_webhook_oldest_pending_seconds 0$/m,
      /^scraper_webhook_receivers_in_trouble 0$/m,
      /^scraper_webhook_attempt_duration_seconds_count\{end="delivered"\} [1-9]\d*$/m,
      /^scraper_webhook_delay_seconds_count [1-9]\d*$/m,
    ])
      expect(metrics).toMatch(line);
  });

  it('without a word about secrets or callbacks in the log', async () => {
    const log = api.lines.join('');
    expect(log).toContain('webhook delivered');
    expect(log).toContain('webhook given up');
    expect(log).toContain(usual.origin);
    expect(log).not.toMatch(/(own|usual)-(path|query)/);
    for (const secret of [OLD_SECRET, OLD_SECRET.slice('whsec_'.length)]) expect(log).not.toContain(secret);
  });
});
