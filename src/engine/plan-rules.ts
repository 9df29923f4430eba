import type { AdapterRegistry } from '../domain/adapter.js';
import type { Plan, PlanBook } from '../domain/plan.js';
import { isTerminal, type Task } from '../domain/task.js';
import type { NewId } from '../ports/clock.js';
import type { PlanPlace, PlanRules } from '../ports/plans.js';
import { newTask } from './admission.js';

export interface PlanRulesParts {
  plans: PlanBook;
  adapters: AdapterRegistry;
  newId: NewId;
}

/** The plans as the store needs them inside a transaction: pure, and with whole tasks instead of targets. */
export function createPlanRules(parts: PlanRulesParts): PlanRules {
  return {
    learn({ plan }, visited) {
      const known = parts.plans.get(plan.kind);
      if (!known)
        return { cursor: plan.cursor, name: String(visited.seq), outcome: plainOutcome(visited), error: null };
      const learnt = known.learn(plan.params, plan.cursor, visited);
      return { ...learnt, name: known.nameOf(plan.params, visited.seq) };
    },
    next(place, room, now) {
      const { params, cursor } = place.plan;
      const step = knownPlan(parts.plans, place.plan.kind).next(params, cursor, room);
      const total = knownPlan(parts.plans, place.plan.kind).total(params, step.cursor);
      const tasks = step.targets.map(({ seq, spec }) => taskOf(parts, place, { seq, spec, total, now }));
      return { tasks, cursor: step.cursor };
    },
    total: ({ plan }) => knownPlan(parts.plans, plan.kind).total(plan.params, plan.cursor),
  };
}

export function knownPlan(plans: PlanBook, kind: string): Plan {
  const plan = plans.get(kind);
  if (!plan) throw new Error(`There is no plan called ${kind} any more.`);
  return plan;
}

interface Place {
  seq: number;
  spec: Parameters<typeof newTask>[0];
  total: number;
  now: number;
}

export const taskOf = (
  { adapters, newId }: Pick<PlanRulesParts, 'adapters' | 'newId'>,
  { jobId, plan }: PlanPlace,
  { seq, spec, total, now }: Place,
): Task =>
  newTask(
    spec,
    { requestId: plan.requestId, traceparent: plan.traceparent },
    { adapters, newId, now, jobId, seq, jobSize: total },
  );

/** Where nobody is left who could say more. */
const plainOutcome = ({ status }: Task): string | null =>
  isTerminal(status) && status !== 'cancelled' ? (status === 'completed' ? 'success' : 'failed') : null;
