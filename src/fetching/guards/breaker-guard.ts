import type { BreakerSettings, BreakerState } from '../../domain/breaker.js';
import { createDomainStates } from '../../domain/domain-states.js';
import { type ErrorCode, errorRule, GleanerError } from '../../domain/errors.js';
import type { Clock } from '../../ports/clock.js';
import type { Guard, VisitResult } from '../../ports/guard.js';
import type { Notes } from '../../ports/notes.js';
import type { Log } from '../../ports/telemetry.js';
import { Circuit } from '../circuit.js';

export interface BreakerReport {
  state: BreakerState;
  /** Failures among the last `windowSize` answers; 0 unless closed, since then nothing is counted. */
  failures: number;
  windowSize: number;
  /** Why it is not closed: what the visit that opened it ended with. */
  reason: BreakerReason | null;
  /** Epoch ms: since when it has not been closed; `null` if it is. */
  openedAt: number | null;
  /** Milliseconds until a visit may try it out, 0 is now; `null` if it is closed or somebody is trying it out. */
  nextProbeMs: number | null;
  isProbing: boolean;
}

export interface BreakerReason {
  code: ErrorCode;
  sentence: string;
}

export interface BreakerGuard extends Guard {
  /** The domains whose circuit is not closed. */
  troubled(): { domain: string; state: BreakerState }[];
  counts(): Record<BreakerState, number>;
  /** The domains something is remembered about, in no order. */
  known(): Iterable<{ domain: string; state: BreakerState }>;
  /** A domain nobody knows has a closed circuit. Asking does not make it known. */
  report(domain: string): BreakerReport;
  /** Closes the circuit and empties its window. A probe that is out then counts as any other visit. */
  reset(domain: string): { before: BreakerState };
  /** Takes up what an earlier process knew. Before anybody is let through. */
  recall(): Promise<void>;
}

/** What the next process must know of a circuit that is not closed. Times are epoch ms. */
export interface CircuitNote {
  reason: BreakerReason;
  /** Since when it has not been closed, and when it opened last: from then on the cooldown counts. */
  since: number;
  openedAt: number;
}

interface BreakerParts {
  settings: BreakerSettings;
  clock: Clock;
  log: Log;
  notes: Notes<CircuitNote>;
}

interface Change {
  watched: Watched;
  before: BreakerState;
  error: GleanerError | null;
}

/** What is remembered about a domain. */
interface Watched {
  circuit: Circuit;
  /** `null`: it is closed. */
  circuitNote: CircuitNote | null;
  /** Is that on the disk, or on its way there? If not, whoever comes next sees to it. */
  isNoted: boolean;
  /** Monotonic ms. */
  heardAt: number;
}

/** While a probe is out its answer is near: others look again after this, instead of failing. */
const PROBE_PAUSE_MS = 1000;
/** Failures of a domain that nobody has asked for since are old news. */
const FORGET_MS = 24 * 3_600_000;
const MAX_SENTENCE = 200;

