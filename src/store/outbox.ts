import type { EventName } from '../domain/delivery.js';
import type { Job } from '../domain/job.js';
import type { Task } from '../domain/task.js';
import type { NewId } from '../ports/clock.js';
import type { Sql } from './database.js';

export interface OutboxOptions {
  newId: NewId;
  /** Told of ended work that names no `callback_url`; `null`: nobody. */
  defaultReceiver: string | null;
}

/** Opens the deliveries that tell of ended work. Every call is part of the transaction that ends it. */
export interface Outbox {
  /** Answers the receiver, or `null` where nobody wants to know. */
  tellOfTask(tx: Sql, task: Task, now: number): Promise<string | null>;
  tellOfJob(tx: Sql, job: Job, now: number): Promise<string | null>;
}

export function createOutbox({ newId, defaultReceiver }: OutboxOptions): Outbox {
  const open = async (
    tx: Sql,
    told: { event: EventName; jobId: string | null; taskId: string | null; url: string | null },
    now: number,
  ): Promise<string | null> => {
    if (told.url === null) return null;
    const receiver = new URL(told.url).origin;
    // A run that is read from its file once more may have been told of before.
    const opened = await tx.run(
      `INSERT INTO deliveries
         (id, event, job_id, task_id, url, receiver, status, attempts, failures, round, next_attempt_at, created_at, round_began_at)
       VALUES (?, ?, ?, ?, ?, ?, 'pending', 0, 0, 0, ?, ?, ?) ON CONFLICT DO NOTHING`,
      [newId(), told.event, told.jobId, told.taskId, told.url, receiver, now, now, now],
    );
    return opened > 0 ? receiver : null;
  };

  return {
    tellOfTask(tx, task, now) {
      // Of a job's tasks only those are told one by one that ask for it: the job itself is told of as a whole.
      const url = task.callbackUrl ?? (task.jobId === null ? defaultReceiver : null);
      return open(tx, { event: `task.${task.status}` as EventName, jobId: task.jobId, taskId: task.id, url }, now);
    },
    tellOfJob(tx, job, now) {
      const url = job.callbackUrl ?? defaultReceiver;
      return open(tx, { event: `job.${job.status}` as EventName, jobId: job.id, taskId: null, url }, now);
    },
  };
}
