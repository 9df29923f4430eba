import { describe, expect, it } from 'vitest';
import { ERROR_TABLE, type ErrorCode } from '../../src/domain/errors.js';
import { createTelemetry } from '../../src/telemetry.js';
import { KNOWN, KNOWN_CORES, UNKNOWN } from './canaries.js';
import { checkExposition, type Sample } from './check-exposition.js';
import { listeningTelemetry, taskOf, visitOf } from './harness.js';

type Listening = ReturnType<typeof listeningTelemetry>;

async function samplesOf(parts: Pick<Listening, 'metricsText'>): Promise<Sample[]> {
  return checkExposition(await parts.metricsText());
}

function valueIn(samples: Sample[], name: string, labels: Record<string, string> = {}): number | undefined {
  return samples.find(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  )?.value;
}

describe('the metrics text', () => {
  it('is valid before anything happened, with help and type for every metric', async () => {
    const text = await listeningTelemetry().metricsText();
    checkExposition(text);
    for (const name of [
      'tasks_accepted_total counter',
      'tasks_total counter',
      'task_errors_total counter',
      'task_retries_total counter',
      'visits_total counter',
      'scrapes_total counter',
      'navigation_failures_total counter',
      'escalations_total counter',
      'auto_decisions_total counter',
      'browser_not_needed_total counter',
      'recycles_total counter',
      'task_duration_seconds histogram',
      'scrape_duration_seconds histogram',
      'queue_wait_seconds histogram',
      'guard_wait_seconds histogram',
      'http_request_duration_seconds histogram',
      'queue_depth gauge',
      'active_workers gauge',
      'browsers_current gauge',
      'contexts_active gauge',
      'pages_open gauge',
      'pool_slots gauge',
      'browser_visits_limit gauge',
      'browser_uptime_seconds gauge',
      'pids_current gauge',
      'breakers gauge',
      'proxies gauge',
    ]) {
      expect(text).toContain(`# TYPE scraper_${name}\n`);
    }
  });

  it('includes the process itself: event loop lag, heap, memory and garbage collection', async () => {
    const parts = createTelemetry({ level: 'silent', bootId: 'boot' });
    const text = await parts.metricsText();
    checkExposition(text);
    for (const name of [
      'nodejs_eventloop_lag_p99_seconds',
      'nodejs_heap_size_used_bytes',
      'nodejs_gc_duration_seconds',
    ]) {
      expect(text).toContain(`# TYPE scraper_${name} `);
    }
    expect(valueIn(checkExposition(text), 'scraper_process_resident_memory_bytes')).toBeGreaterThan(0);
    expect(parts.metricsContentType).toBe('text/plain; version=0.0.4; charset=utf-8');
  });

  it('is refused by the checker of these tests when it is wrong', () => {
    const wrong = [
      'a_total 1\n',
      '# HELP a x\n# TYPE a gauge\na 1',
      '# TYPE a gauge\na 1\n',
      '# HELP a_total x\n# TYPE a_total gauge\na_total 1\n',
      '# HELP a x\n# TYPE a counter\na 1\n',
      '# HELP a x\n# TYPE a gauge\na 1\na 2\n',
      '# HELP a x\n# TYPE a gauge\na{b="1",b="2"} 1\n',
      '# HELP a x\n# TYPE a gauge\na{b="1"2"} 1\n',
      '# HELP a x\n# TYPE a gauge\na one\n',
      '# HELP h x\n# TYPE h histogram\nh_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n',
      '# HELP h x\n# TYPE h histogram\nh_bucket{le="1"} 1\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 2\n',
      '# HELP h x\n# TYPE h histogram\nh_bucket{le="1"} 1\nh_sum 1\nh_count 1\n',
    ];
    for (const text of wrong) expect(() => checkExposition(text), text).toThrow();
  });
});

