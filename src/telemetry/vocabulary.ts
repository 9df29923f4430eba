/**
 * Our own words for the fields of an entry. Their names stay whatever the secrets are (a password may well be
 * "timestamp"), and they are the last to go from an overlong line.
 */
export const VOCABULARY: ReadonlySet<string> = new Set([
  ...['level', 'timestamp', 'request_id', 'message', 'trace_id', 'task_id', 'job_id', 'code', 'attempts'],
  ...['target_url', 'proxy_used', 'error_reason', 'target_domain', 'duration_ms', 'fields_extracted', 'rendered_by'],
  ...['delivery_id', 'receiver', 'event', 'attempt'],
]);
