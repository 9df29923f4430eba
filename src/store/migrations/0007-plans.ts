/** Applied migrations are never edited: a change is a new number. */
export const plans = {
  id: 7,
  name: 'jobs with a plan, their outcomes and attempts',
  statements: [
    // Counts of ended tasks are kept here: their rows are gone, and counting 100,000 for each visit would not do.
    `CREATE TABLE plans (
      job_id TEXT PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
      kind TEXT NOT NULL,
      params TEXT NOT NULL,
      cursor TEXT NOT NULL,
      window_size BIGINT NOT NULL,
      request_id TEXT NOT NULL,
      traceparent TEXT,
      paused TEXT,
      completed BIGINT NOT NULL,
      failed BIGINT NOT NULL,
      cancelled BIGINT NOT NULL,
      ended BIGINT NOT NULL,
      attempts BIGINT NOT NULL,
      finished BIGINT NOT NULL
    )`,
    'CREATE INDEX plans_unfinished ON plans (job_id) WHERE finished = 0',
    `CREATE TABLE outcomes (
      job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
      n BIGINT NOT NULL,
      seq BIGINT NOT NULL,
      name TEXT NOT NULL,
      outcome TEXT NOT NULL,
      attempts BIGINT NOT NULL,
      error_type TEXT,
      error TEXT,
      error_at BIGINT,
      record_path TEXT,
      page_path TEXT,
      at BIGINT NOT NULL,
      PRIMARY KEY (job_id, n)
    )`,
    // Exactly one end for each target, whatever the code above may do.
    'CREATE UNIQUE INDEX outcomes_of_target ON outcomes (job_id, seq)',
    'CREATE INDEX outcomes_by_kind ON outcomes (job_id, outcome, n)',
    // What is not yet in the run's log.
    `CREATE TABLE attempt_notes (
      job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
      n BIGINT NOT NULL,
      line TEXT NOT NULL,
      PRIMARY KEY (job_id, n)
    )`,
  ],
};
