import { Counter, collectDefaultMetrics, Histogram, type Registry } from 'prom-client';

/** Seconds. A visit may take as long as a task's timeout, a synchronous request as long as its longest wait. */
const VISIT_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120];
const HTTP_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
const WAIT_BUCKETS = [0.1, 0.5, 1, 5, 15, 60, 300, 1800, 3600];
/** Few: every domain has them all. */
const DOMAIN_BUCKETS = [0.25, 1, 3, 10, 30, 60];

export type Metrics = ReturnType<typeof createMetrics>;

/** All that is counted as it happens. What is read when asked for is in gauges.ts. */
export function createMetrics(registry: Registry) {
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name: `scraper_${name}`, help, labelNames, registers });
  const histogram = <Label extends string>(name: string, help: string, buckets: number[], labelNames: Label[]) =>
    new Histogram({ name: `scraper_${name}`, help, buckets, labelNames, registers });

  return {
    tasksAccepted: counter('tasks_accepted_total', 'Tasks accepted and on disk.', ['target_type']),
    shed: counter('shed_total', 'Submits refused because there was too much to do, by what was short.', ['reason']),
    tasks: counter('tasks_total', 'Tasks that ended, by how they ended.', ['target_type', 'status']),
    taskErrors: counter('task_errors_total', 'Tasks that failed, by error code.', ['code']),
    taskRetries: counter('task_retries_total', 'Visits after which the task went back to the queue.', ['code']),
    visits: counter('visits_total', 'Visits that ended, by what fetched the page.', ['rendered_by', 'end']),
    autoDecisions: counter(
      'auto_decisions_total',
      'How visits with render: auto began, and when they went on unusually.',
      ['target_type', 'decision'],
    ),
    escalations: counter('escalations_total', 'Tasks for which plain HTTP was not enough, by what the page showed.', [
      'target_type',
      'sign',
    ]),
    browserNotNeeded: counter('browser_not_needed_total', 'Visits that turned out to need no browser.', [
      'target_type',
      'found',
    ]),
    scrapes: counter('scrapes_total', 'Visits by domain, success or failure.', ['domain', 'status']),
    navigationFailures: counter('navigation_failures_total', 'Visits that brought no page at all.', ['domain']),
    webhookAttempts: counter('webhook_attempts_total', 'Attempts to tell a receiver, by how they ended.', ['end']),
    recycles: counter('recycles_total', 'Browsers that left the pool.', ['reason']),
    faults: counter('telemetry_faults_total', 'Observations that could not be recorded.', []),

    taskDuration: histogram('task_duration_seconds', 'Visit that ended a task.', VISIT_BUCKETS, [
      'target_type',
      'rendered_by',
    ]),
    scrapeDuration: histogram('scrape_duration_seconds', 'Every visit, by domain.', DOMAIN_BUCKETS, ['domain']),
    queueWait: histogram('queue_wait_seconds', 'From acceptance to the first visit.', WAIT_BUCKETS, []),
    guardWait: histogram('guard_wait_seconds', 'How long a guard told a task to wait.', WAIT_BUCKETS, ['guard']),
    webhookDuration: histogram('webhook_attempt_duration_seconds', 'Attempts to tell a receiver.', HTTP_BUCKETS, [
      'end',
    ]),
    webhookDelay: histogram('webhook_delay_seconds', 'From the end of the work to its delivery.', WAIT_BUCKETS, []),
    httpDuration: histogram('http_request_duration_seconds', 'Requests to this service.', HTTP_BUCKETS, [
      'method',
      'route',
      'status',
    ]),
  };
}

/** Gauges whose names promise a counter; a strict reader of the exposition format complains about them. */
const MISNAMED = ['active_handles_total', 'active_requests_total', 'active_resources_total'];

/**
 * Event loop lag, garbage collection, heap, resident memory, CPU. They watch the process with observers that the
 * library never takes down again, so a process has them once.
 */
export function watchProcess(registry: Registry): void {
  // Every 20 ms: at the default 10 the idle service wakes up a hundred times a second for nothing else.
  collectDefaultMetrics({ register: registry, prefix: 'scraper_', eventLoopMonitoringPrecision: 20 });
  for (const name of MISNAMED) registry.removeSingleMetric(`scraper_nodejs_${name}`);
}
