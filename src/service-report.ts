import type { Engine } from './engine/engine.js';
import type { BrowserAdmission } from './fetching/browser-admission.js';
import type { BrowserPoolStats } from './fetching/browser-pool.js';
import { countProcesses } from './fetching/browser-process.js';
import type { Browsers } from './fetching/browsers.js';
import type { EnginePools } from './fetching/engine-pools.js';
import type { createGuards } from './fetching/guards/index.js';
import type { LoadWatch } from './fetching/load-watch.js';
import type { Proxies } from './fetching/proxies.js';
import type { Resources } from './fetching/resources.js';
import type { HealthReport } from './http/app.js';
import type { Clock } from './ports/clock.js';
import type { Deliveries } from './ports/deliveries.js';
import type { TaskQueue } from './ports/queue.js';
import type { MetricSources } from './telemetry.js';

export interface ReportParts {
  version: string;
  resources(): Promise<Resources>;
  clock: Clock;
  engine: Engine;
  queue: TaskQueue;
  browsers: Browsers;
  admission: BrowserAdmission;
  load: LoadWatch;
  guards: ReturnType<typeof createGuards>;
  proxies: Proxies;
  deliveries: Deliveries;
}

/** /health shows examples, not whole tables. */
const MOST_SHOWN = 20;
/** Counting deliveries takes longer the more there are. */
const COUNTS_FRESH_MS = 5_000;

/** What the parts say about themselves, in the words of metrics and of /health: numbers and domains, never who is told. */
export function createReport(parts: ReportParts): { gauges: MetricSources; health(): Promise<HealthReport> } {
  const { version, clock, engine, queue, browsers, admission, load, guards, proxies, deliveries } = parts;
  const bootedAt = clock.mono();
  const deliveryCounts = remembered(() => deliveries.counts(), COUNTS_FRESH_MS, clock);
  return {
    gauges: {
      queue: () => queue.stats(),
      pool: () => ({ ...poolGauges(browsers), visitLimit: admission.current().limit }),
      pids: () => countProcesses(process.pid),
      breakers: () => {
        const { closed, open, half_open: halfOpen } = guards.breaker.counts();
        return { closed, open, halfOpen };
      },
      proxies: () => ({
        healthy: proxies.healthyCount(),
        unhealthy: proxies.stats().filter((one) => !one.healthy).length,
      }),
      webhooks: async () => {
        const { pending, dead, oldestPendingAt } = await deliveryCounts();
        const { receiversInTrouble } = engine.webhookStats();
        return { pending, dead, oldestPendingSeconds: ageSeconds(oldestPendingAt, clock.now()), receiversInTrouble };
      },
    },
    health: async () => ({
      version,
      uptime_seconds: Math.round((clock.mono() - bootedAt) / 1_000),
      accepts_work: engine.acceptsWork(),
      queue: queueReport(engine.queueStats()),
      retrievals: engine.runStats(),
      ...poolsReport(browsers.own),
      resources: await parts.resources(),
      load: loadReport(load.current()),
      browser_visits: admission.current(),
      // Only where a policy demands another engine than the one that serves everybody.
      ...(browsers.other && { policy_engine: poolsReport(browsers.other) }),
      breakers: { ...guards.breaker.counts(), troubled: guards.breaker.troubled().slice(0, MOST_SHOWN) },
      rate_limits: await guards.rateLimit.stats(),
      proxies: proxies.stats(),
      // Counts that cannot be had right now are left out: the service still answers.
      webhooks: webhookReport(await deliveryCounts().catch(() => null), engine.webhookStats(), clock.now()),
    }),
  };
}

/** The pools for pages of both engines together. */
function poolGauges({ own, other }: Browsers) {
  const all = [own, other].flatMap((pools) => (pools ? [pools.pages.stats()] : []));
  const sum = (key: keyof BrowserPoolStats): number => all.reduce((total, stats) => total + stats[key], 0);
  return {
    browsers: sum('browsers'),
    contexts: sum('contexts_open'),
    pages: sum('contexts_open') + sum('contexts_ready'),
    slotsAvailable: sum('available'),
    slotsInUse: sum('in_use'),
    oldestBrowserSeconds: Math.max(...all.map((stats) => stats.oldest_browser_seconds)),
  };
}

/** What is in use beside what was wanted: nobody should have to guess which browser brought a page. */
function poolsReport(pools: EnginePools) {
  const { engine = null, version = null, lean = null } = pools.inUse() ?? {};
  return {
    browser_pool: { ...pools.pages.stats(), engine_wanted: pools.wanted, engine, chromium_version: version, lean },
    screenshot_pool: pools.pictures.stats(),
  };
}

const loadReport = ({ reason, loopDelayMs, heapUsed, memoryAvailableBytes }: ReturnType<LoadWatch['current']>) => ({
  /** What new work is refused for; null: it is welcome. */
  shedding: reason,
  event_loop_delay_ms: Math.round(loopDelayMs),
  heap_used_percent: Math.round(heapUsed * 100),
  // Before the first look at the machine nobody knows.
  memory_available_mb: Number.isFinite(memoryAvailableBytes) ? Math.round(memoryAvailableBytes / 1024 ** 2) : null,
});

const queueReport = (stats: ReturnType<Engine['queueStats']>) => ({
  queue_depth: stats.depth,
  active_workers: stats.activeWorkers,
  avg_duration_ms: Math.round(stats.averageDurationMs),
  standalone: stats.standalone,
  batch: stats.batch,
  delayed: stats.delayed,
  lanes: stats.lanes,
});

type DeliveryCounts = Awaited<ReturnType<Deliveries['counts']>>;

const webhookReport = (counts: DeliveryCounts | null, stats: ReturnType<Engine['webhookStats']>, now: number) => ({
  ...(counts && {
    pending: counts.pending,
    dead: counts.dead,
    oldest_pending_seconds: ageSeconds(counts.oldestPendingAt, now),
  }),
  under_way: stats.underWay,
  receivers_in_trouble: stats.receiversInTrouble,
});

const ageSeconds = (since: number | null, now: number): number =>
  since === null ? 0 : Math.max(0, Math.round((now - since) / 1_000));

/** What costs something to know is asked for once in a while, however many ask. */
function remembered<T>(ask: () => Promise<T>, forMs: number, clock: Clock): () => Promise<T> {
  let last: { answer: Promise<T>; at: number } | null = null;
  return () => {
    if (!last || clock.mono() - last.at >= forMs) last = { answer: ask(), at: clock.mono() };
    return last.answer;
  };
}
