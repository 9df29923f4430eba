import type { Delivery } from '../domain/delivery.js';
import type { AttemptEnd, PendingDelivery } from '../ports/deliveries.js';
import type { Sql } from './database.js';
import { type DeliveryRow, firstDelivery, SHOWN, toDelivery } from './delivery-rows.js';

// What the webhook loop reads and writes. What people ask about deliveries is in delivery-ledger.ts.

export async function findDelivery(sql: Sql, id: string): Promise<Delivery | null> {
  return firstDelivery(await sql.all<DeliveryRow>(`SELECT ${SHOWN} FROM deliveries WHERE id = ?`, [id]));
}

export async function bodyOf(sql: Sql, id: string): Promise<string | null> {
  const [row] = await sql.all<{ body: string | null }>('SELECT body FROM deliveries WHERE id = ?', [id]);
  return row?.body ?? null;
}

export async function pendingReceivers(sql: Sql): Promise<{ receiver: string; dueAt: number; hasFailed: boolean }[]> {
  const rows = await sql.all<{ receiver: string; due_at: number; failures: number }>(
    `SELECT receiver, MIN(next_attempt_at) AS due_at, MAX(failures) AS failures
     FROM deliveries WHERE status = 'pending' GROUP BY receiver`,
  );
  return rows.map((row) => ({ receiver: row.receiver, dueAt: row.due_at, hasFailed: row.failures > 0 }));
}

export async function pendingOf(sql: Sql, receiver: string, limit: number): Promise<PendingDelivery[]> {
  const rows = await sql.all<{ id: string; next_attempt_at: number }>(
    `SELECT id, next_attempt_at FROM deliveries
     WHERE status = 'pending' AND receiver = ? ORDER BY next_attempt_at LIMIT ?`,
    [receiver, limit],
  );
  return rows.map((row) => ({ id: row.id, nextAttemptAt: row.next_attempt_at }));
}

/** No attempt lasts so long: one that is still open then was lost with whoever made it. */
const LONGEST_ATTEMPT_MS = 60_000;

/** Counts the attempt and fixes the body; the first one that was fixed stays. Never two attempts at once. */
export async function countAttempt(
  tx: Sql,
  seen: Pick<Delivery, 'id' | 'attempts'>,
  body: string | null,
  now: number,
): Promise<{ delivery: Delivery; body: string | null } | null> {
  const [row] = await tx.all<DeliveryRow & { body: string | null }>(
    `UPDATE deliveries SET attempts = attempts + 1, body = COALESCE(body, ?)
     WHERE id = ? AND attempts = ? AND status = 'pending' AND NOT EXISTS
       (SELECT 1 FROM delivery_attempts a
        WHERE a.delivery_id = deliveries.id AND a.duration_ms IS NULL AND a.started_at > ?)
     RETURNING ${SHOWN}, body`,
    [body, seen.id, seen.attempts, now - LONGEST_ATTEMPT_MS],
  );
  return row ? { delivery: toDelivery(row), body: row.body } : null;
}

export async function insertAttempt(tx: Sql, attempt: { id: string; attempts: number }, now: number): Promise<void> {
  await tx.run('INSERT INTO delivery_attempts (delivery_id, attempt, started_at) VALUES (?, ?, ?)', [
    attempt.id,
    attempt.attempts,
    now,
  ]);
}

/** `false`: it had ended already. */
export async function endAttempt(
  tx: Sql,
  { id, attempts }: { id: string; attempts: number },
  end: Pick<AttemptEnd, 'status' | 'durationMs' | 'error'>,
): Promise<boolean> {
  const ended = await tx.run(
    `UPDATE delivery_attempts SET status = ?, duration_ms = ?, error = ?
     WHERE delivery_id = ? AND attempt = ? AND duration_ms IS NULL`,
    [end.status, Math.round(end.durationMs), end.error, id, attempts],
  );
  return ended > 0;
}

const LAST = 'last_status = ?, last_error = ?';

