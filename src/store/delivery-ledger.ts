import type { Delivery, DeliveryAttempt } from '../domain/delivery.js';
import type { DeliveryFilter } from '../ports/deliveries.js';
import type { Sql } from './database.js';
import { type DeliveryRow, firstDelivery, SHOWN, toDelivery } from './delivery-rows.js';
import { type Wish, whereOf } from './page.js';

/** Where a listing goes on: times alone may be the same. */
export interface DeliveryPlace {
  createdAt: number;
  id: string;
}

/** Newest first. */
export async function listDeliveries(
  sql: Sql,
  filter: DeliveryFilter,
  page: { before: DeliveryPlace | null; limit: number },
): Promise<Delivery[]> {
  const { where, values } = whereOf([...wishesOf(filter), ['(created_at, id) < (?, ?)', valuesOf(page.before)]]);
  const text = `SELECT ${SHOWN} FROM deliveries ${where} ORDER BY created_at DESC, id DESC LIMIT ?`;
  return (await sql.all<DeliveryRow>(text, [...values, page.limit])).map(toDelivery);
}

const AGAIN = `UPDATE deliveries SET status = 'pending', failures = 0, round = round + 1, next_attempt_at = ?,
  round_began_at = ?, ended_at = NULL`;

export async function redeliverOne(tx: Sql, id: string, now: number): Promise<Delivery | null> {
  return firstDelivery(await tx.all<DeliveryRow>(`${AGAIN} WHERE id = ? RETURNING ${SHOWN}`, [now, now, id]));
}

/** Oldest first, so that what has become pending is behind us. */
export async function redeliverMany(
  tx: Sql,
  filter: DeliveryFilter,
  { after, limit }: { after: DeliveryPlace | null; limit: number },
  now: number,
): Promise<Delivery[]> {
  const { where, values } = whereOf([
    ...wishesOf(filter),
    ['event <> ?', 'ping'],
    ['(created_at, id) > (?, ?)', valuesOf(after)],
  ]);
  const rows = await tx.all<DeliveryRow>(
    `${AGAIN} WHERE id IN (SELECT id FROM deliveries ${where} ORDER BY created_at, id LIMIT ?) RETURNING ${SHOWN}`,
    [now, now, ...values, limit],
  );
  return rows.map(toDelivery);
}

export async function attemptsOf(sql: Sql, id: string): Promise<DeliveryAttempt[]> {
  const rows = await sql.all<{
    attempt: number;
    started_at: number;
    status: number | null;
    duration_ms: number | null;
    error: string | null;
  }>(
    `SELECT attempt, started_at, status, duration_ms, error FROM delivery_attempts WHERE delivery_id = ? ORDER BY attempt`,
    [id],
  );
  return rows.map(({ started_at: startedAt, duration_ms: durationMs, ...row }) => ({ ...row, startedAt, durationMs }));
}

export async function countDeliveries(
  sql: Sql,
): Promise<{ pending: number; dead: number; oldestPendingAt: number | null }> {
  const [row] = await sql.all<{ pending: number; dead: number; oldest: number | null }>(
    `SELECT (SELECT COUNT(*) FROM deliveries WHERE status = 'pending') AS pending,
            (SELECT COUNT(*) FROM deliveries WHERE status = 'dead' AND event <> 'ping') AS dead,
            (SELECT MIN(created_at) FROM deliveries WHERE status = 'pending') AS oldest`,
  );
  return { pending: Number(row?.pending), dead: Number(row?.dead), oldestPendingAt: row?.oldest ?? null };
}

function wishesOf(filter: DeliveryFilter): Wish[] {
  // Few rows are of one job or task: no index of anything else is to be taken then.
  const isOfOne = filter.jobId !== undefined || filter.taskId !== undefined;
  const plain = (column: string): string => (isOfOne ? `${column} || '' = ?` : `${column} = ?`);
  return [
    ['job_id = ?', filter.jobId],
    ['task_id = ?', filter.taskId],
    [plain('status'), filter.status],
    [plain('receiver'), filter.receiver],
    ['created_at >= ?', filter.since],
  ];
}

const valuesOf = (place: DeliveryPlace | null): [number, string] | undefined =>
  place ? [place.createdAt, place.id] : undefined;
