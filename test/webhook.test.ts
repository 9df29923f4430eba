import { describe, expect, it } from 'vitest';
import { standardSignatures, webhookHeaders } from '../src/domain/webhook-signature.js';
import { verify, type WebhookHeaders, WebhookVerificationError } from '../src/webhook.js';
import vectors from './vectors/webhook_signatures.json' with { type: 'json' };

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const NOW = 1_614_265_330;
const body = '{"event":"job.completed","job_id":"j1"}';
const content = { id: 'evt_1', timestamp: NOW, body };
const headers = webhookHeaders({ ...content, attempt: 3, event: 'job.completed' }, [SECRET]);
const at = (seconds: number) => ({ now: () => seconds * 1_000 });

const reasonOf = (check: () => unknown) => {
  try {
    check();
    return 'verified';
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.reason;
    throw error;
  }
};
const reasonWith = (changed: WebhookHeaders, secrets: string | string[] = SECRET) =>
  reasonOf(() => verify(changed, body, secrets, at(NOW)));

describe('the vectors', () => {
  it.each(vectors.verify)('$name', (row) => {
    const reason = reasonOf(() => verify(row.headers, row.payload, row.secret, at(row.now)));
    if (row.expect !== 'either') expect(reason === 'verified').toBe(row.expect === 'valid');
  });

  it.each(vectors.reject_secrets)('no receiver has the secret %j', (secret) => {
    expect(reasonWith(headers, secret as string)).toBe('bad_secret');
  });
});

describe('a webhook that verifies', () => {
  const told = { id: 'evt_1', timestamp: new Date(NOW * 1_000), attempt: 3, event: 'job.completed' };
  const payload = { event: 'job.completed', job_id: 'j1' };

  it('is told as its id, time, attempt, event and payload, from text and from bytes', () => {
    expect(verify(headers, body, SECRET, at(NOW))).toEqual({ ...told, payload });
    expect(verify(headers, Buffer.from(body), [OTHER, SECRET], at(NOW))).toEqual({ ...told, payload });
  });

  it('may come with headers of fetch, of Node, or spelt otherwise', () => {
    const shouted = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
    for (const each of [new Headers(headers), { ...headers, cookie: undefined }, shouted])
      expect(verify(each, body, SECRET, at(NOW))).toEqual({ ...told, payload });
  });

  it('may come from another sender, who has no attempt and no event', () => {
    const { 'x-webhook-attempt': _, 'x-webhook-event': __, ...bare } = headers;
    for (const each of [bare, new Headers(bare)])
      expect(verify(each, body, SECRET, at(NOW))).toMatchObject({ attempt: null, event: null });
    expect(verify({ ...bare, 'x-webhook-attempt': '1e3' }, body, SECRET, at(NOW)).attempt).toBeNull();
  });
});

describe('a webhook is refused', () => {
  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('without %s, or with an empty one', (name) => {
    expect(reasonWith({ ...headers, [name]: undefined })).toBe('missing_header');
    expect(reasonWith({ ...headers, [name]: '' })).toBe('missing_header');
    expect(reasonWith({ ...headers, [name]: [] })).toBe('missing_header');
  });

  it('when a header says two things; the same thing twice is fine', () => {
    expect(reasonWith({ ...headers, 'Webhook-Id': 'evt_2' })).toBe('repeated_header');
    expect(reasonWith({ ...headers, 'webhook-timestamp': [String(NOW), String(NOW + 1)] })).toBe('repeated_header');
    expect(reasonWith({ ...headers, 'X-Webhook-Event': 'ping' })).toBe('repeated_header');
    expect(reasonWith({ ...headers, 'Webhook-Id': ['evt_1', 'evt_1'] })).toBe('verified');
  });

  it.each([
    'hello',
    '',
    ' 1614265330',
    '1614265330.0',
    '+1614265330',
    '-1',
    '01614265330',
    '1.6e9',
    '1614265330000',
    '٣',
  ])('with the timestamp %j', (timestamp) => {
    const reason = reasonWith({ ...headers, 'webhook-timestamp': timestamp });
    expect(reason).toBe(timestamp === '' ? 'missing_header' : 'bad_timestamp');
  });

  it('outside the tolerance, which is five minutes or what the receiver says', () => {
    const age = (seconds: number, toleranceSeconds?: number) =>
      reasonOf(() =>
        verify(headers, body, SECRET, {
          ...at(NOW + seconds),
          ...(toleranceSeconds !== undefined && { toleranceSeconds }),
        }),
      );
    expect([age(300), age(301), age(-300), age(-301)]).toEqual(['verified', 'too_old', 'verified', 'too_new']);
    expect([age(10, 10), age(11, 10), age(0, 0), age(-1, 0)]).toEqual(['verified', 'too_old', 'verified', 'too_new']);
    expect(age(86_400, Number.POSITIVE_INFINITY)).toBe('verified');
  });

  it('when tolerance or clock are no numbers: that must not open the door', () => {
    expect(reasonOf(() => verify(headers, body, SECRET, { ...at(NOW), toleranceSeconds: Number.NaN }))).toBe('too_old');
    expect(reasonOf(() => verify(headers, body, SECRET, at(Number.NaN)))).toBe('too_old');
    expect(reasonOf(() => verify(headers, body, SECRET))).toBe('too_old');
  });

  it('when nothing in it was signed with a known secret', () => {
    expect(reasonWith(headers, OTHER)).toBe('no_match');
    expect(reasonOf(() => verify(headers, `${body} `, SECRET, at(NOW)))).toBe('no_match');
    expect(reasonWith({ ...headers, 'webhook-id': 'evt_2' })).toBe('no_match');
    expect(reasonWith({ ...headers, 'webhook-signature': `${headers['webhook-signature']}=` })).toBe('no_match');
  });

  it('when the signature that fits is the twenty-first', () => {
    const wrong = Array.from({ length: 20 }, () => standardSignatures(content, [OTHER]));
    const behind = (count: number) => [...wrong.slice(0, count), headers['webhook-signature']].join(' ');
    expect(reasonWith({ ...headers, 'webhook-signature': behind(19) })).toBe('verified');
    expect(reasonWith({ ...headers, 'webhook-signature': behind(20) })).toBe('no_match');
  });

  it.each(['', '{', 'undefined', '\ufeff{}', Buffer.from([0x22, 0xff, 0x22])])(
    'when it signs what is not JSON: %j',
    (text) => {
      const signed = webhookHeaders({ ...content, body: text, attempt: 1, event: 'ping' }, [SECRET]);
      expect(reasonOf(() => verify(signed, text, SECRET, at(NOW)))).toBe('bad_body');
    },
  );

  it('when the body was parsed already', () => {
    expect(reasonOf(() => verify(headers, JSON.parse(body), SECRET, at(NOW)))).toBe('bad_body');
  });

  it('when the receiver has no secret, or one that is at fault, and the message does not show it', () => {
    expect(reasonWith(headers, [])).toBe('bad_secret');
    expect(reasonWith(headers, [undefined as unknown as string])).toBe('bad_secret');
    const check = () => verify(headers, body, [SECRET, 'whsec_oops!'], at(NOW));
    expect(reasonOf(check)).toBe('bad_secret');
    expect(check).not.toThrow(/oops/);
  });
});

describe('a rotation', () => {
  it('is no event for receivers with the old secret, the new one, or both', () => {
    const both = webhookHeaders({ ...content, attempt: 1, event: 'ping' }, [OTHER, SECRET]);
    for (const secrets of [SECRET, OTHER, [SECRET, OTHER], [OTHER, SECRET]])
      expect(reasonWith(both, secrets)).toBe('verified');
  });
});
