import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DeliveryAttempt } from '../../src/domain/delivery.js';
import { GleanerError } from '../../src/domain/errors.js';
import { openDoor, SCRAPE, type TestDoor, target } from './support.js';

const DELIVERIES = '/api/v1/webhooks/deliveries';
const REDELIVER = `${DELIVERIES}/redeliver`;
const TEST = '/api/v1/webhooks/test';
const UNKNOWN = '0190b5a2-7c20-7d0f-8a6e-5b1f0c3d2e11';
const SECRET_URL = 'https://hooks.example.com/in/CANARY-cb-s3cr3t-path?token=CANARY-cb-s3cr3t-query#s3cr3t-hash';
const DAY = 24 * 3_600_000;

const refused: DeliveryAttempt = {
  attempt: 1,
  startedAt: Date.UTC(2025, 5, 2),
  status: null,
  durationMs: 12,
  error: 'The connection was refused.',
};

let door: TestDoor;
let ledger: TestDoor['engine']['webhooks'];
beforeEach(async () => {
  door = await openDoor();
  ledger = door.engine.webhooks;
});
afterEach(() => door.app.close());

const listed = async (query = ''): Promise<string[]> =>
  (await door.get(`${DELIVERIES}?${query}`)).json().data.items.map((one: { delivery_id: string }) => one.delivery_id);
const faultOf = async (answer: ReturnType<TestDoor['get']>): Promise<unknown> => {
  const response = await answer;
  expect(response.statusCode).toBe(422);
  expect(response.json().meta.code).toBe('validation_failed');
  return response.json().meta.fields;
};

describe('the ledger', () => {
  it('shows deliveries newest first, field by field and without their URL', async () => {
    const jobId = randomUUID();
    const older = ledger.add();
    const dead = ledger.add(
      {
        event: 'job.failed',
        jobId,
        taskId: null,
        url: SECRET_URL,
        status: 'dead',
        nextAttemptAt: null,
        createdAt: Date.UTC(2025, 5, 2),
        endedAt: Date.UTC(2025, 5, 3),
      },
      [refused],
    );
    const response = await door.get(DELIVERIES);
    expect(response.statusCode).toBe(200);
    const { items, next_cursor: cursor } = response.json().data;
    expect(cursor).toBeNull();
    expect(items[0]).toEqual({
      delivery_id: dead.id,
      event: 'job.failed',
      job_id: jobId,
      task_id: null,
      receiver: 'https://hooks.example.com',
      status: 'dead',
      attempts: 1,
      failed_attempts: 1,
      next_attempt_at: null,
      created_at: '2025-06-02T00:00:00.000Z',
      ended_at: '2025-06-03T00:00:00.000Z',
      last_http_status: null,
      last_error: 'The connection was refused.',
    });
    expect(items[1]).toMatchObject({ delivery_id: older.id, status: 'pending' });
    expect(items[1].next_attempt_at).toMatch(/Z$/);
  });

  it('is filtered by what a delivery tells of, its state, its receiver and its time', async () => {
    const [jobId, taskId] = [randomUUID(), randomUUID()];
    const ofJob = ledger.add({ jobId, taskId: null, status: 'delivered' }).id;
    const ofTask = ledger.add({ jobId, taskId, createdAt: Date.now() - DAY }).id;
    const elsewhere = ledger.add({ url: 'http://[::1]:8080/x', status: 'dead' }).id;
    expect(await listed()).toEqual([elsewhere, ofTask, ofJob]);
    expect(await listed(`job_id=${jobId}`)).toEqual([ofTask, ofJob]);
    expect(await listed(`job_id=${jobId.toUpperCase()}&task_id=${taskId.toUpperCase()}`)).toEqual([ofTask]);
    expect(await listed(`job_id=${UNKNOWN}`)).toEqual([]);
    expect(await listed('status=dead')).toEqual([elsewhere]);
    expect(await listed('status=pending')).toEqual([ofTask]);
    expect(await listed(`since=${new Date(Date.now() - DAY / 2).toISOString()}`)).toEqual([elsewhere, ofJob]);
    expect(await listed('since=2100-01-01')).toEqual([]);
    expect(await listed(`receiver=${encodeURIComponent('http://[::1]:8080')}`)).toEqual([elsewhere]);
  });

  it.each([
    'https://hooks.example.com',
    'https://HOOKS.example.com:443/',
    SECRET_URL,
    'HTTPS://user:password@hooks.example.com/in',
  ])('knows the receiver %s by its origin', async (url) => {
    const { id } = ledger.add();
    ledger.add({ url: 'https://hooks.example.com:8443/in' });
    expect(await listed(`receiver=${encodeURIComponent(url)}`)).toEqual([id]);
  });

  it('is paged', async () => {
    const ids = Array.from({ length: 60 }, () => ledger.add().id).reverse();
    const { items, next_cursor: cursor } = (await door.get(DELIVERIES)).json().data;
    expect(items).toHaveLength(50);
    expect(await listed(`cursor=${cursor}`)).toEqual(ids.slice(50));
    expect(await listed('limit=2')).toEqual(ids.slice(0, 2));
  });

  it.each([
    ['receiver=hooks.example.com', 'receiver', 'hooks.example.com'],
    ['receiver=ftp://hooks.example.com', 'receiver', 'ftp://hooks.example.com'],
    ['receiver=https://', 'receiver', 'https://'],
    ['receiver=https:hooks.example.com', 'receiver', 'https:hooks.example.com'],
    ['receiver=', 'receiver', ''],
    ['job_id=7', 'job_id', '7'],
    ['task_id=', 'task_id', ''],
    ['status=failed', 'status', 'failed'],
    ['since=yesterday', 'since', 'yesterday'],
    ['since=2025-13-01', 'since', '2025-13-01'],
    ['since=2026-02-31', 'since', '2026-02-31'],
    ['since=2026-02-31T10:00:00Z', 'since', '2026-02-31T10:00:00Z'],
    ['limit=0', 'limit', 0],
    ['limit=101', 'limit', 101],
    ['cursor=nonsense', 'cursor', 'nonsense'],
    ['url=x', 'url', 'x'],
  ])('refuses the query %s, naming field and value', async (query, field, value) => {
    expect(await faultOf(door.get(`${DELIVERIES}?${query}`))).toMatchObject([
      { field, value, message: expect.stringMatching(/^(must be|is not)/) },
    ]);
  });

  it('does not repeat the password of a receiver that is refused', async () => {
    const response = await door.get(`${DELIVERIES}?receiver=${encodeURIComponent('ftp://user:pa55word@example.com')}`);
    expect(response.statusCode).toBe(422);
    expect(response.body).not.toContain('pa55word');
  });
});

