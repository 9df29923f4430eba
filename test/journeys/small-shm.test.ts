import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { journeyEnv, spawnService } from '../support/service.js';
import { type Site, startSite } from '../support/site.js';
import { onSmallDisk } from '../support/small-disk.js';
import { tempDir } from '../support/temp-dir.js';

const command = onSmallDisk(1);
const why = command ? '' : ' (skipped: no right to mount a small disk here)';

describe.skipIf(!command)(`a machine with next to no shared memory${why}`, () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite();
  });
  afterAll(() => site.close());

  it('shows heavy pages in a browser as any other', { timeout: 120_000 }, async () => {
    const directory = tempDir('small-shm');
    const env = journeyEnv(directory.path, { SCRAPER_MAX_ATTEMPTS: '1', SCRAPER_NAVIGATION_TIMEOUT_MS: '60000' });
    const api = await spawnService({ ...env, SMALL_DISK: '/dev/shm' }, { through: command! });
    try {
      const targets = Array.from({ length: 8 }, (_, n) => ({
        target_type: 'web_page',
        // A hundred thousand elements each.
        target_url: site.url(`/huge?mb=1.4&n=${n}`, site.hosts[n]),
        workspace_id: 'ws-1',
        render: 'browser',
      }));
      const { body } = await api.post('/api/v1/scrape/batch', { targets });
      const job = `/api/v1/scrape/jobs/${body.data.job_id}`;
      await api.until(job, (data) => data.completed_at !== null);
      const results = await api.get(`${job}/results?include=failed&limit=100`);
      const ends = results.body.data.items.map(({ status, code }: { status: string; code?: string }) => code ?? status);
      expect(ends).toEqual(Array(8).fill('completed'));
    } finally {
      await api.kill('SIGKILL');
      directory.remove();
    }
  });
});
