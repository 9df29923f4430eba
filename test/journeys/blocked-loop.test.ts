import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { journeyEnv, postingAt, type ServiceProcess, spawnService } from '../support/service.js';
import { type Site, startSite } from '../support/site.js';
import { tempDir } from '../support/temp-dir.js';

const SCRAPE = '/api/v1/scrape';
const PRELOAD = fileURLToPath(new URL('../support/blocked-loop.mjs', import.meta.url));
const TOKENS = 3;
const INTERVAL_MS = 4_000;
/** Shorter than the interval by what a request may take on its way: visits are counted where they arrive. */
const WINDOW_MS = 3_000;
const PAGES_OF_A_HOST = 5;
const BLOCK_MS = 10_000;

const isOver = (data: Record<string, unknown>): boolean => data.completed_at !== null;
const shedding = (health: Record<string, unknown>): unknown => (health.load as { shedding: unknown }).shedding;
const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

describe('a service whose event loop stands still', () => {
  const directory = tempDir('blocked-loop');
  const LOOP_STANDS_STILL = join(directory.path, 'blocks');
  let site: Site;
  let receiver: Receiver;
  let api: ServiceProcess;
  beforeAll(async () => {
    [site, receiver] = await Promise.all([startSite(), startReceiver()]);
  });
  // One that a failed test left behind; elsewhere it is gone by then.
  afterEach(() => void api?.child.kill('SIGKILL'));
  afterAll(async () => {
    await Promise.all([site.close(), receiver.close()]);
    directory.remove();
  });

  const standStill = (api: ServiceProcess, ...blocksMs: number[]): void => {
    writeFileSync(LOOP_STANDS_STILL, blocksMs.join(' '));
    api.child.kill('SIGWINCH');
  };
  const environment = (rate: { tokens: number; seconds: number }): Record<string, string> => {
    const env = journeyEnv(directory.path, { LOOP_STANDS_STILL, SCRAPER_NAVIGATION_TIMEOUT_MS: '30000' });
    const policy = `tokens_per_interval: ${rate.tokens}\n    interval_seconds: ${rate.seconds}`;
    writeFileSync(env.SCRAPER_DOMAIN_POLICIES_PATH!, `domains:\n  default:\n    ${policy}\n`);
    return env;
  };

  it('does not catch up in a burst: every task is visited once and ends, and it is well at once', {
    timeout: 120_000,
  }, async () => {
    const env = environment({ tokens: TOKENS, seconds: INTERVAL_MS / 1_000 });
    api = await spawnService(env, { preload: PRELOAD });
    await api.until('/health', (health) => (health.browser_pool as { browsers: number }).browsers > 0);
    // One receiver fails at first, so that its next attempt falls due while the loop stands still.
    receiver.behave = ({ path }) => (path === '/late' && receiver.requests.length === 1 ? 500 : 200);
    const told = await api.post(
      `${SCRAPE}/sync`,
      postingAt(site.url('/job/1'), { callback_url: receiver.url('/late') }),
    );
    expect(told.body.data).toMatchObject({ status: 'completed' });
    await expect.poll(() => receiver.requests.length).toBe(1);

    // Lateness is told since the last time somebody asked.
    await api.text('/metrics');

    // The first address has work that ended; on the others it is under way, on one of them in a browser.
    const hosts = site.hosts.slice(1);
    const begun = site.requests.length;
    const opened = await api.post(`${SCRAPE}/batch`, {
      targets: hosts.flatMap((host, at) =>
        times(PAGES_OF_A_HOST, (n) =>
          postingAt(site.url(`/slow?ms=2500&n=${n}`, host), { render: at === 0 ? 'browser' : 'http' }),
        ),
      ),
    });
    expect(opened.status).toBe(202);
    const seen = (host: string) =>
      site.requests.slice(begun).filter((request) => request.host === `${host}:${site.port}`);
    // All have used up their tokens, robots.txt included, and wait for answers.
    await expect.poll(() => hosts.every((host) => seen(host).length === TOKENS), { timeout: 30_000 }).toBe(true);
    standStill(api, BLOCK_MS);

    const blocked = performance.now();
    const health = api.get('/health');
    await expect(spawnService(env)).rejects.toThrow('Another gleaner is running');
    expect((await health).status).toBe(200);
    // Whatever the machine is like, it cannot have been asked in between.
    expect(performance.now() - blocked).toBeGreaterThan(BLOCK_MS / 2);
    expect(longestLagSeconds(await api.text('/metrics'))).toBeGreaterThan(BLOCK_MS / 2_000);
    // One such moment is no overload: who comes now is welcome.
    const fresh = await api.post(SCRAPE, postingAt(site.url('/job/2')));
    expect(fresh.status).toBe(202);
    expect((await api.get('/readiness')).status).toBe(200);

    const { body } = await api.until(opened.headers.get('location') ?? '', isOver);
    expect(body.data).toMatchObject({ status: 'completed', completed_tasks: hosts.length * PAGES_OF_A_HOST });
    const results = await api.get(`${opened.headers.get('location')}/results?limit=100`);
    for (const task of results.body.data.items) expect(task).toMatchObject({ status: 'completed', attempts: 1 });
    await api.until(`${SCRAPE}/${fresh.body.data.task_id}`, isOver);
    for (const host of hosts) {
      const pages = seen(host).filter(({ path }) => path.startsWith('/slow'));
      expect(new Set(pages.map(({ path }) => path)).size).toBe(PAGES_OF_A_HOST);
      expect(pages).toHaveLength(PAGES_OF_A_HOST);
      expect(
        mostWithin(
          WINDOW_MS,
          seen(host).map(({ at }) => at),
        ),
      ).toBeLessThanOrEqual(TOKENS);
    }
    // Told again once, not once for every time that has passed.
    await expect.poll(() => receiver.requests.length).toBe(2);
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await api.kill('SIGTERM')).toBe(0);
    expect(receiver.requests).toHaveLength(2);
  });

  it('refuses new work with a time to come back while it is late again and again, and takes it when that is over', {
    timeout: 120_000,
  }, async () => {
    api = await spawnService(environment({ tokens: 1000, seconds: 1 }), { preload: PRELOAD });
    const before = await api.post(SCRAPE, postingAt(site.url('/slow?ms=2000')));
    standStill(api, ...times(12, () => 1_200));
    await api.until('/health', (health) => shedding(health) === 'event_loop');
    const refused = await api.post(SCRAPE, postingAt(site.url('/job/3')));
    expect(refused).toMatchObject({ status: 503, body: { meta: { code: 'overloaded', retryable: true } } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await api.get('/readiness')).body.meta.code).toBe('overloaded');
    expect((await api.get(`${SCRAPE}/${before.body.data.task_id}`)).status).toBe(200);

    await api.until('/health', (health) => shedding(health) === null);
    expect((await api.get('/readiness')).status).toBe(200);
    const after = await api.post(SCRAPE, postingAt(site.url('/job/3')));
    expect(after.status).toBe(202);
    for (const { body } of [before, after]) {
      const ended = await api.until(`${SCRAPE}/${body.data.task_id}`, isOver);
      expect(ended.body.data).toMatchObject({ status: 'completed', attempts: 1 });
    }
    expect(site.requests.filter(({ path }) => path === '/job/3')).toHaveLength(1);
    expect(await api.kill('SIGTERM')).toBe(0);
  });
});

/** The most of these moments that lie within one span. */
const mostWithin = (spanMs: number, moments: number[]): number =>
  Math.max(...moments.map((from) => moments.filter((at) => at >= from && at < from + spanMs).length));

const longestLagSeconds = (metrics: string): number =>
  Number(/^scraper_nodejs_eventloop_lag_max_seconds (\S+)/m.exec(metrics)?.[1]);
