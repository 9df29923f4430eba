import { type TSchema, Type } from '@sinclair/typebox';
import { GleanerError } from '../../domain/errors.js';
import type { Door } from '../door.js';
import { success } from '../envelope.js';
import { sendFailure } from '../error-answer.js';
import { failureAnswers, successAnswer } from '../schemas/envelopes.js';
import type { App } from './types.js';

const HealthWire = Type.Record(Type.String(), Type.Unknown(), { description: 'How the parts are; for people.' });

const ReadinessWire = Type.Object({
  ready: Type.Literal(true),
  browsers_available: Type.Integer(),
  healthy_proxies: Type.Integer(),
});

const MetricsText = {
  description: 'Prometheus text format.',
  content: { 'text/plain': { schema: Type.String(), example: 'scraper_queue_depth{priority="standalone"} 3\n' } },
} as unknown as TSchema;

/** For whoever runs the service. No key: probes and scrapers have none, and nothing here is secret. */
export function operationsRoutes(app: App, door: Door): void {
  app.get(
    '/health',
    {
      schema: {
        operationId: 'getHealth',
        tags: ['operations'],
        summary: 'How the service and its parts are',
        security: [],
        response: {
          200: successAnswer(HealthWire, {
            description: 'The service answers; the report says how its parts are.',
            example: {
              version: '0.1.0',
              uptime_seconds: 86400,
              accepts_work: true,
              queue: { queue_depth: 3, active_workers: 2, avg_duration_ms: 140 },
              retrievals: { held: 1 },
              browser_pool: {
                total: 5,
                available: 4,
                in_use: 1,
                pages_processed: 812,
                recycled_count: 8,
                browsers: 2,
                engine_wanted: 'shell',
                engine: 'shell',
                chromium_version: '156.0.8078.79',
                lean: null,
              },
            },
          }),
          ...failureAnswers(['internal_error']),
        },
      },
    },
    async (request) => success(request.id, await door.health()),
  );

  app.get(
    '/readiness',
    {
      schema: {
        operationId: 'getReadiness',
        tags: ['operations'],
        summary: 'Whether work sent here would be done',
        security: [],
        response: {
          200: successAnswer(ReadinessWire, {
            description: 'A browser can serve, a proxy is healthy, and work is accepted.',
            example: { ready: true, browsers_available: 2, healthy_proxies: 1 },
          }),
          ...failureAnswers(['shutting_down', 'browser_unavailable', 'no_healthy_proxies', 'overloaded']),
        },
      },
    },
    async (request, reply) => {
      const { browsersAvailable, healthyProxies } = door.readiness();
      const counts = { browsers_available: browsersAvailable, healthy_proxies: healthyProxies };
      const obstacle =
        obstacleTo(door.engine.acceptsWork(), browsersAvailable, healthyProxies) ?? door.overload?.current() ?? null;
      if (obstacle !== null) return sendFailure(reply, obstacle, counts);
      return success(request.id, { ready: true, ...counts });
    },
  );

  app.get(
    '/metrics',
    {
      schema: {
        operationId: 'getMetrics',
        tags: ['operations'],
        summary: 'Metrics for Prometheus',
        security: [],
        response: { 200: MetricsText, ...failureAnswers(['internal_error']) },
      },
    },
    async (_request, reply) => {
      const text = await door.metricsText();
      return reply.type('text/plain; version=0.0.4; charset=utf-8').send(text);
    },
  );
}

function obstacleTo(acceptsWork: boolean, browsers: number, proxies: number): GleanerError | null {
  if (!acceptsWork) return new GleanerError('shutting_down', 'The service is stopping and takes no new work.');
  if (!(browsers > 0)) return new GleanerError('browser_unavailable', 'No browser can serve.');
  if (!(proxies > 0)) return new GleanerError('no_healthy_proxies', 'No configured proxy is healthy.');
  return null;
}
