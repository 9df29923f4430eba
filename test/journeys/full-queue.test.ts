import { describe, expect, it } from 'vitest';
import { journeyEnv, startService } from '../support/service.js';
import { startSite } from '../support/site.js';
import { tempDir } from '../support/temp-dir.js';

describe('a full queue', () => {
  it('refuses a batch whole with 503 and Retry-After, and takes it once there is room', async () => {
    const directory = tempDir('full');
    const site = await startSite();
    const api = await startService(journeyEnv(directory.path, { SCRAPER_MAX_QUEUE_DEPTH: '5' }));
    const targets = (count: number, path: string) =>
      Array.from({ length: count }, (_, n) => ({
        target_type: 'job_posting',
        target_url: site.url(`${path}${path.includes('?') ? '&' : '?'}n=${n}`),
        workspace_id: 'ws-1',
        render: 'http',
      }));

    const busy = await api.post('/api/v1/scrape/batch', { targets: targets(4, '/slow?ms=1500') });
    const path = `/api/v1/scrape/jobs/${busy.body.data.job_id}`;
    await api.until(path, (job) => job.running_tasks === 4);
    expect((await api.post('/api/v1/scrape/batch', { targets: targets(4, '/job/1') })).status).toBe(202);
    const refused = await api.post('/api/v1/scrape/batch', { targets: targets(2, '/job/2') });
    expect(refused).toMatchObject({
      status: 503,
      body: { success: false, meta: { code: 'queue_full', retryable: true } },
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await api.get('/api/v1/scrape/jobs')).body.data.items).toHaveLength(2);
    expect((await api.post('/api/v1/scrape', targets(1, '/job/3')[0])).status).toBe(202);

    await api.until('/health', (health) => (health.queue as { queue_depth: number }).queue_depth === 0);
    expect((await api.post('/api/v1/scrape/batch', { targets: targets(5, '/job/4') })).status).toBe(202);
    await api.service.stop(5_000);
    await site.close();
    directory.remove();
  });
});
