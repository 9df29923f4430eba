import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseCheckpoint } from '../../src/domain/checkpoint.js';
import { type Court, courtFormYaml, courtYaml, fateOf, startCourt } from '../support/court.js';
import { startReceiver } from '../support/receiver.js';
import { journeyEnv, type StartedService, startService } from '../support/service.js';
import { tempDir } from '../support/temp-dir.js';
import { OLD_SECRET } from '../support/told.js';

interface Result {
  case_identifier: { id: string; number: number };
  outcome: string;
  saved_path: string | null;
  html_snapshot: string | null;
  record?: Record<string, unknown>;
  last_error: { type: string } | null;
}

const isOver = (run: Record<string, unknown>): boolean => run.completed_at !== null;

describe('a retrieval', () => {
  let court: Court;
  let directory: ReturnType<typeof tempDir>;
  let api: StartedService | null = null;
  beforeAll(async () => {
    court = await startCourt({ slowMs: 300 });
  });
  afterAll(() => court.close());
  afterEach(async () => {
    await stop();
    directory.remove();
  });

  const start = async (changes: Record<string, string> = {}, yaml = courtYaml): Promise<StartedService> => {
    const cases = join(directory.path, 'cases.yaml');
    writeFileSync(cases, yaml(court.origin));
    api = await startService(
      journeyEnv(directory.path, {
        SCRAPER_CASE_RECORDS_PATH: cases,
        SCRAPER_CHECKPOINT_INTERVAL_SECONDS: '1',
        SCRAPER_RETRIEVAL_WINDOW: '10',
        ...changes,
      }),
    );
    return api;
  };
  const stop = async (): Promise<void> => {
    await api?.service.stop(2_000);
    api = null;
  };
  const wish = (changes: object = {}) => ({
    adapter: 'court',
    workspace_id: 'ws-1',
    year: '25',
    range: { from: 1, to: 60 },
    ...changes,
  });
  const open = async (service: StartedService, changes: object = {}): Promise<string> => {
    const answer = await service.post('/api/v1/retrievals', wish(changes));
    expect(answer.status).toBe(202);
    expect(answer.headers.get('location')).toBe(`/api/v1/retrievals/${answer.body.data.run_id}`);
    return answer.body.data.run_id;
  };
  const path = (runId: string, more = ''): string => `/api/v1/retrievals/${runId}${more}`;
  const data = (...parts: string[]): string => join(directory.path, 'data', ...parts);
  const all = async (service: StartedService, runId: string, query = ''): Promise<Result[]> => {
    const items: Result[] = [];
    let cursor: string | null = null;
    do {
      const { body } = await service.get(path(runId, `/results?limit=7${query}${cursor ? `&cursor=${cursor}` : ''}`));
      items.push(...body.data.items);
      cursor = body.data.next_cursor;
    } while (cursor);
    return items;
  };
  const checkpointOf = (runId: string) =>
    parseCheckpoint(readFileSync(data('checkpoints', runId, 'checkpoint.json'), 'utf8'));
  const auditOf = (runId: string) => {
    const [name = ''] = readdirSync(data('retrievals', runId)).filter((file) => /^audit_\d{8}_\d{6}\.json$/.test(file));
    return JSON.parse(readFileSync(data('retrievals', runId, name), 'utf8'));
  };
  const attemptsOf = (runId: string): Record<string, unknown>[] => {
    const [name = ''] = readdirSync(data('retrievals', runId)).filter((file) =>
      /^attempts_\d{8}_\d{6}\.ndjson$/.test(file),
    );
    const lines = readFileSync(data('retrievals', runId, name), 'utf8')
      .trimEnd()
      .split('\n');
    return lines.map((line) => JSON.parse(line));
  };

  it('brings every case to one outcome, with its record, its page, its attempts and its audit', async () => {
    directory = tempDir('retrieval');
    const service = await start();
    const before = court.asked.length;
    const runId = await open(service);
    const { body } = await service.until(path(runId), isOver);
    const expected = { success: 0, 'no-record': 0, failed: 0 };
    for (let n = 1; n <= 60; n += 1) expected[fateOf(n)] += 1;
    expect(body.data).toMatchObject({
      status: 'partially_completed',
      total: 60,
      success: expected.success,
      no_record: expected['no-record'],
      failed: expected.failed,
      pending: 0,
      running: 0,
      cancelled: 0,
      start_id: 'IMM-1-25',
      end_id: 'IMM-60-25',
    });

    const results = await all(service, runId, '&include=records');
    expect(results).toHaveLength(60);
    for (const { case_identifier: one, outcome, saved_path, html_snapshot, record, last_error } of results) {
      const { id, number } = one;
      expect(outcome).toBe(fateOf(number));
      expect(saved_path !== null).toBe(outcome === 'success');
      // A page without a record says nothing more; a broken one is kept for whoever looks into it.
      expect(html_snapshot !== null).toBe(outcome !== 'no-record');
      if (outcome === 'success') {
        expect(record).toMatchObject({ id, case_number: id, filed_on: '2025-02-03' });
        expect(JSON.parse(readFileSync(data(saved_path ?? ''), 'utf8'))).toEqual(record);
      }
      if (html_snapshot) expect(existsSync(data(html_snapshot))).toBe(true);
      if (outcome === 'failed') expect(last_error).toMatchObject({ type: 'error_page' });
      if (number % 20 === 7) expect(last_error).toMatchObject({ type: 'target_server_error' });
    }
    const missing = await all(service, runId, '&outcome=no-record');
    expect(missing).toHaveLength(expected['no-record']);

    await expect.poll(() => existsSync(data('checkpoints', runId, 'owner.json'))).toBe(false);
    const asked = court.asked.slice(before);
    expect(auditOf(runId)).toMatchObject({
      total_attempted: 60,
      success_count: expected.success,
      no_record_count: expected['no-record'],
      failed_count: expected.failed,
      attempts: asked.length,
      status: 'partially_completed',
      errors: { target_server_error: 3, error_page: 6 },
    });
    const attempts = attemptsOf(runId);
    expect(attempts.map(({ n }) => n)).toEqual(asked.map((_, index) => index + 1));
    const checkpoint = checkpointOf(runId);
    expect(checkpoint.cursor).toEqual({ last_job_id: 'IMM-60-25', last_job_index: 59 });
    expect(checkpoint.jobs).toHaveLength(60);
    expect(checkpoint.jobs.every(({ state }) => state === 'succeeded' || state === 'failed')).toBe(true);

    const job = await service.get(`/api/v1/scrape/jobs/${runId}`);
    expect(job.body.data).toMatchObject({ total_tasks: 60, queued_tasks: 0, failed_tasks: expected.failed });
    expect((await service.post(path(runId, '/resume'))).body.meta.code).toBe('run_over');
  });

  it.each(['http', 'browser'])('brings the cases that are behind a posted form, by %s', async (render) => {
    directory = tempDir('retrieval');
    const service = await start({ SCRAPER_MAX_ATTEMPTS: '2' }, (origin) => courtFormYaml(origin, render));
    const runId = await open(service, { range: { from: 1, to: 10 } });
    await service.until(path(runId), isOver);
    const results = await all(service, runId, '&include=records');
    const outcomes = new Map(results.map(({ case_identifier: { number }, outcome }) => [number, outcome]));
    for (let number = 1; number <= 10; number += 1)
      expect([number, outcomes.get(number)]).toEqual([number, fateOf(number)]);
    for (const { case_identifier: one, record } of results.filter(({ outcome }) => outcome === 'success')) {
      expect(record).toMatchObject({ case_number: one.id });
    }
  });

  it('holds no more tasks than its window, rests when it is told to, and goes on', async () => {
    directory = tempDir('retrieval');
    const service = await start();
    const runId = await open(service, { range: { from: 100, to: 299 } });
    await service.until(path(runId), (run) => Number(run.success) > 5);
    const { body } = await service.get('/health');
    expect(body.data.queue.queue_depth).toBeLessThanOrEqual(10);
    const paused = await service.post(path(runId, '/pause'));
    expect(paused.body.data.status).toBe('paused');
    await service.until(path(runId), (run) => run.running === 0);
    const asked = court.asked.length;
    const before = (await service.get(path(runId))).body.data;
    await stop();
    const again = await start();
    expect((await again.get(path(runId))).body.data).toMatchObject({ status: 'paused', success: before.success });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(court.asked.length).toBe(asked);
    const resumed = await again.post(path(runId, '/resume'));
    expect(resumed.body.data.status).toBe('running');
    const over = await again.until(path(runId), isOver);
    expect(over.body.data).toMatchObject({ total: 200, pending: 0 });
    const results = await all(again, runId);
    expect(new Set(results.map(({ case_identifier }) => case_identifier.id)).size).toBe(200);
    expect(results).toHaveLength(200);
  });

  it('goes on from the checkpoint alone when the database is gone', async () => {
    directory = tempDir('retrieval');
    const service = await start();
    const runId = await open(service, { range: { from: 300, to: 399 } });
    await service.until(path(runId), (run) => Number(run.success) > 20);
    await service.post(path(runId, '/pause'));
    await service.until(path(runId), (run) => run.running === 0);
    await stop();
    const kept = checkpointOf(runId);
    const ended = kept.jobs
      .filter(({ state }) => state === 'succeeded' || state === 'failed')
      .map(({ job_id }) => job_id);
    expect(ended.length).toBeGreaterThan(20);
    for (const name of readdirSync(data()).filter((file) => file.startsWith('gleaner.db'))) rmSync(data(name));
    const asked = court.asked.length;
    const again = await start();
    expect((await again.get(path(runId))).status).toBe(404);
    expect((await again.post(path(runId, '/resume'))).status).toBe(200);
    const { body } = await again.until(path(runId), isOver);
    expect(body.data).toMatchObject({ total: 100, pending: 0 });
    expect(await all(again, runId)).toHaveLength(100);
    // What had ended was not asked for again.
    const later = new Set(court.asked.slice(asked).map(({ number }) => `IMM-${number}-25`));
    expect(ended.filter((id) => later.has(id))).toEqual([]);
  });

  it.each([
    ['corrupt', '{"schema_version":2,', /not valid JSON/],
    ['of a newer version', '{"schema_version":99}', /schema_version 99/],
    ['of other types', '{"schema_version":2,"worker_state":{},"jobs":7}', /should be/],
  ])('refuses a checkpoint that is %s, and leaves it as it is', async (_what, text, reason) => {
    directory = tempDir('retrieval');
    const service = await start();
    const runId = await open(service, { range: { from: 1, to: 3 } });
    await service.until(path(runId), isOver);
    await stop();
    for (const name of readdirSync(data()).filter((file) => file.startsWith('gleaner.db'))) rmSync(data(name));
    const file = data('checkpoints', runId, 'checkpoint.json');
    writeFileSync(file, text);
    const again = await start();
    const answer = await again.post(path(runId, '/resume'));
    expect(answer).toMatchObject({ status: 409, body: { meta: { code: 'checkpoint_unreadable' } } });
    expect(answer.body.error).toMatch(reason);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('ends early after so many cases in a row without a record, if it was told to', async () => {
    directory = tempDir('retrieval');
    const service = await start();
    // 9 and 59 are without a record, and so is nothing else of these.
    const listed = {
      year: undefined,
      range: undefined,
      identifiers: ['IMM-3-25', 'IMM-13-25', 'IMM-23-25', 'IMM-33-25'],
    };
    const many = Array.from({ length: 40 }, (_, n) => `IMM-${n * 10 + 1003}-25`);
    const runId = await open(service, {
      ...listed,
      identifiers: [...listed.identifiers, ...many],
      stop_after_no_records: 3,
    });
    const { body } = await service.until(path(runId), isOver);
    expect(body.data).toMatchObject({ status: 'completed', ended_early: true, pending: 0, cancelled: 0 });
    expect(body.data.total).toBeLessThanOrEqual(14);
    expect(body.data.no_record).toBe(body.data.total);
  });

  it('is cancelled as a whole, with what was never planned', async () => {
    directory = tempDir('retrieval');
    const service = await start();
    const runId = await open(service, { range: { from: 1000, to: 9999 } });
    await service.until(path(runId), (run) => Number(run.success) > 3);
    expect((await service.post(path(runId, '/cancel'))).status).toBe(200);
    const { body } = await service.until(path(runId), isOver);
    const { success, no_record, failed, cancelled } = body.data;
    expect(body.data).toMatchObject({ status: 'cancelled', total: 9_000, pending: 0 });
    expect(success + no_record + failed + cancelled).toBe(9_000);
    expect((await service.post(path(runId, '/pause'))).body.meta.code).toBe('run_over');
    await expect.poll(() => auditOf(runId).status).toBe('cancelled');
  });

  it('tells its receiver once when it is over, and nobody else learns of the address', async () => {
    directory = tempDir('retrieval');
    const receiver = await startReceiver();
    const service = await start({ SCRAPER_WEBHOOK_SECRET: OLD_SECRET });
    const callback = receiver.url('/runs?token=CANARY-cb-of-a-run');
    const runId = await open(service, { range: { from: 20, to: 35 }, callback_url: callback });
    const [told] = await receiver.until(1);
    const body = JSON.parse(told?.body.toString() ?? '');
    expect(body).toMatchObject({ job_id: runId, status: 'completed', summary: { total: 16, completed: 16 } });
    expect((await service.get(path(runId))).body.data.status).toBe('completed');
    await service.until('/health', ({ webhooks }) => (webhooks as { pending: number }).pending === 0);
    await expect.poll(() => auditOf(runId).status).toBe('completed');
    await stop();
    expect(receiver.requests).toHaveLength(1);
    await receiver.close();
  });

  it('is opened once for a key, and refused with every fault named', async () => {
    directory = tempDir('retrieval');
    const service = await start();
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'run-1' };
    const first = await service.post('/api/v1/retrievals', wish({ range: { from: 1, to: 2 } }), { headers });
    const second = await service.post('/api/v1/retrievals', wish({ range: { from: 1, to: 2 } }), { headers });
    expect(second.body.data.run_id).toBe(first.body.data.run_id);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    const other = await service.post('/api/v1/retrievals', wish({ range: { from: 1, to: 3 } }), { headers });
    expect(other.body.meta.code).toBe('idempotency_conflict');
    const refused = await service.post('/api/v1/retrievals', wish({ adapter: 'nobody', range: { from: 9, to: 3 } }));
    expect(refused.status).toBe(422);
    expect(refused.body.meta.fields.map(({ field }: { field: string }) => field)).toEqual(['adapter', 'range.to']);
    const beyond = await service.post('/api/v1/retrievals', wish({ range: { from: 0, to: 100_000 } }));
    expect(beyond).toMatchObject({ status: 422, body: { meta: { fields: [{ field: 'range.to' }] } } });
    expect((await service.get(path('nonsense'))).body.meta.code).toBe('run_not_found');
  });
});
