/** Applied migrations are never edited: a change is a new number. */
export const webhooks = {
  id: 3,
  name: 'webhooks, job events, repeatable submits',
  statements: [
    // No reference to tasks or jobs: a delivery may have to be told after the retention of what it tells of.
    `CREATE TABLE deliveries (
      id TEXT PRIMARY KEY,
      event TEXT NOT NULL,
      job_id TEXT,
      task_id TEXT,
      url TEXT NOT NULL,
      receiver TEXT NOT NULL,
      status TEXT NOT NULL,
      attempts BIGINT NOT NULL,
      failures BIGINT NOT NULL,
      round BIGINT NOT NULL,
      next_attempt_at BIGINT,
      created_at BIGINT NOT NULL,
      round_began_at BIGINT NOT NULL,
      ended_at BIGINT,
      last_status BIGINT,
      last_error TEXT,
      body TEXT
    )`,
    // Exactly one event for each end, whatever the code above may do.
    'CREATE UNIQUE INDEX deliveries_of_task ON deliveries (task_id) WHERE task_id IS NOT NULL',
    'CREATE UNIQUE INDEX deliveries_of_job ON deliveries (job_id) WHERE job_id IS NOT NULL AND task_id IS NULL',
    'CREATE INDEX deliveries_in_job ON deliveries (job_id, created_at, id) WHERE job_id IS NOT NULL',
    "CREATE INDEX deliveries_pending ON deliveries (receiver, next_attempt_at) WHERE status = 'pending'",
    "CREATE INDEX deliveries_waiting ON deliveries (receiver, round_began_at) WHERE status = 'pending'",
    "CREATE INDEX deliveries_dead ON deliveries (status, event) WHERE status = 'dead' AND event <> 'ping'",
    'CREATE INDEX deliveries_in_order ON deliveries (created_at, id)',
    'CREATE INDEX deliveries_by_status ON deliveries (status, created_at, id)',
    'CREATE INDEX deliveries_by_receiver ON deliveries (receiver, created_at, id)',
    'CREATE INDEX deliveries_by_receiver_and_status ON deliveries (receiver, status, created_at, id)',
    'CREATE INDEX deliveries_ended ON deliveries (ended_at) WHERE ended_at IS NOT NULL',
    `CREATE TABLE delivery_attempts (
      delivery_id TEXT NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
      attempt BIGINT NOT NULL,
      started_at BIGINT NOT NULL,
      status BIGINT,
      duration_ms BIGINT,
      error TEXT,
      PRIMARY KEY (delivery_id, attempt)
    )`,
    // What was under way when the process died.
    'CREATE INDEX delivery_attempts_open ON delivery_attempts (delivery_id) WHERE duration_ms IS NULL',
    `CREATE TABLE job_events (
      job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
      seq BIGINT NOT NULL,
      at BIGINT NOT NULL,
      task_id TEXT,
      status TEXT NOT NULL,
      attempts BIGINT,
      code TEXT,
      PRIMARY KEY (job_id, seq)
    )`,
    `CREATE TABLE submissions (
      idempotency_key TEXT PRIMARY KEY,
      fingerprint TEXT NOT NULL,
      task_id TEXT,
      job_id TEXT,
      created_at BIGINT NOT NULL
    )`,
    'CREATE INDEX submissions_by_age ON submissions (created_at)',
    'CREATE INDEX submissions_of_task ON submissions (task_id) WHERE task_id IS NOT NULL',
    'CREATE INDEX submissions_of_job ON submissions (job_id) WHERE job_id IS NOT NULL',
  ],
};
