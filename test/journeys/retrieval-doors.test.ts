import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Court, courtYaml, startCourt } from '../support/court.js';
import { journeyEnv, type StartedService, startService } from '../support/service.js';
import { tempDir } from '../support/temp-dir.js';

const RUNS = '/api/v1/retrievals';

describe('what a caller wishes of a retrieval', () => {
  const directory = tempDir('retrieval-doors');
  let court: Court;
  let api: StartedService;
  beforeAll(async () => {
    court = await startCourt();
    const cases = join(directory.path, 'cases.yaml');
    writeFileSync(cases, courtYaml(court.origin));
    api = await startService(
      journeyEnv(directory.path, {
        SCRAPER_CASE_RECORDS_PATH: cases,
        SCRAPER_RETRIEVAL_STOP_AFTER_NO_RECORDS: '2',
        SCRAPER_RETRIEVAL_WINDOW: '3',
      }),
    );
  });
  afterAll(async () => {
    await api.service.stop(2_000);
    await court.close();
    directory.remove();
  });

  const data = (...parts: string[]): string => join(directory.path, 'data', ...parts);
  const finished = async (wish: object) => {
    const opened = await api.post(RUNS, { adapter: 'court', workspace_id: 'ws', ...wish });
    expect(opened.status).toBe(202);
    const runId: string = opened.body.data.run_id;
    const run = (await api.until(`${RUNS}/${runId}`, ({ completed_at: at }) => at !== null)).body.data;
    await expect.poll(() => existsSync(data('checkpoints', runId, 'owner.json')), { timeout: 20_000 }).toBe(false);
    const { items } = (await api.get(`${RUNS}/${runId}/results?limit=100`)).body.data;
    return { runId, run, items };
  };

  it.each([
    [{}, true],
    [{ save_html: true }, true],
    [{ save_html: false }, false],
  ])('with %j pages are kept, or not', async (wish, isKept) => {
    const { runId, items } = await finished({ year: '25', range: { from: 1, to: 2 }, ...wish });
    expect(items).toHaveLength(2);
    for (const { html_snapshot: page, saved_path: record } of items) {
      expect(record).not.toBeNull();
      expect(page !== null).toBe(isKept);
    }
    expect(existsSync(data('retrievals', runId, 'pages'))).toBe(isKept);
  });

  it.each([
    [{}, 'http'],
    [{ render: 'http' }, 'http'],
    [{ render: 'browser' }, 'browser'],
  ])('with %j cases are visited by %s', async (wish, by) => {
    const { runId } = await finished({ identifiers: ['IMM-1-25'], ...wish });
    const name = readdirSync(data('retrievals', runId)).find((file) => file.startsWith('attempts_')) ?? '';
    const told = JSON.parse(readFileSync(data('retrievals', runId, name), 'utf8'));
    expect(told).toMatchObject({ job_id: 'IMM-1-25', end: 'success', rendered_by: by });
  });

  it('ends early after as many cases without a record as the settings say, or the caller', async () => {
    const identifiers = Array.from({ length: 20 }, (_, n) => `IMM-${n * 10 + 3}-25`);
    const early = await finished({ identifiers });
    expect(early.run.ended_early).toBe(true);
    expect(early.run.total).toBeLessThan(20);
    const whole = await finished({ identifiers, stop_after_no_records: 0 });
    expect(whole.run).toMatchObject({ ended_early: false, total: 20, no_record: 20 });
  });

  it.each(['', '/results'])('is not found at …%s of a run that nobody knows', async (more) => {
    const answer = await api.get(`${RUNS}/0190b5a2-7c1f-7aaa-8c3d-9e8f7a6b5c44${more}`);
    expect(answer).toMatchObject({ status: 404, body: { meta: { code: 'run_not_found' } } });
  });
});