describe('what is counted', () => {
  it('tells tasks by type, end and code, and visits by what rendered them', async () => {
    const parts = listeningTelemetry();
    const { telemetry } = parts;
    telemetry.taskAccepted(taskOf());
    telemetry.taskCancelled(taskOf());
    telemetry.escalated(taskOf(), null);
    telemetry.escalated(taskOf(), 'empty_mount');
    telemetry.autoDecided(taskOf(), 'straight_to_browser');
    telemetry.browserNotNeeded(taskOf(), 'brought_no_more');
    telemetry.visitSettled(visitOf());
    telemetry.visitSettled(visitOf({ end: 'retried', code: 'connect_failed', renderedBy: null }));
    telemetry.visitSettled(visitOf({ end: 'retried', code: 'browser_crashed', task: taskOf({ status: 'cancelled' }) }));
    telemetry.visitSettled(visitOf({ end: 'failed', code: 'blocked_page', renderedBy: 'browser', durationMs: 2_000 }));
    telemetry.taskConvicted(taskOf({ status: 'failed', code: 'poison' }));
    const samples = await samplesOf(parts);
    const type = { target_type: 'job_posting' };
    expect(valueIn(samples, 'scraper_tasks_accepted_total', type)).toBe(1);
    expect(valueIn(samples, 'scraper_tasks_total', { ...type, status: 'completed' })).toBe(1);
    expect(valueIn(samples, 'scraper_tasks_total', { ...type, status: 'failed' })).toBe(2);
    expect(valueIn(samples, 'scraper_tasks_total', { ...type, status: 'cancelled' })).toBe(2);
    expect(valueIn(samples, 'scraper_escalations_total', { ...type, sign: 'none' })).toBe(1);
    expect(valueIn(samples, 'scraper_escalations_total', { ...type, sign: 'empty_mount' })).toBe(1);
    expect(valueIn(samples, 'scraper_auto_decisions_total', { ...type, decision: 'straight_to_browser' })).toBe(1);
    expect(valueIn(samples, 'scraper_browser_not_needed_total', { ...type, found: 'brought_no_more' })).toBe(1);
    expect(valueIn(samples, 'scraper_task_errors_total', { code: 'blocked_page' })).toBe(1);
    expect(valueIn(samples, 'scraper_task_errors_total', { code: 'poison' })).toBe(1);
    expect(valueIn(samples, 'scraper_task_retries_total', { code: 'connect_failed' })).toBe(1);
    expect(valueIn(samples, 'scraper_visits_total', { rendered_by: 'none', end: 'retried' })).toBe(1);
    expect(valueIn(samples, 'scraper_visits_total', { rendered_by: 'browser', end: 'failed' })).toBe(1);
    expect(valueIn(samples, 'scraper_scrapes_total', { domain: 'example.com', status: 'success' })).toBe(1);
    expect(valueIn(samples, 'scraper_scrapes_total', { domain: 'example.com', status: 'failure' })).toBe(4);
    expect(valueIn(samples, 'scraper_navigation_failures_total', { domain: 'example.com' })).toBe(2);
    expect(valueIn(samples, 'scraper_task_duration_seconds_sum', { ...type, rendered_by: 'browser' })).toBe(2);
    expect(valueIn(samples, 'scraper_scrape_duration_seconds_count', { domain: 'example.com' })).toBe(4);
    expect(valueIn(samples, 'scraper_queue_wait_seconds_sum')).toBe(1.5 * 4);
    expect(valueIn(samples, 'scraper_telemetry_faults_total')).toBe(0);
  });

  it('measures requests, waits and retired browsers', async () => {
    const parts = listeningTelemetry();
    parts.httpRequest({ method: 'GET', route: '/api/v1/scrape/:taskId', status: 200, durationMs: 4 });
    parts.telemetry.guardWaited('rate-limit', 1_500);
    parts.telemetry.browserRetired('page_limit');
    const samples = await samplesOf(parts);
    const request = { method: 'GET', route: '/api/v1/scrape/:taskId', status: '200' };
    expect(valueIn(samples, 'scraper_http_request_duration_seconds_bucket', { ...request, le: '0.005' })).toBe(1);
    expect(valueIn(samples, 'scraper_guard_wait_seconds_sum', { guard: 'rate-limit' })).toBe(1.5);
    expect(valueIn(samples, 'scraper_recycles_total', { reason: 'page_limit' })).toBe(1);
  });

  it('reads the present state when asked, and shows nothing for what it cannot read', async () => {
    const parts = listeningTelemetry();
    expect(valueIn(await samplesOf(parts), 'scraper_active_workers')).toBeUndefined();
    let depth = 1;
    parts.setSources({ queue: () => ({ standalone: depth, batch: 2, delayed: 3, activeWorkers: 4 }) });
    parts.setSources({
      pool: async () => ({
        browsers: 2,
        contexts: 3,
        pages: 4,
        slotsAvailable: 5,
        slotsInUse: 3,
        visitLimit: 6,
        oldestBrowserSeconds: 60.5,
      }),
      breakers: () => ({ closed: 7, open: 1, halfOpen: 0 }),
      proxies: () => ({ healthy: 1, unhealthy: 2 }),
      pids: () => Number.NaN,
    });
    depth = 9;
    const samples = await samplesOf(parts);
    expect(valueIn(samples, 'scraper_queue_depth', { priority: 'standalone' })).toBe(9);
    expect(valueIn(samples, 'scraper_queue_delayed')).toBe(3);
    expect(valueIn(samples, 'scraper_active_workers')).toBe(4);
    expect(valueIn(samples, 'scraper_browsers_current')).toBe(2);
    expect(valueIn(samples, 'scraper_pool_slots', { state: 'in_use' })).toBe(3);
    expect(valueIn(samples, 'scraper_browser_visits_limit')).toBe(6);
    expect(valueIn(samples, 'scraper_browser_uptime_seconds')).toBe(60.5);
    expect(valueIn(samples, 'scraper_breakers', { state: 'half_open' })).toBe(0);
    expect(valueIn(samples, 'scraper_proxies', { healthy: 'false' })).toBe(2);
    parts.setSources({
      queue: () => {
        throw new Error('closed');
      },
      pool: () => Promise.reject(new Error('closed')),
    });
    const later = await samplesOf(parts);
    expect(valueIn(later, 'scraper_active_workers')).toBeUndefined();
    expect(valueIn(later, 'scraper_queue_depth')).toBeUndefined();
    expect(valueIn(later, 'scraper_pages_open')).toBeUndefined();
    expect(valueIn(later, 'scraper_proxies', { healthy: 'true' })).toBe(1);
  });

  it('gives series to the first domains only', async () => {
    const parts = listeningTelemetry({ maxDomains: 10, level: 'silent' });
    for (let n = 0; n < 1_000; n++) {
      parts.telemetry.visitSettled(visitOf({ task: taskOf({ domain: `d${n}.example` }) }));
    }
    const scrapes = (await samplesOf(parts)).filter((sample) => sample.name === 'scraper_scrapes_total');
    expect(scrapes).toHaveLength(11);
    expect(scrapes.find((sample) => sample.labels.domain === 'other')!.value).toBe(990);
  });

  it('takes any numbers and any labels', async () => {
    const parts = listeningTelemetry();
    for (const durationMs of [Number.NaN, -5, Number.POSITIVE_INFINITY]) {
      parts.httpRequest({ method: 'A"B\\C\nD', route: '\u2028{}=",', status: 0, durationMs });
      parts.telemetry.guardWaited('', durationMs);
      parts.telemetry.visitSettled(visitOf({ durationMs, task: taskOf({ domain: '__proto__', createdAt: 1e15 }) }));
    }
    const samples = await samplesOf(parts);
    expect(valueIn(samples, 'scraper_http_request_duration_seconds_count', { method: 'A"B\\C\nD' })).toBe(3);
    expect(valueIn(samples, 'scraper_telemetry_faults_total')).toBe(0);
  });

  it('knows every error code', async () => {
    const parts = listeningTelemetry();
    for (const code of Object.keys(ERROR_TABLE) as ErrorCode[]) {
      parts.telemetry.visitSettled(visitOf({ end: 'failed', code }));
    }
    const errors = (await samplesOf(parts)).filter((sample) => sample.name === 'scraper_task_errors_total');
    expect(errors).toHaveLength(Object.keys(ERROR_TABLE).length);
  });
});

