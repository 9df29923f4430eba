import { pathId } from '../caller.js';
import { deliveryToWire } from '../delivery-wire.js';
import type { Door } from '../door.js';
import { success } from '../envelope.js';
import { refTo } from '../schemas/answers.js';
import { failureAnswers, successAnswer } from '../schemas/envelopes.js';
import { NO_QUERY } from '../schemas/fields.js';
import * as examples from '../schemas/webhook-examples.js';
import { DELIVERY_PARAMS, DeliveryWire, REDELIVER_BODY, RedeliveredWire } from '../schemas/webhooks.js';
import { deliveryFilter } from './delivery-filter.js';
import { refuseFields } from './no-fields.js';
import { BODY_CODES, PATH_CODES, READ_CODES } from './scrape.js';
import type { App } from './types.js';

const CODES = [...READ_CODES, ...BODY_CODES];

export function redeliverRoutes(app: App, { engine: { webhooks } }: Door): void {
  // No delivery can have the id `redeliver`, and the router prefers what is written out to a parameter.
  app.post(
    '/api/v1/webhooks/deliveries/redeliver',
    {
      schema: {
        operationId: 'redeliverAll',
        tags: ['webhooks'],
        summary: 'Tell again what matches',
        description: 'For a receiver that was away for long. Each delivery keeps its id and body and gets fresh tries.',
        querystring: NO_QUERY,
        body: REDELIVER_BODY,
        response: {
          202: successAnswer(RedeliveredWire, { description: 'They are due again.', example: { redelivered: 17 } }),
          ...failureAnswers(CODES),
        },
      },
    },
    async (request, reply) => {
      const { status = 'dead', ...rest } = request.body;
      const redelivered = await webhooks.redeliverAll({ ...deliveryFilter(rest), status });
      reply.code(202);
      return success(request.id, { redelivered });
    },
  );

  app.post(
    '/api/v1/webhooks/deliveries/:deliveryId/redeliver',
    {
      schema: {
        operationId: 'redeliver',
        tags: ['webhooks'],
        summary: 'Tell it again',
        description: 'At once and with fresh tries, whatever came of it before. The id and the body stay the same.',
        params: DELIVERY_PARAMS,
        querystring: NO_QUERY,
        response: {
          202: successAnswer(refTo(DeliveryWire), { description: 'It is due again.', example: examples.redelivery }),
          ...failureAnswers([...CODES, 'delivery_not_found', ...PATH_CODES]),
        },
      },
    },
    async (request, reply) => {
      const id = pathId(request.params.deliveryId, 'delivery_not_found');
      refuseFields(request.body);
      const delivery = await webhooks.redeliver(id);
      reply.code(202);
      return success(request.id, deliveryToWire(delivery));
    },
  );
}
