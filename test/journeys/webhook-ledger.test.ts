import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { type Answer, journeyEnv, startService } from '../support/service.js';
import { type Site, startSite } from '../support/site.js';
import { tempDir } from '../support/temp-dir.js';
import { OLD_SECRET, told } from '../support/told.js';

const LEDGER = '/api/v1/webhooks/deliveries';
const HOOK = '/hook-path?token=hook-query#hook-hash';

describe('the ledger of webhooks, over REST', () => {
  const directory = tempDir('ledger');
  let site: Site;
  let well: Receiver;
  let gone: Receiver;
  let api: Awaited<ReturnType<typeof startService>>;
  /** Everything the ledger ever answered. */
  const answered: string[] = [];

  beforeAll(async () => {
    site = await startSite();
    well = await startReceiver({ host: '127.0.0.2' });
    gone = await startReceiver({ host: '127.0.0.3', behave: 410 });
    const env = { SCRAPER_CHROMIUM_PATH: '/bin/false', SCRAPER_WEBHOOK_SECRET: OLD_SECRET, SCRAPER_LOG_LEVEL: 'trace' };
    api = await startService(journeyEnv(directory.path, env));
  });
  afterAll(async () => {
    await api.service.stop(1_000);
    await Promise.all([site.close(), well.close(), gone.close()]);
    directory.remove();
  });

  const kept = (answer: Answer): Answer => {
    answered.push(JSON.stringify(answer.body), [...answer.headers].join());
    return answer;
  };
  const get = async (path: string): Promise<Answer> => kept(await api.get(path));
  const post = async (path: string, body?: unknown): Promise<Answer> => kept(await api.post(path, body));
  const list = async (query: string) => (await get(`${LEDGER}?${query}`)).body.data;
  const idsOf = async (query: string): Promise<string[]> =>
    (await list(`${query}&limit=100`)).items.map((one: { delivery_id: string }) => one.delivery_id);
  const target = (n: number) => ({
    target_type: 'job_posting',
    target_url: site.url(`/job/${n}`),
    workspace_id: 'ws-1',
    render: 'http',
  });
  const submit = async (receiver: Receiver, n: number): Promise<string> => {
    const done = await api.post('/api/v1/scrape/sync', { ...target(n), callback_url: receiver.url(HOOK) });
    expect(done.status).toBe(200);
    return done.body.data.task_id;
  };
  const untilNonePending = () => api.until(`${LEDGER}?status=pending`, ({ items }) => (items as object[]).length === 0);
  const ended = async (id: string): Promise<Answer['body']> =>
    (await api.until(`${LEDGER}/${id}`, ({ status }) => status !== 'pending')).body.data;

  it('lists what was told, by job, task, state, receiver and time, page by page', async () => {
    const tasks = [await submit(well, 1), await submit(well, 2), await submit(gone, 3)];
    await untilNonePending();
    const since = new Date().toISOString();
    const batch = {
      targets: [target(4), { ...target(5), callback_url: gone.url(HOOK) }],
      callback_url: well.url(HOOK),
    };
    const { job_id: job, task_ids: jobTasks } = (await api.post('/api/v1/scrape/batch', batch)).body.data;
    await Promise.all([well.until(3), gone.until(2)]);
    await untilNonePending();

    const { items } = await list('limit=100');
    const shown = items.map((one: Record<string, unknown>) => [
      one.event,
      one.receiver,
      one.status,
      one.job_id,
      one.task_id,
    ]);
    expect(shown.slice(2)).toEqual([
      ['task.completed', gone.origin, 'dead', null, tasks[2]],
      ['task.completed', well.origin, 'delivered', null, tasks[1]],
      ['task.completed', well.origin, 'delivered', null, tasks[0]],
    ]);
    // The job and its second task may end in one breath.
    expect(shown.slice(0, 2)).toEqual(
      expect.arrayContaining([
        ['job.completed', well.origin, 'delivered', job, null],
        ['task.completed', gone.origin, 'dead', job, jobTasks[1]],
      ]),
    );
    const all = items.map((one: { delivery_id: string }) => one.delivery_id);
    expect(await idsOf(`since=${since}`)).toEqual(all.slice(0, 2));
    expect((await idsOf(`job_id=${job}`)).sort()).toEqual(all.slice(0, 2).sort());
    expect(await idsOf(`task_id=${tasks[1]}`)).toEqual([all[3]]);
    expect(await idsOf('status=dead')).toHaveLength(2);
    expect(await idsOf('status=pending')).toEqual([]);
    // A caller may give the callback it knows.
    expect(await idsOf(`receiver=${encodeURIComponent(gone.url(HOOK))}`)).toEqual(await idsOf('status=dead'));

    const paged: string[] = [];
    for (let cursor = ''; ; ) {
      const page = await list(`limit=2${cursor}`);
      paged.push(...page.items.map((one: { delivery_id: string }) => one.delivery_id));
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(paged).toEqual(all);
  });

  it('shows every attempt, and tells one again when asked to', async () => {
    const [dead] = await idsOf(`receiver=${encodeURIComponent(gone.origin)}`);
    const before = (await get(`${LEDGER}/${dead}`)).body.data;
    expect(before).toMatchObject({ status: 'dead', attempts: 1, last_http_status: 410, history: [{ attempt: 1 }] });
    gone.behave = 200;
    const again = await post(`${LEDGER}/${dead}/redeliver`);
    expect(again).toMatchObject({ status: 202, body: { data: { delivery_id: dead, status: 'pending' } } });
    expect(await ended(dead!)).toMatchObject({
      status: 'delivered',
      attempts: 2,
      history: [
        { attempt: 1, http_status: 410, error: expect.stringContaining('410') },
        { attempt: 2, http_status: 200, error: null },
      ],
    });
    expect(told(gone).find(({ id }) => id === dead)?.attempts).toEqual([1, 2]);

    // What was delivered comes again too, if somebody lost it.
    const [delivered] = await idsOf(`status=delivered&receiver=${encodeURIComponent(well.origin)}`);
    await post(`${LEDGER}/${delivered}/redeliver`);
    await expect.poll(() => told(well).find(({ id }) => id === delivered)?.attempts).toEqual([1, 2]);
    const unknown = await post(`${LEDGER}/01920000-0000-7000-8000-000000000000/redeliver`);
    expect(unknown).toMatchObject({ status: 404, body: { meta: { code: 'delivery_not_found' } } });
  });

  it('tells everything again that was given up since an outage, and nothing else', async () => {
    gone.behave = 410;
    await submit(gone, 10);
    await untilNonePending();
    const since = new Date().toISOString();
    const lost: string[] = [];
    for (let n = 11; n < 16; n += 1) lost.push(await submit(gone, n));
    await submit(well, 16);
    await untilNonePending();
    const counts = [well.requests.length, gone.requests.length];
    gone.behave = 200;
    const redelivered = await post(`${LEDGER}/redeliver`, { since, receiver: gone.url(HOOK) });
    expect(redelivered).toMatchObject({ status: 202, body: { data: { redelivered: 5 } } });
    await gone.until(counts[1]! + 5);
    await untilNonePending();
    expect([well.requests.length, gone.requests.length]).toEqual([counts[0], counts[1]! + 5]);
    const twice = told(gone).filter(({ payload, attempts }) => lost.includes(payload.task_id) && attempts.length === 2);
    expect(twice.map(({ payload }) => payload.task_id).sort()).toEqual([...lost].sort());
    expect((await post(`${LEDGER}/redeliver`, { since, receiver: gone.url(HOOK) })).body.data.redelivered).toBe(0);
    // What was given up before is still there.
    expect(await idsOf('status=dead')).not.toEqual([]);
  });

  it('sends a ping and says how it went', async () => {
    const pinged = await post('/api/v1/webhooks/test', { url: well.url(HOOK) });
    expect(pinged).toMatchObject({
      status: 200,
      body: { data: { event: 'ping', status: 'delivered', receiver: well.origin, history: [{ http_status: 200 }] } },
    });
    const ping = told(well).find(({ event }) => event === 'ping');
    expect(ping).toMatchObject({ id: pinged.body.data.delivery_id, attempts: [1] });
    expect(ping?.payload).toMatchObject({ event: 'ping', delivery_id: ping?.id });

    well.behave = 500;
    const failed = await post('/api/v1/webhooks/test', { url: well.url(HOOK) });
    expect(failed.body.data).toMatchObject({
      status: 'dead',
      attempts: 1,
      last_http_status: 500,
      last_error: 'The receiver answered 500.',
    });
    const { port } = await closedPort();
    const refused = await post('/api/v1/webhooks/test', { url: `http://127.0.0.4:${port}${HOOK}` });
    expect(refused.body.data).toMatchObject({ status: 'dead', last_http_status: null });
    expect(refused.body.data.last_error).toContain('ECONNREFUSED');
    // The caller is shown its own mistake; nobody else is.
    expect((await api.post('/api/v1/webhooks/test', { url: `http://10.0.0.1${HOOK}` })).status).toBe(422);
  });

  it('never says where exactly a callback is, nor with what it is signed', async () => {
    const ledger = answered.join('\n');
    const log = api.lines.join('');
    expect(ledger).toContain(well.origin);
    expect(log).toContain(gone.origin);
    for (const text of [ledger, log]) {
      expect(text).not.toMatch(/hook-(path|query|hash)/);
      expect(text).not.toContain(OLD_SECRET.slice('whsec_'.length));
      expect(text).not.toMatch(/v1,[A-Za-z0-9+/]{43}=/);
    }
  });
});

/** A port on which nobody listens any more. */
async function closedPort(): Promise<{ port: number }> {
  const receiver = await startReceiver({ host: '127.0.0.4' });
  await receiver.close();
  return receiver;
}
