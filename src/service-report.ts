import type { BreakerState } from './domain/breaker.js';
import type { Engine } from './engine/engine.js';
import type { BrowserPoolStats } from './fetching/browser-pool.js';
import type { Clock } from './ports/clock.js';
import type { Deliveries } from './ports/deliveries.js';

// What the parts say about themselves, in the words of metrics and of /health.

export const breakerGauges = ({ closed, open, half_open }: Record<BreakerState, number>) => ({
  closed,
  open,
  halfOpen: half_open,
});

export function poolGauges(stats: BrowserPoolStats) {
  return {
    browsers: stats.browsers,
    contexts: stats.contexts_open,
    pages: stats.contexts_open,
    slotsAvailable: stats.available,
    slotsInUse: stats.in_use,
    oldestBrowserSeconds: stats.oldest_browser_seconds,
  };
}

export const queueReport = (stats: ReturnType<Engine['queueStats']>) => ({
  queue_depth: stats.depth,
  active_workers: stats.activeWorkers,
  avg_duration_ms: Math.round(stats.averageDurationMs),
  standalone: stats.standalone,
  batch: stats.batch,
  delayed: stats.delayed,
  lanes: stats.lanes,
});

type DeliveryCounts = Awaited<ReturnType<Deliveries['counts']>>;
type WebhookStats = ReturnType<Engine['webhookStats']>;

const ageSeconds = (since: number | null, now: number): number =>
  since === null ? 0 : Math.max(0, Math.round((now - since) / 1_000));

export const webhookGauges = (counts: DeliveryCounts, { receiversInTrouble }: WebhookStats, now: number) => ({
  pending: counts.pending,
  dead: counts.dead,
  oldestPendingSeconds: ageSeconds(counts.oldestPendingAt, now),
  receiversInTrouble,
});

/** Without a key: how many, never who. Counts that cannot be had right now are left out. */
export const webhookReport = (counts: DeliveryCounts | null, stats: WebhookStats, now: number) => ({
  ...(counts && {
    pending: counts.pending,
    dead: counts.dead,
    oldest_pending_seconds: ageSeconds(counts.oldestPendingAt, now),
  }),
  under_way: stats.underWay,
  receivers_in_trouble: stats.receiversInTrouble,
});

/** What costs something to know is asked for once in a while, however many ask. */
export function remembered<T>(ask: () => Promise<T>, forMs: number, clock: Clock): () => Promise<T> {
  let last: { answer: Promise<T>; at: number } | null = null;
  return () => {
    if (!last || clock.mono() - last.at >= forMs) last = { answer: ask(), at: clock.mono() };
    return last.answer;
  };
}
