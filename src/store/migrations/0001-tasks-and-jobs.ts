/** Applied migrations are never edited: a change is a new number. */
export const tasksAndJobs = {
  id: 1,
  name: 'tasks and jobs',
  statements: [
    `CREATE TABLE jobs (
      id TEXT PRIMARY KEY,
      status TEXT NOT NULL,
      total_tasks BIGINT NOT NULL,
      callback_url TEXT,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL,
      completed_at BIGINT
    )`,
    `CREATE TABLE tasks (
      id TEXT PRIMARY KEY,
      job_id TEXT REFERENCES jobs (id) ON DELETE CASCADE,
      seq BIGINT NOT NULL,
      job_size BIGINT NOT NULL,
      target_type TEXT NOT NULL,
      target_url TEXT NOT NULL,
      domain TEXT NOT NULL,
      workspace_id TEXT NOT NULL,
      requested_fields TEXT,
      callback_url TEXT,
      render TEXT NOT NULL,
      request_id TEXT NOT NULL,
      traceparent TEXT,
      status TEXT NOT NULL,
      attempts BIGINT NOT NULL,
      visits BIGINT NOT NULL,
      throttles BIGINT NOT NULL,
      not_before BIGINT,
      created_at BIGINT NOT NULL,
      started_at BIGINT,
      completed_at BIGINT,
      code TEXT,
      error TEXT,
      meta TEXT,
      result TEXT
    )`,
    // Counting a job's tasks reads this index only, never a result.
    'CREATE INDEX tasks_of_job ON tasks (job_id, status) WHERE job_id IS NOT NULL',
    'CREATE INDEX tasks_of_job_in_order ON tasks (job_id, seq) WHERE job_id IS NOT NULL',
    // Small at all times: only what is not yet done. One index per state, since neither database concludes from
    // `status = 'queued'` that an index of both states would do.
    "CREATE INDEX tasks_queued ON tasks (created_at, id) WHERE status = 'queued'",
    "CREATE INDEX tasks_running ON tasks (id) WHERE status = 'running'",
    'CREATE INDEX tasks_ended ON tasks (completed_at) WHERE job_id IS NULL AND completed_at IS NOT NULL',
    "CREATE INDEX jobs_ending ON jobs (id) WHERE status = 'cancelled' AND completed_at IS NULL",
    'CREATE INDEX jobs_ended ON jobs (completed_at) WHERE completed_at IS NOT NULL',
  ],
};
