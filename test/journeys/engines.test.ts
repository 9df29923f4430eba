import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installed, programIn, whyNoFull, whyNoShell } from '../support/engines.js';
import { type PageServer, startPageServer } from '../support/page-server.js';
import { type Answer, type Api, journeyEnv, type ServiceProcess, spawnService } from '../support/service.js';
import { tempDir } from '../support/temp-dir.js';

/** Three Chromiums of two kinds are started on the way, in turn. */
const PATIENCE_MS = 90_000;

/** A page can tell: only full Chromium has plugins. It also says who asked, as it was told. */
const PAGE = `<title>unscripted</title><p>${'words '.repeat(40)}</p><script>
  document.title = (navigator.plugins.length > 0 ? 'full' : 'shell') + ' ' + /Chrome\\/\\d+/.exec(navigator.userAgent);
</script>`;

const POLICIES = `domains:
  default: { tokens_per_interval: 1000, interval_seconds: 1, min_delay_ms: 0, max_delay_ms: 0 }
  127.0.0.2: { browser_engine: chromium }
`;

const directory = tempDir('engines');
let plain: PageServer;
let picky: PageServer;

beforeAll(async () => {
  plain = await startPageServer({ '/': PAGE });
  picky = await startPageServer({ '/': PAGE }, '127.0.0.2');
});

afterAll(async () => {
  await Promise.all([plain.close(), picky.close()]);
  directory.remove();
});

/** A service that finds what stands in a folder of ours, and nothing else. */
async function start(bin: { path: string }, changes: Record<string, string> = {}): Promise<ServiceProcess> {
  const env = journeyEnv(directory.path, changes);
  writeFileSync(env.SCRAPER_DOMAIN_POLICIES_PATH!, POLICIES);
  return spawnService({ ...env, PATH: `${bin.path}:/usr/bin-of-nobody`, PLAYWRIGHT_BROWSERS_PATH: '/nowhere' });
}

const brought = async (api: Api, url: string, changes: object = {}) => {
  const body = { target_type: 'web_page', target_url: url, workspace_id: 'ws-1', render: 'browser', ...changes };
  return (await api.post('/api/v1/scrape/sync', body)).body;
};

/** A page counts when its context is closed, which is after it was answered. */
async function healthOnce(api: Api, isSo: (health: Answer['body']) => boolean): Promise<Answer['body']> {
  return (await api.until('/health', isSo)).body.data;
}

describe.skipIf(!installed.chromium || !installed.shell)(`a service with two engines${whyNoFull}${whyNoShell}`, () => {
  it(
    'brings the pages of one domain as its policy demands, and shows both in /health',
    async () => {
      const bin = tempDir('engines-bin');
      programIn(bin.path, 'chromium-headless-shell', `${installed.shell} "$@"`);
      programIn(bin.path, 'chromium', `${installed.chromium} "$@"`);
      const api = await start(bin);
      try {
        const [everybody, demanded] = await Promise.all([brought(api, plain.url('/')), brought(api, picky.url('/'))]);
        const health = await healthOnce(api, ({ policy_engine: { browser_pool } }) => browser_pool.pages_processed > 0);
        const { browser_pool: own, policy_engine: policy } = health;
        const major = (version: string) => version.split('.')[0];
        expect(everybody.data.result.title).toBe(`shell Chrome/${major(own.chromium_version)}`);
        expect(demanded.data.result.title).toBe(`full Chrome/${major(policy.browser_pool.chromium_version)}`);
        expect(own).toMatchObject({
          engine_wanted: 'shell',
          engine: 'shell',
          lean: null,
          pages_processed: expect.any(Number),
        });
        expect(policy.browser_pool).toMatchObject({
          engine_wanted: 'chromium',
          engine: 'chromium',
          lean: true,
          pages_processed: 1,
          browsers: 1,
        });
        expect(JSON.stringify(health)).not.toContain(bin.path);

        // A picture of it is taken by the same engine.
        await brought(api, picky.url('/'), { formats: ['screenshot'] });
        const after = await healthOnce(api, ({ policy_engine }) => policy_engine.screenshot_pool.pages_processed > 0);
        expect(after.screenshot_pool).toMatchObject({ pages_processed: 0 });

        const report = (await api.get('/api/v1/domains/127.0.0.2')).body.data;
        expect(report.policy).toMatchObject({ entry: '127.0.0.2', browser_engine: 'chromium' });
      } finally {
        await api.kill('SIGTERM');
        bin.remove();
      }
    },
    PATIENCE_MS,
  );
});

describe.skipIf(!installed.shell)(`a service without the engine that a policy demands${whyNoShell}`, () => {
  it(
    'says so to whoever asks for such a page, and is ready for all others',
    async () => {
      const bin = tempDir('engines-bin');
      programIn(bin.path, 'chromium-headless-shell', `${installed.shell} "$@"`);
      picky.seen.length = 0;
      const api = await start(bin, { SCRAPER_MAX_ATTEMPTS: '1' });
      try {
        const [everybody, demanded] = await Promise.all([brought(api, plain.url('/')), brought(api, picky.url('/'))]);
        expect(everybody.data.result.title).toMatch(/^shell /);
        expect(demanded).toMatchObject({
          success: false,
          error: 'The policy of the domain demands the browser engine chromium, which is not installed.',
          meta: { code: 'browser_unavailable', retryable: true },
        });
        // Nothing was asked of the site but its robots.txt; and what needs no browser is brought all the same.
        expect(picky.asked('127.0.0.2')).toEqual(['GET /robots.txt']);
        expect((await brought(api, picky.url('/'), { render: 'http' })).data.result.title).toBe('unscripted');
        expect((await api.get('/readiness')).status).toBe(200);
        const { policy_engine } = (await api.get('/health')).body.data;
        expect(policy_engine.browser_pool).toMatchObject({ engine_wanted: 'chromium', engine: null, browsers: 0 });
        expect(api.output.join('')).toMatch(/"level":"warn".*demands the browser engine chromium/);
      } finally {
        await api.kill('SIGTERM');
        bin.remove();
      }
    },
    PATIENCE_MS,
  );
});
