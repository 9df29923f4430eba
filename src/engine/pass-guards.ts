import { asGleanerError, type GleanerError } from '../domain/errors.js';
import type { Guard, Verdict, VisitPlan } from '../ports/guard.js';

/** `go` carries `release`, for a visit that was cleared but does not start after all. */
export type Passage =
  | { kind: 'go'; release: () => void }
  | (Extract<Verdict, { kind: 'wait' }> & { guard: string })
  | { kind: 'no'; error: GleanerError };

/** Asks the guards in their order, stops at the first that is not `go`, and gives back what the earlier ones handed out. */
export async function passGuards(guards: readonly Guard[], plan: VisitPlan, signal: AbortSignal): Promise<Passage> {
  const releases: (() => void)[] = [];
  const release = (): void => {
    for (const giveBack of releases.splice(0).reverse()) giveBack();
  };
  for (const guard of guards) {
    const verdict = await ask(guard, plan, signal);
    if (verdict.kind === 'go') {
      if (verdict.release) releases.push(verdict.release);
      continue;
    }
    release();
    return verdict.kind === 'wait' ? { ...verdict, guard: guard.name } : verdict;
  }
  return { kind: 'go', release };
}

/** A guard that breaks refuses: fail closed. */
async function ask(guard: Guard, plan: VisitPlan, signal: AbortSignal): Promise<Verdict> {
  try {
    return await guard.check(plan, signal);
  } catch (error) {
    return { kind: 'no', error: asGleanerError(error) };
  }
}
