import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { journeyEnv, type ServiceProcess, spawnService } from '../support/service.js';
import { type Site, startSite } from '../support/site.js';
import { tempDir } from '../support/temp-dir.js';
import { NEW_SECRET, OLD_SECRET, type Told, told } from '../support/told.js';

const isOver = (data: Record<string, unknown>): boolean => data.completed_at !== null;

describe('webhooks of a service that dies', () => {
  let site: Site;
  let directory: ReturnType<typeof tempDir>;
  let api: ServiceProcess;
  let receivers: Receiver[];

  beforeAll(async () => {
    site = await startSite();
  });
  afterAll(() => site.close());
  beforeEach(() => {
    directory = tempDir('webhook-restart');
    receivers = [];
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') console.error(api.output.join('').slice(-20_000));
    if (api.child.exitCode === null && api.child.signalCode === null) await api.kill('SIGKILL');
    await Promise.all(receivers.map((one) => one.close()));
    directory.remove();
  });

  const start = async (changes: Record<string, string> = {}): Promise<void> => {
    const env = { SCRAPER_CHROMIUM_PATH: '/bin/false', SCRAPER_WEBHOOK_SECRET: OLD_SECRET, ...changes };
    api = await spawnService(journeyEnv(directory.path, env));
  };
  const receive = async (options: Parameters<typeof startReceiver>[0] = {}): Promise<Receiver> => {
    const receiver = await startReceiver(options);
    receivers.push(receiver);
    return receiver;
  };
  const target = (path: string, host?: string) => ({
    target_type: 'job_posting',
    target_url: site.url(path, host),
    workspace_id: 'ws-1',
    render: 'http',
  });
  const submitJob = async (callbackUrl: string, paths: string[], host?: string): Promise<string> => {
    const targets = paths.map((path) => target(path, host));
    const accepted = await api.post('/api/v1/scrape/batch', { targets, callback_url: callbackUrl });
    expect(accepted.status).toBe(202);
    return accepted.body.data.job_id;
  };
  const jobPath = (id: string): string => `/api/v1/scrape/jobs/${id}`;
  const ledger = async () => (await api.get('/api/v1/webhooks/deliveries?limit=100')).body.data.items;
  const unfinished = async (): Promise<number> => {
    const lists = ['pending', 'dead'].map((status) => api.get(`/api/v1/webhooks/deliveries?status=${status}`));
    return (await Promise.all(lists)).flatMap(({ body }) => body.data.items).length;
  };
  const untilAllDelivered = () => expect.poll(unfinished, { timeout: 20_000 }).toBe(0);

  it('come again where nobody knows whether they arrived: same id, same bytes, a new time', async () => {
    const hosts = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];
    for (const host of hosts) await receive({ host, behave: 'hang' });
    await start();
    const jobs = await Promise.all(receivers.map((one, n) => submitJob(one.url('/hook?token=hush'), [`/job/${n}`])));
    await Promise.all(receivers.map((one) => one.until(1)));
    // They have it, and the service never hears of it.
    expect(await api.kill('SIGKILL')).toBe('SIGKILL');
    for (const receiver of receivers) receiver.behave = 200;
    await start();
    await Promise.all(receivers.map((one) => one.until(2)));
    await untilAllDelivered();

    const events = receivers.flatMap((one) => told(one));
    expect(events.map(({ payload }) => payload.job_id)).toEqual(jobs);
    for (const { attempts, timestamps } of events) {
      expect(attempts).toEqual([1, 2]);
      expect(timestamps[1]).toBeGreaterThan(timestamps[0]!);
    }
    const [{ delivery_id: id }] = await ledger();
    const { history, failed_attempts: failures } = (await api.get(`/api/v1/webhooks/deliveries/${id}`)).body.data;
    expect(history).toMatchObject([
      { attempt: 1, http_status: null, error: 'The service ended before the answer came.' },
      { attempt: 2, http_status: 200, error: null },
    ]);
    // It was our own side that broke off.
    expect(failures).toBe(0);
    expect(await api.kill('SIGTERM')).toBe(0);
  }, 60_000);

  it('of two hundred tasks all arrive, each under one id, though it is killed whenever some are on their way', async () => {
    const receiver = await receive();
    await start();
    for (const half of [0, 100]) {
      const targets = Array.from({ length: 100 }, (_, n) => ({
        ...target(`/job/${half + n}`, site.hosts[n % site.hosts.length]),
        callback_url: receiver.url(),
      }));
      expect((await api.post('/api/v1/scrape/batch', { targets })).status).toBe(202);
    }
    for (const count of [10, 60, 120, 170]) {
      // The moment of its death: a request is there, its answer is not.
      const held = new Promise<void>((release) => {
        receiver.behave = async () => {
          if (receiver.requests.length < count) return 200;
          await killed;
          release();
          return 'close';
        };
      });
      const killed = receiver.until(count).then(() => api.kill('SIGKILL'));
      expect(await killed).toBe('SIGKILL');
      await held;
      receiver.behave = 200;
      await start();
    }
    await expect.poll(() => told(receiver).length, { timeout: 30_000 }).toBe(200);
    await untilAllDelivered();
    const events = told(receiver);
    expect(new Set(events.map(({ payload }) => payload.task_id)).size).toBe(200);
    const again = events.filter(({ attempts }) => attempts.length > 1);
    expect(again.length).toBeGreaterThanOrEqual(4);
    for (const { attempts } of again) expect(attempts).toEqual([...new Set(attempts)].sort((a, b) => a - b));
    expect(await api.kill('SIGTERM')).toBe(0);
  }, 90_000);

  it('reach a receiver that was away all the time, every end of every job exactly once', async () => {
    const away = await startReceiver();
    await away.close();
    await start();
    const quick = await submitJob(away.url(), ['/job/1', '/job/2']);
    const mixed = await submitJob(away.url(), ['/job/3', '/status/404']);
    const failed = await submitJob(away.url(), ['/status/404?again']);
    const slow = await submitJob(
      away.url(),
      [0, 1, 2, 3, 4, 5].map((n) => `/slow?ms=2500&n=${n}`),
      '127.0.0.2',
    );
    const dropped = await submitJob(
      away.url(),
      [0, 1, 2, 3, 4, 5].map((n) => `/slow?ms=2000&n=${n}`),
      '127.0.0.3',
    );
    for (const id of [quick, mixed, failed]) await api.until(jobPath(id), isOver);
    await api.until(jobPath(dropped), (job) => Number(job.running_tasks) > 0);
    await api.post(`${jobPath(dropped)}/cancel`);
    const tried = async () => (await ledger()).filter(hasFailed).map((one: { job_id: string }) => one.job_id);
    await expect.poll(tried).toEqual(expect.arrayContaining([quick, mixed, failed]));
    expect((await api.get(jobPath(slow))).body.data.completed_at).toBeNull();
    expect(await api.kill('SIGKILL')).toBe('SIGKILL');

    const back = await receive({ port: away.port });
    await start();
    await expect.poll(() => told(back).length, { timeout: 25_000 }).toBe(5);
    await untilAllDelivered();
    const events = told(back);
    const ends = Object.fromEntries(events.map(({ event, payload }) => [payload.job_id, event]));
    expect(ends).toEqual({
      [quick]: 'job.completed',
      [mixed]: 'job.partially_completed',
      [failed]: 'job.failed',
      [slow]: 'job.completed',
      [dropped]: 'job.cancelled',
    });
    // Those that failed before the end of the first life are known to have been tried.
    const first = events.find(({ payload }) => payload.job_id === quick) as Told;
    expect(first.attempts[0]).toBeGreaterThan(1);
    expect(events.every(({ attempts }) => attempts.length === 1)).toBe(true);
    for (const { payload } of events)
      expect((await api.get(jobPath(payload.job_id))).body.data.status).toBe(payload.status);
    expect(await api.kill('SIGTERM')).toBe(0);
  }, 60_000);

  it('are signed with the secrets of the day, so that none is refused while they are rotated', async () => {
    const receiver = await receive({ behave: 503 });
    await start({ SCRAPER_WEBHOOK_SECRET: OLD_SECRET });
    await submitJob(receiver.url(), ['/job/1']);
    await receiver.until(1);
    await expect.poll(async () => (await ledger()).filter(hasFailed).length).toBe(1);
    expect(await api.kill('SIGTERM')).toBe(0);
    await start({ SCRAPER_WEBHOOK_SECRET: `${NEW_SECRET}, ${OLD_SECRET}` });
    await receiver.until(2);
    await expect.poll(async () => (await ledger())[0].failed_attempts).toBe(2);
    expect(await api.kill('SIGKILL')).toBe('SIGKILL');
    receiver.behave = 200;
    await start({ SCRAPER_WEBHOOK_SECRET: NEW_SECRET });
    const [alone, both, fresh] = await receiver.until(3);
    await untilAllDelivered();

    const opens = (request: typeof alone, secret: string): boolean => {
      try {
        return told({ requests: [request!] }, secret).length === 1;
      } catch {
        return false;
      }
    };
    const known = [alone, both, fresh].map((one) => [opens(one, OLD_SECRET), opens(one, NEW_SECRET)]);
    expect(known).toEqual([
      [true, false],
      [true, true],
      [false, true],
    ]);
    expect(new Set([alone, both, fresh].map((one) => one?.headers['webhook-id'])).size).toBe(1);
    expect(new Set([alone, both, fresh].map((one) => one?.body.toString('base64'))).size).toBe(1);
    expect(api.output.join('')).not.toContain(NEW_SECRET.slice('whsec_'.length));
    expect(await api.kill('SIGTERM')).toBe(0);
  }, 60_000);
});

const hasFailed = (delivery: { failed_attempts: number }): boolean => delivery.failed_attempts > 0;