describe('a delivery', () => {
  it('is shown with every attempt', async () => {
    const underWay = { attempt: 2, startedAt: Date.UTC(2025, 5, 2, 1), status: null, durationMs: null, error: null };
    const { id } = ledger.add({}, [{ ...refused, status: 503, error: 'The receiver answered 503.' }, underWay]);
    const response = await door.get(`${DELIVERIES}/${id.toUpperCase()}`);
    expect(response.statusCode).toBe(200);
    expect(response.json().data).toMatchObject({ delivery_id: id, attempts: 2, failed_attempts: 1 });
    expect(response.json().data.history).toEqual([
      {
        attempt: 1,
        started_at: '2025-06-02T00:00:00.000Z',
        http_status: 503,
        duration_ms: 12,
        error: 'The receiver answered 503.',
      },
      { attempt: 2, started_at: '2025-06-02T01:00:00.000Z', http_status: null, duration_ms: null, error: null },
    ]);
  });

  it.each(['x', UNKNOWN, `${UNKNOWN}0`])('that is not there (%s) is 404', async (id) => {
    const shown = await door.get(`${DELIVERIES}/${id}`);
    const again = await door.call({ method: 'POST', url: `${DELIVERIES}/${id}/redeliver` });
    for (const response of [shown, again]) {
      expect(response.statusCode).toBe(404);
      expect(response.json().meta).toMatchObject({ code: 'delivery_not_found', retryable: false });
    }
  });

  it('is told again with 202, with or without an empty body', async () => {
    const { id } = ledger.add({ status: 'dead', nextAttemptAt: null, endedAt: 1, url: SECRET_URL }, [refused]);
    const response = await door.call({ method: 'POST', url: `${DELIVERIES}/${id}/redeliver` });
    expect(response.statusCode).toBe(202);
    expect(response.json().data).toMatchObject({ delivery_id: id, status: 'pending', failed_attempts: 0, attempts: 1 });
    expect(response.json().data).not.toHaveProperty('history');
    expect((await door.post(`${DELIVERIES}/${id}/redeliver`, {})).statusCode).toBe(202);
    expect(await faultOf(door.post(`${DELIVERIES}/${id}/redeliver`, { since: 1 }))).toMatchObject([{ field: 'since' }]);
    expect(await faultOf(door.post(`${DELIVERIES}/${id}/redeliver?x=1`, {}))).toMatchObject([{ field: 'x' }]);
  });
});

