import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Api,
  journeyEnv,
  SERVICE_KEY,
  type ServiceProcess,
  spawnService,
  useService,
} from '../support/service.js';
import { type Site, startSite } from '../support/site.js';
import { tempDir } from '../support/temp-dir.js';

const ENV = { SCRAPER_CHROMIUM_PATH: '/bin/false' };
const STATES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());

const batch = (count: number, msOf: (n: number) => number) => ({
  targets: Array.from({ length: count }, (_, n) => ({
    target_type: 'job_posting',
    target_url: site.url(`/slow?ms=${msOf(n)}&n=${n}`, site.hosts[n % 4]),
    workspace_id: 'ws-1',
    render: 'http',
  })),
});

interface SeenEvent {
  id: number;
  kind: string;
  data: { status: string; task_id?: string; attempts?: number };
}

interface Stream {
  status: number;
  events: SeenEvent[];
  /** Resolves when that many have come, or when the stream is over. */
  until(count: number): Promise<void>;
  ended: Promise<unknown>;
}

/** The events as a client reads them off its socket. */
async function follow(api: Api, jobId: string, lastEventId?: number): Promise<Stream> {
  const asking = request(`${api.address}/api/v1/scrape/jobs/${jobId}/events`, {
    headers: {
      'x-service-key': SERVICE_KEY,
      ...(lastEventId !== undefined && { 'last-event-id': String(lastEventId) }),
    },
  }).end();
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  const events: SeenEvent[] = [];
  let text = '';
  let wake = (): void => {};
  let isOver = false;
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const blocks = (text + chunk).split('\n\n');
    text = blocks.pop() ?? '';
    events.push(...blocks.flatMap(eventOf));
    wake();
  });
  // A service that is killed ends it in the middle of a chunk.
  const ended = new Promise<void>((resolve) => {
    response
      .on('error', () => {})
      .on('close', () => {
        isOver = true;
        wake();
        resolve();
      });
  });
  const until = async (count: number): Promise<void> => {
    while (events.length < count && !isOver) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { status: response.statusCode ?? 0, events, until, ended };
}

function eventOf(block: string): SeenEvent[] {
  const field = (name: string): string | undefined => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
  const id = field('id');
  return id === undefined
    ? []
    : [{ id: Number(id), kind: field('event') ?? '', data: JSON.parse(field('data') ?? '') }];
}

const everyFifthSlow = (n: number): number => (n % 5 === 0 ? 1_200 : 200);

const isBegun = ({ kind, data }: SeenEvent): boolean => kind === 'task' && data.status === 'running';

describe('the events of a job', () => {
  it('go on after the last one that was seen, though the service was killed in between', async () => {
    const directory = tempDir('events');
    let api: ServiceProcess = await spawnService(journeyEnv(directory.path, ENV));
    try {
      const accepted = await api.post('/api/v1/scrape/batch', batch(24, everyFifthSlow));
      const jobId: string = accepted.body.data.job_id;
      const before = await follow(api, jobId);
      // Some have ended then, and the slow ones run.
      await before.until(20);
      expect(await api.kill('SIGKILL')).toBe('SIGKILL');
      await before.ended;
      const seen = before.events;

      api = await spawnService(journeyEnv(directory.path, ENV));
      const after = await follow(api, jobId, seen.at(-1)?.id);
      await after.ended;
      const all = [...seen, ...after.events];
      expect(all.map(({ id }) => id)).toEqual(all.map((_, index) => index + 1));
      expect(all.at(-1)).toMatchObject({ kind: 'job', data: { status: 'completed' } });
      const ends = all.filter(({ kind, data }) => kind === 'task' && data.status === 'completed');
      expect(ends.map(({ data }) => data.task_id).sort()).toEqual([...accepted.body.data.task_ids].sort());
      // Those that ran when it was killed went back to the queue, and that was told too.
      expect(all.filter(isBegun).length).toBeGreaterThan(24);

      // What was seen before the kill is what is kept: to the last one.
      const whole = await follow(api, jobId);
      await whole.ended;
      expect(whole.events).toEqual(all);
      expect((await follow(api, jobId, all.length)).status).toBe(204);
      expect(await api.kill('SIGTERM')).toBe(0);
    } finally {
      if (api.child.exitCode === null && api.child.signalCode === null) await api.kill('SIGKILL');
      directory.remove();
    }
  }, 60_000);
});

describe('the counts of a job', () => {
  const service = useService('counts', ENV);

  it('add up whenever somebody looks, also while it is cancelled', async () => {
    const accepted = await service.api.post(
      '/api/v1/scrape/batch',
      batch(60, () => 150),
    );
    const path = `/api/v1/scrape/jobs/${accepted.body.data.job_id}`;
    const seen: Record<string, number>[] = [];
    const done = new AbortController();
    const watch = async (where: string): Promise<void> => {
      while (!done.signal.aborted) {
        const { data } = (await service.api.get(where)).body;
        seen.push(data.items?.[0] ?? data);
      }
    };
    const watchers = [path, path, '/api/v1/scrape/jobs?limit=1'].map(watch);
    try {
      await service.api.until(path, (job) => Number(job.completed_tasks) >= 12);
      // Twice at once, as impatient clients do.
      const cancels = await Promise.all([service.api.post(`${path}/cancel`), service.api.post(`${path}/cancel`)]);
      seen.push(...cancels.map(({ body }) => body.data));
      const end = await service.api.until(path, (job) => job.completed_at !== null);
      seen.push(end.body.data);
    } finally {
      done.abort();
      await Promise.all(watchers);
    }

    expect(seen.at(-1)).toMatchObject({ status: 'cancelled', queued_tasks: 0, running_tasks: 0, failed_tasks: 0 });
    expect(seen.some((job) => job.running_tasks! > 0 && job.cancelled_tasks! > 0)).toBe(true);
    for (const job of seen) {
      expect(job.total_tasks).toBe(60);
      expect(STATES.reduce((sum, state) => sum + (job[`${state}_tasks`] as number), 0)).toBe(60);
      if (job.cancelled_tasks! > 0) expect(job).toMatchObject({ status: 'cancelled', queued_tasks: 0 });
    }
  });
});
