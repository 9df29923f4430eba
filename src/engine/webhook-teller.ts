import { setMaxListeners } from 'node:events';
import type { Delivery } from '../domain/delivery.js';
import { GleanerError } from '../domain/errors.js';
import type { Deliveries } from '../ports/deliveries.js';
import type { Telemetry } from '../ports/telemetry.js';
import { untilStored } from './until-stored.js';
import { type Attempted, type AttemptParts, attempt, composeBody } from './webhook-attempt.js';

export interface TellerParts extends AttemptParts {
  deliveries: Deliveries;
  telemetry: Telemetry;
}

/** The wall clock is set now and then; smaller steps are of no account. */
const CLOCK_STEP_MS = 2_000;

/** Takes one delivery through one attempt: count it, sign and post, write how it went. Whose turn it is, it does not ask. */
export class Teller {
  private readonly running = new Set<AbortController>();
  private readonly stopping = new AbortController();
  /** Wall time less monotonic time, as pending times were written. */
  private skewMs: number;
  private following: Promise<void> = Promise.resolve();

  constructor(private readonly parts: TellerParts) {
    this.skewMs = parts.clock.now() - parts.clock.mono();
    // One for each attempt whose end the store does not take.
    setMaxListeners(0, this.stopping.signal);
  }

  /** Ends every attempt under way and every one that begins from now on; each is made again after the next start. */
  breakOff(): void {
    this.stopping.abort();
    for (const attempt of this.running) attempt.abort(stopping());
  }

  isDue(at: number): boolean {
    return at <= this.parts.clock.now();
  }

  /** `null`: it is no longer due, somebody else has seen to it. */
  async tell(id: string): Promise<Attempted | null> {
    const { deliveries, clock } = this.parts;
    const delivery = await deliveries.find(id);
    if (delivery?.status !== 'pending' || !this.isDue(delivery.nextAttemptAt ?? 0)) return null;
    const composed = (await deliveries.bodyOf(id)) ?? (await this.compose(delivery));
    const begun = await deliveries.begin(delivery, composed, clock.now());
    return begun && this.send(begun);
  }

  /** `null`: there is nothing to tell. What cannot be put into words today cannot be tomorrow, and must not hold others up. */
  private async compose(delivery: Delivery): Promise<string | null> {
    try {
      return await composeBody(this.parts, delivery);
    } catch (error) {
      if (error instanceof GleanerError) throw error;
      this.parts.telemetry.log.error({ err: error, delivery_id: delivery.id }, 'a webhook could not be put together');
      return null;
    }
  }

  /** An attempt that has begun, to its end in the ledger. */
  async send({ delivery, body }: { delivery: Delivery; body: string | null }): Promise<Attempted> {
    const over = new AbortController();
    if (this.stopping.signal.aborted) over.abort(stopping());
    this.running.add(over);
    try {
      const attempted = body === null ? NOTHING_TO_TELL : await attempt(this.parts, { delivery, body }, over);
      await this.settle(delivery, attempted);
      return attempted;
    } finally {
      this.running.delete(over);
    }
  }

  private async settle(delivery: Delivery, { end }: Attempted): Promise<void> {
    const { deliveries, clock, telemetry } = this.parts;
    const fields = { delivery_id: delivery.id };
    const store = async (): Promise<Delivery | null> => {
      await this.followClock();
      return deliveries.end(delivery, end, clock.now());
    };
    const ended = await untilStored(
      store,
      { clock, log: telemetry.log, stopping: this.stopping.signal },
      { fields, message: 'how a webhook went could not be stored and is tried again' },
    );
    if (ended) telemetry.deliveryAttempted({ delivery: ended, end });
  }

  /** When the wall clock is set, what is pending moves with it. All wait until it has moved: none plans by old times. */
  followClock(): Promise<void> {
    const { clock } = this.parts;
    const stepMs = clock.now() - clock.mono() - this.skewMs;
    if (Math.abs(stepMs) < CLOCK_STEP_MS) return this.following;
    this.skewMs += stepMs;
    const following = this.shift(stepMs);
    this.following = following;
    following.catch(() => {
      this.skewMs -= stepMs;
      if (this.following === following) this.following = Promise.resolve();
    });
    return following;
  }

  private async shift(stepMs: number): Promise<void> {
    const { deliveries, telemetry } = this.parts;
    const moved = await deliveries.shift(Math.round(stepMs));
    telemetry.log.warn({ step_ms: Math.round(stepMs), deliveries: moved }, 'the clock was set; webhooks follow it');
  }
}

export const stopping = (): GleanerError => new GleanerError('shutting_down', 'The service is starting or stopping.');

/** What was to be told is gone, or cannot be told: nobody gets an empty body. */
const NOTHING_TO_TELL: Attempted = {
  end: {
    status: null,
    durationMs: 0,
    error: 'What it tells of is no longer kept, or could not be put together.',
    next: { kind: 'dead' },
  },
  isWell: null,
  quietMs: 0,
};
