import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fieldError } from '../domain/errors.js';
import type { Once } from '../ports/store.js';
import { headerValues } from './service-key.js';

const FIELD = 'Idempotency-Key';
const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/**
 * What makes the submit repeatable, if the caller wishes that. Read from the raw lines: of two keys, joined by Node,
 * nobody could say which was meant.
 */
export function onceOf(request: FastifyRequest, route: 'scrape' | 'sync' | 'batch' | 'retrieval'): Once | undefined {
  const lines = headerValues(request.raw.rawHeaders, FIELD.toLowerCase());
  const [key] = lines;
  if (key === undefined) return undefined;
  if (lines.length > 1 || !VISIBLE_ASCII.test(key)) {
    const message = 'must be a single header of 1 to 255 visible ASCII characters.';
    throw fieldError([{ field: FIELD, message, value: lines.join(', ') }]);
  }
  return { key, fingerprint: fingerprintOf(route, request.body) };
}

/** The answer is that of an earlier request with the same key. */
export function markReplayed(reply: FastifyReply): void {
  reply.header('idempotent-replayed', 'true');
}

const fingerprintOf = (route: string, body: unknown): string =>
  createHash('sha256')
    .update(`${route}\n${canonicalJson(body)}`)
    .digest('hex');

/** The same text whatever the order of the keys: a client may write its map in another order the second time. */
const canonicalJson = (body: unknown): string =>
  JSON.stringify(body, (_key, value: unknown) => (isObject(value) ? sorted(value) : value));

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const sorted = (value: object): object =>
  Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
