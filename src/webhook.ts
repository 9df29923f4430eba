import { timingSafeEqual } from 'node:crypto';
import { standardSignatures, type WebhookBody, webhookSecretFault } from './domain/webhook-signature.js';

/**
 * For receivers: `import { verify } from 'gleaner/webhook'`. This file and the one it imports need nothing but Node.
 *
 * Give it the body as it arrived. A body that was parsed and written again is another text, and does not verify.
 */

export type WebhookFaultReason =
  /** No id, timestamp or signature. */
  | 'missing_header'
  /** A header is there twice and says two things. */
  | 'repeated_header'
  /** Not whole seconds. */
  | 'bad_timestamp'
  /** Older than the tolerance: perhaps somebody's copy of an earlier request. */
  | 'too_old'
  /** From the future: one of the two clocks is wrong. */
  | 'too_new'
  /** Signed with none of the secrets, or changed on the way. */
  | 'no_match'
  /** Not JSON, or not the raw body. */
  | 'bad_body'
  /** The receiver's own secrets cannot be used. */
  | 'bad_secret';

export class WebhookVerificationError extends Error {
  readonly reason: WebhookFaultReason;

  constructor(reason: WebhookFaultReason, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.name = 'WebhookVerificationError';
    this.reason = reason;
  }
}

/** Those of `fetch`, or an object such as `request.headers` of Node; the names in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** How far the timestamp may be from now, in either direction. */
  toleranceSeconds?: number;
  /** The time, in milliseconds since 1970. */
  now?: () => number;
}

export interface VerifiedWebhook {
  /** The event's id. An event may arrive more than once, always with this id. */
  id: string;
  /** When this attempt was signed. A Date, so that nobody takes its seconds for milliseconds. */
  timestamp: Date;
  /** From 1. Not signed, like `event`: good for a log line; for decisions take the payload. */
  attempt: number | null;
  event: string | null;
  /** The body, parsed. */
  payload: unknown;
}

/** The webhook, if one of the secrets signed it just now; throws WebhookVerificationError if not. */
export function verify(
  headers: WebhookHeaders,
  rawBody: WebhookBody,
  secrets: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now }: VerifyOptions = {},
): VerifiedWebhook {
  // Our own faults first: they are there whatever arrives.
  const keys = usableSecrets(secrets);
  const body = checkedBody(rawBody);
  const id = needed(headers, 'webhook-id');
  const given = needed(headers, 'webhook-signature');
  const timestamp = secondsOf(needed(headers, 'webhook-timestamp'));
  checkAge(Math.floor(now() / 1_000) - timestamp, toleranceSeconds);
  if (!isSigned(given, standardSignatures({ id, timestamp, body }, keys)))
    throw new WebhookVerificationError('no_match', 'No signature of this webhook was made with a known secret.');
  return {
    id,
    timestamp: new Date(timestamp * 1_000),
    attempt: attemptOf(headerOf(headers, 'x-webhook-attempt')),
    event: headerOf(headers, 'x-webhook-event'),
    payload: parsed(body),
  };
}

function usableSecrets(secrets: string | readonly string[]): readonly string[] {
  const list = Array.isArray(secrets) ? (secrets as readonly string[]) : [secrets as string];
  const fault =
    list.length === 0 ? 'There is no webhook secret to verify with.' : list.map(webhookSecretFault).find(Boolean);
  if (fault) throw new WebhookVerificationError('bad_secret', fault);
  return list;
}

/** An object is what a framework hands over when it has parsed the body already: the commonest mistake. */
function checkedBody(body: WebhookBody): WebhookBody {
  if (typeof body === 'string' || ArrayBuffer.isView(body)) return body;
  throw new WebhookVerificationError('bad_body', 'The raw body is needed, as text or bytes, before it is parsed.');
}

function needed(headers: WebhookHeaders, name: string): string {
  const value = headerOf(headers, name);
  if (value) return value;
  throw new WebhookVerificationError('missing_header', `The header ${name} is missing.`);
}

/** A header that says two things is refused: another reader of the same request might believe the other one. */
function headerOf(headers: WebhookHeaders, name: string): string | null {
  if (isFetchHeaders(headers)) return headers.get(name) ?? null;
  const found = Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value ?? []);
  const [value = null, ...others] = new Set(found);
  if (others.length === 0) return value;
  throw new WebhookVerificationError('repeated_header', `The header ${name} is there twice, with different values.`);
}

const isFetchHeaders = (headers: WebhookHeaders): headers is { get(name: string): string | null } =>
  typeof headers.get === 'function';

/** Twelve digits last for 30,000 years and are still a Date; thirteen are milliseconds. */
function secondsOf(text: string): number {
  if (/^(0|[1-9]\d{0,11})$/.test(text)) return Number(text);
  throw new WebhookVerificationError('bad_timestamp', 'The header webhook-timestamp is not in whole seconds.');
}

/** Asked this way round, a tolerance or a clock that is no number refuses instead of accepting everything. */
function checkAge(ageSeconds: number, toleranceSeconds: number): void {
  if (Math.abs(ageSeconds) <= toleranceSeconds) return;
  const [reason, where] = ageSeconds < 0 ? (['too_new', 'ahead'] as const) : (['too_old', 'old'] as const);
  throw new WebhookVerificationError(reason, `The webhook is ${Math.abs(ageSeconds)} s ${where}.`);
}

/** A sender has a few secrets; whoever sends a thousand signatures wants to be given work. */
const MOST_SIGNATURES = 20;

/** Every one against every one, also after a match, so that the time taken tells nothing. */
function isSigned(given: string, expected: string): boolean {
  const wanted = expected.split(' ').map((signature) => Buffer.from(signature));
  return given
    .split(' ')
    .filter((signature) => signature.startsWith('v1,'))
    .slice(0, MOST_SIGNATURES)
    .map((signature) => Buffer.from(signature))
    .flatMap((one) => wanted.map((other) => one.length === other.length && timingSafeEqual(one, other)))
    .includes(true);
}

const attemptOf = (text: string | null): number | null => (text && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null);

function parsed(body: WebhookBody): unknown {
  try {
    // Bytes that are not UTF-8 are a fault, not replacement characters.
    const text =
      typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    return JSON.parse(text);
  } catch (cause) {
    throw new WebhookVerificationError('bad_body', 'The body is signed, but it is not JSON.', { cause });
  }
}
