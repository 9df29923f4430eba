import type { Page } from './page.js';

/**
 * The closed list of everything that can be answered or recorded as a fault, and what each one means.
 * This table is the only place that knows: `status` is what the door answers, `retryable` is what a client
 * is told, `engine` is what the executor does with a visit that ended so, and `charges` says whose reputation
 * pays: only faults of the target count against its circuit breaker (429, 4xx, robots and our own faults never do).
 */
type Conduct = 'fail' | 'retry' | 'throttle';
type Charged = 'target' | 'proxy' | 'nobody';

interface ErrorRule {
  status: number;
  retryable: boolean;
  engine: Conduct;
  charges: Charged;
  meaning: string;
}

const rule = (status: number, retryable: boolean, engine: Conduct, charges: Charged, meaning: string): ErrorRule => ({
  status,
  retryable,
  engine,
  charges,
  meaning,
});

export const ERROR_TABLE = {
  // The door: what a caller did.
  malformed_request: rule(400, false, 'fail', 'nobody', 'The request could not be read as HTTP or JSON.'),
  unauthorized: rule(401, false, 'fail', 'nobody', 'X-Service-Key is missing or not one of the configured keys.'),
  not_found: rule(404, false, 'fail', 'nobody', 'No such path.'),
  task_not_found: rule(404, false, 'fail', 'nobody', 'No task has this id, or its retention has passed.'),
  job_not_found: rule(404, false, 'fail', 'nobody', 'No job has this id, or its retention has passed.'),
  screenshot_not_found: rule(404, false, 'fail', 'nobody', 'The task has no screenshot, or not yet.'),
  delivery_not_found: rule(404, false, 'fail', 'nobody', 'No delivery has this id, or its retention has passed.'),
  run_not_found: rule(404, false, 'fail', 'nobody', 'No run has this id, or its retention has passed.'),
  method_not_allowed: rule(405, false, 'fail', 'nobody', 'The path exists, but not with this method.'),
  request_timeout: rule(408, true, 'fail', 'nobody', 'The request was not received completely in time.'),
  payload_too_large: rule(413, false, 'fail', 'nobody', 'The request body is over the limit.'),
  uri_too_long: rule(414, false, 'fail', 'nobody', 'A path parameter or the URL of the request is too long.'),
  unsupported_media_type: rule(415, false, 'fail', 'nobody', 'Only application/json bodies are read.'),
  headers_too_large: rule(431, false, 'fail', 'nobody', 'The headers of the request are too long.'),
  validation_failed: rule(
    422,
    false,
    'fail',
    'nobody',
    'A field is missing, unknown or out of range; meta.fields names each.',
  ),
  idempotency_conflict: rule(
    422,
    false,
    'fail',
    'nobody',
    'The Idempotency-Key was used with another request in the last 24 hours.',
  ),
  run_over: rule(409, false, 'fail', 'nobody', 'The run has ended, so that it can be neither paused nor resumed.'),
  run_locked: rule(409, true, 'fail', 'nobody', 'Another process is working on this run.'),
  checkpoint_unreadable: rule(
    409,
    false,
    'fail',
    'nobody',
    'The checkpoint of the run is broken, or was written by a newer version; it was left as it is.',
  ),
  // The door: what we cannot do right now.
  queue_full: rule(503, true, 'retry', 'nobody', 'The queue has no room for the whole request; nothing was queued.'),
  overloaded: rule(503, true, 'retry', 'nobody', 'The service is short of time or memory; nothing was accepted.'),
  shutting_down: rule(503, true, 'retry', 'nobody', 'The service is stopping and takes no new work.'),
  storage_unavailable: rule(503, true, 'retry', 'nobody', 'The store cannot write; nothing was accepted.'),
  too_many_streams: rule(503, true, 'fail', 'nobody', 'Too many event streams are open.'),
  internal_error: rule(500, true, 'retry', 'nobody', 'A fault of ours. The request id finds it in the log.'),
  // Refusals: guards said no.
  egress_denied: rule(403, false, 'fail', 'nobody', 'The URL leads to an address this service may not reach.'),
  robots_denied: rule(403, false, 'fail', 'nobody', 'robots.txt of the origin forbids this path.'),
  robots_unreachable: rule(
    502,
    true,
    'fail',
    'nobody',
    'robots.txt could not be read, so the page counts as forbidden.',
  ),
  circuit_open: rule(503, true, 'fail', 'nobody', 'The domain failed too often lately and is left alone.'),
  no_healthy_proxies: rule(503, true, 'retry', 'nobody', 'No configured proxy is healthy.'),
  credentials_missing: rule(502, false, 'fail', 'nobody', 'The workspace has no credentials for the provider.'),
  credentials_unavailable: rule(503, true, 'retry', 'nobody', 'The credential API could not be asked.'),
  cancelled: rule(409, false, 'fail', 'nobody', 'Cancelled before it ran.'),
  // The network and the target.
  dns_not_found: rule(502, false, 'fail', 'nobody', 'The host name does not exist.'),
  dns_failed: rule(502, true, 'retry', 'target', 'The host name could not be resolved.'),
  connect_failed: rule(502, true, 'retry', 'target', 'The connection was refused, reset or unreachable.'),
  tls_failed: rule(502, false, 'fail', 'target', 'The TLS certificate or handshake is not acceptable.'),
  target_timeout: rule(504, true, 'retry', 'target', 'The target did not answer in time.'),
  body_truncated: rule(502, true, 'retry', 'target', 'The body ended early or was not readable.'),
  body_too_large: rule(502, false, 'fail', 'nobody', 'The body is over SCRAPER_MAX_BODY_BYTES.'),
  too_many_redirects: rule(502, false, 'fail', 'nobody', 'More redirects than are followed.'),
  unsupported_content: rule(502, false, 'fail', 'nobody', 'The answer is not HTML, or is a download.'),
  rate_limited: rule(503, true, 'throttle', 'nobody', 'The target answered 429; the domain is visited more slowly.'),
  target_client_error: rule(502, false, 'fail', 'nobody', 'The target answered 4xx.'),
  target_server_error: rule(502, true, 'retry', 'target', 'The target answered 5xx.'),
  blocked_page: rule(502, false, 'fail', 'target', 'The page is a block, challenge or captcha, not the content.'),
  login_wall: rule(502, false, 'fail', 'target', 'The page asks to sign in before it shows the content.'),
  consent_wall: rule(502, false, 'fail', 'nobody', 'The page asks for consent before it shows the content.'),
  error_page: rule(502, true, 'retry', 'target', 'The page tells of a fault of the target, with a status of success.'),
  missing_page: rule(502, false, 'fail', 'nobody', 'The page says that there is none, with a status of success.'),
  empty_page: rule(502, true, 'retry', 'nobody', 'The page has no content.'),
  // Ours, during a visit.
  task_timeout: rule(504, true, 'retry', 'target', 'The visit did not end within SCRAPER_TASK_TIMEOUT_SECONDS.'),
  pool_exhausted: rule(503, true, 'retry', 'nobody', 'No browser became free in time.'),
  browser_crashed: rule(503, true, 'retry', 'nobody', 'The browser or its page died during the visit.'),
  resource_limit: rule(502, false, 'fail', 'nobody', 'The page took more memory than SCRAPER_BROWSER_MEMORY_MB.'),
  poison: rule(502, false, 'fail', 'nobody', 'The visit took its browser or the service down three times.'),
  browser_unavailable: rule(503, true, 'retry', 'nobody', 'No Chromium can be started.'),
  egress_unavailable: rule(503, true, 'retry', 'nobody', 'Our own way out to the network is down.'),
  proxy_failed: rule(502, true, 'retry', 'proxy', 'The proxy could not be used.'),
  extraction_failed: rule(500, false, 'fail', 'nobody', 'The adapter failed on this page.'),
} as const satisfies Record<string, ErrorRule>;

