import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { journeyEnv, postingAt, SERVICE_KEY, type ServiceProcess, spawnService } from '../support/service.js';
import { type Site, startSite } from '../support/site.js';
import { tempDir } from '../support/temp-dir.js';

const SCRAPE = '/api/v1/scrape';
const LITTLE_HEAP = { NODE_OPTIONS: '--max-old-space-size=256', SCRAPER_MAX_QUEUE_DEPTH: '1000000' };
const OVERLOADED = { status: 503, body: { meta: { code: 'overloaded', retryable: true } } };
const BATCH = 100;

const isOver = (data: Record<string, unknown>): boolean => data.completed_at !== null;
const shedding = (health: Record<string, unknown>): unknown => (health.load as { shedding: unknown }).shedding;
const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

describe('a service with little heap', () => {
  const directory = tempDir('little-heap');
  let site: Site;
  let api: ServiceProcess;
  beforeAll(async () => {
    site = await startSite();
  });
  // One that a failed test left behind; elsewhere it is gone by then.
  afterEach(() => void api.child.kill('SIGKILL'));
  afterAll(async () => {
    await site.close();
    directory.remove();
  });

  /** Submits from several places at once until each of them is refused; where the jobs are that were taken. */
  async function fill(): Promise<string[]> {
    const taken: string[] = [];
    await Promise.all(
      times(8, async () => {
        for (;;) {
          // A domain of its own for each: that takes the most room in the queue.
          const from = taken.length * BATCH;
          const targets = times(BATCH, (n) => postingAt(site.url(`/job/${n}`, addressOf(from + n))));
          const answer = await api.post(`${SCRAPE}/batch`, { targets });
          if (answer.status !== 202) {
            expect(answer).toMatchObject(OVERLOADED);
            expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
            return;
          }
          taken.push(answer.headers.get('location') ?? '');
        }
      }),
    );
    return taken;
  }

  it('refuses work before it runs out of memory, answers all the while, loses nothing, and takes it again', {
    timeout: 240_000,
  }, async () => {
    // Part of the heap is enough to show it; to fill all of it would take hundreds of thousands of tasks more.
    const env = journeyEnv(directory.path, {
      ...LITTLE_HEAP,
      SCRAPER_SHED_HEAP_PERCENT: '40',
      SCRAPER_SHED_EVENT_LOOP_MS: '0',
      SCRAPER_HTTP_CONCURRENCY: '1',
    });
    api = await spawnService(env);
    let isFull = false;
    const answersAllTheWhile = (async () => {
      while (!isFull) {
        expect((await api.get('/health')).status).toBe(200);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    })();
    const taken = await fill();
    isFull = true;
    await answersAllTheWhile;
    expect(taken.length).toBeGreaterThan(0);
    expect((await api.get('/readiness')).body.meta.code).toBe('overloaded');
    expect(await api.text('/metrics')).toMatch(/scraper_shed_total\{reason="heap"\} [1-9]/);

    for (const job of taken) expect((await api.post(`${job}/cancel`)).status).toBe(200);
    for (const job of taken) {
      const { body } = await api.until(job, isOver);
      const { completed_tasks, failed_tasks, cancelled_tasks } = body.data;
      expect(completed_tasks + failed_tasks + cancelled_tasks).toBe(BATCH);
    }
    await api.until('/health', (health) => shedding(health) === null);
    const after = await api.post(`${SCRAPE}/sync`, postingAt(site.url('/job/1')));
    expect(after.body.data).toMatchObject({ status: 'completed' });
    expect(await api.kill('SIGTERM')).toBe(0);
  });

  it('outlives a batch of pages that together are longer than its heap, and callers who ask for all and read nothing', {
    timeout: 240_000,
  }, async () => {
    api = await spawnService(journeyEnv(directory.path, LITTLE_HEAP));
    const pages = times(48, (n) => ({
      ...postingAt(site.url(`/huge?mb=8&n=${n}`, site.hosts[n % site.hosts.length])),
      target_type: 'web_page',
      formats: ['text'],
    }));
    const opened = await api.post(`${SCRAPE}/batch`, { targets: pages });
    const job = opened.headers.get('location') ?? '';
    const done = await api.until(job, isOver);
    expect(done.body.data).toMatchObject({ status: 'completed', completed_tasks: pages.length });

    const callers = times(100, () => askAndReadNothing(api, `${job}/results?limit=100`));
    // Until it has made as many answers as it will: from then on results are refused, and nothing else is.
    await expect
      .poll(async () => (await api.get(`${job}/results?limit=1`)).status, { timeout: 60_000, interval: 200 })
      .toBe(503);
    const refused = await api.get(`${job}/results?limit=1`);
    expect(refused).toMatchObject(OVERLOADED);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await api.get(job)).status).toBe(200);
    const meanwhile = await api.post(SCRAPE, postingAt(site.url('/job/2')));
    expect(meanwhile.status).toBe(202);
    for (const caller of callers) caller.destroy();
    await expect.poll(async () => (await api.get(`${job}/results?limit=1`)).status, { timeout: 60_000 }).toBe(200);
    const ended = await api.until(`${SCRAPE}/${meanwhile.body.data.task_id}`, isOver);
    expect(ended.body.data).toMatchObject({ status: 'completed' });
    expect(await api.kill('SIGTERM')).toBe(0);
  });
});

/** Addresses of this machine where nobody listens. */
const addressOf = (n: number): string => `127.${1 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`;

function askAndReadNothing({ address }: ServiceProcess, path: string): Socket {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname).on('error', () => {});
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nx-service-key: ${SERVICE_KEY}\r\n\r\n`);
  return socket;
}
