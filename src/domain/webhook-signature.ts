import { createHmac } from 'node:crypto';

/**
 * How a webhook is signed, twice over:
 *
 * - `webhook-signature`, as Standard Webhooks has it: id and time are signed with the body, so that a copy of an old
 *   request can be refused. Public libraries check it.
 * - `x-webhook-signature`: the body alone, for receivers that want three lines and no library.
 *
 * Both carry one signature for each secret, the newest first: while secrets are being rotated a receiver that knows
 * only one of them still finds its own. Signing and checking share this file, so they cannot come apart.
 */

/** A request's body: exactly what is sent, or the bytes that arrived. */
export type WebhookBody = string | Uint8Array;

export interface SignedContent {
  /** The event's id, the same in every attempt. */
  id: string;
  /** Of this attempt, in whole seconds since 1970. */
  timestamp: number;
  body: WebhookBody;
}

export interface OutgoingWebhook extends SignedContent {
  /** From 1. */
  attempt: number;
  event: string;
}

/** Every header a webhook is sent with. Attempt and event are not signed: receivers may show them, not trust them. */
export function webhookHeaders(webhook: OutgoingWebhook, secrets: readonly string[]): Record<string, string> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'webhook-id': webhook.id,
    'webhook-timestamp': String(webhook.timestamp),
    'webhook-signature': standardSignatures(webhook, secrets),
    'x-webhook-signature': bodySignatures(webhook.body, secrets),
    'x-webhook-attempt': String(webhook.attempt),
    'x-webhook-event': webhook.event,
  };
}

/** `v1,<base64> v1,<base64> …` over `id.timestamp.body`, in the order of the secrets. */
export function standardSignatures({ id, timestamp, body }: SignedContent, secrets: readonly string[]): string {
  // A fraction would be signed and sent, and no receiver would read it the same way.
  if (!Number.isSafeInteger(timestamp)) throw new RangeError('The timestamp of a webhook is in whole seconds.');
  const sign = (secret: string) =>
    createHmac('sha256', standardKey(secret)).update(`${id}.${timestamp}.`).update(body).digest('base64');
  return eachOf(secrets)
    .map((secret) => `v1,${sign(secret)}`)
    .join(' ');
}

/** Lower-case hex of the body alone, in the order of the secrets. The key is a secret's text as it is configured. */
export function bodySignatures(body: WebhookBody, secrets: readonly string[]): string {
  return eachOf(secrets)
    .map((secret) => createHmac('sha256', secret).update(body).digest('hex'))
    .join(',');
}

/** Why this cannot be a secret; `null` if it can. Never says what it is. */
export function webhookSecretFault(secret: unknown): string | null {
  if (typeof secret !== 'string' || secret === '') return 'A webhook secret must not be empty.';
  if (secret === PREFIX) return `There is nothing behind ${PREFIX}.`;
  if (secret.startsWith(PREFIX) && !BASE64.test(secret.slice(PREFIX.length)))
    return `What follows ${PREFIX} must be base64.`;
  return null;
}

const PREFIX = 'whsec_';
/** Strictly: `Buffer.from` skips what it does not know, and two different secrets would be one key. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * What looks like base64 is base64, with the prefix or without it, as in the reference library. Other text is taken
 * as it stands: that library refuses it, so nobody who uses it can come to another key.
 */
function standardKey(secret: string): Buffer {
  const fault = webhookSecretFault(secret);
  if (fault) throw new TypeError(fault);
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
  return Buffer.from(text, BASE64.test(text) ? 'base64' : 'utf8');
}

/** An unsigned webhook, or one that everybody can sign, must not leave. */
function eachOf(secrets: readonly string[]): readonly string[] {
  if (secrets.length === 0 || secrets.includes('')) throw new TypeError('A webhook needs a secret to sign with.');
  return secrets;
}
