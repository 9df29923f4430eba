import { GleanerError } from '../domain/errors.js';
import type { EgressAllow } from '../domain/target-url.js';
import type { Clock, NewId } from '../ports/clock.js';
import type { Deliveries } from '../ports/deliveries.js';
import { refuseIfFaulty, urlFaults } from './admission.js';
import type { WebhookApi } from './api.js';
import type { Webhooks } from './webhooks.js';

interface LedgerParts {
  deliveries: Deliveries;
  webhooks: Pick<Webhooks, 'ping' | 'forgive' | 'followClock'>;
  clock: Clock;
  newId: NewId;
  egressAllow: EgressAllow;
}

type Bite = Awaited<ReturnType<Deliveries['redeliverBite']>>;

/** Bounds how long one transaction keeps the event loop. */
const BITE = 500;

/** What the doors may ask about webhooks. */
export function createLedger({ deliveries, webhooks, clock, newId, egressAllow }: LedgerParts): WebhookApi {
  const report: WebhookApi['report'] = async (id) => {
    const delivery = await deliveries.find(id);
    if (!delivery) throw missing(id);
    return { delivery, attempts: await deliveries.attempts(id) };
  };

  return {
    list: (filter, page) => deliveries.list(filter, page),
    report,

    async redeliver(id) {
      await webhooks.followClock();
      const delivery = await deliveries.redeliver(id, clock.now());
      if (!delivery) throw missing(id);
      webhooks.forgive([delivery.receiver]);
      return delivery;
    },

    async redeliverAll(filter) {
      let total = 0;
      let cursor: string | null = null;
      do {
        await webhooks.followClock();
        const bite: Bite = await deliveries.redeliverBite(filter, { cursor, limit: BITE }, clock.now());
        webhooks.forgive(bite.receivers);
        total += bite.count;
        cursor = bite.nextCursor;
      } while (cursor !== null);
      return total;
    },

    async ping(url) {
      refuseIfFaulty(urlFaults('url', url, egressAllow));
      const id = newId();
      const body = JSON.stringify({ event: 'ping', delivery_id: id, sent_at: new Date(clock.now()).toISOString() });
      const ping = { id, url, receiver: new URL(url).origin, body };
      await webhooks.ping(async () => ({ delivery: await deliveries.openPing(ping, clock.now()), body }));
      return report(id);
    },
  };
}

const missing = (id: string): GleanerError => new GleanerError('delivery_not_found', `There is no delivery ${id}.`);
