import { setTimeout as sleep } from 'node:timers/promises';
import type { LightMyRequestResponse } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  hangingRequest,
  KEY,
  listening,
  openDoor,
  parseAnswer,
  rawExchange,
  SCRAPE,
  type TestDoor,
  target,
} from './support.js';

const SYNC = `${SCRAPE}/sync`;
const BATCH = `${SCRAPE}/batch`;
const FULL = {
  target_type: 'job_posting',
  target_url: 'https://www.example.com/jobs/1',
  workspace_id: 'ws_1',
  requested_fields: ['job_title', 'location'],
};

let door: TestDoor;
beforeEach(async () => {
  door = await openDoor();
});
afterEach(() => door.app.close());

const send = (url: string, body: unknown, key: string): Promise<LightMyRequestResponse> =>
  door.post(url, body, { 'idempotency-key': key });
const isReplay = ({ headers }: LightMyRequestResponse): boolean => headers['idempotent-replayed'] === 'true';

describe('a submit with an Idempotency-Key', () => {
  it('answers the same task the second time, says so, and submits nothing', async () => {
    const first = await send(SCRAPE, FULL, 'k-1');
    const id = first.json().data.task_id;
    door.engine.run(id);
    door.engine.complete(id, {});
    const again = await send(SCRAPE, FULL, 'k-1');
    expect(isReplay(first)).toBe(false);
    expect(isReplay(again)).toBe(true);
    expect(again.statusCode).toBe(202);
    expect(again.json().data).toEqual({ task_id: id, status: 'queued' });
    expect(again.headers.location).toBe(first.headers.location);
    expect(again.json().meta.request_id).not.toBe(first.json().meta.request_id);
    expect(door.engine.tasks.size).toBe(1);
  });

  it('answers the same job with the same tasks in the same order', async () => {
    const body = { targets: [target(), target({ render: 'http' }), target()] };
    const first = await send(BATCH, body, 'k-1');
    door.engine.complete(first.json().data.task_ids[1], {});
    const again = await send(BATCH, body, 'k-1');
    expect([isReplay(first), isReplay(again)]).toEqual([false, true]);
    expect(again.statusCode).toBe(202);
    expect(again.json().data).toEqual(first.json().data);
    expect(again.headers.location).toBe(first.headers.location);
    expect(door.engine.tasks.size).toBe(3);
  });

  it('is the same whatever the order of its keys, and another when a value or the order of a list differs', async () => {
    const { target_type, requested_fields, ...rest } = FULL;
    const id = (await send(SCRAPE, FULL, 'k-1')).json().data.task_id;
    const reordered = await send(SCRAPE, { requested_fields, ...rest, target_type }, 'k-1');
    expect(reordered.json().data.task_id).toBe(id);
    for (const change of [
      { workspace_id: 'ws_2' },
      { requested_fields: ['location', 'job_title'] },
      { render: 'auto' },
    ]) {
      const other = await send(SCRAPE, { ...FULL, ...change }, 'k-1');
      expect(other.statusCode).toBe(422);
      expect(other.json().meta).toMatchObject({ code: 'idempotency_conflict', retryable: false });
      expect(isReplay(other)).toBe(false);
    }
    expect(door.engine.tasks.size).toBe(1);
  });

  it('sorts the keys of targets too', async () => {
    const first = await send(BATCH, { targets: [FULL], callback_url: null }, 'k-1');
    const turned = Object.fromEntries(Object.entries(FULL).reverse());
    const again = await send(BATCH, { callback_url: null, targets: [turned] }, 'k-1');
    expect(again.json().data).toEqual(first.json().data);
  });

  it('is another submission on another route, even with the same body', async () => {
    await send(SCRAPE, FULL, 'k-1');
    expect((await send(SYNC, FULL, 'k-1')).json().meta.code).toBe('idempotency_conflict');
  });

  it('is another submission with another key, and each is one of its own without', async () => {
    await send(SCRAPE, FULL, 'k-1');
    await send(SCRAPE, FULL, 'K-1');
    for (const answer of [await door.post(SCRAPE, FULL), await door.post(SCRAPE, FULL)]) {
      expect(isReplay(answer)).toBe(false);
    }
    expect(door.engine.tasks.size).toBe(4);
  });
});

