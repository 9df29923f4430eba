import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, type Call, HOOK, HOUR, refuse, SECOND, silence, useWebhooks } from './webhook-harness.js';

interface Row {
  receiver: string;
  expect: { attempts?: number; gaps_s?: number[]; gap_s_at_least?: number; state?: 'delivered' | 'dead_letter' };
}
type Respond = (call: Call, signal: AbortSignal) => ReturnType<typeof answer> | Promise<ReturnType<typeof answer>>;

const { delivery: rows } = JSON.parse(readFileSync(join('test/vectors/webhook_signatures.json'), 'utf8')) as {
  delivery: Row[];
};

/** 500 so many times, then 200. */
const recovering = (failures: number): Respond => {
  let calls = 0;
  return () => answer(calls++ < failures ? 500 : 200);
};
const once = (first: ReturnType<typeof answer>): Respond => {
  let calls = 0;
  return () => (calls++ === 0 ? first : answer(200));
};

/** What a receiver of that name does. Several of one name do so one after the other. */
const BEHAVIOURS: Record<string, Respond[]> = {
  '200': [() => answer(200)],
  '204': [() => answer(204)],
  '299': [() => answer(299)],
  '500 x1 then 200': [recovering(1)],
  '500 x2 then 200': [recovering(2)],
  '500 x3 then 200': [recovering(3)],
  '500 always': [() => answer(500)],
  '301/302/303/307/308 to public': [301, 302, 303, 307, 308].map((status) => () => answer(status)),
  '302 to http://127.0.0.1': [() => answer(302)],
  '400/401/403/404/405/422': [400, 401, 403, 404, 405, 422].map((status) => () => answer(status)),
  '410': [() => answer(410)],
  '429 Retry-After: 5 then 200': [once(answer(429, 5 * SECOND))],
  'accepts the connection, never answers': [silence],
  'connection refused': [refuse],
  'RST after request': [refuse],
};

/** What only sockets, a crash or a restart can show. */
const ELSEWHERE: Record<string, string> = {
  '429 Retry-After: 86400': 'engine/webhooks.test.ts: waits as long as the receiver asks … but not for ever',
  '503 Retry-After: <HTTP-date>': 'fetching/webhook-post.test.ts',
  'headers at once, body drips 1 byte/s': 'fetching/webhook-post.test.ts',
  '10 GB response body': 'fetching/webhook-post.test.ts',
  'expired / self-signed / wrong-host TLS certificate': 'fetching/webhook-egress.test.ts',
  '200 but process killed -9 before the ack is stored': 'journeys/webhook-restart.test.ts',
  'restart of the sender between attempts 2 and 3': 'engine/webhooks.test.ts: goes on after a restart …',
  retry: 'engine/webhooks.test.ts: sends the same id and the same bytes every time …',
};

const cases = rows.flatMap((row) => (BEHAVIOURS[row.receiver] ?? []).map((respond) => ({ ...row, respond })));

describe('receivers of the public vectors', () => {
  const hooks = useWebhooks();

  it('are all here or in another file', () => {
    const missing = rows.filter(({ receiver }) => !BEHAVIOURS[receiver] && !ELSEWHERE[receiver]);
    expect(missing.map(({ receiver }) => receiver)).toEqual([]);
  });

  it.each(cases)('$receiver', async ({ respond, expect: wanted }) => {
    hooks.respond = respond;
    await hooks.submit(HOOK);
    await hooks.clock.advance(24 * HOUR);
    const gaps = hooks.calls.slice(1).map(({ at }, index) => (at - (hooks.calls[index]?.at ?? 0)) / SECOND);
    // Where the vectors give up after the quick retries, ours go on for hours first.
    const isGivenUp = wanted.state === 'dead_letter' && wanted.attempts === 4;
    if (isGivenUp) expect(hooks.calls).toHaveLength(8);
    else if (wanted.attempts !== undefined && wanted.state) expect(hooks.calls).toHaveLength(wanted.attempts);
    for (const [index, gap] of (wanted.gaps_s ?? []).entries()) {
      expect(gaps[index]).toBeGreaterThanOrEqual(gap);
      expect(gaps[index]).toBeLessThanOrEqual(gap * 1.1);
    }
    if (wanted.gap_s_at_least !== undefined) expect(gaps[0]).toBeGreaterThanOrEqual(wanted.gap_s_at_least);
    const { status } = await hooks.first();
    expect(status).toBe(wanted.state === 'delivered' ? 'delivered' : 'dead');
  });
});