/** Has the domain failed too often lately? Then it is left alone, and after the cooldown one visit tries it out. */
export function createBreakerGuard({ settings, clock, log, notes }: BreakerParts): BreakerGuard {
  const isIdle = ({ circuit, heardAt }: Watched): boolean => {
    const now = clock.mono();
    const state = circuit.state(now);
    if (state === 'closed' && circuit.failures() === 0) return true;
    return state !== 'open' && now - heardAt >= FORGET_MS;
  };
  const domains = createDomainStates<Watched>(
    () => ({ circuit: new Circuit(settings), circuitNote: null, isNoted: true, heardAt: clock.mono() }),
    isIdle,
  );
  const hear = (domain: string): Watched => {
    const watched = domains.get(domain);
    watched.heardAt = clock.mono();
    return watched;
  };

  /** Nobody waits for it: it is on the disk before the visit that changed the circuit is settled there. */
  const note = (domain: string, watched: Watched): void => {
    const { circuitNote } = watched;
    const until = (circuitNote?.openedAt ?? 0) + settings.cooldownMs + FORGET_MS;
    watched.isNoted = true;
    (circuitNote ? notes.keep(domain, circuitNote, until) : notes.forget(domain)).catch((error) => {
      watched.isNoted = false;
      log.warn({ err: error, domain }, 'a restart would not know the state of a circuit breaker');
    });
  };

  /** The operator hears of a circuit that opens and one that closes, not of every probe in between. */
  const tellChange = (domain: string, { watched, before, error }: Change): void => {
    const after = watched.circuit.state(clock.mono());
    if (after === 'open' && error && before !== 'open') {
      const openedAt = clock.now();
      watched.circuitNote = { reason: reasonOf(error), since: watched.circuitNote?.since ?? openedAt, openedAt };
      note(domain, watched);
      const next_probe_at = new Date(clock.now() + settings.cooldownMs).toISOString();
      if (before === 'closed')
        log.warn({ domain, ...watched.circuitNote.reason, next_probe_at }, 'a circuit breaker opened');
    }
    if (after === 'closed' && before !== 'closed') {
      watched.circuitNote = null;
      note(domain, watched);
      log.info({ domain }, 'a circuit breaker closed: the domain answers again');
    }
  };

  function* known(): Iterable<{ domain: string; state: BreakerState }> {
    const now = clock.mono();
    for (const [domain, { circuit }] of domains.entries()) yield { domain, state: circuit.state(now) };
  }
  const troubled = () => [...known()].filter(({ state }) => state !== 'closed');

  return {
    name: 'breaker',
    check(plan) {
      const watched = hear(plan.domain);
      const { circuit, circuitNote } = watched;
      if (!watched.isNoted) note(plan.domain, watched);
      const now = clock.mono();
      const answer = circuit.ask({ id: plan.taskId, now });
      switch (answer.kind) {
        case 'go':
          return { kind: 'go', release: () => circuit.giveBack(plan.taskId) };
        case 'probing':
          return { kind: 'wait', until: now + PROBE_PAUSE_MS, reason: 'the domain is being tried out' };
        case 'open':
          return {
            kind: 'no',
            error: circuitOpen(plan.domain, { retryAfterMs: answer.until - now, circuitNote, clock }),
          };
      }
    },
    after(plan, result) {
      const watched = hear(plan.domain);
      if (!watched.isNoted) note(plan.domain, watched);
      const failed = isFailure(result);
      if (failed === null) return watched.circuit.giveBack(plan.taskId);
      const now = clock.mono();
      const before = watched.circuit.state(now);
      watched.circuit.record({ id: plan.taskId, failed, now });
      tellChange(plan.domain, { watched, before, error: result.error });
    },
    known,
    troubled,
    counts() {
      const counts = { closed: 0, open: 0, half_open: 0 };
      for (const { state } of known()) counts[state] += 1;
      return counts;
    },
    report: (domain) => describe(domains.peek(domain), settings, clock),
    reset(domain) {
      const watched = domains.peek(domain);
      const before = watched?.circuit.state(clock.mono()) ?? 'closed';
      watched?.circuit.reset();
      if (watched && before !== 'closed') {
        watched.circuitNote = null;
        note(domain, watched);
      }
      return { before };
    },
    async recall() {
      const [wall, mono] = [clock.now(), clock.mono()];
      for (const { key, note: circuitNote } of await notes.all(wall)) {
        const watched = hear(key);
        watched.circuitNote = circuitNote;
        watched.circuit.reopen(mono - Math.max(0, wall - circuitNote.openedAt));
      }
    },
  };
}

/** `null`: the result says nothing about the domain. A 4xx does: the site is there and answers. */
function isFailure({ error }: VisitResult): boolean | null {
  if (error === null || error.code === 'target_client_error') return false;
  return errorRule(error.code).charges === 'target' ? true : null;
}

function circuitOpen(
  domain: string,
  { retryAfterMs, circuitNote, clock }: { retryAfterMs: number; circuitNote: CircuitNote | null; clock: Clock },
): GleanerError {
  const last = circuitNote ? ` (last: ${circuitNote.reason.sentence.replace(/\.$/, '')})` : '';
  const nextProbe = new Date(clock.now() + retryAfterMs).toISOString();
  const message = `${domain} failed too often lately${last} and is left alone; the next probe is at ${nextProbe}.`;
  return new GleanerError('circuit_open', message, { retryAfterMs });
}

const reasonOf = ({ code, message }: GleanerError): BreakerReason => ({
  code,
  sentence: message.length > MAX_SENTENCE ? `${message.slice(0, MAX_SENTENCE - 1)}…` : message,
});

function describe(watched: Watched | undefined, { windowSize }: BreakerSettings, clock: Clock): BreakerReport {
  const now = clock.mono();
  const state = watched?.circuit.state(now) ?? 'closed';
  const circuitNote = state === 'closed' ? null : (watched?.circuitNote ?? null);
  return {
    state,
    failures: watched?.circuit.failures() ?? 0,
    windowSize,
    reason: circuitNote?.reason ?? null,
    openedAt: circuitNote?.since ?? null,
    nextProbeMs: watched?.circuit.nextProbeMs(now) ?? null,
    isProbing: watched?.circuit.isProbing() ?? false,
  };
}
