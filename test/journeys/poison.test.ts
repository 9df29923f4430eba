import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { journeyEnv, postingAt, spawnService, useService } from '../support/service.js';
import { jobPage } from '../support/site-pages.js';
import { tempDir } from '../support/temp-dir.js';

const isOver = (data: Record<string, unknown>): boolean => data.completed_at !== null;

/** A page that fills its renderer's memory for as long as it is let, and is never there as a whole. */
const HOG = `<!doctype html><title>Hog</title><script>
  const kept = [];
  setInterval(() => { const more = new Uint8Array(16 << 20); more.fill(7); kept.push(more); }, 50);
</script><script src="/never"></script>`;

/** A posting that is there as a whole only when its script is. */
const patient = (url: string): string => jobPage(1, url).replace('</body>', '<script src="/late"></script></body>');
const LATE_MS = 5_000;

/** A site that kills whoever comes to `/deadly`, as `kill` says, and else answers with postings. */
async function startSite(kill: () => void): Promise<{ url(path: string): string; visits: string[]; server: Server }> {
  const visits: string[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    visits.push(pathname);
    if (pathname === '/deadly') return kill();
    if (pathname === '/never') return;
    if (pathname === '/robots.txt') return void response.writeHead(404).end();
    response.setHeader('content-type', 'text/html');
    const url = `http://${request.headers.host}${pathname}`;
    if (pathname === '/late') setTimeout(() => response.end(), LATE_MS);
    else if (pathname === '/hog') response.end(HOG);
    else response.end(pathname === '/patient' ? patient(url) : jobPage(1, url));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: (path) => `http://127.0.0.1:${port}${path}`, visits, server };
}

const end = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.closeAllConnections();
    server.close(() => resolve());
  });

/** Browsers of this service by their scratch directory; only the browser processes themselves. */
function browsersOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const isOurs = readFileSync(`/proc/${name}/environ`, 'utf8').includes(`gleaner-browser-${pid}-`);
        return isOurs && !readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('--type=');
      } catch {
        return false;
      }
    })
    .map(Number);
}

describe('a page that kills its browser each time', () => {
  const used = useService('poison', {});
  let site: Awaited<ReturnType<typeof startSite>>;
  beforeAll(async () => {
    site = await startSite(() => {
      for (const pid of browsersOf(process.pid)) process.kill(pid, 'SIGKILL');
    });
  });
  afterAll(() => end(site.server));

  it('fails with poison at the third browser, the last two of its own, and its job ends', {
    timeout: 60_000,
  }, async () => {
    const { api } = used;
    const targets = [
      postingAt(site.url('/deadly'), { render: 'browser' }),
      postingAt(site.url('/job/1'), { render: 'browser' }),
    ];
    const opened = await api.post('/api/v1/scrape/batch', { targets });
    const { job_id: jobId, task_ids: taskIds } = opened.body.data;
    await api.until(`/api/v1/scrape/jobs/${jobId}`, isOver);
    const deadly = await api.get(`/api/v1/scrape/${taskIds[0]}`);
    expect(deadly.body.data).toMatchObject({ status: 'failed', code: 'poison' });
    // The first browser was shared: that counts for nobody.
    expect(site.visits.filter((path) => path === '/deadly')).toHaveLength(3);
    expect((await api.get(`/api/v1/scrape/${taskIds[1]}`)).body.data).toMatchObject({ status: 'completed' });
    const after = await api.post('/api/v1/scrape/sync', postingAt(site.url('/job/2'), { render: 'browser' }));
    expect(after.body.data).toMatchObject({ status: 'completed' });
  });
});

describe('a page that takes more memory than a browser may', () => {
  const used = useService('memory-hog', { SCRAPER_BROWSER_MEMORY_MB: '400' });
  let site: Awaited<ReturnType<typeof startSite>>;
  beforeAll(async () => {
    site = await startSite(() => undefined);
  });
  afterAll(() => end(site.server));

  it('fails with resource_limit, while who shared its browser loses nothing', { timeout: 60_000 }, async () => {
    const { api } = used;
    const hog = { ...postingAt(site.url('/hog'), { render: 'browser' }), target_type: 'web_page', formats: ['text'] };
    const neighbour = await api.post('/api/v1/scrape', postingAt(site.url('/patient'), { render: 'browser' }));
    const submitted = await api.post('/api/v1/scrape', hog);
    const ended = await api.until(`/api/v1/scrape/${submitted.body.data.task_id}`, isOver);
    expect(ended.body.data).toMatchObject({ status: 'failed', code: 'resource_limit', attempts: 1 });
    const beside = await api.until(`/api/v1/scrape/${neighbour.body.data.task_id}`, isOver);
    expect(beside.body.data).toMatchObject({ status: 'completed', attempts: 1 });
    expect(site.visits.filter((path) => path === '/patient')).toHaveLength(2);
    const metrics = await api.text('/metrics');
    expect(metrics).toMatch(/scraper_recycles_total\{reason="memory"\} [1-9]/);
    const after = await api.post('/api/v1/scrape/sync', postingAt(site.url('/job/2'), { render: 'browser' }));
    expect(after.body.data).toMatchObject({ status: 'completed' });
  });
});

describe('a task that kills the service each time', () => {
  it('fails with poison at the third start, and others are done', { timeout: 120_000 }, async () => {
    const directory = tempDir('deadly');
    const env = journeyEnv(directory.path, { SCRAPER_MAX_ATTEMPTS: '10' });
    let victim: { kill(signal: NodeJS.Signals): unknown } | null = null;
    const site = await startSite(() => void victim?.kill('SIGKILL'));
    let api = await spawnService(env);
    victim = api.child;
    const exits = [once(api.child)];
    const deadly = await api.post('/api/v1/scrape', postingAt(site.url('/deadly')));
    const path = `/api/v1/scrape/${deadly.body.data.task_id}`;
    for (let start = 1; start <= 3; start++) {
      await exits.at(-1);
      api = await spawnService(env);
      victim = api.child;
      exits.push(once(api.child));
    }
    const ended = await api.until(path, isOver);
    expect(ended.body.data).toMatchObject({ status: 'failed', code: 'poison' });
    expect(site.visits.filter((one) => one === '/deadly')).toHaveLength(3);
    // The start that ended it tells of it as a visit would.
    const lines = api.output.join('').split('\n');
    expect(lines.filter((line) => line.includes('"task failed"') && line.includes('"code":"poison"'))).toHaveLength(1);
    const metrics = await api.text('/metrics');
    expect(metrics).toContain('scraper_task_errors_total{code="poison"} 1');
    const well = await api.post('/api/v1/scrape/sync', postingAt(site.url('/job/1')));
    expect(well.body.data).toMatchObject({ status: 'completed' });
    expect(await api.kill('SIGTERM')).toBe(0);
    await end(site.server);
    directory.remove();
  });
});

const once = (child: { once(event: 'exit', listener: () => void): unknown }): Promise<void> =>
  new Promise((resolve) => {
    child.once('exit', () => resolve());
  });