describe('an Idempotency-Key', () => {
  it.each([['0'.repeat(255)], ['"quoted"'], ['!'], ['~,;=/']])('may be %s', async (key) => {
    expect((await send(SCRAPE, FULL, key)).statusCode).toBe(202);
  });

  it.each([
    ['', ''],
    ['two words', 'two words'],
    ['tab\there', 'tab\there'],
    ['caf\u00e9', 'caf\u00e9'],
    ['0'.repeat(256), `${'0'.repeat(99)}…`],
  ])('may not be "%s", on any route', async (key, value) => {
    const bodies = [[SCRAPE, FULL] as const, [SYNC, FULL] as const, [BATCH, { targets: [FULL] }] as const];
    for (const [url, body] of bodies) {
      const response = await send(url, body, key);
      expect(response.statusCode).toBe(422);
      expect(response.json().meta).toMatchObject({
        code: 'validation_failed',
        fields: [
          {
            field: 'Idempotency-Key',
            message: 'must be a single header of 1 to 255 visible ASCII characters.',
            value,
          },
        ],
      });
    }
    expect(door.engine.tasks.size).toBe(0);
  });

  it('may not come twice, even with the same value', async () => {
    const body = JSON.stringify(FULL);
    const head = [
      `POST ${SCRAPE} HTTP/1.1`,
      'Host: 127.0.0.1',
      `X-Service-Key: ${KEY}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Idempotency-Key: k-1',
      'idempotency-key: k-1',
      'Connection: close',
    ];
    const raw = await rawExchange(await listening(door.app), [`${head.join('\r\n')}\r\n\r\n${body}`]);
    const { status, body: text } = parseAnswer(raw);
    expect(status).toBe(422);
    expect(JSON.parse(text).meta.fields).toMatchObject([{ field: 'Idempotency-Key', value: 'k-1, k-1' }]);
    expect(door.engine.tasks.size).toBe(0);
  });

  it('does not make other headers matter, and is no matter elsewhere', async () => {
    const odd = { 'x-anything': 'at all', 'idempotency-keys': 'x y', 'idempotency-key': 'k-1' };
    expect((await door.post(SCRAPE, FULL, odd)).statusCode).toBe(202);
    const jobs = await door.call({ method: 'GET', url: `${SCRAPE}/jobs`, headers: { 'idempotency-key': 'two words' } });
    expect(jobs.statusCode).toBe(200);
  });

  it('is not written to the log', async () => {
    await send(SCRAPE, FULL, 'a-key-of-the-caller');
    await send(SCRAPE, { ...FULL, workspace_id: 'other' }, 'a-key-of-the-caller');
    expect(JSON.stringify(door.logLines)).not.toContain('a-key-of-the-caller');
  });
});

describe('the synchronous route with a key', () => {
  const theTask = async (): Promise<string> => {
    while (door.engine.tasks.size === 0) await sleep(5);
    return [...door.engine.tasks.keys()][0]!;
  };
  const gone = async (count: number): Promise<void> => {
    while (door.answered.filter(({ status }) => status === 499).length < count) await sleep(5);
    // Whoever would cancel has had the time to.
    await sleep(20);
  };

  it('waits for the task of the first request and answers with its result', async () => {
    const first = send(SYNC, FULL, 'k-1');
    const id = await theTask();
    const again = send(SYNC, FULL, 'k-1');
    while (door.engine.waitingFor(id) < 2) await sleep(5);
    door.engine.complete(id, { job_title: 'Engineer' });
    const answers = await Promise.all([first, again]);
    expect(answers.map(isReplay)).toEqual([false, true]);
    expect(answers[1].statusCode).toBe(200);
    expect(answers[1].json().data).toEqual(answers[0].json().data);
  });

  it('answers again with the failure, its status and its task', async () => {
    door.engine.visit = (id) => door.engine.fail(id, 'robots_denied', 'Forbidden.');
    const first = await send(SYNC, FULL, 'k-1');
    const again = await send(SYNC, FULL, 'k-1');
    expect([first.statusCode, again.statusCode]).toEqual([403, 403]);
    expect([isReplay(first), isReplay(again)]).toEqual([false, true]);
    expect(again.json().meta).toMatchObject({ code: 'robots_denied', task_id: first.json().meta.task_id });
  });

  it('does not cancel the task when a repetition hangs up', async () => {
    const port = await listening(door.app);
    const headers = { 'idempotency-key': 'k-1' };
    const first = hangingRequest(port, { path: SYNC, body: FULL, headers });
    const answer = new Promise<number>((resolve) => first.once('response', (it) => resolve(it.statusCode ?? 0)));
    const id = await theTask();
    const again = hangingRequest(port, { path: SYNC, body: FULL, headers });
    while (door.engine.waitingFor(id) < 2) await sleep(5);
    again.destroy();
    await gone(1);
    expect(door.engine.tasks.get(id)?.status).toBe('queued');
    door.engine.complete(id, {});
    expect(await answer).toBe(200);
  });

  it('does not cancel the task when the first request hangs up: its client can come back for the answer', async () => {
    const headers = { 'idempotency-key': 'k-1' };
    const first = hangingRequest(await listening(door.app), { path: SYNC, body: FULL, headers });
    const id = await theTask();
    while (door.engine.waitingFor(id) < 1) await sleep(5);
    first.destroy();
    await gone(1);
    expect(door.engine.abandoned).toEqual([]);
    door.engine.complete(id, { job_title: 'Engineer' });
    const again = await send(SYNC, FULL, 'k-1');
    expect(again.statusCode).toBe(200);
    expect(isReplay(again)).toBe(true);
    expect(again.json().data).toMatchObject({ task_id: id, result: { job_title: 'Engineer' } });
  });
});
