import type { Job } from '../domain/job.js';
import type { LastError, Outcome } from '../domain/outcome.js';
import type { Task } from '../domain/task.js';
import type { PageOf } from './store.js';

/** The plan of a job as it is opened. */
export interface NewPlan {
  kind: string;
  params: unknown;
  cursor: unknown;
  /** How many of its tasks are queued or running at most. */
  window: number;
  requestId: string;
  traceparent: string | null;
}

/** A job that is visited by a plan, as it is now. */
export interface PlannedJob extends NewPlan {
  job: Job;
  /** Why it rests; `null`: it goes on. */
  paused: string | null;
  /** Outcomes so far. */
  ended: number;
  /** Attempts that have come to something or were interrupted. */
  attempts: number;
}

/** Why it rested when it was looked at: whoever decides by that must not undo what was asked for meanwhile. */
export type Seen = Pick<PlannedJob, 'paused'>;

/** Where a plan stands, inside a transaction. */
export interface PlanPlace {
  jobId: string;
  plan: NewPlan;
}

/**
 * What the plans say, for the transaction in which a visit is settled. Pure. `next` may throw: then the job is paused
 * with the reason, and what was settled stays settled.
 */
export interface PlanRules {
  learn(
    place: PlanPlace,
    visited: Task,
  ): { cursor: unknown; name: string; outcome: string | null; error: PlanError | null };
  next(place: PlanPlace, room: number, now: number): { tasks: Task[]; cursor: unknown };
  total(place: PlanPlace): number;
}

export interface PlanError {
  type: string;
  message: string;
}

/** One attempt, as it is told in the run's own log. Numbered within the run, from 1 without gaps. */
export interface AttemptNote {
  n: number;
  line: Record<string, unknown>;
}

/** A planned job at one moment: its cursor, how many had ended by then, and the tasks that were open. */
export interface PlanSnapshot extends NewPlan {
  ended: number;
  attempts: number;
  createdAt: number;
  isCancelled: boolean;
  open: { seq: number; isRunning: boolean; attempts: number; lastError: LastError | null }[];
}

/** A run that is taken up from what was written about it elsewhere. It rests until it is resumed, unless it is over. */
export interface RestoredJob {
  id: string;
  paused: string | null;
  totalTasks: number;
  createdAt: number;
  plan: NewPlan;
  attempts: number;
  completed: number;
  failed: number;
  outcomes: Omit<Outcome, 'n'>[];
  tasks: Task[];
  /** Where nothing of it is left to visit. */
  endedAt: number | null;
  /** Then it has no tasks, whatever is missing. */
  isCancelled: boolean;
}

/**
 * The truth about jobs with a plan, beside what the Store says of all jobs: the same transactions, the same promises.
 * Ended tasks of such a job become outcomes, so that a job of 100,000 has no more task rows than its window.
 */
export interface PlanStore {
  find(jobId: string): Promise<PlannedJob | null>;
  /** Those that are not over, or whose files have yet to be brought to their end. */
  unfinished(): Promise<PlannedJob[]>;
  /** In the order in which they ended: who goes on from a cursor misses none. */
  outcomes(
    jobId: string,
    page: { limit: number; cursor: string | null; outcome: string | null },
  ): Promise<PageOf<Outcome>>;
  /** Outcomes after that number, in order. */
  outcomesAfter(jobId: string, after: number, limit: number): Promise<Outcome[]>;
  snapshot(jobId: string): Promise<PlanSnapshot | null>;

  /**
   * What is queued stays so and is claimed by nobody; answers the ids. What runs may finish. The last reason holds. `seen`:
   * where it is another by now, nothing is changed.
   */
  pause(jobId: string, reason: string, now: number, seen?: Seen): Promise<string[]>;
  /** Goes on; answers what was queued before. What is planned now is told to whoever listens, as always. `seen` as above. */
  resume(jobId: string, now: number, seen?: Seen): Promise<Task[]>;
  /** `false`: the job is known already, and nothing was changed. An end is told now: whether it was told before is lost. */
  restore(job: RestoredJob, now: number): Promise<boolean>;
  /**
   * What is known of the job gives way to this, but for whom to tell, its events, and why it rests. Where it does not
   * rest, it goes on from here. Nothing of it may be running.
   */
  replace(job: RestoredJob, now: number): Promise<void>;
  /** So many attempts are in the run's log already: what is still to be told of those is forgotten, the next has a new number. */
  numberFrom(jobId: string, attempts: number): Promise<void>;
  /** Its files are complete. */
  finish(jobId: string): Promise<void>;

  /** Attempts that are not yet in the run's log, oldest first. */
  attemptNotes(jobId: string, limit: number): Promise<AttemptNote[]>;
  /** They are in the log, and on the disk. */
  forgetNotes(jobId: string, upTo: number): Promise<void>;
}