export async function markDelivered(tx: Sql, id: string, status: number | null, now: number): Promise<Delivery | null> {
  const rows = await tx.all<DeliveryRow>(
    `UPDATE deliveries SET status = 'delivered', next_attempt_at = NULL, ended_at = ?, ${LAST} WHERE id = ? RETURNING ${SHOWN}`,
    [now, status, null, id],
  );
  return firstDelivery(rows);
}

/** `null`: it was redelivered since, or is delivered after all; then the failure is no longer its last word. */
export async function markFailed(
  tx: Sql,
  begun: Pick<Delivery, 'id' | 'round'>,
  { status, error, next }: AttemptEnd,
  now: number,
): Promise<Delivery | null> {
  const isDead = next.kind === 'dead';
  const again = now + (next.kind === 'retry' ? next.afterMs : 0);
  const rows = await tx.all<DeliveryRow>(
    `UPDATE deliveries SET status = ?, failures = failures + ?, next_attempt_at = ?, ended_at = ?, ${LAST}
     WHERE id = ? AND round = ? AND status <> 'delivered' RETURNING ${SHOWN}`,
    [
      isDead ? 'dead' : 'pending',
      next.kind === 'interrupted' ? 0 : 1,
      isDead ? null : again,
      isDead ? now : null,
      status,
      error,
      begun.id,
      begun.round,
    ],
  );
  return firstDelivery(rows);
}

export async function noteLast(tx: Sql, id: string, { status, error }: AttemptEnd): Promise<Delivery | null> {
  const text = `UPDATE deliveries SET ${LAST} WHERE id = ? RETURNING ${SHOWN}`;
  return firstDelivery(await tx.all<DeliveryRow>(text, [status, error, id]));
}

/** A ping that is under way. If nobody lives to see its end, it was not delivered. */
export async function insertPing(
  tx: Sql,
  ping: { id: string; url: string; receiver: string; body: string },
  now: number,
): Promise<Delivery> {
  const rows = await tx.all<DeliveryRow>(
    `INSERT INTO deliveries
       (id, event, url, receiver, status, attempts, failures, round, created_at, round_began_at, ended_at, body)
     VALUES (?, 'ping', ?, ?, 'dead', 1, 0, 0, ?, ?, ?, ?) RETURNING ${SHOWN}`,
    [ping.id, ping.url, ping.receiver, now, now, now, ping.body],
  );
  return toDelivery(rows[0]!);
}

export async function interruptOpenAttempts(tx: Sql, error: string): Promise<number> {
  return tx.run('UPDATE delivery_attempts SET duration_ms = 0, error = ? WHERE duration_ms IS NULL', [error]);
}

export async function giveUpOn(
  tx: Sql,
  receiver: string,
  { roundBefore, error, limit }: { roundBefore: number; error: string; limit: number },
  now: number,
): Promise<number> {
  return tx.run(
    `UPDATE deliveries SET status = 'dead', next_attempt_at = NULL, ended_at = ?, last_error = ? WHERE id IN
       (SELECT id FROM deliveries WHERE status = 'pending' AND receiver = ? AND round_began_at < ? LIMIT ?)`,
    [now, error, receiver, roundBefore, limit],
  );
}

export async function bringForward(tx: Sql, receiver: string, beyond: number, now: number): Promise<number> {
  return tx.run(
    `UPDATE deliveries SET next_attempt_at = ? WHERE status = 'pending' AND receiver = ? AND next_attempt_at > ?`,
    [now, receiver, beyond],
  );
}

/**
 * When the clock goes forward, only retries: what was never tried stays due, and may have been written after the step.
 * When it goes back, everything. A day out of reach is a day on either clock.
 */
export async function shiftRetries(tx: Sql, byMs: number): Promise<number> {
  await tx.run(`UPDATE deliveries SET round_began_at = round_began_at + ? WHERE status = 'pending'`, [byMs]);
  return tx.run(
    `UPDATE deliveries SET next_attempt_at = next_attempt_at + ? WHERE status = 'pending' AND attempts > ?`,
    [byMs, byMs < 0 ? -1 : 0],
  );
}

export async function deleteDeliveriesEndedBefore(tx: Sql, before: number, limit: number): Promise<number> {
  return tx.run(
    'DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE ended_at < ? ORDER BY ended_at LIMIT ?)',
    [before, limit],
  );
}
