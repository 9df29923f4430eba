import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { webhookHeaders } from '../src/domain/webhook-signature.js';
import { verify } from '../src/webhook.js';

// The reference library knows only the system's clock, so everything here happens now.

const id = fc.stringMatching(/^[\w-]{1,64}$/);
const attempt = fc.integer({ min: 1, max: 50 });
const body = fc.jsonValue({ noUnicodeString: false }).map((value) => JSON.stringify(value));
const key = fc.uint8Array({ minLength: 1, maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString('base64'));
const secret = fc.tuple(fc.constantFrom('whsec_', ''), key).map(([prefix, text]) => prefix + text);
const nowSeconds = () => Math.floor(Date.now() / 1_000);

describe('the reference library of Standard Webhooks', () => {
  it('verifies what we sign', () => {
    fc.assert(
      fc.property(id, attempt, body, secret, (id, attempt, body, secret) => {
        const headers = webhookHeaders({ id, timestamp: nowSeconds(), attempt, event: 'job.completed', body }, [
          secret,
        ]);
        expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
      }),
    );
  });

  it('signs what we verify', () => {
    fc.assert(
      fc.property(id, body, secret, (id, body, secret) => {
        const timestamp = new Date();
        const headers = {
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(timestamp.getTime() / 1_000)),
          'webhook-signature': new Webhook(secret).sign(id, timestamp, body),
        };
        expect(verify(headers, body, secret).payload).toEqual(JSON.parse(body));
        expect(verify(headers, Buffer.from(body), secret)).toMatchObject({ id, attempt: null, event: null });
      }),
    );
  });

  it('has receivers of the old and of the new secret during a rotation, and both accept', () => {
    fc.assert(
      fc.property(id, body, fc.uniqueArray(secret, { minLength: 2, maxLength: 4 }), (id, body, secrets) => {
        const headers = webhookHeaders({ id, timestamp: nowSeconds(), attempt: 1, event: 'ping', body }, secrets);
        for (const one of secrets) expect(new Webhook(one).verify(body, headers)).toEqual(JSON.parse(body));
      }),
    );
  });

  it('refuses the secrets that we take as text, so that there is no second opinion about their key', () => {
    for (const text of ['a passphrase, by hand', 'geheimnisvölle', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa_-'])
      expect(() => new Webhook(text), text).toThrow();
  });
});
