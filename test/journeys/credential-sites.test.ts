import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answering, type CredentialBackend, startCredentialBackend } from '../support/credential-backend.js';
import { type Api, journeyEnv, startService } from '../support/service.js';
import { type Site, startSite } from '../support/site.js';
import { tempDir } from '../support/temp-dir.js';

const ITS_SITE = '127.0.0.1';
const ATTACKER = '127.0.0.2';

describe('the credentials of a workspace', () => {
  const directory = tempDir('credential-sites');
  let site: Site;
  let backend: CredentialBackend;
  let api: Awaited<ReturnType<typeof startService>>;

  beforeAll(async () => {
    site = await startSite();
    backend = await startCredentialBackend();
    backend.reply = answering(200, {
      cookies: { li_at: 'CANARY-the-cookie' },
      headers: { 'x-li-token': 'CANARY-the-header' },
    });
    api = await startService(
      journeyEnv(directory.path, {
        SCRAPER_BACKEND_API_URL: backend.baseUrl,
        SCRAPER_BACKEND_SERVICE_KEY: 'CANARY-backend-key',
        SCRAPER_CREDENTIAL_SITES: `linkedin=${ITS_SITE}`,
      }),
    );
  });
  afterAll(async () => {
    await api?.service.stop(1_000);
    await Promise.all([site?.close(), backend?.close()]);
    directory.remove();
  });

  /** What the site was shown on this visit, page and robots.txt. */
  const visit = async (url: string, render: string) => {
    const before = site.requests.length;
    const target = { target_type: 'linkedin_profile', target_url: url, workspace_id: 'victim', render };
    const { body } = await (api as Api).post('/api/v1/scrape', target);
    const done = await api.until(`/api/v1/scrape/${body.data.task_id}`, (data) => data.completed_at !== null);
    expect(done.body.data.status).toBe('completed');
    return site.requests.slice(before);
  };

  const ways = ['http', 'browser'];

  it.each(ways)(
    'are not asked for, and not sent, where the task names a site of somebody else (%s)',
    async (render) => {
      const seen = await visit(site.url('/profile/1', ATTACKER), render);
      expect(seen.map(({ path }) => path)).toContain('/profile/1');
      expect(JSON.stringify(seen)).not.toMatch(/the-cookie|the-header|x-li-token/);
      expect(backend.requests).toEqual([]);
    },
  );

  it.each(ways)('go to a site that the settings name, and not on to where that leads (%s)', async (render) => {
    const to = site.url('/profile/2', ATTACKER);
    const seen = await visit(site.url(`/redirect?to=${encodeURIComponent(to)}`, ITS_SITE), render);
    const [its, others] = [ITS_SITE, ATTACKER].map((host) => seen.filter((request) => request.host.startsWith(host)));
    const shown = { cookie: 'li_at=CANARY-the-cookie', 'x-li-token': 'CANARY-the-header' };
    expect(its!.find(({ path }) => path.startsWith('/redirect'))?.headers).toMatchObject(shown);
    expect(others!.map(({ path }) => path)).toContain('/profile/2');
    expect(JSON.stringify(others)).not.toMatch(/the-cookie|the-header|x-li-token/);
    expect(backend.requests.map(({ path }) => path)).toEqual(['/api/v1/workspaces/victim/credentials/linkedin']);
  });
});