describe('telling again what matches', () => {
  const since = '2025-06-02';
  const statusOf = async (id: string): Promise<string> => (await ledger.report(id)).delivery.status;

  it('means the dead ones unless told otherwise, and answers how many', async () => {
    const dead = [ledger.add({ status: 'dead' }).id, ledger.add({ status: 'dead' }).id];
    const delivered = ledger.add({ status: 'delivered' }).id;
    const response = await door.post(REDELIVER, { since });
    expect(response.statusCode).toBe(202);
    expect(response.json().data).toEqual({ redelivered: 2 });
    expect(await Promise.all([...dead, delivered].map(statusOf))).toEqual(['pending', 'pending', 'delivered']);
    expect((await door.post(REDELIVER, { since, status: 'delivered' })).json().data).toEqual({ redelivered: 1 });
    expect((await door.post(REDELIVER, { since, status: 'pending' })).json().data).toEqual({ redelivered: 3 });
  });

  it('keeps to the time, the receiver and the job', async () => {
    const jobId = randomUUID();
    ledger.add({ status: 'dead', createdAt: Date.UTC(2025, 5, 1) });
    ledger.add({ status: 'dead', url: 'https://other.example.com/x' });
    ledger.add({ status: 'dead', jobId });
    const told = async (wish: object): Promise<number> =>
      (await door.post(REDELIVER, { since: '2100-01-01', ...wish })).json().data.redelivered;
    expect(await told({})).toBe(0);
    expect(await told({ since, job_id: jobId.toUpperCase() })).toBe(1);
    expect(await told({ since, receiver: 'https://other.example.com/any/path' })).toBe(1);
    expect(await told({ since: '2025-06-01T00:00:00+02:00' })).toBe(1);
  });

  it.each([
    [{}, 'since', undefined],
    [{ since: 0 }, 'since', 0],
    [{ since: '2025-13-01' }, 'since', '2025-13-01'],
    [{ since, status: 'all' }, 'status', 'all'],
    [{ since, receiver: 'example.com' }, 'receiver', 'example.com'],
    [{ since, receiver: null }, 'receiver', null],
    [{ since, job_id: 'x' }, 'job_id', 'x'],
    [{ since, task_id: UNKNOWN }, 'task_id', UNKNOWN],
  ])('refuses %j, naming field and value', async (body, field, value) => {
    expect(await faultOf(door.post(REDELIVER, body))).toMatchObject([{ field, ...(value !== undefined && { value }) }]);
  });

  it('is not taken for a delivery with that name', async () => {
    expect((await door.get(REDELIVER)).statusCode).toBe(405);
    expect((await door.post(REDELIVER, { since })).statusCode).toBe(202);
    expect((await door.post(`${REDELIVER}/redeliver`, {})).json().meta.code).toBe('delivery_not_found');
  });
});

