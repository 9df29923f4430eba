import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  bodySignatures,
  standardSignatures,
  webhookHeaders,
  webhookSecretFault,
} from '../../src/domain/webhook-signature.js';
import vectors from '../vectors/webhook_signatures.json' with { type: 'json' };

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OLDER = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const content = { id: 'msg_1', timestamp: 1_614_265_330, body: '{"test": 2432232314}' };
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

describe('the standard signature', () => {
  it.each(vectors.sign)('of the vector "$name"', ({ secret, id, timestamp, payload, payload_repeat, signature }) => {
    const [unit, times] = (payload_repeat ?? ['', 0]) as [string, number];
    const body = payload ?? unit.repeat(times);
    expect(standardSignatures({ id, timestamp, body }, [secret])).toBe(signature);
    expect(standardSignatures({ id, timestamp, body: new TextEncoder().encode(body) }, [secret])).toBe(signature);
  });

  it('is there once for each secret, in their order, between single spaces', () => {
    const [newest, older] = [[SECRET], [OLDER]].map((secrets) => standardSignatures(content, secrets));
    expect(standardSignatures(content, [SECRET, OLDER])).toBe(`${newest} ${older}`);
    expect(standardSignatures(content, [OLDER, SECRET])).toBe(`${older} ${newest}`);
  });

  it.each([
    ['is not base64 at all', 'a passphrase, by hand'],
    ['has a length no base64 has', 'abcdefghi'],
    ['lacks its padding', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS'],
    ['is base64 for URLs', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa_-'],
    ['is padded too much', 'QUJD===='],
    ['is not ASCII', 'geheimnisvölle'],
  ])('is made with the text itself where a secret without prefix %s', (_, secret) => {
    const key = Buffer.from(secret, 'utf8');
    const text = `${content.id}.${content.timestamp}.${content.body}`;
    expect(standardSignatures(content, [secret])).toBe(`v1,${hmac(key, text).toString('base64')}`);
  });

  it('is not made of a time with a fraction, without a secret, or with one that is at fault', () => {
    expect(() => standardSignatures({ ...content, timestamp: 1.5 }, [SECRET])).toThrow(RangeError);
    expect(() => standardSignatures(content, [])).toThrow(TypeError);
    expect(() => standardSignatures(content, [SECRET, 'whsec_???'])).toThrow(TypeError);
    expect(() => standardSignatures(content, ['whsec_???'])).not.toThrow(/\?\?\?/);
  });
});

describe('the signature of the body', () => {
  // What is signed and the frame around the hex differ from scheme to scheme; the HMAC under a secret's text does not.
  it.each(vectors.legacy)('agrees with $scheme', ({ scheme, secret, payload, timestamp, signature }) => {
    const signed = scheme.startsWith('Stripe') ? `${timestamp}.${payload}` : payload;
    expect(bodySignatures(signed, [secret])).toBe(signature.replace(/^.*=/, ''));
    expect(bodySignatures(new TextEncoder().encode(signed), [secret])).toBe(signature.replace(/^.*=/, ''));
  });

  it("takes the secret's text for the key, prefix and all", () => {
    expect(bodySignatures(content.body, [SECRET])).toBe(hmac(SECRET, content.body).toString('hex'));
  });

  it('is there once for each secret, in their order, between commas', () => {
    const each = [SECRET, OLDER].map((secret) => bodySignatures(content.body, [secret]));
    expect(bodySignatures(content.body, [SECRET, OLDER])).toBe(each.join(','));
    expect(each.join()).toMatch(/^[0-9a-f]{64},[0-9a-f]{64}$/);
  });

  it('is not made without a secret', () => {
    expect(() => bodySignatures(content.body, [])).toThrow(TypeError);
    expect(() => bodySignatures(content.body, [SECRET, ''])).toThrow(TypeError);
  });
});

describe('a secret', () => {
  it.each([...vectors.reject_secrets, undefined, 'whsec_not base64', 'whsec_abc', 'whsec_MfKQ9r8GKYqrTwjU_-'])(
    'cannot be %j, and the fault does not repeat it',
    (secret) => {
      const fault = webhookSecretFault(secret);
      expect(fault).toMatch(/^\p{Lu}.*\.$/u);
      if (secret && secret !== 'whsec_') expect(fault).not.toContain(secret);
    },
  );

  it.each([SECRET, SECRET.slice('whsec_'.length), 'a passphrase, by hand', 'WHSEC_not a prefix', 'whsec'])(
    'can be %j',
    (secret) => {
      expect(webhookSecretFault(secret)).toBeNull();
    },
  );
});

it('all headers of a webhook are made in one place', () => {
  const headers = webhookHeaders({ ...content, attempt: 2, event: 'job.completed' }, [SECRET, OLDER]);
  expect(headers).toEqual({
    'content-type': 'application/json; charset=utf-8',
    'webhook-id': 'msg_1',
    'webhook-timestamp': '1614265330',
    'webhook-signature': standardSignatures(content, [SECRET, OLDER]),
    'x-webhook-signature': bodySignatures(content.body, [SECRET, OLDER]),
    'x-webhook-attempt': '2',
    'x-webhook-event': 'job.completed',
  });
});
