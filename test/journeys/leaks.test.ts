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

  it('is told by what is beyond rest only, whatever there is to do', async () => {
    const holdings = (await api.get('/health')).body.data as Holdings;
    const { resources } = holdings;
    const found = (changes: Partial<Holdings['resources']>): string[] =>
      beyondRest({ ...holdings, resources: { ...resources, ...changes } }, { isOwnProcess: true });
    expect(found({ contexts: 1, pages: 3 })).toEqual(expect.arrayContaining(['1 contexts', '3 pages in 1 browsers']));
    expect(found({ temp_directories: 0 })).toContain('1 browsers in 0 directories');
    expect(found({ timers_of: { ...resources.timers_of, visits: 1 } })).toContain('1 timers of visits');
    expect(found({ timers_of: { queue: 1 } })).toContain('1 timers of queue');
  });
});
