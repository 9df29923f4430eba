import type { ErrorCode } from './errors.js';
import type { JobStatus } from './job.js';
import type { TaskStatus } from './task.js';

/** One change of a job or of one of its tasks. Numbered within the job, from 1 without gaps. */
export type JobEvent = { seq: number; at: number } & (
  | { kind: 'job'; status: JobStatus }
  /** `queued` is a visit that will be repeated. */
  | { kind: 'task'; taskId: string; status: TaskStatus; attempts: number; code: ErrorCode | null }
);
