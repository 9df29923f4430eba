import { domainOf } from '../../src/domain/registrable-domain.js';
import type { VisitPlan } from '../../src/ports/guard.js';

let plans = 0;

/** A plan as the engine makes it, before any guard has been asked. */
export function visitPlan(url: string, given: Partial<VisitPlan> = {}): VisitPlan {
  plans += 1;
  return {
    taskId: `task-${plans}`,
    url,
    form: null,
    domain: domainOf(url),
    workspaceId: 'w',
    needs: 'http',
    engine: null,
    provider: null,
    robots: null,
    mayFollow: null,
    credential: null,
    pace: null,
    proxy: null,
    identity: null,
    earlier: null,
    ...given,
  };
}
