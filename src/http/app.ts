import type { TSchema } from '@sinclair/typebox';
import fastify, { type FastifyInstance } from 'fastify';
import type { AdapterRegistry } from '../domain/adapter.js';
import { GleanerError } from '../domain/errors.js';
import { createAnswerRoom } from './answer-room.js';
import type { Door } from './door.js';
import { answerError } from './error-answer.js';
import { createGate } from './gate.js';
import { readJsonBodies } from './json-body.js';
import { lazyLogger } from './request-logger.js';
import { describeRoutes, docsRoutes } from './routes/docs.js';
import { domainRoutes } from './routes/domains.js';
import { eventRoutes } from './routes/events.js';
import { jobRoutes } from './routes/jobs.js';
import { collectPaths } from './routes/methods.js';
import { operationsRoutes } from './routes/operations.js';
import { retrievalRoutes } from './routes/retrievals.js';
import { scrapeRoutes } from './routes/scrape.js';
import { syncRoute } from './routes/sync.js';
import type { App } from './routes/types.js';
import { webhookRoutes } from './routes/webhooks.js';
import {
  ErrorCodeWire,
  FieldSourceWire,
  JobWire,
  RobotsWire,
  recordsWire,
  taskWire,
  VisitMetaWire,
} from './schemas/answers.js';
import { DomainReportWire, DomainWire, ResetWire } from './schemas/domains.js';
import { FailureMetaWire, FailureWire, FieldFaultWire } from './schemas/envelopes.js';
import { JobEventWire, TaskEventWire } from './schemas/events.js';
import { CrawlResultWire, RunWire } from './schemas/retrievals.js';
import { DeliveryReportWire, DeliveryWire } from './schemas/webhooks.js';
import { serverOptions } from './server-options.js';
import { traceBindings } from './trace.js';
import { compileValidator } from './validation.js';

export type { AnsweredRequest, Door, HealthReport } from './door.js';

/** Builds the REST door, ready to answer. It does not listen; whoever called closes it. */
export async function buildApp(door: Door): Promise<FastifyInstance> {
  const gate = createGate(door);
  const app: App = fastify(serverOptions(door, gate));

  app.decorateRequest('errorCode', null);
  app.setChildLoggerFactory((logger, bindings, options, raw) =>
    lazyLogger(logger, () => logger.child({ ...bindings, ...traceBindings(raw.headers) }, options)),
  );
  app.addHook('onRequest', gate.onRequest);
  app.setErrorHandler(answerError);
  // The gate refuses what has no route before it comes here; a missing file of the docs page does come here.
  app.setNotFoundHandler((request, reply) =>
    answerError(new GleanerError('not_found', 'No such path.'), request, reply),
  );
  readJsonBodies(app);
  app.setValidatorCompiler(compileValidator);
  // `wire.ts` builds exactly what is sent. A serializer compiled from the schemas would silently drop what they forgot.
  app.setSerializerCompiler(() => (value) => JSON.stringify(value));

  const paths = collectPaths(app);
  await describeRoutes(app, door);
  for (const schema of components(door.adapters)) app.addSchema(schema);
  const room = createAnswerRoom(door.limits.answers);
  scrapeRoutes(app, door, room);
  syncRoute(app, door, room);
  jobRoutes(app, door, room);
  eventRoutes(app, door);
  retrievalRoutes(app, door, room);
  webhookRoutes(app, door);
  domainRoutes(app, door);
  operationsRoutes(app, door);
  await docsRoutes(app);
  paths.refuseOtherMethods();

  // An expectation we do not know may be ignored; Node's own 417 would have neither envelope nor request id.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  await app.ready();
  return app as unknown as FastifyInstance;
}

/** What the document names once and refers to. */
const components = (adapters: AdapterRegistry): TSchema[] => [
  ErrorCodeWire,
  FieldFaultWire,
  FailureMetaWire,
  FailureWire,
  RobotsWire,
  FieldSourceWire,
  VisitMetaWire,
  JobWire,
  JobEventWire,
  TaskEventWire,
  DomainWire,
  DomainReportWire,
  ResetWire,
  DeliveryWire,
  DeliveryReportWire,
  RunWire,
  CrawlResultWire,
  taskWire(adapters),
  ...recordsWire(adapters),
];
