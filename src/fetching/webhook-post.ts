import type { Dispatcher } from 'undici';
import { retryAfterMs } from '../domain/retry-after.js';
import type { Clock } from '../ports/clock.js';
import type { WebhookAnswer, WebhookRequest, WebhookSender } from '../ports/webhook-sender.js';
import { unlessAborted } from './abort.js';
import { createDispatchers, type DispatchOptions } from './http-dispatch.js';
import { transportError, wasStaleConnection } from './http-errors.js';
import { oneHeader } from './http-headers.js';

export interface WebhookPostOptions extends DispatchOptions {
  clock: Clock;
  userAgent: string;
}

/** The answer's body is read past, so that the connection can be used again: this much of it, and this long. */
const MOST_READ = 64 * 1024;
const READ_MS = 1_000;

/**
 * Posts webhooks: directly, since a receiver is no website to be shy of, and through the same gate as everything else.
 * Nothing a receiver says but its status and Retry-After is looked at.
 */
export function createWebhookPost(options: WebhookPostOptions): WebhookSender & { close(): Promise<void> } {
  const dispatchers = createDispatchers(options);
  const { clock, userAgent } = options;

  const post = async ({ url: raw, headers, body }: WebhookRequest, signal: AbortSignal): Promise<WebhookAnswer> => {
    const url = new URL(raw);
    const exchange = (): Promise<Dispatcher.ResponseData> =>
      dispatchers.get(url, null).request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: 'POST',
        headers: { 'user-agent': userAgent, ...headers },
        body,
        signal,
      });
    try {
      // A connection that died while it was idle says nothing about the receiver, and the event's id makes it safe.
      const answer = await exchange().catch((error: unknown) => {
        if (!wasStaleConnection(error)) throw error;
        return exchange();
      });
      readPast(answer, clock);
      const wait = retryAfterMs(oneHeader(answer.headers, 'retry-after'), clock.now());
      return { status: answer.statusCode, retryAfterMs: wait };
    } catch (error) {
      throw signal.aborted ? signal.reason : transportError(error, url.host, 'answer');
    }
  };

  return {
    // undici notices an abort only once it is connected; nobody shall wait for that.
    send: (request, signal) => unlessAborted(post(request, signal), signal),
    close: () => dispatchers.close(),
  };
}

/** Not awaited: the status has said it all. */
function readPast({ body }: Dispatcher.ResponseData, clock: Clock): void {
  const enough = new AbortController();
  const disarm = clock.after(READ_MS, () => enough.abort());
  void body
    .dump({ limit: MOST_READ, signal: enough.signal })
    .catch(() => {})
    .finally(disarm);
}
