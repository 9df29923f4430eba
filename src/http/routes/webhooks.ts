import { pathId } from '../caller.js';
import { deliveryReportToWire, deliveryToWire } from '../delivery-wire.js';
import type { Door } from '../door.js';
import { success } from '../envelope.js';
import { pageOf, refTo } from '../schemas/answers.js';
import { failureAnswers, successAnswer } from '../schemas/envelopes.js';
import { NO_QUERY } from '../schemas/fields.js';
import { DEFAULT_PAGE_SIZE } from '../schemas/requests.js';
import * as examples from '../schemas/webhook-examples.js';
import { DELIVERIES_QUERY, DELIVERY_PARAMS, DeliveryReportWire, DeliveryWire, TEST_BODY } from '../schemas/webhooks.js';
import { pageToWire } from '../wire.js';
import { deliveryFilter } from './delivery-filter.js';
import { redeliverRoutes } from './redeliver.js';
import { BODY_CODES, PATH_CODES, READ_CODES } from './scrape.js';
import type { App } from './types.js';

/** The ledger of what was told to whom, and how that went. */
export function webhookRoutes(app: App, door: Door): void {
  readRoutes(app, door);
  redeliverRoutes(app, door);
  testRoute(app, door);
}

function readRoutes(app: App, { engine: { webhooks } }: Door): void {
  app.get(
    '/api/v1/webhooks/deliveries',
    {
      schema: {
        operationId: 'listDeliveries',
        tags: ['webhooks'],
        summary: 'Deliveries, newest first',
        querystring: DELIVERIES_QUERY,
        response: {
          200: successAnswer(pageOf(refTo(DeliveryWire)), {
            description: 'One page.',
            example: { items: [examples.deadDelivery], next_cursor: null },
          }),
          ...failureAnswers(READ_CODES),
        },
      },
    },
    async (request) => {
      const { limit = DEFAULT_PAGE_SIZE, cursor = null } = request.query;
      const page = await webhooks.list(deliveryFilter(request.query), { limit, cursor });
      return success(request.id, pageToWire(page, deliveryToWire));
    },
  );

  app.get(
    '/api/v1/webhooks/deliveries/:deliveryId',
    {
      schema: {
        operationId: 'getDelivery',
        tags: ['webhooks'],
        summary: 'A delivery and every attempt at it',
        params: DELIVERY_PARAMS,
        querystring: NO_QUERY,
        response: {
          200: successAnswer(refTo(DeliveryReportWire), {
            description: 'The delivery.',
            example: examples.deadReport,
          }),
          ...failureAnswers([...READ_CODES, 'delivery_not_found', ...PATH_CODES]),
        },
      },
    },
    async (request) => {
      const report = await webhooks.report(pathId(request.params.deliveryId, 'delivery_not_found'));
      return success(request.id, deliveryReportToWire(report));
    },
  );
}

function testRoute(app: App, { engine: { webhooks } }: Door): void {
  app.post(
    '/api/v1/webhooks/test',
    {
      schema: {
        operationId: 'testWebhook',
        tags: ['webhooks'],
        summary: 'Send one signed ping and see how it went',
        description:
          'One attempt, signed like any delivery, with the event `ping`. The answer is 200 whatever the receiver did: ' +
          '`status` is `delivered`, or `dead` with the reason in `last_error`.',
        querystring: NO_QUERY,
        body: TEST_BODY,
        response: {
          200: successAnswer(refTo(DeliveryReportWire), {
            description: 'The attempt was made.',
            example: examples.pingReport,
          }),
          ...failureAnswers([...READ_CODES, ...BODY_CODES, 'shutting_down']),
        },
      },
    },
    async (request) => success(request.id, deliveryReportToWire(await webhooks.ping(request.body.url))),
  );
}
