import type { FastifyBaseLogger } from 'fastify';
import type { AdapterRegistry } from '../domain/adapter.js';
import type { EngineApi } from '../engine/api.js';
import type { Clock } from '../ports/clock.js';
import type { Domains } from '../ports/domains.js';

/** Free-form JSON for operators; it is shown without a key, so nothing secret belongs in it. */
export type HealthReport = Record<string, unknown>;

/** One answered request, as metrics see it. `route` is the pattern, never the path: its cardinality is bounded. */
export interface AnsweredRequest {
  method: string;
  route: string;
  status: number;
  durationMs: number;
}

/** Everything the door is handed. It opens nothing itself, so it has nothing to close. */
export interface Door {
  engine: EngineApi;
  domains: Domains;
  adapters: AdapterRegistry;
  /** Any one of them opens the door: two are active while a key is rotated. */
  serviceKeys: readonly string[];
  health(): Promise<HealthReport>;
  readiness(): { browsersAvailable: number; healthyProxies: number };
  /** Prometheus text. */
  metricsText(): Promise<string>;
  logger: FastifyBaseLogger;
  /** Called once per request, also when the client hung up (status 499). Must not throw. */
  onRequest?(request: AnsweredRequest): void;
  limits: { maxRequestBytes: number; requestTimeoutMs: number };
  /** A fresh UUID. */
  newRequestId(): string;
  clock: Clock;
  version: string;
}
