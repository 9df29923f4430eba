/** One story told by every example: the same task, job and request, so that the reader recognises them. */
export const REQUEST_ID = '0190b5a2-7c1e-4c3b-9a54-3f0c2a9d1e77';
export const TASK_ID = '0190b5a2-7c20-7d0f-8a6e-5b1f0c3d2e11';
export const OTHER_TASK_ID = '0190b5a2-7c20-7d10-9b7f-6c2a1d4e3f22';
export const JOB_ID = '0190b5a2-7c1f-7aaa-8c3d-9e8f7a6b5c44';
export const TARGET_URL = 'https://www.example.com/careers/platform-engineer';
export const WORKSPACE_ID = 'ws_3f9a';

export const success = (data: unknown) => ({ success: true, data, error: null, meta: { request_id: REQUEST_ID } });

export const queuedTask = { task_id: TASK_ID, status: 'queued' };

export const robots = {
  allowed: true,
  basis: 'rules',
  robots_url: 'https://www.example.com/robots.txt',
  http_status: 200,
  rule: 'Allow: /careers/',
  fetched_at: '2025-06-02T08:15:29.904Z',
  crawl_delay_seconds: null,
};

const visitMeta = {
  rendered_by: 'http',
  final_url: TARGET_URL,
  http_status: 200,
  duration_ms: 412,
  adapter: 'job_posting',
  adapter_version: '1',
  content_hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  quality: 'ok',
  provenance: {
    job_title: { source: 'json-ld', confidence: 0.98, agreeing: ['heading'] },
    company_name: { source: 'json-ld', confidence: 0.95, agreeing: [] },
  },
  dropped_fields: [],
  notes: [],
  page_sign: null,
  proxy: null,
  robots,
};

export const completedTask = {
  task_id: TASK_ID,
  job_id: null,
  status: 'completed',
  target_type: 'job_posting',
  target_url: TARGET_URL,
  workspace_id: WORKSPACE_ID,
  requested_fields: ['job_title', 'company_name'],
  render: 'auto',
  formats: null,
  attempts: 1,
  created_at: '2025-06-02T08:15:30.112Z',
  started_at: '2025-06-02T08:15:30.140Z',
  completed_at: '2025-06-02T08:15:30.552Z',
  not_before: null,
  result: { job_title: 'Platform Engineer', company_name: 'Example Ltd' },
  meta: visitMeta,
};

export const failedTask = {
  ...withoutResult(completedTask),
  task_id: OTHER_TASK_ID,
  job_id: JOB_ID,
  status: 'failed',
  attempts: 3,
  error: 'The target answered 503.',
  code: 'target_server_error',
  meta: { ...visitMeta, http_status: 503, content_hash: null, quality: null, provenance: {} },
};

export const runningJob = {
  job_id: JOB_ID,
  status: 'running',
  total_tasks: 2,
  queued_tasks: 0,
  running_tasks: 1,
  completed_tasks: 1,
  failed_tasks: 0,
  cancelled_tasks: 0,
  created_at: '2025-06-02T08:15:30.112Z',
  updated_at: '2025-06-02T08:15:30.552Z',
  completed_at: null,
};

export const cancelledJob = {
  ...runningJob,
  status: 'cancelled',
  running_tasks: 0,
  cancelled_tasks: 1,
  completed_at: '2025-06-02T08:15:31.020Z',
};

export const domain = {
  domain: 'example.com',
  breaker_state: 'open',
  tokens_left: 1,
  next_grant_at: null,
  throttled: false,
  visits_under_way: 0,
  queued_tasks: 3,
  next_visit_at: '2025-06-02T08:17:30.552Z',
  waiting_for: 'breaker',
};

export const domainReport = {
  domain: 'example.com',
  queued_tasks: 3,
  next_visit_at: '2025-06-02T08:17:30.552Z',
  waiting_for: 'breaker',
  breaker: {
    state: 'open',
    failures: 0,
    window_size: 10,
    reason: { code: 'target_server_error', message: 'The target answered 503.' },
    opened_at: '2025-06-02T08:15:30.552Z',
    next_probe_at: '2025-06-02T08:17:30.552Z',
    probe_under_way: false,
  },
  rate_limits: [
    {
      key: 'example.com',
      tokens_per_interval: 2,
      tokens_left: 1,
      interval_seconds: 10,
      next_grant_at: null,
      visits_under_way: 0,
      slowdown: 1,
      slow_until: null,
    },
  ],
  robots: [
    {
      robots_url: 'https://www.example.com/robots.txt',
      basis: 'rules',
      http_status: 200,
      fetched_at: '2025-06-02T08:15:29.904Z',
      fresh_until: '2025-06-03T08:15:29.904Z',
      crawl_delay_seconds: null,
      root_allowed: true,
      rule: null,
    },
  ],
  policy: {
    entry: null,
    tokens_per_interval: 2,
    interval_seconds: 10,
    min_interval_ms: 0,
    min_delay_ms: 500,
    max_delay_ms: 2000,
    max_concurrent: null,
    browser_engine: null,
    allowed_hours: null,
    respect_robots_txt: true,
    robots_reason: null,
  },
  proxy_cooldowns: [{ proxy: '1:proxy.example.net', until: '2025-06-02T08:15:58.120Z' }],
  render: [{ target_type: 'job_posting', habit: 'straight_to_browser' }],
  last_reset: null,
};

export const domainReset = {
  ...domainReport,
  next_visit_at: null,
  waiting_for: null,
  breaker: {
    ...domainReport.breaker,
    state: 'closed',
    reason: null,
    opened_at: null,
    next_probe_at: null,
  },
  last_reset: { at: '2025-06-02T08:16:10.004Z', request_id: REQUEST_ID },
  state_before: 'open',
};

function withoutResult({ result: _result, ...rest }: typeof completedTask): Omit<typeof completedTask, 'result'> {
  return rest;
}
