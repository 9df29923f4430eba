import type { Job } from '../domain/job.js';
import type { Task } from '../domain/task.js';
import { taskToWire } from './wire.js';

// What receivers of webhooks are told, in the words of the API. Tasks that were cancelled are what is left of the total.

export const webhookPayloads = {
  job: (job: Job, tasks: Task[] | null): object => ({
    job_id: job.id,
    status: job.status,
    summary: { total: job.counts.total, completed: job.counts.completed, failed: job.counts.failed },
    results: tasks?.map(taskToWire) ?? null,
  }),
  task: (task: Task): object => ({
    task_id: task.id,
    status: task.status,
    summary: { total: 1, completed: task.status === 'completed' ? 1 : 0, failed: task.status === 'failed' ? 1 : 0 },
    results: [taskToWire(task)],
  }),
};
