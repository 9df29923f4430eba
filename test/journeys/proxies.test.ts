import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startChainProxy, startSocksProxy, type TestProxy } from '../support/proxy-servers.js';
import { PROXY_CERT } from '../support/proxy-tls.js';
import { journeyEnv, type ServiceProcess, spawnService } from '../support/service.js';
import { type Site, startSite } from '../support/site.js';
import { jobFacts } from '../support/site-pages.js';
import { tempDir } from '../support/temp-dir.js';

const DOMAINS = ['127.0.0.2', '127.0.0.3'];
/** How each proxy goes out: the site can tell them apart, and from us. */
const EXITS = ['127.0.0.101', '127.0.0.102', '127.0.0.103', '127.0.0.104'];
const PASSWORDS = ['CANARY-p@ss-one', 'CANARY-two', 'CANARY-wrong-one', 'CANARY-socks'];
const isOver = (data: Record<string, unknown>): boolean => data.completed_at !== null;

describe('behind proxies, with real Chromium', () => {
  const directory = tempDir('proxies');
  let site: Site;
  let servers: TestProxy[];
  let api: ServiceProcess;
  const answers: string[] = [];

  beforeAll(async () => {
    site = await startSite();
    servers = [
      await startChainProxy({ exit: EXITS[0]!, auth: `user:${PASSWORDS[0]}` }),
      await startChainProxy({ exit: EXITS[1]!, auth: `user:${PASSWORDS[1]}`, tls: true }),
      await startChainProxy({ exit: EXITS[2]!, auth: 'user:another-password' }),
      await startSocksProxy({ exit: EXITS[3]!, auth: `user:${PASSWORDS[3]}` }),
    ];
    const at = (scheme: string, n: number): string =>
      `${scheme}://user:${encodeURIComponent(PASSWORDS[n]!)}@127.0.0.1:${servers[n]!.port}`;
    const proxiesPath = join(directory.path, 'proxies.yaml');
    writeFileSync(proxiesPath, `proxies:\n  - url: ${at('socks5', 3)}\n    region: FR\n`);
    const caPath = join(directory.path, 'ca.pem');
    writeFileSync(caPath, PROXY_CERT);
    api = await spawnService(
      journeyEnv(directory.path, {
        NODE_EXTRA_CA_CERTS: caPath,
        SCRAPER_PROXY_ENDPOINTS: `${at('http', 0)}?region=DE,${at('https', 1)},${at('http', 2)}`,
        SCRAPER_PROXIES_PATH: proxiesPath,
        SCRAPER_PROXY_DOMAIN_COOLDOWN_SECONDS: '0',
        SCRAPER_PROXY_HEALTH_CHECK_INTERVAL_SECONDS: '1',
        SCRAPER_LOG_LEVEL: 'trace',
      }),
    );
  });
  afterAll(async () => {
    await api.kill('SIGTERM');
    for (const server of servers) await server.close();
    await site.close();
    directory.remove();
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(api.output.join('').split('\n').slice(-40).join('\n'));
  });

  /** One batch over both domains, by HTTP and by browser; answers its tasks, in order. */
  async function runBatch(from: number, count: number) {
    const targets = Array.from({ length: count }, (_, n) => ({
      target_type: 'job_posting',
      target_url: site.url(`/job/${from + n}`, DOMAINS[n % 2]),
      workspace_id: 'ws-1',
      render: n % 4 < 2 ? 'http' : 'browser',
    }));
    const accepted = await api.post('/api/v1/scrape/batch', { targets });
    const path = `/api/v1/scrape/jobs/${accepted.body.data.job_id}`;
    const done = await api.until(path, isOver);
    const results = await api.get(`${path}/results?limit=100&include=failed`);
    answers.push(JSON.stringify([accepted.body, done.body, results.body]));
    return { job: done.body.data, tasks: results.body.data.items };
  }
  const health = async () => {
    const { body } = await api.get('/health');
    answers.push(JSON.stringify(body));
    return body.data.proxies;
  };
  /** `4:127.0.0.1` is the fourth. */
  const placeOf = (id: string): number => Number(id.split(':')[0]) - 1;

  it('finds out at its start which proxy does not let it in', async () => {
    await expect.poll(async () => (await health())[2].healthy, { timeout: 10_000 }).toBe(false);
    expect(await health()).toMatchObject([
      { id: '1:127.0.0.1', region: 'DE', healthy: true, last_changed_at: null },
      { id: '2:127.0.0.1', region: null, healthy: true },
      { id: '3:127.0.0.1', region: null, healthy: false, failures: 0, last_changed_at: expect.any(String) },
      { id: '4:127.0.0.1', region: 'FR', healthy: true },
    ]);
    expect(api.output.join('')).toMatch(/"proxy":"3:127\.0\.0\.1".*a proxy is unhealthy and is left out/);
    expect(site.connections()).toBe(0);
  });

  it('visits everything through the proxies in turn, as their logs and the site say', { timeout: 90_000 }, async () => {
    const { job, tasks } = await runBatch(1, 24);
    expect(job).toMatchObject({ status: 'completed', completed_tasks: 24 });
    const uses = new Map<number, number>();
    for (const [n, task] of tasks.entries()) {
      expect(task.result.job_title).toBe(jobFacts(n + 1).title);
      expect(task.meta.rendered_by).toBe(n % 4 < 2 ? 'http' : 'browser');
      const place = placeOf(task.meta.proxy);
      uses.set(place, (uses.get(place) ?? 0) + 1);
      const { pathname, host } = new URL(task.target_url);
      const seen = site.requests.filter((request) => request.path === pathname);
      expect(seen.map(({ from }) => from)).toEqual([EXITS[place]]);
      expect(servers[place]!.targets).toContain(host);
    }
    // All three that are healthy had their share, and the site saw nobody else.
    expect([...uses.keys()].sort()).toEqual([0, 1, 3]);
    expect(Math.min(...uses.values())).toBeGreaterThanOrEqual(4);
    const pages = site.requests.filter(({ path }) => path !== '/robots.txt');
    expect(pages.filter(({ from }) => !EXITS.includes(from))).toEqual([]);
    expect(servers[2]!.targets).toEqual([]);
    const proxies = await health();
    expect(proxies.map((one: { successes: number }) => one.successes > 0)).toEqual([true, true, false, true]);
  });

  it('sends the browser the way plain HTTP came, as the same visitor', { timeout: 60_000 }, async () => {
    // Each on a domain of its own, so that none goes straight to the browser.
    const hosts = ['127.0.0.4', '127.0.0.5', '127.0.0.6', '127.0.0.7'];
    for (const [n, host] of hosts.entries()) {
      const wanted = { target_type: 'job_posting', target_url: site.url(`/js/${n}`, host), workspace_id: 'ws-1' };
      const { body } = await api.post('/api/v1/scrape/sync', wanted);
      expect(body.data).toMatchObject({ status: 'completed', meta: { rendered_by: 'browser' } });
      const [plain, browser, ...others] = site.requests.filter(({ path }) => path === `/js/${n}`);
      expect(others).toEqual([]);
      expect(browser?.from).toBe(plain?.from);
      expect(browser?.from).toBe(EXITS[placeOf(body.data.meta.proxy)]);
      for (const name of ['user-agent', 'accept-language', 'sec-ch-ua']) {
        expect(browser?.headers[name]).toBe(plain?.headers[name]);
      }
    }
    const exits = site.requests.filter(({ path }) => path.startsWith('/js/')).map(({ from }) => from);
    expect(new Set(exits).size).toBeGreaterThan(1);
  });

  it('reads robots.txt through the proxies too', () => {
    const files = site.requests.filter(({ path }) => path === '/robots.txt');
    expect(files.length).toBeGreaterThanOrEqual(DOMAINS.length);
    expect(files.filter(({ from }) => !EXITS.includes(from))).toEqual([]);
  });

  it('completes every task though a proxy dies, and takes it back when it lives again', {
    timeout: 90_000,
  }, async () => {
    const { port } = servers[3]!;
    await servers[3]!.close();
    const { job, tasks } = await runBatch(101, 12);
    expect(job).toMatchObject({ status: 'completed', completed_tasks: 12 });
    expect(tasks.filter((task: { meta: { proxy: string } }) => placeOf(task.meta.proxy) === 3)).toEqual([]);
    expect((await health())[3]).toMatchObject({ healthy: false, failures: expect.any(Number) });
    expect((await health())[3].failures).toBeGreaterThan(0);
    // A dead proxy is not the domains' fault.
    const { body } = await api.get('/health');
    expect(body.data.breakers).toMatchObject({ open: 0, half_open: 0 });

    servers[3] = await startSocksProxy({ exit: EXITS[3]!, auth: `user:${PASSWORDS[3]}`, port });
    await expect.poll(async () => (await health())[3].healthy, { timeout: 10_000 }).toBe(true);
    const again = await runBatch(201, 6);
    expect(again.tasks.map((task: { meta: { proxy: string } }) => placeOf(task.meta.proxy))).toContain(3);
  });

  it('shows no password, neither in its log nor in any answer', async () => {
    answers.push(await api.text('/metrics'));
    const said = api.output.join('') + answers.join('');
    expect(said.length).toBeGreaterThan(10_000);
    for (const password of PASSWORDS) {
      const basic = Buffer.from(`user:${password}`).toString('base64');
      for (const spelling of [password, encodeURIComponent(password), basic]) expect(said).not.toContain(spelling);
    }
    expect(said).not.toContain('CANARY');
  });
});
