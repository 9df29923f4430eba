import type { FastifyBaseLogger } from 'fastify';
import type { AdapterRegistry } from '../domain/adapter.js';
import type { GleanerError } from '../domain/errors.js';
import type { EngineApi } from '../engine/api.js';
import type { Clock } from '../ports/clock.js';
import type { Domains } from '../ports/domains.js';
import type { AnswerLimits } from './answer-room.js';

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
  /** Whether new work would be too much just now. Absent: never. */
  overload?: {
    /** Why not; `null`: it is welcome. Neither counts nor changes anything. */
    current(): GleanerError | null;
    /** The same, asked for a request that is refused if it says so: those are counted. */
    refuse(): GleanerError | null;
  };
  readiness(): { browsersAvailable: number; healthyProxies: number };
  /** Prometheus text. */
  metricsText(): Promise<string>;
  logger: FastifyBaseLogger;
  /** Called once per request, also when the client hung up (status 499). Must not throw. */
  onRequest?(request: AnsweredRequest): void;
  /** `answers`: absent, what this process's heap allows. */
  limits: { maxRequestBytes: number; requestTimeoutMs: number; answers?: AnswerLimits };
  /** A fresh UUID. */
  newRequestId(): string;
  clock: Clock;
  version: string;
}
