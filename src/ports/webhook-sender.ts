export interface WebhookRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

export interface WebhookAnswer {
  status: number;
  /** What the receiver asked for. */
  retryAfterMs: number | undefined;
}

/**
 * Posts one body to one URL. Only the status matters: the answer's body is not kept, and redirects are not followed.
 * Obeys the egress rule on the address that is dialled. Rejects with GleanerError only (`egress_denied`, `dns_*`,
 * `connect_failed`, `tls_failed`, `target_timeout`), or promptly with the signal's reason.
 */
export interface WebhookSender {
  send(request: WebhookRequest, signal: AbortSignal): Promise<WebhookAnswer>;
}
