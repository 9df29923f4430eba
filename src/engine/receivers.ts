import { createDomainStates } from '../domain/domain-states.js';
import { Heap, type HeapItem } from '../domain/heap.js';
import type { CircuitGate } from '../ports/circuit.js';
import type { Clock } from '../ports/clock.js';

/** What is known of a receiver: it answered last time, it did not, or nobody has asked it yet. */
export type Trust = 'proven' | 'new' | 'failing';

/**
 * How many attempts run at once, all in all by trust and for each receiver. Those that hang hold their places for ten
 * seconds each: they have places of their own, so that a hundred dead receivers take none from one that is well.
 */
const PLACES: Record<Trust, { all: number; each: number }> = {
  proven: { all: 32, each: 6 },
  new: { all: 96, each: 1 },
  failing: { all: 16, each: 1 },
};

const TRUSTS = Object.keys(PLACES) as Trust[];

/** How long an idle receiver's trust is remembered. */
const REMEMBERED_MS = 3_600_000;

export interface Receiver extends HeapItem {
  readonly key: string;
  /** Monotonic ms: when to look for its deliveries again; infinite while nothing is pending. */
  dueAt: number;
  trust: Trust;
  circuit: CircuitGate;
  /** Deliveries under way. */
  readonly underWay: Set<string>;
  /** Monotonic ms: it asked for patience, its circuit is open, or we need a rest. */
  quietUntil: number;
  /** Somebody is reading what is pending for it: `missed` if it was to be looked at again meanwhile. */
  isLookedAt: boolean;
  isMissed: boolean;
  usedAt: number;
}

/** The receivers of webhooks: which of them is due, and how many attempts each may have at once. */
export class Receivers {
  private readonly free: Record<Trust, number> = {
    proven: PLACES.proven.all,
    new: PLACES.new.all,
    failing: PLACES.failing.all,
  };
  private readonly due: Record<Trust, Heap<Receiver>> = { proven: soonest(), new: soonest(), failing: soonest() };
  private readonly known;

  constructor(
    private readonly clock: Clock,
    private readonly newCircuit: () => CircuitGate,
  ) {
    this.known = createDomainStates<Receiver>(
      (key) => ({
        key,
        dueAt: Number.POSITIVE_INFINITY,
        trust: 'new',
        circuit: newCircuit(),
        underWay: new Set(),
        quietUntil: 0,
        isLookedAt: false,
        isMissed: false,
        usedAt: clock.mono(),
        heapIndex: -1,
      }),
      (receiver) => this.isIdle(receiver),
      // None that has something to be told may be forgotten; the store knows how many there are.
      { max: Number.POSITIVE_INFINITY },
    );
  }

  get(key: string): Receiver {
    return this.known.get(key);
  }

  /** It is to be looked at then, or earlier if that was planned. */
  plan(receiver: Receiver, at: number): void {
    const soonest = Math.max(Math.min(receiver.dueAt, at), receiver.quietUntil);
    receiver.usedAt = this.clock.mono();
    this.withdraw(receiver);
    receiver.dueAt = soonest;
    if (soonest < Number.POSITIVE_INFINITY) this.due[receiver.trust].push(receiver);
  }

  /** The next one that is due and has places free, taken off the plan; with as many places as are set aside for it. */
  take(): { receiver: Receiver; places: number } | null {
    for (const trust of TRUSTS) {
      const receiver = this.free[trust] > 0 ? this.takeDue(trust) : null;
      if (!receiver) continue;
      const places = Math.min(this.free[trust], PLACES[trust].each - receiver.underWay.size);
      this.free[trust] -= places;
      receiver.isLookedAt = true;
      return { receiver, places };
    }
    return null;
  }

  /** The look is over; what came in meanwhile is looked at now. */
  release(receiver: Receiver): void {
    receiver.isLookedAt = false;
    if (!receiver.isMissed) return;
    receiver.isMissed = false;
    this.plan(receiver, this.clock.mono());
  }

  /** One that is being looked at, or has all its places taken, is passed over: whoever is there plans it again. */
  private takeDue(trust: Trust): Receiver | null {
    for (;;) {
      const receiver = this.due[trust].peek();
      if (!receiver || receiver.dueAt > this.clock.mono()) return null;
      this.withdraw(receiver);
      if (receiver.isLookedAt) receiver.isMissed = true;
      else if (receiver.underWay.size < PLACES[trust].each) return receiver;
    }
  }

  giveBack(trust: Trust, places: number): void {
    this.free[trust] += places;
  }

  /** Monotonic ms of the next one that could be taken if time alone passed. */
  nextDueAt(): number {
    const trusts = TRUSTS.filter((trust) => this.free[trust] > 0);
    return Math.min(...trusts.map((trust) => this.due[trust].peek()?.dueAt ?? Number.POSITIVE_INFINITY));
  }

  /** How it answered. Its plan moves with it to the places of those it now belongs to. */
  judge(receiver: Receiver, trust: Trust): void {
    const { dueAt } = receiver;
    this.withdraw(receiver);
    receiver.trust = trust;
    this.plan(receiver, dueAt);
  }

  /** Somebody says that it is well again: it is tried, in its turn among those it belongs to until it has shown it. */
  forgive(receiver: Receiver): void {
    receiver.circuit = this.newCircuit();
    receiver.quietUntil = 0;
  }

  underWay(): number {
    return TRUSTS.reduce((sum, trust) => sum + PLACES[trust].all - this.free[trust], 0);
  }

  /** How many have a circuit that is not closed. */
  inTrouble(): number {
    const now = this.clock.mono();
    let count = 0;
    for (const [, { circuit }] of this.known.entries()) if (circuit.state(now) !== 'closed') count += 1;
    return count;
  }

  private withdraw(receiver: Receiver): void {
    if (receiver.heapIndex >= 0) this.due[receiver.trust].remove(receiver);
    receiver.dueAt = Number.POSITIVE_INFINITY;
  }

  private isIdle({ dueAt, underWay, usedAt, isLookedAt }: Receiver): boolean {
    const hasWork = dueAt < Number.POSITIVE_INFINITY || underWay.size > 0 || isLookedAt;
    return !hasWork && this.clock.mono() - usedAt > REMEMBERED_MS;
  }
}

const soonest = (): Heap<Receiver> => new Heap<Receiver>((a, b) => a.dueAt < b.dueAt);
