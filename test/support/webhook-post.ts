import { systemClock } from '../../src/backends/embedded/system-clock.js';
import { createEgress, type LookupAll } from '../../src/fetching/egress.js';
import { createWebhookPost, type WebhookPostOptions } from '../../src/fetching/webhook-post.js';

interface Way {
  /** All of loopback unless told otherwise. */
  allow?: string[];
  lookup?: LookupAll;
}

export type WebhookPost = ReturnType<typeof createWebhookPost>;

/** The sender of webhooks as the service makes it, with loopback for the internet. */
export function openWebhookPost({ allow, lookup, ...options }: Way & Partial<WebhookPostOptions> = {}): WebhookPost {
  return createWebhookPost({
    egress: createEgress({ allow: allow ?? ['127.0.0.0/8'], ...(lookup && { lookup }) }),
    connectTimeoutMs: 10_000,
    headersTimeoutMs: 30_000,
    bodyTimeoutMs: 30_000,
    userAgent: 'gleaner/test',
    clock: systemClock,
    ...options,
  });
}
