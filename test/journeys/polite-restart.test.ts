import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { journeyEnv, postingAt, type ServiceProcess, spawnService } from '../support/service.js';
import { type Site, startSite } from '../support/site.js';
import { tempDir } from '../support/temp-dir.js';

const TOKENS = 3;
const INTERVAL_MS = 3_000;
/** From the grant to the site's own clock. */
const JITTER_MS = 500;

describe('a service that is killed and started again and again', () => {
  const directory = tempDir('polite-restart');
  let site: Site;
  let env: Record<string, string>;
  beforeAll(async () => {
    site = await startSite();
    env = journeyEnv(directory.path, { SCRAPER_CB_FAILURE_THRESHOLD: '2', SCRAPER_MAX_ATTEMPTS: '1' });
    const policy = { tokens_per_interval: TOKENS, interval_seconds: INTERVAL_MS / 1_000 };
    writeFileSync(env.SCRAPER_DOMAIN_POLICIES_PATH!, JSON.stringify({ domains: { default: policy } }));
  });
  afterAll(async () => {
    await site.close();
    directory.remove();
  });

  const until = async (isThere: () => boolean): Promise<void> => {
    while (!isThere()) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  const seenAt = (host: string): number[] => site.requests.filter((one) => one.host === host).map(({ at }) => at);

  it('sends a site no more in any window than one that is never killed', { timeout: 90_000 }, async () => {
    const host = site.hosts[1]!;
    const targets = Array.from({ length: 11 }, (_, n) => postingAt(site.url(`/job/${n}`, host)));
    let api: ServiceProcess = await spawnService(env);
    const { body } = await api.post('/api/v1/scrape/batch', { targets });
    for (const goal of [2, 5, 7, 9]) {
      await until(() => seenAt(`${host}:${site.port}`).length >= goal);
      await api.kill('SIGKILL');
      api = await spawnService(env);
    }
    await api.until(`/api/v1/scrape/jobs/${body.data.job_id}`, ({ completed_at }) => completed_at !== null);
    const times = seenAt(`${host}:${site.port}`);
    const tooSoon = times.filter((at, n) => n >= TOKENS && at - times[n - TOKENS]! < INTERVAL_MS - JITTER_MS);
    expect(tooSoon).toEqual([]);
    expect(await api.kill('SIGTERM')).toBe(0);
  });

  it('waits as long as a site asked for, and leaves alone what it had left alone', { timeout: 60_000 }, async () => {
    const [asking, failing] = [site.hosts[2]!, site.hosts[3]!];
    let api: ServiceProcess = await spawnService(env);
    const scrape = async (path: string, host: string): Promise<string> => {
      const { body } = await api.post('/api/v1/scrape', postingAt(site.url(path, host)));
      return body.data.task_id;
    };
    const state = async (host: string) => (await api.get(`/api/v1/domains/${host}`)).body.data;
    await scrape('/status/429?retry_after=3600', asking);
    for (let n = 0; n < 3; n += 1) await scrape(`/status/503?n=${n}`, failing);
    await api.until(`/api/v1/domains/${failing}`, ({ breaker }) => (breaker as { state: string }).state === 'open');
    await until(() => site.requests.some(({ path }) => path.startsWith('/status/429')));
    await new Promise((resolve) => setTimeout(resolve, 500));
    const before = await state(failing);
    await api.kill('SIGKILL');
    const seen = site.requests.length;

    api = await spawnService(env);
    expect((await state(failing)).breaker).toMatchObject({ state: 'open', opened_at: before.breaker.opened_at });
    const patient = await scrape('/job/1', asking);
    const refused = await scrape('/job/2', failing);
    const end = await api.until(`/api/v1/scrape/${refused}`, ({ status }) => status === 'failed');
    expect(end.body.data.code).toBe('circuit_open');
    const wait = await api.until(`/api/v1/scrape/${patient}`, ({ not_before }) => not_before !== null);
    expect(Date.parse(wait.body.data.not_before) - Date.now()).toBeGreaterThan(3_500_000);
    expect(site.requests.slice(seen)).toEqual([]);
    expect(await api.kill('SIGTERM', { leaves: 'waiting' })).toBe(0);
  });
});
