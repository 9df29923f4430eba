import { type Delivery, LONGEST_DELAY_MS, LONGEST_ROUND_MS } from '../domain/delivery.js';
import type { CircuitGate } from '../ports/circuit.js';
import type { PendingDelivery } from '../ports/deliveries.js';
import { type Receiver, Receivers } from './receivers.js';
import type { Attempted } from './webhook-attempt.js';
import { stopping, Teller, type TellerParts } from './webhook-teller.js';

export interface WebhookParts extends TellerParts {
  newCircuit: () => CircuitGate;
}

const STORE_REST_MS = 1_000;
/** Bounds how long one transaction keeps the event loop. */
const BITE = 500;

/**
 * Tells receivers what has ended. The ledger is the truth; here is only which receiver to look at next:
 *   1. take the receiver that is due   2. read what is pending for it   3. ask its circuit   4. fix the body, count the
 *   attempt   5. sign and post   6. write how it went   7. look at the receiver again
 * A receiver that hangs or fails waits in its own places (receivers.ts) and delays nobody else.
 */
export class Webhooks {
  private readonly receivers: Receivers;
  private readonly underWay = new Set<Promise<void>>();
  private readonly teller: Teller;
  /** Between a start and a stop. */
  private isRunning = false;
  private disarm: () => void = () => {};
  private unsubscribe: () => void = () => {};

  constructor(private readonly parts: WebhookParts) {
    this.receivers = new Receivers(parts.clock, parts.newCircuit);
    this.teller = new Teller(parts);
  }

  /** First what a crash cut off, then what is pending; only then is anything sent. */
  async start(): Promise<void> {
    const { deliveries, store, clock, telemetry } = this.parts;
    const interrupted = await deliveries.recover(clock.now());
    this.unsubscribe = store.onChange(({ receivers }) => this.nudge(receivers));
    const pending = await deliveries.receivers();
    for (const { receiver: key, dueAt, hasFailed } of pending) {
      const receiver = this.receivers.get(key);
      if (hasFailed) this.receivers.judge(receiver, 'failing');
      this.receivers.plan(receiver, this.monoOf(dueAt));
    }
    if (pending.length > 0) telemetry.log.info({ receivers: pending.length, interrupted }, 'webhooks are pending');
    this.isRunning = true;
    this.pump();
  }

  /** No further attempt; those under way may end within the grace, then they are broken off and made again next time. */
  async stop(graceMs: number): Promise<void> {
    this.isRunning = false;
    this.unsubscribe();
    this.disarm();
    const idle = Promise.all(this.underWay);
    const inTime = new AbortController();
    await Promise.race([idle.then(() => inTime.abort()), this.parts.clock.wait(graceMs, inTime.signal)]);
    this.teller.breakOff();
    await idle;
  }

  /** Something new is to be told there. */
  nudge(receivers: Iterable<string>): void {
    const now = this.parts.clock.mono();
    for (const key of receivers) this.receivers.plan(this.receivers.get(key), now);
    this.pump();
  }

  /** Somebody asks for it: whatever we thought of these receivers, they are tried. */
  forgive(receivers: readonly string[]): void {
    for (const key of receivers) this.receivers.forgive(this.receivers.get(key));
    this.nudge(receivers);
  }

  followClock(): Promise<void> {
    return this.teller.followClock();
  }

  stats(): { underWay: number; receiversInTrouble: number } {
    return { underWay: this.receivers.underWay(), receiversInTrouble: this.receivers.inTrouble() };
  }

  /** A delivery that gets one attempt, now and whatever is known of its receiver. */
  async ping(open: () => Promise<{ delivery: Delivery; body: string }>): Promise<void> {
    if (!this.isRunning) throw stopping();
    const work = open().then((ping) => this.teller.send(ping));
    this.track(work.then(noted, noted));
    await work;
  }

  private pump(): void {
    if (!this.isRunning) return;
    for (let taken = this.receivers.take(); taken; taken = this.receivers.take()) this.track(this.lookAt(taken));
    this.disarm();
    const dueAt = this.receivers.nextDueAt();
    if (dueAt === Number.POSITIVE_INFINITY) return;
    this.disarm = this.parts.clock.after(Math.max(0, dueAt - this.parts.clock.mono()), () => this.pump());
  }

  /** Starts what is due at a receiver, as far as it has places, and plans when to look again. */
  private async lookAt({ receiver, places }: { receiver: Receiver; places: number }): Promise<void> {
    const { trust } = receiver;
    let left = places;
    try {
      await this.teller.followClock();
      const pending = await this.pendingOf(receiver, receiver.underWay.size + places + 1);
      for (const { id } of pending.filter(({ nextAttemptAt }) => this.teller.isDue(nextAttemptAt)).slice(0, places)) {
        if (!this.isRunning) return;
        if (!this.mayGo(receiver, id)) return await this.giveUpOn(receiver);
        left -= 1;
        this.track(this.tell(receiver, id, trust));
      }
      this.planNext(receiver, pending);
    } catch (error) {
      this.restAfter(error, receiver);
    } finally {
      this.receivers.giveBack(trust, left);
      this.receivers.release(receiver);
      this.pump();
    }
  }

