import { isLastTry } from '../../domain/poison.js';
import type { Clock } from '../../ports/clock.js';
import type { Guard } from '../../ports/guard.js';

/** How soon a task looks again whether the one before it is through. */
const PAUSE_MS = 250;

/**
 * Of the tasks that one more crash would end, one at a time: if the service dies then, it is plain which of them was
 * there, and the others have not lost their last try in its company.
 */
export function createSolitudeGuard({ clock }: { clock: Clock }): Guard {
  let inside: string | null = null;
  const leave = (taskId: string): void => {
    if (inside === taskId) inside = null;
  };
  return {
    name: 'solitude',
    check(plan) {
      if (!isLastTry(plan)) return { kind: 'go' };
      if (inside !== null && inside !== plan.taskId) {
        const reason = 'another task that may crash everything is being visited';
        return { kind: 'wait', until: clock.mono() + PAUSE_MS, reason, holds: 'task' };
      }
      inside = plan.taskId;
      return { kind: 'go', release: () => leave(plan.taskId) };
    },
    after: ({ taskId }) => leave(taskId),
  };
}