describe('canaries in the metrics', () => {
  it('are not in any label, and two that become equal are one series', async () => {
    const parts = listeningTelemetry();
    for (const value of Object.values(KNOWN)) parts.scrubber.add(value);
    for (const core of [...KNOWN_CORES, `http://u:${UNKNOWN.userinfo}@h`, `https://h/?token=${UNKNOWN.queryToken}`]) {
      parts.telemetry.visitSettled(visitOf({ task: taskOf({ domain: core, targetType: core }) }));
      parts.telemetry.guardWaited(core, 1);
      parts.telemetry.browserRetired(core.toLowerCase());
      parts.httpRequest({ method: core, route: `/${core}`, status: 200, durationMs: 1 });
    }
    const text = await parts.metricsText();
    checkExposition(text);
    expect(text.toLowerCase()).not.toContain('canary');
    expect(text).not.toContain('Q0FOQVJZ');
  });

  it('disappear from series that existed before the secret was known, and the text stays valid', async () => {
    const parts = listeningTelemetry();
    for (const domain of ['a-secret-one.example', 'b-secret-two.example']) {
      parts.telemetry.visitSettled(visitOf({ task: taskOf({ domain }) }));
    }
    // The last one spells the names of metrics; those stay.
    for (const secret of ['a-secret-one', 'b-secret-two', 'scraper_']) parts.scrubber.add(secret);
    const samples = await samplesOf(parts);
    expect(samples.filter((sample) => sample.name === 'scraper_scrapes_total')).toHaveLength(1);
    expect(samples.find((sample) => sample.labels.domain === '[redacted].example')).toBeDefined();
  });
});
