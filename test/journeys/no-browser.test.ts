import { describe, expect, it } from 'vitest';
import { journeyEnv, startService } from '../support/service.js';
import { startSite } from '../support/site.js';
import { tempDir } from '../support/temp-dir.js';

describe('a service without a healthy proxy', () => {
  it('is not ready', async () => {
    const directory = tempDir('no-proxy');
    const site = await startSite({ robots: { status: 404 } });
    const env = journeyEnv(directory.path, { SCRAPER_PROXY_ENDPOINTS: 'http://user:CANARY-proxy-secret@127.0.0.1:1' });
    const api = await startService(env);
    // The health check at the start finds it out, before any task does.
    const code = async () => (await api.get('/readiness')).body.meta.code;
    await expect.poll(code, { timeout: 10_000 }).toBe('no_healthy_proxies');
    const body = { target_type: 'job_posting', target_url: site.url('/job/1'), workspace_id: 'ws-1', render: 'http' };
    await api.post('/api/v1/scrape', body);
    const health = await api.get('/health');
    expect(health.body.data.proxies).toMatchObject([{ healthy: false, failures: 0 }]);
    expect(site.requests).toEqual([]);
    expect(JSON.stringify(health.body) + api.lines.join('')).not.toContain('proxy-secret');
    await api.service.stop(0, { leaves: 'waiting' });
    await site.close();
    directory.remove();
  });
});

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
    await api.service.stop(1_000, { leaves: 'waiting' });
    await site.close();
    directory.remove();
  });
});
