import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EMPTY_META } from '../../src/domain/task.js';
import { openDoor, SCRAPE, type TestDoor, target } from './support.js';

const BATCH = `${SCRAPE}/batch`;
const JOBS = `${SCRAPE}/jobs`;

let door: TestDoor;
beforeEach(async () => {
  door = await openDoor();
});
afterEach(() => door.app.close());

const openJob = async (size: number): Promise<{ id: string; taskIds: string[] }> => {
  const { data } = (await door.post(BATCH, { targets: Array(size).fill(target()) })).json();
  return { id: data.job_id, taskIds: data.task_ids };
};

describe('a job', () => {
  it('is opened with 202 and the place to ask', async () => {
    const response = await door.post(BATCH, { targets: [target()], callback_url: null });
    expect(response.statusCode).toBe(202);
    expect(response.headers.location).toBe(`${JOBS}/${response.json().data.job_id}`);
  });

  it('of 100 targets is taken, of 101 or none is not', async () => {
    expect((await openJob(100)).taskIds).toHaveLength(100);
    for (const targets of [[], Array(101).fill(target())]) {
      const response = await door.post(BATCH, { targets });
      expect(response.statusCode).toBe(422);
      expect(response.json().meta.fields).toEqual([
        { field: 'targets', message: 'must be an array of 1 to 100 items.', value: `[array of ${targets.length}]` },
      ]);
    }
  });

  it('is shown with counts that add up, times in ISO 8601 and no payloads', async () => {
    const { id, taskIds } = await openJob(4);
    door.engine.run(taskIds[0]!);
    door.engine.complete(taskIds[0]!, { job_title: 'Engineer' });
    door.engine.run(taskIds[1]!);
    const { data } = (await door.get(`${JOBS}/${id.toUpperCase()}`)).json();
    expect(data).toEqual({
      job_id: id,
      status: 'running',
      total_tasks: 4,
      queued_tasks: 2,
      running_tasks: 1,
      completed_tasks: 1,
      failed_tasks: 0,
      cancelled_tasks: 0,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: expect.stringMatching(/Z$/),
      completed_at: null,
    });
  });

  it('can be cancelled twice with the same answer, with or without a body', async () => {
    const { id, taskIds } = await openJob(2);
    door.engine.run(taskIds[0]!);
    const first = await door.call({ method: 'POST', url: `${JOBS}/${id}/cancel` });
    const headers = { 'content-type': 'application/json' };
    const again = await door.call({ method: 'POST', url: `${JOBS}/${id}/cancel`, headers });
    expect(first.statusCode).toBe(200);
    expect(first.json().data).toMatchObject({ status: 'cancelled', running_tasks: 1, cancelled_tasks: 1 });
    expect(again.json().data).toEqual(first.json().data);
  });

  it('shows its failures with their codes only when asked', async () => {
    const { id, taskIds } = await openJob(2);
    for (const taskId of taskIds) door.engine.run(taskId);
    door.engine.complete(taskIds[0]!, { job_title: 'Engineer' });
    door.engine.fail(taskIds[1]!, 'robots_denied', 'Forbidden.');
    const completed = (await door.get(`${JOBS}/${id}/results`)).json().data;
    expect(completed).toMatchObject({ items: [{ task_id: taskIds[0] }], next_cursor: null });
    const all = (await door.get(`${JOBS}/${id}/results?include=failed`)).json().data;
    expect(all.items[1]).toMatchObject({ status: 'failed', error: 'Forbidden.', code: 'robots_denied' });
    expect((await door.get(`${JOBS}/${id}/results?include=everything`)).statusCode).toBe(422);
  });

  it('pages by 50 unless told otherwise, and says when a cursor is not one of ours', async () => {
    const { id, taskIds } = await openJob(60);
    for (const taskId of taskIds) door.engine.complete(taskId, {});
    const { items, next_cursor: cursor } = (await door.get(`${JOBS}/${id}/results`)).json().data;
    expect(items).toHaveLength(50);
    const rest = (await door.get(`${JOBS}/${id}/results?cursor=${cursor}`)).json().data;
    expect(rest.items).toHaveLength(10);
    expect(rest.next_cursor).toBeNull();
    const wrong = await door.get(`${JOBS}/${id}/results?cursor=nonsense`);
    expect(wrong.statusCode).toBe(422);
    expect(wrong.json().meta.fields[0].field).toBe('cursor');
  });
});

describe('the list of jobs', () => {
  it('is newest first, filtered and paged', async () => {
    const first = await openJob(1);
    const second = await openJob(1);
    await door.call({ method: 'POST', url: `${JOBS}/${first.id}/cancel` });
    const ids = async (query: string): Promise<string[]> =>
      (await door.get(`${JOBS}?${query}`)).json().data.items.map((job: { job_id: string }) => job.job_id);
    expect(await ids('')).toEqual([second.id, first.id]);
    expect(await ids('limit=1')).toEqual([second.id]);
    expect(await ids('limit=1&cursor=1')).toEqual([first.id]);
    expect(await ids('status=cancelled')).toEqual([first.id]);
    expect(await ids('created_after=2100-01-01')).toEqual([]);
    expect(await ids('created_before=2000-01-01T00:00:00Z')).toEqual([]);
    expect(await ids('created_after=2000-01-01T00:00:00.5%2B02:00')).toHaveLength(2);
  });
});

describe('a task', () => {
  it('is shown field by field: what is not for the caller stays inside', async () => {
    const response = await door.post(SCRAPE, target({ callback_url: 'https://hooks.example.com/?secret=1' }));
    const id = response.json().data.task_id;
    const task = door.engine.tasks.get(id)!;
    const robots = {
      allowed: true,
      basis: 'rules',
      robotsUrl: 'https://www.example.com/robots.txt',
      httpStatus: 200,
      rule: 'Allow: /',
      fetchedAt: 0,
      crawlDelaySeconds: 2,
    } as const;
    const meta = { ...EMPTY_META, renderedBy: 'browser', finalUrl: 'https://www.example.com/', robots } as const;
    Object.assign(task, { createdAt: 0, status: 'completed', result: { job_title: null }, meta });
    expect((await door.get(`${SCRAPE}/${id}`)).json().data).toEqual({
      task_id: id,
      job_id: null,
      status: 'completed',
      target_type: 'job_posting',
      target_url: 'https://www.example.com/jobs/1',
      workspace_id: 'ws_1',
      requested_fields: null,
      render: 'auto',
      formats: null,
      attempts: 0,
      created_at: '1970-01-01T00:00:00.000Z',
      started_at: null,
      completed_at: null,
      not_before: null,
      result: { job_title: null },
      meta: {
        rendered_by: 'browser',
        final_url: 'https://www.example.com/',
        http_status: null,
        duration_ms: null,
        adapter: null,
        adapter_version: null,
        content_hash: null,
        quality: null,
        provenance: {},
        dropped_fields: [],
        notes: [],
        page_sign: null,
        proxy: null,
        robots: {
          allowed: true,
          basis: 'rules',
          robots_url: 'https://www.example.com/robots.txt',
          http_status: 200,
          rule: 'Allow: /',
          fetched_at: '1970-01-01T00:00:00.000Z',
          crawl_delay_seconds: 2,
        },
      },
    });
  });
});
