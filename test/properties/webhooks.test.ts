import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { webhookHeaders } from '../../src/domain/webhook-signature.js';

const hexHmac = (secret: string, body: string) => createHmac('sha256', secret).update(body).digest('hex');

/** With the prefix and base64 behind it, or any text at all. */
const secret = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 64 }).map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`),
  fc.string({ unit: 'binary', minLength: 1 }).filter((text) => !text.startsWith('whsec_')),
);
const webhook = fc.record({
  id: fc.uuid(),
  timestamp: fc.nat(),
  attempt: fc.integer({ min: 1, max: 100 }),
  event: fc.constantFrom('job.completed', 'task.failed', 'ping'),
  body: fc.jsonValue({ noUnicodeString: false }).map((payload) => JSON.stringify(payload)),
});

it('Property 40: for every payload and secret, X-Webhook-Signature is HMAC-SHA256 of the body under that secret', () => {
  fc.assert(
    fc.property(webhook, fc.array(secret, { minLength: 1, maxLength: 3 }), (sent, secrets) => {
      const signatures = webhookHeaders(sent, secrets)['x-webhook-signature']?.split(',');
      expect(signatures).toEqual(secrets.map((one) => hexHmac(one, sent.body)));
      // And of nothing else: another body or another secret gives another one.
      expect(signatures).not.toContain(hexHmac(secrets[0]!, `${sent.body} `));
      expect(signatures).not.toContain(hexHmac(`${secrets.join('')}.`, sent.body));
    }),
    { numRuns: 500 },
  );
});