  /** What waits there and is not under way, soonest first. Times that no clock of ours could have meant are now. */
  private async pendingOf(receiver: Receiver, limit: number): Promise<PendingDelivery[]> {
    const { deliveries, clock } = this.parts;
    const read = async (): Promise<PendingDelivery[]> =>
      (await deliveries.pendingOf(receiver.key, limit)).filter(({ id }) => !receiver.underWay.has(id));
    const pending = await read();
    const beyond = clock.now() + LONGEST_DELAY_MS;
    if (!pending[0] || pending[0].nextAttemptAt <= beyond) return pending;
    await deliveries.bringForward(receiver.key, beyond, clock.now());
    return read();
  }

  /** Where all places are taken, whoever leaves one plans the next look. */
  private planNext(receiver: Receiver, pending: readonly PendingDelivery[]): void {
    const next = pending.find(({ id }) => !receiver.underWay.has(id));
    if (next) this.receivers.plan(receiver, this.monoOf(next.nextAttemptAt));
  }

  private mayGo(receiver: Receiver, id: string): boolean {
    const now = this.parts.clock.mono();
    if (now >= receiver.quietUntil) {
      const admission = receiver.circuit.ask({ id, now });
      if (admission.kind === 'go') return true;
      // Whoever is out as the probe plans the next look when it comes back.
      if (admission.kind === 'probing') return false;
      receiver.quietUntil = admission.until;
    }
    this.receivers.plan(receiver, receiver.quietUntil);
    return false;
  }

  /** A receiver that is out of reach costs no tries, but not for ever. Asked once for each time it is left alone. */
  private async giveUpOn({ key, circuit }: Receiver): Promise<void> {
    const { clock, deliveries, telemetry } = this.parts;
    if (circuit.state(clock.mono()) !== 'open') return;
    const error = 'The receiver was out of reach for a day.';
    for (;;) {
      const now = clock.now();
      const old = { roundBefore: now - LONGEST_ROUND_MS, error, limit: BITE };
      const given = await deliveries.giveUp(key, old, now);
      if (given > 0) telemetry.log.error({ receiver: key, deliveries: given }, 'webhooks were given up');
      if (given < BITE) return;
    }
  }

  private async tell(receiver: Receiver, id: string, trust: Receiver['trust']): Promise<void> {
    receiver.underWay.add(id);
    let restMs = 0;
    try {
      const attempted = await this.teller.tell(id);
      if (attempted) this.judge(receiver, id, attempted);
      else {
        // Somebody else has an attempt at it under way: asking at once again would ask for ever.
        receiver.circuit.giveBack(id);
        restMs = STORE_REST_MS;
      }
    } catch (error) {
      receiver.circuit.giveBack(id);
      this.restAfter(error, receiver);
    } finally {
      receiver.underWay.delete(id);
      this.receivers.giveBack(trust, 1);
      this.receivers.plan(receiver, this.parts.clock.mono() + restMs);
      this.pump();
    }
  }

  private judge(receiver: Receiver, id: string, { isWell, quietMs }: Attempted): void {
    const { clock, telemetry } = this.parts;
    if (isWell === null) {
      receiver.circuit.giveBack(id);
      return;
    }
    const now = clock.mono();
    if (receiver.circuit.record({ id, failed: !isWell, now }))
      telemetry.log.warn({ receiver: receiver.key }, 'a receiver of webhooks fails and is left alone for a while');
    receiver.quietUntil = Math.max(receiver.quietUntil, now + quietMs);
    this.receivers.judge(receiver, isWell ? 'proven' : 'failing');
  }

  /** Our own fault, almost always the store's: everything is still there and due. */
  private restAfter(error: unknown, receiver: Receiver): void {
    const { clock, telemetry } = this.parts;
    telemetry.log.error({ err: error, receiver: receiver.key }, 'webhooks cannot be told right now');
    receiver.quietUntil = Math.max(receiver.quietUntil, clock.mono() + STORE_REST_MS);
    this.receivers.plan(receiver, receiver.quietUntil);
  }

  /** What lies further away than anything we plan is looked at now. */
  private monoOf(at: number): number {
    const { clock } = this.parts;
    const inMs = Math.max(0, at - clock.now());
    return clock.mono() + (inMs > LONGEST_DELAY_MS ? 0 : inMs);
  }

  private track(work: Promise<void>): void {
    this.underWay.add(work);
    void work.finally(() => this.underWay.delete(work));
  }
}

const noted = (): void => {};
