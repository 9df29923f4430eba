import type { BreakerState } from '../domain/breaker.js';

export type Admission = { kind: 'go' } | { kind: 'open'; until: number } | { kind: 'probing' };

/** What keeps us from knocking at a door that does not open. Times are monotonic ms. */
export interface CircuitGate {
  /** May `visitor` go? If the cooldown is over and nobody else is out, it goes as the probe. */
  ask(visitor: { id: string; now: number }): Admission;
  /** `true`: with this answer the circuit opened. */
  record(answer: { id: string; failed: boolean; now: number }): boolean;
  /** The visitor brought no answer that counts; if it was the probe, another may go. */
  giveBack(id: string): void;
  /** As it would answer now. */
  state(now: number): BreakerState;
}
