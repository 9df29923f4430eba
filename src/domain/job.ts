export const JOB_STATUSES = ['queued', 'running', 'completed', 'partially_completed', 'failed', 'cancelled'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** How many of a job's tasks are in each state. They are counted from the task rows, so they always add up to `total`. */
export interface JobCounts {
  total: number;
  queued: number;
  running: number;
  completed: number;
  failed: number;
  cancelled: number;
}

export interface Job {
  id: string;
  status: JobStatus;
  callbackUrl: string | null;
  createdAt: number;
  updatedAt: number;
  /** When the last of its tasks ended. A cancelled job still waits for what was running. */
  completedAt: number | null;
  counts: JobCounts;
  /** The kind of the plan that says what it visits, where it has one. Its ended tasks are kept as outcomes. */
  plan?: string;
}

/** The end of a job, from the ends of its tasks. Cancelled tasks exist only in cancelled jobs. */
export function finalJobStatus(counts: Pick<JobCounts, 'completed' | 'failed' | 'cancelled'>): JobStatus {
  if (counts.cancelled > 0) return 'cancelled';
  if (counts.failed === 0) return 'completed';
  return counts.completed === 0 ? 'failed' : 'partially_completed';
}

export const isJobOver = (counts: JobCounts): boolean => counts.queued === 0 && counts.running === 0;
