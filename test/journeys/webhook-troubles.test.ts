import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Behaviour, first, type Receiver, startReceiver } from '../support/receiver.js';
import { journeyEnv, startService } from '../support/service.js';
import { type Site, startSite } from '../support/site.js';
import { tempDir } from '../support/temp-dir.js';
import { OLD_SECRET, told } from '../support/told.js';

const PRIVATE = 'http://10.11.12.13/private-path';

describe('receivers in trouble', () => {
  const directory = tempDir('troubles');
  let site: Site;
  let api: Awaited<ReturnType<typeof startService>>;
  const receivers: Receiver[] = [];

  beforeAll(async () => {
    site = await startSite();
    api = await startService(
      journeyEnv(directory.path, { SCRAPER_CHROMIUM_PATH: '/bin/false', SCRAPER_WEBHOOK_SECRET: OLD_SECRET }),
    );
  });
  afterAll(async () => {
    await api.service.stop(0);
    await Promise.all([site.close(), ...receivers.map((one) => one.close())]);
    directory.remove();
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(api.lines.slice(-60).join(''));
  });

  const submit = async (callbackUrl: string): Promise<string> => {
    const accepted = await api.post('/api/v1/scrape', {
      target_type: 'job_posting',
      target_url: site.url('/job/1'),
      workspace_id: 'ws-1',
      render: 'http',
      callback_url: callbackUrl,
    });
    expect(accepted.status).toBe(202);
    return accepted.body.data.task_id;
  };
  const reportOf = async (taskId: string) => {
    const list = await api.until(
      `/api/v1/webhooks/deliveries?task_id=${taskId}`,
      ({ items }) => (items as object[]).length === 1,
    );
    return (await api.get(`/api/v1/webhooks/deliveries/${list.body.data.items[0].delivery_id}`)).body.data;
  };
  /** A receiver that misbehaves the first times; what came of one delivery to it, once it has ended. */
  const tell = async (times: number, behaviour: Behaviour) => {
    const receiver = await startReceiver({ behave: first(times, behaviour) });
    receivers.push(receiver);
    const taskId = await submit(receiver.url('/hook?token=CANARY-cb-trouble-query'));
    await expect
      .poll(async () => (await reportOf(taskId)).status, { timeout: 28_000, interval: 100 })
      .not.toBe('pending');
    const report = await reportOf(taskId);
    const [event, ...others] = told(receiver);
    expect(others).toEqual([]);
    const { attempts, at } = event!;
    expect(attempts).toEqual(report.history.map(({ attempt }: { attempt: number }) => attempt));
    const gaps = at.slice(1).map((time, index) => time - at[index]!);
    return { receiver, report, gaps, statuses: report.history.map((one: { http_status: number }) => one.http_status) };
  };

  it('are told again until they answer 2xx, each at its own pace and none at the cost of another', async () => {
    // A date has whole seconds only.
    const comeBackAt = Math.floor(Date.now() / 1_000) * 1_000 + 8_000;
    const troubles = Promise.all([
      tell(2, 500),
      tell(1, 'hang'),
      tell(1, 'drip'),
      tell(1, { redirect: 307, to: PRIVATE }),
      tell(1, 'close'),
      tell(1, 'reset'),
      tell(9, 410),
      tell(1, { status: 429, headers: { 'retry-after': '4' } }),
      tell(1, { status: 503, headers: { 'retry-after': new Date(comeBackAt).toUTCString() } }),
      tell(1, { raw: 'nothing that a browser would read\r\n\r\n' }),
    ]);
    await expect.poll(() => receivers.length).toBe(10);
    await Promise.all(receivers.map((one) => one.until(1)));
    const began = performance.now();
    const { report: well } = await tell(0, 200);
    expect(well).toMatchObject({ status: 'delivered', attempts: 1 });
    expect(performance.now() - began).toBeLessThan(5_000);

    const [failing, hanging, dripping, moved, closing, resetting, gone, busy, until, mumbling] = await troubles;
    expect(failing.statuses).toEqual([500, 500, 200]);
    expect(failing.gaps[0]).toBeGreaterThanOrEqual(2_000);
    expect(failing.gaps[1]).toBeGreaterThanOrEqual(4_000);
    expect(hanging.statuses).toEqual([null, 200]);
    expect(hanging.report.history[0].error).toBe('The receiver did not answer within 10 s.');
    expect(hanging.report.history[0].duration_ms).toBeGreaterThanOrEqual(10_000);
    expect(hanging.report.history[0].duration_ms).toBeLessThan(12_000);
    expect(dripping.statuses).toEqual([200]);
    expect(dripping.report.history[0].duration_ms).toBeLessThan(5_000);
    expect(moved.statuses).toEqual([307, 200]);
    expect(moved.receiver.requests.map(({ path }) => path)).toEqual(
      Array(2).fill('/hook?token=CANARY-cb-trouble-query'),
    );
    for (const { statuses, report, receiver } of [closing, resetting, mumbling]) {
      expect(statuses).toEqual([null, 200]);
      expect(report.history[0].error).toContain(`127.0.0.1:${receiver.port}`);
    }
    expect(gone.report).toMatchObject({ status: 'dead', attempts: 1, last_http_status: 410, next_attempt_at: null });
    expect(busy.statuses).toEqual([429, 200]);
    expect(busy.gaps[0]).toBeGreaterThanOrEqual(4_000);
    expect(until.statuses).toEqual([503, 200]);
    // However long it took to get there. The wall clock and ours may differ by the rounding of a timer.
    expect(until.receiver.requests[1]?.wallAt).toBeGreaterThanOrEqual(comeBackAt - 10);
    for (const { report } of [failing, hanging, moved, closing, resetting, busy, until, mumbling])
      expect(report).toMatchObject({ status: 'delivered', last_http_status: 200, last_error: null });

    // Nothing was said about the way to them but their origin.
    const shown = api.lines.join('') + JSON.stringify((await api.get('/api/v1/webhooks/deliveries?limit=100')).body);
    expect(shown).toContain(failing.receiver.origin);
    expect(shown).not.toMatch(/trouble-query|private-path|10\.11\.12\.13/);
  }, 60_000);

  it('that are the service itself, or lead inside, are never reached', async () => {
    const { port } = new URL(api.address);
    const before = api.lines.length;
    const callbacks = [api.address, `http://127.0.0.5:${port}`, `http://[::ffff:127.0.0.1]:${port}`];
    for (const origin of callbacks) {
      const taskId = await submit(`${origin}/api/v1/scrape`);
      await expect.poll(async () => (await reportOf(taskId)).last_error).toContain('leads back to this service');
      expect(await reportOf(taskId)).toMatchObject({ status: 'pending', attempts: 1, last_http_status: null });
    }
    const requests = api.lines.slice(before).map((line) => JSON.parse(line));
    expect(requests.filter(({ status }) => status === 401)).toEqual([]);
    for (const url of ['http://10.0.0.1/', 'http://[::1]/', 'http://localhost/', 'ftp://127.0.0.1/']) {
      const refused = await api.post('/api/v1/webhooks/test', { url });
      expect(refused, url).toMatchObject({ status: 422, body: { meta: { fields: [{ field: 'url' }] } } });
    }
  });
});