export type ErrorCode = keyof typeof ERROR_TABLE;

export const errorRule = (code: ErrorCode): ErrorRule => ERROR_TABLE[code];

/** One field of a request that is wrong: where, what was received, what is wished. */
export interface FieldFault {
  field: string;
  message: string;
  value?: unknown;
}

/** More of one target are not told: ten say what is wrong with it. */
export const MAX_FAULTS_PER_TARGET = 10;

/** The refusal of a request for what is wrong with its fields, in one sentence however many there are. */
export function fieldError(fields: FieldFault[]): GleanerError {
  const [first, ...others] = new Set(fields.map((fault) => fault.field));
  const message =
    others.length === 0
      ? `The field ${first} is not acceptable.`
      : `${others.length + 1} fields are not acceptable, the first is ${first}.`;
  return new GleanerError('validation_failed', message, { fields });
}

interface ErrorDetails {
  cause?: unknown;
  retryAfterMs?: number;
  fields?: FieldFault[];
  httpStatus?: number;
  isSuspicion?: boolean;
  answer?: Page;
}

/** The one error class. `message` is one sentence that may be shown to the caller: no secrets, no insides. */
export class GleanerError extends Error {
  readonly code: ErrorCode;
  readonly retryAfterMs: number | undefined;
  readonly fields: FieldFault[] | undefined;
  /** Status the target answered with, where that is what went wrong. */
  readonly httpStatus: number | undefined;
  /** Whom the table charges is only suspected: somebody else may be to blame. */
  readonly isSuspicion: boolean;
  /** Not a property that a log would print: it is what a stranger wrote. */
  readonly #answer: Page | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'GleanerError';
    this.code = code;
    this.retryAfterMs = details.retryAfterMs;
    this.fields = details.fields;
    this.httpStatus = details.httpStatus;
    this.isSuspicion = details.isSuspicion ?? false;
    this.#answer = details.answer;
  }

  withAnswer(answer: Page): GleanerError {
    const { cause, retryAfterMs, fields, httpStatus, isSuspicion } = this;
    return new GleanerError(this.code, this.message, {
      cause,
      isSuspicion,
      answer,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(fields && { fields }),
      ...(httpStatus !== undefined && { httpStatus }),
    });
  }

  /** The beginning of the page that came with an error status, where it may tell more than the status. */
  get answer(): Page | undefined {
    return this.#answer;
  }

  get status(): number {
    return ERROR_TABLE[this.code].status;
  }

  get retryable(): boolean {
    return ERROR_TABLE[this.code].retryable;
  }
}

/** What came up from below as one of ours; anything unknown becomes `internal_error` and keeps its cause for the log. */
export function asGleanerError(error: unknown): GleanerError {
  if (error instanceof GleanerError) return error;
  return new GleanerError('internal_error', 'Something went wrong on our side.', { cause: error });
}