describe('a ping', () => {
  it('answers with the delivery and its one attempt', async () => {
    const response = await door.post(TEST, { url: SECRET_URL });
    expect(response.statusCode).toBe(200);
    const { data } = response.json();
    expect(data).toMatchObject({ event: 'ping', job_id: null, task_id: null, status: 'delivered', attempts: 1 });
    expect(data.history).toMatchObject([{ attempt: 1, http_status: 204, error: null }]);
    expect(await listed()).toEqual([data.delivery_id]);
  });

  it('that failed is an answer all the same: the call worked', async () => {
    ledger.answer = { status: 500, error: 'The receiver answered 500.' };
    const response = await door.post(TEST, { url: SECRET_URL });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({
      success: true,
      data: { status: 'dead', last_http_status: 500, last_error: 'The receiver answered 500.' },
    });
  });

  it.each([
    [{}, undefined],
    [{ url: '' }, ''],
    [{ url: 7 }, 7],
    [{ url: null }, null],
    [{ url: 'ftp://example.com/' }, 'ftp://example.com/'],
    [{ url: 'http://127.0.0.1/' }, 'http://127.0.0.1/'],
  ])('to %j is refused, naming field and value', async (body, value) => {
    expect(await faultOf(door.post(TEST, body))).toMatchObject([
      { field: 'url', ...(value !== undefined && { value }) },
    ]);
    expect(await listed()).toEqual([]);
  });

  it('takes nothing but the URL', async () => {
    expect(await faultOf(door.post(TEST, { url: SECRET_URL, event: 'x' }))).toMatchObject([{ field: 'event' }]);
    expect((await door.call({ method: 'POST', url: TEST })).statusCode).toBe(400);
  });
});

describe('the webhook routes', () => {
  it.each([
    ['POST', DELIVERIES, 'GET, HEAD'],
    ['DELETE', `${DELIVERIES}/${UNKNOWN}`, 'GET, HEAD'],
    ['GET', `${DELIVERIES}/${UNKNOWN}/redeliver`, 'POST'],
    ['GET', REDELIVER, 'POST'],
    ['GET', TEST, 'POST'],
  ] as const)('answer %s %s with 405 and Allow: %s', async (method, url, allow) => {
    const response = await door.call({ method, url });
    expect(response.statusCode).toBe(405);
    expect(response.headers.allow).toBe(allow);
  });

  it('answer HEAD like GET, without the body', async () => {
    const { id } = ledger.add();
    for (const url of [DELIVERIES, `${DELIVERIES}/${id}`]) {
      const response = await door.call({ method: 'HEAD', url });
      expect(response.statusCode).toBe(200);
      expect(response.body).toBe('');
    }
  });

  it('ask for the key and pass faults of the engine on', async () => {
    const { id } = ledger.add();
    const calls = [
      ['GET', DELIVERIES, undefined],
      ['GET', `${DELIVERIES}/${id}`, undefined],
      ['POST', `${DELIVERIES}/${id}/redeliver`, undefined],
      ['POST', REDELIVER, { since: '2025-06-02' }],
      ['POST', TEST, { url: SECRET_URL }],
    ] as const;
    door.engine.broken = new GleanerError('storage_unavailable', 'Disk.');
    for (const [method, url, body] of calls) {
      expect((await door.app.inject({ method, url })).statusCode).toBe(401);
      const response = await door.call({ method, url, ...(body && { payload: body }) });
      expect(response.statusCode).toBe(503);
      expect(response.json().meta).toMatchObject({ code: 'storage_unavailable', retry_after_seconds: 5 });
    }
  });

  it('show the URL of a callback nowhere, and neither does any other route', async () => {
    const task = (await door.post(SCRAPE, target({ callback_url: SECRET_URL }))).json().data.task_id;
    const body = { targets: [target({ callback_url: SECRET_URL })], callback_url: SECRET_URL };
    const job = (await door.post(`${SCRAPE}/batch`, body)).json().data;
    door.engine.complete(job.task_ids[0], {});
    const { id } = ledger.add({ url: SECRET_URL, status: 'dead', taskId: task }, [refused]);
    const answers = await Promise.all([
      door.get(DELIVERIES),
      door.get(`${DELIVERIES}/${id}`),
      door.call({ method: 'POST', url: `${DELIVERIES}/${id}/redeliver` }),
      door.post(TEST, { url: SECRET_URL }),
      door.get(`${SCRAPE}/${task}`),
      door.get(`${SCRAPE}/jobs`),
      door.get(`${SCRAPE}/jobs/${job.job_id}`),
      door.get(`${SCRAPE}/jobs/${job.job_id}/results`),
      door.get(`${SCRAPE}/jobs/${job.job_id}/events`),
    ]);
    for (const answer of answers) expect(answer.body).not.toContain('s3cr3t');
    expect(JSON.stringify(door.logLines)).not.toContain('s3cr3t');
  });
});
