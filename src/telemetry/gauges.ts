import { Gauge, type Registry } from 'prom-client';
import type { QueueStats } from '../ports/queue.js';

export interface PoolGauges {
  browsers: number;
  contexts: number;
  pages: number;
  slotsAvailable: number;
  slotsInUse: number;
  /** How many visits may run at once. */
  visitLimit: number;
  /** Age of the oldest browser; 0 without one. */
  oldestBrowserSeconds: number;
}

type Reading<T> = () => T | Promise<T>;

/** Where the present state is read when somebody asks for the metrics. Each may be missing; none may be slow. */
export interface MetricSources {
  queue?: Reading<Pick<QueueStats, 'standalone' | 'batch' | 'delayed' | 'activeWorkers'>>;
  pool?: Reading<PoolGauges>;
  /** Processes of the service, browsers included. */
  pids?: Reading<number>;
  /** How many domains' breakers are in each state. */
  breakers?: Reading<{ closed: number; open: number; halfOpen: number }>;
  proxies?: Reading<{ healthy: number; unhealthy: number }>;
  /** Bytes in use of the store's write-ahead log. */
  storeLog?: Reading<number>;
  webhooks?: Reading<{ pending: number; dead: number; oldestPendingSeconds: number; receiversInTrouble: number }>;
}

/** One row: what it is called, and what it shows of its source. A labelled gauge shows several values. */
interface GaugeRow<T> {
  name: string;
  help: string;
  label?: string;
  values: (reading: T) => number | Record<string, number>;
}

type Rows = { [Source in keyof MetricSources]-?: GaugeRow<ReadingOf<Source>>[] };
type ReadingOf<Source extends keyof MetricSources> = Awaited<ReturnType<NonNullable<MetricSources[Source]>>>;

const ROWS: Rows = {
  queue: [
    {
      name: 'scraper_queue_depth',
      help: 'Queued tasks by class.',
      label: 'priority',
      values: ({ standalone, batch }) => ({ standalone, batch }),
    },
    {
      name: 'scraper_queue_delayed',
      help: 'Those of them that wait for a time of their own.',
      values: (queue) => queue.delayed,
    },
    { name: 'scraper_active_workers', help: 'Visits running now.', values: (queue) => queue.activeWorkers },
  ],
  pool: [
    { name: 'scraper_browsers_current', help: 'Browsers running now.', values: (pool) => pool.browsers },
    { name: 'scraper_contexts_active', help: 'Browser contexts in use.', values: (pool) => pool.contexts },
    { name: 'scraper_pages_open', help: 'Browser pages open.', values: (pool) => pool.pages },
    {
      name: 'scraper_pool_slots',
      help: 'Places for browser visits.',
      label: 'state',
      values: (pool) => ({ available: pool.slotsAvailable, in_use: pool.slotsInUse }),
    },
    {
      name: 'scraper_browser_visits_limit',
      help: 'Browser visits that may run at once, as processors and memory allow.',
      values: (pool) => pool.visitLimit,
    },
    {
      name: 'scraper_browser_uptime_seconds',
      help: 'Age of the oldest running browser.',
      values: (pool) => pool.oldestBrowserSeconds,
    },
  ],
  pids: [
    { name: 'scraper_pids_current', help: 'Processes of the service, browsers included.', values: (pids) => pids },
  ],
  breakers: [
    {
      name: 'scraper_breakers',
      help: 'Circuit breakers of domains by state.',
      label: 'state',
      values: ({ closed, open, halfOpen }) => ({ closed, open, half_open: halfOpen }),
    },
  ],
  proxies: [
    {
      name: 'scraper_proxies',
      help: 'Configured proxies; direct egress counts as one.',
      label: 'healthy',
      values: ({ healthy, unhealthy }) => ({ true: healthy, false: unhealthy }),
    },
  ],
  storeLog: [
    {
      name: 'scraper_store_log_bytes',
      help: 'Written to the store and not yet moved into its file; it grows while another process keeps reading.',
      values: (bytes) => bytes,
    },
  ],
  webhooks: [
    {
      name: 'scraper_webhook_deliveries',
      help: 'Deliveries that wait for their receiver, and those that were given up.',
      label: 'status',
      values: ({ pending, dead }) => ({ pending, dead }),
    },
    {
      name: 'scraper_webhook_oldest_pending_seconds',
      help: 'Age of the oldest delivery that waits.',
      values: (webhooks) => webhooks.oldestPendingSeconds,
    },
    {
      name: 'scraper_webhook_receivers_in_trouble',
      help: 'Receivers that are left alone for a while.',
      values: (webhooks) => webhooks.receiversInTrouble,
    },
  ],
};

/**
 * Every source is read once per scrape, so that gauges of one source agree with each other. A source that is missing or
 * fails shows no value: an absent series says "not known", a zero would say "none".
 */
export function createGauges(registry: Registry): (sources: MetricSources) => Promise<void> {
  const readers = [
    follow('queue', registry),
    follow('pool', registry),
    follow('pids', registry),
    follow('breakers', registry),
    follow('proxies', registry),
    follow('storeLog', registry),
    follow('webhooks', registry),
  ];
  return async (sources) => {
    await Promise.all(readers.map((read) => read(sources)));
  };
}

function follow<Source extends keyof MetricSources>(source: Source, registry: Registry) {
  const rows = ROWS[source] as GaugeRow<ReadingOf<Source>>[];
  const shown = rows.map((row) => ({ row, gauge: gaugeFor(row, registry) }));
  return async (sources: MetricSources): Promise<void> => {
    const read = sources[source] as Reading<ReadingOf<Source>> | undefined;
    const reading = read && (await attempt(read));
    for (const { row, gauge } of shown) show(gauge, row, reading);
  };
}

function gaugeFor<T>({ name, help, label }: GaugeRow<T>, registry: Registry): Gauge {
  return new Gauge({ name, help, labelNames: label === undefined ? [] : [label], registers: [registry] });
}

function show<T>(gauge: Gauge, { label, values }: GaugeRow<T>, reading: T | undefined): void {
  gauge.reset();
  // A reset gauge without labels is 0, not absent.
  if (label === undefined) gauge.remove({});
  if (reading === undefined) return;
  const now = values(reading);
  if (typeof now === 'number') gauge.set(finite(now));
  else for (const [value, count] of Object.entries(now)) gauge.set({ [label!]: value }, finite(count));
}

async function attempt<T>(read: Reading<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}

const finite = (value: number): number => (Number.isFinite(value) ? value : 0);
