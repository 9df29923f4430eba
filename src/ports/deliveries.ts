import type { Delivery, DeliveryAttempt, DeliveryStatus } from '../domain/delivery.js';
import type { PageOf } from './store.js';

/** What one attempt came to. `durationMs` is monotonic; `error` is one sentence without anything the receiver said. */
export interface AttemptEnd {
  status: number | null;
  durationMs: number;
  error: string | null;
  /** `retry` counts a failure; `interrupted` does not: it was our own side that stopped. */
  next: { kind: 'delivered' } | { kind: 'dead' } | { kind: 'retry'; afterMs: number } | { kind: 'interrupted' };
}

export interface DeliveryFilter {
  jobId?: string;
  taskId?: string;
  status?: DeliveryStatus;
  /** An origin. */
  receiver?: string;
  /** Created at or after. */
  since?: number;
}

/** A pending delivery as the loop needs it to plan. */
export interface PendingDelivery {
  id: string;
  nextAttemptAt: number;
}

/**
 * The ledger of deliveries: what is to be told, and every attempt at it. Rows of ended work are written by the store, in
 * the transaction that ends it; everything else happens here. Writes resolve when they are durable, and are all or
 * nothing. A fault of the database rejects with `storage_unavailable`.
 */
export interface Deliveries {
  /** Receivers with something pending, when the first of it is due (epoch ms), and whether an attempt at it has failed. */
  receivers(): Promise<{ receiver: string; dueAt: number; hasFailed: boolean }[]>;
  /** Up to `limit` pending deliveries of a receiver, those due first in front. */
  pendingOf(receiver: string, limit: number): Promise<PendingDelivery[]>;
  find(id: string): Promise<Delivery | null>;
  /** The body that every attempt sends; `null` until the first one begins. */
  bodyOf(id: string): Promise<string | null>;

  /**
   * An attempt begins: it is counted, and the body is fixed for good if it was not yet. Answers the delivery with this
   * attempt counted and the body to send (`null` if there is none); `null` when the delivery is not pending, or is no
   * longer as it was `seen`: somebody else has begun one.
   */
  begin(
    seen: Pick<Delivery, 'id' | 'attempts'>,
    body: string | null,
    now: number,
  ): Promise<{ delivery: Delivery; body: string | null } | null>;
  /**
   * Ends the attempt that has begun, once; `null` when it had ended already. A failure of an earlier round than the
   * present one is noted, and decides nothing.
   */
  end(begun: Pick<Delivery, 'id' | 'attempts' | 'round'>, end: AttemptEnd, now: number): Promise<Delivery | null>;
  /** Opens a delivery that gets one attempt, which has begun: a ping. Until it ends it counts as dead. */
  openPing(ping: { id: string; url: string; receiver: string; body: string }, now: number): Promise<Delivery>;

  /** After a crash: attempts under way are marked as interrupted; what they told of is still due. Returns how many. */
  recover(now: number): Promise<number>;
  /** Gives up what is pending at a receiver since before `roundBefore`, up to `limit`. Returns how many. */
  giveUp(
    receiver: string,
    options: { roundBefore: number; error: string; limit: number },
    now: number,
  ): Promise<number>;
  /** What is planned for a receiver after `beyond` is due now. Returns how many. */
  bringForward(receiver: string, beyond: number, now: number): Promise<number>;
  /** Moves the times of all retries that are pending. Returns how many. */
  shift(byMs: number): Promise<number>;

  /** Due now, with a fresh schedule and the same id and body, whatever its state; `null`: no such delivery. */
  redeliver(id: string, now: number): Promise<Delivery | null>;
  /** The same for all that match but pings, a bite of up to `limit` at a time. */
  redeliverBite(
    filter: DeliveryFilter & { status: DeliveryStatus },
    bite: { cursor: string | null; limit: number },
    now: number,
  ): Promise<{ count: number; receivers: string[]; nextCursor: string | null }>;

  /** Newest first. */
  list(filter: DeliveryFilter, page: { limit: number; cursor: string | null }): Promise<PageOf<Delivery>>;
  /** In order. */
  attempts(id: string): Promise<DeliveryAttempt[]>;
  /** Pings are not counted. */
  counts(): Promise<{ pending: number; dead: number; oldestPendingAt: number | null }>;
}
