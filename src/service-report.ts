import type { BreakerState } from './domain/breaker.js';
import type { Engine } from './engine/engine.js';
import type { BrowserPoolStats } from './fetching/browser-pool.js';

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
