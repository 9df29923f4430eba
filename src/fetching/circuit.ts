import { EventEmitter } from 'node:events';
import CircuitBreaker from 'opossum';
import {
  type AnswerWindow,
  type BreakerSettings,
  type BreakerState,
  countAnswer,
  failuresIn,
} from '../domain/breaker.js';
import type { Admission, CircuitGate } from '../ports/circuit.js';

/**
 * The circuit of one domain, or of one receiver of webhooks.
 *
 *             failures in the last `windowSize` answers exceed `failureThreshold`
 *   closed ────────────────────────────────────────────────────────────────────▶ open
 *     ▲                                                                          │  ▲
 *     │ probe succeeds, or reset (window emptied)       `cooldownMs` have passed │  │ probe fails
 *     └──────────────────────────────── half_open ◀──────────────────────────────┘  │
 *                                           └──────────────────────────────────────┘
 *
 * Our window decides when to open, our clock when the cooldown is over; opossum holds what is in between: open, half
 * open, and the place of the one probe. A closed circuit needs none of that and has no opossum breaker. Times are
 * monotonic ms.
 */
export class Circuit implements CircuitGate {
  private readonly answers: AnswerWindow = [];
  /** `null`: closed. */
  private breaker: CircuitBreaker | null = null;
  private openedAt = 0;
  /** Who is out as the probe. */
  private probe: string | null = null;

  constructor(private readonly settings: BreakerSettings) {}

  /** May `visitor` go? If the cooldown is over and nobody else is out, it goes as the probe. */
  ask(visitor: { id: string; now: number }): Admission {
    if (this.breaker === null) return { kind: 'go' };
    if (this.state(visitor.now) === 'open') return { kind: 'open', until: this.cooledAt };
    const breaker = this.breaker.opened ? this.halfOpen() : this.breaker;
    if (!breaker.pendingClose) return { kind: 'probing' };
    // opossum lets one call through and refuses all others until somebody has decided what came of it.
    void breaker.fire();
    this.probe = visitor.id;
    return { kind: 'go' };
  }

  /**
   * `true`: with this answer the circuit opened. Answers of visits that began before it opened come in late; outside
   * closed only the probe's counts.
   */
  record(answer: { id: string; failed: boolean; now: number }): boolean {
    if (this.breaker !== null) return this.probe === answer.id && this.decide(this.breaker, answer);
    if (!countAnswer(this.answers, this.settings, answer.failed)) return false;
    this.reopen(answer.now);
    return true;
  }

  /** As it was when an earlier process opened it at `openedAt`. */
  reopen(openedAt: number): void {
    this.breaker = newBreaker(CLOSED);
    this.open(this.breaker, openedAt);
  }

  /** The probe brought no answer that counts (never began, or failed through no fault of the target): another may go. */
  giveBack(id: string): void {
    if (this.breaker !== null && this.probe === id) this.halfOpen();
  }

  /** Closed, as if nothing had ever happened. */
  reset(): void {
    this.breaker?.shutdown();
    this.breaker = null;
    this.probe = null;
    this.answers.length = 0;
  }

  /** As it would answer now: an open circuit whose cooldown is over is half open. */
  state(now: number): BreakerState {
    if (this.breaker === null) return 'closed';
    return this.breaker.opened && now < this.cooledAt ? 'open' : 'half_open';
  }

  /** Failures in the window; 0 unless closed, since only a closed circuit counts. */
  failures(): number {
    return failuresIn(this.answers);
  }

  isProbing(): boolean {
    return this.probe !== null;
  }

  /** 0 is now; `null` if it is closed or a probe is out. */
  nextProbeMs(now: number): number | null {
    return this.breaker === null || this.isProbing() ? null : Math.max(0, this.cooledAt - now);
  }

  private get cooledAt(): number {
    return this.openedAt + this.settings.cooldownMs;
  }

  private decide(breaker: CircuitBreaker, { failed, now }: { failed: boolean; now: number }): boolean {
    if (failed) this.open(breaker, now);
    else this.reset();
    return failed;
  }

  private open(breaker: CircuitBreaker, now: number): void {
    breaker.open();
    this.openedAt = now;
    this.probe = null;
    this.answers.length = 0;
  }

  /** Made anew, since opossum itself would only get there by its own timer. The place of the probe is free again. */
  private halfOpen(): CircuitBreaker {
    this.breaker?.shutdown();
    this.probe = null;
    this.breaker = newBreaker(HALF_OPEN);
    return this.breaker;
  }
}

interface StartingState {
  closed: boolean;
  halfOpen: boolean;
}

const CLOSED: StartingState = { closed: true, halfOpen: false };
const HALF_OPEN: StartingState = { closed: false, halfOpen: true };

/** One for all: nobody reads opossum's statistics, and nobody turns their buckets, so they need neither room nor timer. */
const NO_STATISTICS = CircuitBreaker.newStatus({
  rollingCountBuckets: 1,
  rollingPercentilesEnabled: false,
  enableSnapshots: false,
  rotateBucketController: new EventEmitter(),
});

/** The longest a Node timer can run. It never does: see below. */
const NEVER_MS = 2 ** 31 - 1;

function newBreaker(state: StartingState): CircuitBreaker {
  // `state` is documented by opossum but missing in its types.
  const options: CircuitBreaker.Options & { state: StartingState } = {
    name: 'circuit',
    timeout: false,
    resetTimeout: NEVER_MS,
    status: NO_STATISTICS,
    state,
  };
  const breaker = new CircuitBreaker(visitUnderWay, options);
  // On `open` opossum starts its reset timer. Without it a breaker that is let go of leaves nothing behind.
  return breaker.removeAllListeners('open');
}

/** The visit is the caller's, and so is the word on it. A promise each: one for all would gather every listener. */
const visitUnderWay = (): Promise<never> => new Promise(() => {});
