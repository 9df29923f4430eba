import type { Delivery } from '../domain/delivery.js';
import type { AttemptEnd, Deliveries } from '../ports/deliveries.js';
import { decodeCursor, encodeCursor } from './cursor.js';
import type { Database, Sql } from './database.js';
import * as rows from './deliveries.js';
import * as ledger from './delivery-ledger.js';
import { pageOf } from './page.js';

const INTERRUPTED = 'The service ended before the answer came.';

/** The Deliveries port on any Database: each function here is one transaction or one read. */
export function createSqlDeliveries(database: Database): Deliveries {
  const { read } = database;
  const write: Database['write'] = (unit) => database.write(unit);
  return {
    receivers: () => rows.pendingReceivers(read),
    pendingOf: (receiver, limit) => rows.pendingOf(read, receiver, limit),
    find: (id) => rows.findDelivery(read, id),
    bodyOf: (id) => rows.bodyOf(read, id),

    begin: (seen, body, now) =>
      write(async (tx) => {
        const begun = await rows.countAttempt(tx, seen, body, now);
        if (begun) await rows.insertAttempt(tx, begun.delivery, now);
        return begun;
      }),
    end: (begun, end, now) => write((tx) => endOf(tx, begun, end, now)),
    openPing: (ping, now) =>
      write(async (tx) => {
        const delivery = await rows.insertPing(tx, ping, now);
        await rows.insertAttempt(tx, delivery, now);
        return delivery;
      }),

    recover: () => write((tx) => rows.interruptOpenAttempts(tx, INTERRUPTED)),
    giveUp: (receiver, options, now) => write((tx) => rows.giveUpOn(tx, receiver, options, now)),
    bringForward: (receiver, beyond, now) => write((tx) => rows.bringForward(tx, receiver, beyond, now)),
    shift: (byMs) => write((tx) => rows.shiftRetries(tx, byMs)),

    redeliver: (id, now) => write((tx) => ledger.redeliverOne(tx, id, now)),
    redeliverBite: (filter, { cursor, limit }, now) =>
      write(async (tx) => {
        const again = await ledger.redeliverMany(tx, filter, { after: placeOf(cursor), limit }, now);
        // RETURNING keeps no order.
        const last = again.map(cursorAt).sort().at(-1);
        const nextCursor = again.length < limit || last === undefined ? null : encodeCursor(last);
        return { count: again.length, receivers: [...new Set(again.map(({ receiver }) => receiver))], nextCursor };
      }),

    async list(filter, { limit, cursor }) {
      const found = await ledger.listDeliveries(read, filter, { before: placeOf(cursor), limit: limit + 1 });
      return pageOf(found, limit, cursorAt);
    },
    attempts: (id) => ledger.attemptsOf(read, id),
    counts: () => ledger.countDeliveries(read),
  };
}

async function endOf(
  tx: Sql,
  begun: Pick<Delivery, 'id' | 'attempts' | 'round'>,
  end: AttemptEnd,
  now: number,
): Promise<Delivery | null> {
  if (!(await rows.endAttempt(tx, begun, end))) return null;
  if (end.next.kind === 'delivered') return rows.markDelivered(tx, begun.id, end.status, now);
  return (await rows.markFailed(tx, begun, end, now)) ?? rows.noteLast(tx, begun.id, end);
}

/** Times have as many digits as each other for some 260 years, so that places sort as text. */
const cursorAt = ({ createdAt, id }: Delivery): string => `${createdAt}.${id}`;

function placeOf(cursor: string | null): ledger.DeliveryPlace | null {
  const [createdAt, id] = decodeCursor(cursor, 'string')?.split('.') ?? [];
  return createdAt === undefined || id === undefined ? null : { createdAt: Number(createdAt), id };
}
