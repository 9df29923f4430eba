/**
 *             failures in the last `windowSize` answers exceed `failureThreshold`
 *   closed ────────────────────────────────────────────────────────────────────▶ open
 *     ▲                                                                          │  ▲
 *     │ probe succeeds (window emptied)                 `cooldownMs` have passed │  │ probe fails
 *     └──────────────────────────────── half_open ◀──────────────────────────────┘  │
 *                                           └──────────────────────────────────────┘
 *
 * In half_open exactly one visit, the probe, is out at a time. Answers of visits that began before the circuit opened
 * come in late; outside `closed` only the probe's answer counts.
 */
export type BreakerState = 'closed' | 'open' | 'half_open';

export interface BreakerSettings {
  /** How many answers are remembered. */
  windowSize: number;
  /** More failures than this among them open the circuit. */
  failureThreshold: number;
  cooldownMs: number;
}

export interface Breaker {
  state: BreakerState;
  /** The last answers, oldest first; `true` is a failure. */
  answers: boolean[];
  openedAt: number;
  /** Who is out as the probe. */
  probe: string | null;
}

export type BreakerVerdict = { kind: 'go' } | { kind: 'open'; until: number } | { kind: 'probing' };

export const newBreaker = (): Breaker => ({ state: 'closed', answers: [], openedAt: 0, probe: null });

/** May `visitor` go? If the cooldown has just ended, it goes as the probe. */
export function askBreaker(
  breaker: Breaker,
  settings: BreakerSettings,
  visitor: { id: string; now: number },
): BreakerVerdict {
  if (breaker.state === 'closed') return { kind: 'go' };
  const until = breaker.openedAt + settings.cooldownMs;
  if (breaker.state === 'open' && visitor.now < until) return { kind: 'open', until };
  breaker.state = 'half_open';
  if (breaker.probe !== null) return { kind: 'probing' };
  breaker.probe = visitor.id;
  return { kind: 'go' };
}

/** The state as it would answer now: an open circuit whose cooldown is over is half open. */
export function breakerState(breaker: Breaker, settings: BreakerSettings, now: number): BreakerState {
  if (breaker.state === 'open' && now >= breaker.openedAt + settings.cooldownMs) return 'half_open';
  return breaker.state;
}

/** The probe brought no answer that counts (never began, or failed through no fault of the target): another may go. */
export function returnProbe(breaker: Breaker, id: string): void {
  if (breaker.probe === id) breaker.probe = null;
}

export function recordAnswer(
  breaker: Breaker,
  settings: BreakerSettings,
  answer: { id: string; failed: boolean; now: number },
): void {
  if (breaker.state === 'half_open' && breaker.probe === answer.id) {
    if (answer.failed) open(breaker, answer.now);
    else close(breaker);
    return;
  }
  if (breaker.state !== 'closed') return;
  breaker.answers.push(answer.failed);
  if (breaker.answers.length > settings.windowSize) breaker.answers.shift();
  if (breaker.answers.filter(Boolean).length > settings.failureThreshold) open(breaker, answer.now);
}

/** A fresh breaker would answer the same. */
export const isBreakerIdle = (breaker: Breaker): boolean =>
  breaker.state === 'closed' && !breaker.answers.includes(true);

function open(breaker: Breaker, now: number): void {
  breaker.state = 'open';
  breaker.openedAt = now;
  breaker.answers = [];
  breaker.probe = null;
}

function close(breaker: Breaker): void {
  breaker.state = 'closed';
  breaker.answers = [];
  breaker.probe = null;
}
