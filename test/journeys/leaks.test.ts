import { mkdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { beyondRest, type Holdings } from '../support/leak-check.js';
import { journeyEnv, postingAt, SERVICE_KEY, type ServiceProcess, spawnService } from '../support/service.js';
import { type Site, startSite } from '../support/site.js';
import { tempDir } from '../support/temp-dir.js';

describe('what is left open when there is nothing to do', () => {
  const directory = tempDir('leaks');
  let api: ServiceProcess;
  let site: Site;
  beforeAll(async () => {
    site = await startSite();
    api = await spawnService(journeyEnv(directory.path));
    await api.until('/health', (health) => (health.browser_pool as { browsers: number }).browsers > 0);
    const visit = await api.post('/api/v1/scrape/sync', postingAt(site.url('/job/1'), { render: 'browser' }));
    expect(visit.body.data).toMatchObject({ status: 'completed' });
  });
  afterAll(async () => {
    expect(await api.kill('SIGTERM')).toBe(0);
    await site.close();
    directory.remove();
  });

  const leftOpen = async (): Promise<string[]> =>
    beyondRest((await api.get('/health')).body.data as Holdings, { isOwnProcess: true });
  const toBe = (words: string[]): Promise<void> => expect.poll(leftOpen, { timeout: 20_000 }).toEqual(words);
  // What is found is found because it is there: when it has gone, there is nothing again.
  afterEach(() => toBe([]));

  it('is found where it is a connection', async () => {
    const { hostname, port } = new URL(api.address);
    const socket = connect(Number(port), hostname);
    await toBe(['2 sockets']);
    socket.destroy();
  });

  it('is found where it is a timer, by whose it is', async () => {
    // Somebody who follows a job that does not end is told every now and then that it has not.
    const opened = await api.post('/api/v1/scrape/batch', { targets: [postingAt(site.url('/slow?ms=3000'))] });
    const { hostname, port } = new URL(api.address);
    const socket = connect(Number(port), hostname);
    socket.write(
      `GET ${opened.headers.get('location')}/events HTTP/1.1\r\nhost: x\r\nx-service-key: ${SERVICE_KEY}\r\n\r\n`,
    );
    await expect.poll(leftOpen).toContainEqual(expect.stringMatching(/^\d timers of engine$/));
    socket.destroy();
    await api.until(opened.headers.get('location') ?? '', (job) => job.completed_at !== null);
  });

  it('is found where it is a directory', async () => {
    const left = join(tmpdir(), `gleaner-browser-${api.child.pid}-left`);
    mkdirSync(left);
    await toBe(['2 directories for 1 browsers']);
    rmSync(left, { recursive: true });
  });

  it('is found where it is a task that is not over', async () => {
    const opened = await api.post('/api/v1/scrape', postingAt(site.url('/slow?ms=2000')));
    expect(opened.status).toBe(202);
    await expect.poll(leftOpen).toContain('1 active workers');
  });

  it('is told by what is beyond rest only, whatever there is to do', async () => {
    const holdings = (await api.get('/health')).body.data as Holdings;
    const { resources } = holdings;
    const found = (changes: Partial<Holdings['resources']>): string[] =>
      beyondRest({ ...holdings, resources: { ...resources, ...changes } }, { isOwnProcess: true });
    const foundIn = (changes: Partial<Holdings>): string[] =>
      beyondRest({ ...holdings, ...changes }, { isOwnProcess: false });
    expect(found({ contexts: 1, pages: 3 })).toEqual(expect.arrayContaining(['1 contexts', '3 pages in 1 browsers']));
    expect(found({ temp_directories: 0 })).toContain('1 browsers in 0 directories');
    expect(found({ timers_of: { ...resources.timers_of, visits: 1 } })).toContain('1 timers of visits');
    expect(found({ timers_of: { queue: 1 } })).toContain('1 timers of queue');

    const { browser_pool: pool, screenshot_pool: pictures, queue, webhooks } = holdings;
    expect(foundIn({ browser_pool: { ...pool, in_use: 2 } })).toEqual(['2 slots in use']);
    expect(foundIn({ screenshot_pool: { ...pictures, in_use: 1 } })).toEqual(['1 slots in use']);
    expect(foundIn({ policy_engine: { browser_pool: pool, screenshot_pool: { ...pictures, in_use: 1 } } })).toContain(
      '1 slots in use',
    );
    const five = { ...resources, browsers: 5, temp_directories: 5 };
    expect(foundIn({ resources: five, browser_pool: { ...pool, browsers: 5 } })).toEqual(['5 browsers for 2 slots']);
    expect(foundIn({ resources: five })).toEqual(['4 browsers for visits alone']);
    // What is never done is found as such, and excuses nothing else.
    const busy = { queue: { ...queue, active_workers: 1, queue_depth: 3 }, webhooks: { ...webhooks, under_way: 1 } };
    expect(foundIn(busy)).toEqual(['3 tasks that wait', '1 active workers', '1 webhooks under way']);
    expect(foundIn({ ...busy, resources: { ...resources, contexts: 1 } })).toContain('1 contexts');
    expect(beyondRest({ ...holdings, ...busy }, { isOwnProcess: false, mayWait: true })).toEqual([
      '1 active workers',
      '1 webhooks under way',
    ]);
  });
});
