import { describe, expect, it } from 'vitest';
import { journeyEnv, startService } from '../support/service.js';
import { startSite } from '../support/site.js';
import { tempDir } from '../support/temp-dir.js';

describe('a service without a Chromium that starts', () => {
  it('is not ready, keeps what needs a browser in the queue, and goes on with what does not', async () => {
    const directory = tempDir('no-browser');
    const site = await startSite();
    const api = await startService(journeyEnv(directory.path, { SCRAPER_CHROMIUM_PATH: '/bin/false' }));
    const target = (path: string, render: string) => ({
      target_type: 'job_posting',
      target_url: site.url(path),
      workspace_id: 'ws-1',
      render,
    });
    const rendered = await api.post('/api/v1/scrape', target('/js/1', 'browser'));
    const plain = await api.post('/api/v1/scrape/sync', target('/job/1', 'http'));
    expect(plain.body.data.status).toBe('completed');
    const ready = await api.get('/readiness');
    expect(ready).toMatchObject({ status: 503, body: { meta: { code: 'browser_unavailable' } } });
    expect(ready.headers.get('retry-after')).not.toBeNull();
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    const waiting = await api.get(`/api/v1/scrape/${rendered.body.data.task_id}`);
    expect(waiting.body.data).toMatchObject({ status: 'queued', attempts: 0 });
    expect(site.requests.some((request) => request.path === '/js/1')).toBe(false);
    await api.service.stop(1_000);
    await site.close();
    directory.remove();
  });
});
