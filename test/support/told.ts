import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import { verify } from '../../src/webhook.js';
import type { Received, Receiver } from './receiver.js';

export const NEW_SECRET = 'whsec_Q0FOQVJZLW5ldy1zZWNyZXQtb2YtdGhlLWpvdXJuZXk=';
export const OLD_SECRET = 'whsec_Q0FOQVJZLW9sZC1zZWNyZXQtb2YtdGhlLWpvdXJuZXk=';

/** One event as its receiver knows it, however often it came. */
export interface Told {
  id: string;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: a wire document without a compile-time shape
  payload: any;
  body: string;
  /** Of each time it came. */
  attempts: number[];
  timestamps: number[];
  at: number[];
}

/**
 * What a receiver makes of its requests: each is verified, with our own module, with the public library and by hand;
 * those of one id are one event, and must be the same to the byte.
 */
export function told({ requests }: Pick<Receiver, 'requests'>, secret = OLD_SECRET): Told[] {
  const events = new Map<string, Told>();
  for (const request of requests) {
    const { id, event, payload, attempt, timestamp } = verified(request, secret);
    const body = request.body.toString();
    const known = events.get(id) ?? { id, event: event!, payload, body, attempts: [], timestamps: [], at: [] };
    expect(body).toBe(known.body);
    expect(event).toBe(known.event);
    known.attempts.push(attempt!);
    known.timestamps.push(timestamp.getTime() / 1_000);
    known.at.push(request.at);
    events.set(id, known);
  }
  return [...events.values()];
}

function verified({ headers, body, wallAt }: Received, secret: string): ReturnType<typeof verify> {
  const ours = verify(headers, body, secret, { now: () => wallAt });
  expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(ours.payload);
  const byHand = createHmac('sha256', secret).update(body).digest('hex');
  expect(String(headers['x-webhook-signature']).split(',')).toContain(byHand);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  return ours;
}
