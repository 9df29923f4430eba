import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EMPTY_META } from '../../src/domain/task.js';
import type { Guard } from '../../src/ports/guard.js';
import type { Settlement, Store } from '../../src/ports/store.js';
import { openDoor, registry, SCRAPE, type TestDoor, UUID } from '../http/support.js';
import { openEngine } from '../support/engine-harness.js';
import { spoiling, validTarget } from '../support/scrape-requests.js';
import { openTempStore } from '../support/sqlite-store.js';

/** Nothing is visited by itself: the tests bring tasks into the states they want, through the store as the engine does. */
const closed: Guard = {
  name: 'closed',
  check: () => ({ kind: 'wait', until: Number.POSITIVE_INFINITY, reason: 'test' }),
};

describe('the door, the engine and the store', { timeout: 60_000 }, () => {
  let opened: Awaited<ReturnType<typeof openTempStore>>;
  let store: Store;
  let engine: ReturnType<typeof openEngine>['engine'];
  let door: TestDoor;
  beforeAll(async () => {
    opened = await openTempStore();
    store = opened.store;
    engine = openEngine({
      store,
      guards: [closed],
      queue: { maxDepth: 1_000_000 },
      parts: { adapters: registry },
    }).engine;
    await engine.start();
    door = await openDoor({ engine });
  });
  afterAll(async () => {
    await door.app.close();
    await engine.stop(0);
    await opened.end();
  });

  const run = async (taskId: string): Promise<number> => (await store.claim(taskId, Date.now()))?.visits ?? -1;
  const end = async (taskId: string, settlement: Settlement): Promise<void> => {
    const settled = await store.settle({ taskId, visits: await run(taskId) }, settlement, Date.now());
    expect(settled?.status).toBe(settlement.kind);
  };
  const completed = (result: Record<string, unknown>): Settlement => ({ kind: 'completed', result, meta: EMPTY_META });
  const failed: Settlement = {
    kind: 'failed',
    code: 'target_timeout',
    error: 'Too slow.',
    notBefore: null,
    meta: EMPTY_META,
  };

  it('Property 5: a body that breaks the schema is answered 422 and the broken field is named', async () => {
    const place = fc.oneof(
      fc.constantFrom('scrape' as const, 'sync' as const).map((route) => ({ route, index: 0 })),
      fc.nat({ max: 4 }).map((index) => ({ route: 'batch' as const, index })),
    );
    await fc.assert(
      fc.asyncProperty(validTarget, spoiling, place, async (target, { field, change }, { route, index }) => {
        const spoilt = { ...target, ...change };
        const url = route === 'scrape' ? SCRAPE : `${SCRAPE}/${route}`;
        const targets = Array.from({ length: 5 }, (_, at) => (at === index ? spoilt : target));
        const before = engine.queueStats().depth;
        const response = await door.post(url, route === 'batch' ? { targets } : spoilt);
        expect(response.statusCode).toBe(422);
        const { code, fields } = response.json().meta;
        expect(code).toBe('validation_failed');
        expect(fields.map((fault: { field: string }) => fault.field)).toContain(
          route === 'batch' ? `targets[${index}].${field}` : field,
        );
        for (const fault of fields) expect(fault.message).not.toBe('');
        expect(engine.queueStats().depth).toBe(before);
      }),
      { numRuns: 400 },
    );
  });

  it('Property 6: any valid request is answered 202 with the id of a queued task', async () => {
    await fc.assert(
      fc.asyncProperty(validTarget, async (body) => {
        const response = await door.post(SCRAPE, body);
        expect(response.statusCode, response.body).toBe(202);
        const { data } = response.json();
        expect(data).toEqual({ task_id: expect.stringMatching(UUID), status: 'queued' });
        expect(response.headers.location).toBe(`${SCRAPE}/${data.task_id}`);
        expect(await store.task(data.task_id)).toMatchObject({
          targetType: body.target_type,
          targetUrl: body.target_url,
          workspaceId: body.workspace_id,
          requestedFields: body.requested_fields ?? null,
          callbackUrl: body.callback_url ?? null,
          render: body.render ?? 'auto',
          requestId: response.headers['x-request-id'],
        });
      }),
      { numRuns: 150 },
    );
  });

  it('Property 7: a task is shown in its current state, with a result if and only if it completed', async () => {
    const state = fc.constantFrom('queued', 'running', 'completed', 'failed', 'cancelled');
    const result = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 5 });
    await fc.assert(
      fc.asyncProperty(validTarget, state, result, async (body, status, record) => {
        const id = (await door.post(SCRAPE, body)).json().data.task_id;
        if (status === 'cancelled') await engine.abandon(id);
        if (status === 'running') await run(id);
        if (status === 'completed') await end(id, completed(record));
        if (status === 'failed') await end(id, failed);
        const response = await door.get(`${SCRAPE}/${id}`);
        expect(response.statusCode).toBe(200);
        const { data } = response.json();
        expect(data.status).toBe(status);
        expect('result' in data).toBe(status === 'completed');
        if (status === 'completed') expect(JSON.stringify(data.result)).toBe(JSON.stringify(record));
        expect('error' in data && 'code' in data).toBe(status === 'failed' || status === 'cancelled');
      }),
      { numRuns: 150 },
    );
  });

  it('Property 8: a batch of N targets becomes a job of exactly N tasks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(validTarget, { minLength: 1, maxLength: 100 }), async (targets) => {
        const response = await door.post(`${SCRAPE}/batch`, { targets });
        expect(response.statusCode, response.body).toBe(202);
        const { job_id: id, total_tasks: total, task_ids: ids } = response.json().data;
        expect(id).toMatch(UUID);
        expect(total).toBe(targets.length);
        expect(new Set(ids).size).toBe(targets.length);
        const tasks = await Promise.all(ids.map((taskId: string) => store.task(taskId)));
        expect(tasks.map((task) => task?.targetUrl)).toEqual(targets.map((target) => target.target_url));
        const job = (await door.get(`${SCRAPE}/jobs/${id}`)).json().data;
        expect(job).toMatchObject({ job_id: id, total_tasks: targets.length, queued_tasks: targets.length });
      }),
      { numRuns: 100 },
    );
  });

  it('Property 10: the results of a job are its completed tasks and no others, as many as it counts', async () => {
    const states = fc.array(fc.constantFrom('queued', 'running', 'completed', 'failed'), {
      minLength: 1,
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(states, validTarget, fc.integer({ min: 1, max: 100 }), async (ends, target, limit) => {
        const body = { targets: ends.map(() => target) };
        const { job_id: id, task_ids: ids } = (await door.post(`${SCRAPE}/batch`, body)).json().data;
        await Promise.all(
          ends.map(async (state, index) => {
            if (state === 'running') await run(ids[index]);
            if (state === 'completed') await end(ids[index], completed({ place: index }));
            if (state === 'failed') await end(ids[index], failed);
          }),
        );
        const results = await allPages(`${SCRAPE}/jobs/${id}/results?limit=${limit}`);
        expect(results.map((task) => task.task_id)).toEqual(
          ids.filter((_: string, at: number) => ends[at] === 'completed'),
        );
        expect(results.every((task) => task.status === 'completed' && task.result !== undefined)).toBe(true);
        const job = (await door.get(`${SCRAPE}/jobs/${id}`)).json().data;
        expect(results).toHaveLength(job.completed_tasks);
      }),
      { numRuns: 100 },
    );
  });

  async function allPages(url: string): Promise<Record<string, unknown>[]> {
    const items: Record<string, unknown>[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: string = cursor === '' ? url : `${url}&cursor=${encodeURIComponent(cursor)}`;
      const { data } = (await door.get(page)).json();
      items.push(...data.items);
      cursor = data.next_cursor;
    }
    return items;
  }
});
