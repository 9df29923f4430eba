import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Answer, type Api, journeyEnv, startService } from '../support/service.js';
import { type SeenRequest, type Site, startSite } from '../support/site.js';
import { tempDir } from '../support/temp-dir.js';

const TOKENS = 3;
const INTERVAL_MS = 2_000;
/** A request reaches the server some time after its grant, one sooner than another. */
const UNDER_WAY_MS = 300;

const HEALTHY = '127.0.0.1';
const THROTTLING = '127.0.0.2';
const FAILING = '127.0.0.3';
const HANGING = '127.0.0.4';
const HEALTHY_TASKS = 9;

const target = (site: Site, path: string, host: string) => ({
  target_type: 'job_posting',
  target_url: site.url(path, host),
  workspace_id: 'ws-1',
  render: 'http',
});

const many = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

async function submit(api: Api, targets: unknown[]): Promise<string> {
  const answer = await api.post('/api/v1/scrape/batch', { targets });
  expect(answer.status).toBe(202);
  return `/api/v1/scrape/jobs/${answer.body.data.job_id}`;
}

const results = async (api: Api, job: string): Promise<Answer['body'][]> =>
  (await api.get(`${job}/results?limit=100&include=failed`)).body.data.items;

const pagesOf = (site: Site, host: string): SeenRequest[] =>
  site.requests.filter((request) => request.host.startsWith(host) && request.path !== '/robots.txt');

/** The most requests of one domain, robots.txt and all, that began within any interval. */
function mostInAWindow(site: Site, host: string): number {
  const times = site.requests.filter((request) => request.host.startsWith(host)).map(({ at }) => at);
  return Math.max(
    ...times.map((from) => times.filter((at) => at >= from && at < from + INTERVAL_MS - UNDER_WAY_MS).length),
  );
}

async function setUp() {
  const directory = tempDir('polite');
  const site = await startSite({ robots: 'User-agent: *\nDisallow: /forbidden\n' });
  const env = journeyEnv(directory.path, {
    SCRAPER_TASK_TIMEOUT_SECONDS: '3',
    SCRAPER_NAVIGATION_TIMEOUT_MS: '3000',
    SCRAPER_MAX_ATTEMPTS: '2',
  });
  writeFileSync(
    join(directory.path, 'policies.yaml'),
    `domains:\n  default:\n    tokens_per_interval: ${TOKENS}\n    interval_seconds: ${INTERVAL_MS / 1000}\n`,
  );
  const api = await startService(env);
  const end = async (): Promise<void> => {
    await api.service.stop(1_000);
    await site.close();
    directory.remove();
  };
  return { site, api, end };
}

/** From the first page to the last. */
const spanOf = (requests: SeenRequest[]): number => requests.at(-1)!.at - requests[0]!.at;

describe('one batch over four domains', () => {
  it('serves the healthy one as if it were alone, and hammers none of the others', async () => {
    const alone = await setUp();
    const healthy = (site: Site) => many(HEALTHY_TASKS, (n) => target(site, `/job/${n + 1}`, HEALTHY));
    await alone.api.until(await submit(alone.api, healthy(alone.site)), (job) => job.status === 'completed');
    const aloneMs = spanOf(pagesOf(alone.site, HEALTHY));
    await alone.end();

    const { site, api, end } = await setUp();
    const job = await submit(api, [
      ...many(3, (n) => target(site, `/hang?n=${n}`, HANGING)),
      ...many(8, (n) => target(site, `/status/503?n=${n}`, FAILING)),
      target(site, '/status/429?retry_after=3', THROTTLING),
      ...many(3, (n) => target(site, `/forbidden/${n}`, HEALTHY)),
      ...healthy(site),
    ]);
    const done = await api.until(job, (data) => Number(data.completed_tasks) === HEALTHY_TASKS);
    // The others are still at it: nobody had to wait for them.
    expect(done.body.data.running_tasks + done.body.data.queued_tasks).toBeGreaterThan(0);
    const served = pagesOf(site, HEALTHY);
    expect(served.map(({ path }) => path).sort()).toEqual(many(HEALTHY_TASKS, (n) => `/job/${n + 1}`).sort());
    expect(Math.abs(spanOf(served) - aloneMs)).toBeLessThan(INTERVAL_MS);

    const failing = `/api/v1/domains/${FAILING}`;
    const report = await api.until(failing, (data) => (data.breaker as { state: string }).state === 'open');
    expect(report.body.data.breaker).toMatchObject({ reason: { code: 'target_server_error' } });
    const whenOpen = pagesOf(site, FAILING).length;

    await api.until(job, (data) => data.status === 'partially_completed');
    const items = await results(api, job);
    const codesOf = (host: string) =>
      new Set(items.filter((item) => item.target_url.includes(host)).map((item) => item.code ?? item.status));
    expect(codesOf(HEALTHY)).toEqual(new Set(['completed', 'robots_denied']));
    expect(codesOf(THROTTLING)).toEqual(new Set(['rate_limited']));
    expect(codesOf(HANGING)).toEqual(new Set(['task_timeout']));
    // Whether any of them used up its attempts before the circuit opened is chance.
    expect([...codesOf(FAILING)].filter((code) => code !== 'target_server_error')).toEqual(['circuit_open']);

    for (const host of [HEALTHY, THROTTLING, FAILING, HANGING]) {
      expect(mostInAWindow(site, host), host).toBeLessThanOrEqual(TOKENS);
    }
    expect(pagesOf(site, HEALTHY).filter(({ path }) => path.startsWith('/forbidden'))).toEqual([]);
    // More than five failures open the circuit; what was already under way then may still arrive.
    expect(whenOpen).toBeLessThan(6 + TOKENS);
    expect(pagesOf(site, FAILING).length).toBeLessThan(6 + TOKENS);
    // Three throttles in a row end the task; each request came after what the one before was told.
    const [first, second, third, ...more] = pagesOf(site, THROTTLING).map(({ at }) => at);
    expect(second! - first!).toBeGreaterThanOrEqual(3_000);
    expect(third! - second!).toBeGreaterThanOrEqual(3_000);
    expect(more).toEqual([]);
    await end();
  }, 60_000);
});
