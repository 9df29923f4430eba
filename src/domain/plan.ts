import type { TSchema } from '@sinclair/typebox';
import type { FieldFault } from './errors.js';
import type { Task, TaskSpec } from './task.js';

/** The next thing to visit, by its place in the whole. */
export interface PlanTarget {
  seq: number;
  spec: TaskSpec;
}

/** What one visit meant: `outcome` is a word of the plan's own, `null` where the target will be visited again. */
export interface Learnt<Cursor> {
  cursor: Cursor;
  outcome: string | null;
  /** What is wrong with a target whose visit itself went well. */
  error: { type: string; message: string } | null;
}

/** What is known of a job beside its plan, for the audit. */
export interface RunFacts {
  runId: string;
  status: string;
  createdAt: number;
  endedAt: number | null;
  now: number;
  /** Visits begun and ended, those that were interrupted included. */
  attempts: number;
  pending: number;
  cancelled: number;
}

/**
 * The rule of a use-case: what to visit next, and what a visit meant. Pure: everything it knows is in the params, which
 * never change, and in the cursor, which is JSON and is kept with the job. A target is known by its place (`seq`, from 0)
 * and by its name, which is unique within the job and safe as the name of a file.
 */
export interface Plan<Wish = unknown, Params = unknown, Cursor = unknown> {
  readonly kind: string;
  readonly paramsSchema: TSchema;
  readonly cursorSchema: TSchema;
  /** What a caller wishes, checked and completed; or everything that is wrong with it. */
  admit(wish: Wish): { params: Params } | { faults: FieldFault[] };
  begin(params: Params): Cursor;
  /** How many targets there are in all; fewer once the plan has come to an early end. */
  total(params: Params, cursor: Cursor): number;
  /** Is this how far it has come with so many targets of each outcome? Every outcome must be one of its words. */
  agrees(cursor: Cursor, outcomes: ReadonlyMap<string, number>): boolean;
  /** How many of them have been handed out. */
  planned(cursor: Cursor): number;
  nameOf(params: Params, seq: number): string;
  /** `null`: no target has this name. */
  seqOf(params: Params, name: string): number | null;
  /** Throws as `next` does. */
  targetAt(params: Params, seq: number): TaskSpec;
  /** Up to `room` further targets, in order. Throws where it cannot say, such as when what it needs is configured no more. */
  next(params: Params, cursor: Cursor, room: number): { targets: PlanTarget[]; cursor: Cursor };
  /** Called once for every visit that has come to something, with the task as it is from now on. Never throws. */
  learn(params: Params, cursor: Cursor, visited: Task): Learnt<Cursor>;
  /** Which visits leave files behind. */
  keeps(
    params: Params,
    ended: { isRecord: boolean; isPage: boolean; notes: readonly string[] },
  ): {
    record: boolean;
    page: boolean;
  };
  audit(params: Params, cursor: Cursor, facts: RunFacts): Record<string, unknown>;
}

/** The plans there are. */
export interface PlanBook {
  get(kind: string): Plan | undefined;
}

export function createPlanBook(plans: readonly Plan[]): PlanBook {
  const byKind = new Map(plans.map((plan) => [plan.kind, plan]));
  return { get: (kind) => byKind.get(kind) };
}
