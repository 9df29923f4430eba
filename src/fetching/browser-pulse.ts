import type { Clock } from '../ports/clock.js';
import type { Member } from './browser-member.js';

const ASK_MS = 500;
/** Who owes an answer for this long gets no new visits. One that is only busy answers within a small part of it. */
const SILENT_MS = 1_500;

export interface PulseWatch {
  members: () => Iterable<Member>;
  clock: Clock;
  signal: AbortSignal;
  /** Who owes an answer for this long will not give it any more. */
  hungAfterMs: number;
  /** It has fallen silent, or answers again, or for the first time: `isSilent` and `hasAnswered` say which. */
  onTurn: (member: Member) => void;
  onHung: (member: Member) => void;
}

/**
 * A browser that stands still says nothing and breaks no connection: one has to ask. Each is asked twice a second for as
 * long as the signal lets it, but for those that still owe an answer. Never rejects.
 */
export async function watchPulse({ members, clock, signal, hungAfterMs, onTurn, onHung }: PulseWatch): Promise<void> {
  /**
   * For how long each owes an answer, by how often was looked: where our own event loop stands still, time passes that
   * was nobody's to answer in, and an answer that has come needs some turns of the loop to be heard.
   */
  const owedMs = new WeakMap<Member, number>();
  const ask = async (member: Member): Promise<void> => {
    owedMs.set(member, 0);
    try {
      await member.browser.answers();
    } catch {
      // No answer: as a rule the browser is gone, and what becomes of it is decided elsewhere.
      return;
    }
    owedMs.delete(member);
    if (member.hasAnswered && !member.isSilent) return;
    member.hasAnswered = true;
    member.isSilent = false;
    onTurn(member);
  };
  const fallSilent = (member: Member): void => {
    if (member.isSilent) return;
    member.isSilent = true;
    onTurn(member);
  };

  while (!signal.aborted) {
    for (const member of [...members()]) {
      const owed = owedMs.get(member);
      if (owed === undefined) {
        void ask(member);
        continue;
      }
      owedMs.set(member, owed + ASK_MS);
      if (owed + ASK_MS >= hungAfterMs) onHung(member);
      else if (owed + ASK_MS >= SILENT_MS) fallSilent(member);
    }
    await clock.wait(ASK_MS, signal);
  }
}
