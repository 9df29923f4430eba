import type { DestinationStream, Logger } from 'pino';
import { Registry } from 'prom-client';
import type { Telemetry } from './ports/telemetry.js';
import { logDelivery } from './telemetry/delivery-log.js';
import { scrubExposition } from './telemetry/exposition.js';
import { createGauges, type MetricSources } from './telemetry/gauges.js';
import { createLogger, type LogLevel } from './telemetry/logger.js';
import { createMetrics, watchProcess } from './telemetry/metrics.js';
import { type AnsweredRequest, createRecorder, type Recorder } from './telemetry/recorder.js';
import { createScrubber, type Scrubber } from './telemetry/scrubber.js';
import { idsOf, logConviction, logVisit } from './telemetry/visit-log.js';

export type { MetricSources, PoolGauges } from './telemetry/gauges.js';
export type { LogLevel } from './telemetry/logger.js';
export { createScrubber, type Scrubber } from './telemetry/scrubber.js';

export interface TelemetryOptions {
  level: LogLevel;
  /** One id per process start: the `request_id` of entries that belong to no request. */
  bootId: string;
  /** Where finished lines go; standard output unless told otherwise. */
  destination?: DestinationStream;
  /** Given when secrets are known before the log is (settings); otherwise it begins with none. */
  scrubber?: Scrubber;
  sources?: MetricSources;
  /** How many domains have series of their own; all others share `other`. */
  maxDomains?: number;
  /** Event loop, heap, GC: observers that live as long as the process. Off where one process holds many services. */
  processMetrics?: boolean;
  /** Wall time in milliseconds, for the timestamps of log entries. */
  now?: () => number;
}

export interface TelemetryParts {
  telemetry: Telemetry;
  /** For Fastify's `loggerInstance`, with `requestIdLogLabel: 'request_id'`. */
  pino: Logger;
  scrubber: Scrubber;
  /** Prometheus text, format 0.0.4. */
  metricsText(): Promise<string>;
  metricsContentType: string;
  httpRequest(request: AnsweredRequest): void;
  /** Pool, queue and the others exist only after telemetry does: each adds what it can tell. */
  setSources(sources: MetricSources): void;
}

/** Logs and metrics of one service, with nothing secret in either. */
export function createTelemetry(options: TelemetryOptions): TelemetryParts {
  const { level, bootId, destination, now = Date.now, maxDomains = 100, processMetrics = true } = options;
  const scrubber = options.scrubber ?? createScrubber();
  const logger = createLogger({ level, bootId, scrubber, now, ...(destination && { destination }) });
  const registry = new Registry();
  const recorder = createRecorder(createMetrics(registry), { scrubber, maxDomains });
  const readGauges = createGauges(registry);
  if (processMetrics) watchProcess(registry);
  let sources: MetricSources = { ...options.sources };

  return {
    telemetry: telemetryOf(logger, recorder),
    pino: logger,
    scrubber,
    metricsText: async () => {
      await readGauges(sources);
      return scrubExposition(await registry.metrics(), scrubber);
    },
    metricsContentType: registry.contentType,
    httpRequest: recorder.httpRequest,
    setSources: (more) => {
      sources = { ...sources, ...more };
    },
  };
}

/** What the engine and the fetchers see: each event is recorded, and logged where an operator would look for it. */
function telemetryOf(logger: Logger, recorder: Recorder): Telemetry {
  const log: Telemetry['log'] = {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  };
  return {
    log,
    taskAccepted: (task) => recorder.taskAccepted(task),
    workShed: (reason) => recorder.workShed(reason),
    taskCancelled: (task) => {
      recorder.taskCancelled(task);
      log.info(idsOf(task), 'task cancelled');
    },
    taskConvicted: (task) => {
      recorder.taskConvicted(task);
      logConviction(log, task);
    },
    visitSettled: (visit) => {
      recorder.visitSettled(visit);
      logVisit(log, visit);
    },
    guardWaited: (guard, waitMs) => recorder.guardWaited(guard, waitMs),
    autoDecided: (task, decision) => recorder.autoDecided(task, decision),
    escalated: (task, sign) => recorder.escalated(task, sign),
    browserNotNeeded: (task, found) => recorder.browserNotNeeded(task, found),
    deliveryAttempted: (attempted) => {
      recorder.deliveryAttempted(attempted);
      logDelivery(log, attempted);
    },
    browserRetired: (reason) => {
      recorder.browserRetired(reason);
      log.info({ reason }, 'browser left the pool');
    },
  };
}
