import { once } from 'node:events';
import { createServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inspect } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GleanerError } from '../../src/domain/errors.js';
import type { WebhookAnswer } from '../../src/ports/webhook-sender.js';
import { type Behaviour, type Receiver, startReceiver } from '../support/receiver.js';
import { openWebhookPost, type WebhookPost } from '../support/webhook-post.js';

/** Both may be the receiver's password. */
const PATH = '/hook/s3cret-path?token=s3cret-query';
const BODY = '{"job_id":"j1","note":"Grüße 🌍"}';
const HEADERS = { 'content-type': 'application/json; charset=utf-8', 'webhook-id': 'evt_1', 'x-webhook-attempt': '1' };
const GIB = 1024 ** 3;

let receiver: Receiver;
let post: WebhookPost;
const closing: WebhookPost[] = [];
const faults: GleanerError[] = [];

beforeEach(async () => {
  receiver = await startReceiver();
  post = openWebhookPost();
});

afterEach(async () => {
  for (const one of [post, ...closing.splice(0)]) await one.close();
  await receiver.close();
  for (const fault of faults.splice(0)) expect(inspect(fault, { depth: 9, showHidden: true })).not.toMatch(/s3cret/);
});

const send = (url = receiver.url(PATH), signal = AbortSignal.timeout(20_000)): Promise<WebhookAnswer> =>
  post.send({ url, headers: HEADERS, body: BODY }, signal);

const faultOf = async (sending: Promise<WebhookAnswer>): Promise<GleanerError> => {
  const fault = await sending.then(
    (answer) => expect.unreachable(`answered ${answer.status}`),
    (error: GleanerError) => error,
  );
  faults.push(fault);
  return fault;
};

const told = (behaviour: Behaviour): Promise<WebhookAnswer> => {
  receiver.behave = behaviour;
  return send();
};

describe('a webhook', () => {
  it('is posted byte by byte, with the headers it was given and our name', async () => {
    await send();
    const [request] = receiver.requests;
    expect(request).toMatchObject({ method: 'POST', path: PATH, body: Buffer.from(BODY) });
    expect(request?.headers).toMatchObject({
      ...HEADERS,
      host: new URL(receiver.origin).host,
      'user-agent': 'gleaner/test',
      'content-length': String(Buffer.byteLength(BODY)),
    });
    expect(request?.headers).not.toHaveProperty('transfer-encoding');
  });

  it.each([200, 202, 204, 299, 304, 400, 401, 404, 410, 413, 422, 429, 500, 502, 503])(
    'brings back the status %d and nothing else',
    async (status) => {
      expect(await told(status)).toEqual({ status, retryAfterMs: undefined });
      expect(receiver.requests).toHaveLength(1);
    },
  );

  it.each([429, 503])('brings back what a %d asks for, in seconds or as a date', async (status) => {
    expect(await told({ status, headers: { 'retry-after': '7' } })).toEqual({ status, retryAfterMs: 7_000 });
    const inAMinute = new Date(Date.now() + 60_000).toUTCString();
    const { retryAfterMs } = await told({ status, headers: { 'retry-after': inAMinute } });
    expect(retryAfterMs).toBeGreaterThan(50_000);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
    expect(await told({ status, headers: { 'retry-after': 'soon' } })).toEqual({ status, retryAfterMs: undefined });
  });

  it.each([301, 302, 303, 307, 308] as const)('does not follow a %d, neither abroad nor inside', async (redirect) => {
    const other = await startReceiver({ host: '127.0.0.2' });
    try {
      for (const to of [other.url(), receiver.url('/again'), 'http://169.254.169.254/latest/', '/here']) {
        expect(await told({ redirect, to })).toEqual({ status: redirect, retryAfterMs: undefined });
      }
      expect(receiver.requests.map(({ path }) => path)).toEqual([PATH, PATH, PATH, PATH]);
      expect(other.connections()).toBe(0);
    } finally {
      await other.close();
    }
  });

  it.each(['close', 'reset', { raw: 'SSH-2.0-OpenSSH_9.9\r\n\r\n' }, { raw: 'HTTP/1.1 20' }] as const)(
    'fails where the answer is %j',
    async (behaviour) => {
      const fault = await faultOf(told(behaviour));
      expect(fault).toMatchObject({ name: 'GleanerError', code: 'connect_failed' });
      expect(fault.message).toContain(new URL(receiver.origin).host);
    },
  );

  it('fails where nobody listens', async () => {
    const { origin } = receiver;
    await receiver.close();
    expect(await faultOf(send(origin + PATH))).toMatchObject({ code: 'connect_failed' });
    receiver = await startReceiver();
  });

  it('fails where no answer comes in time', async () => {
    closing.push(post);
    post = openWebhookPost({ headersTimeoutMs: 300 });
    expect(await faultOf(told('hang'))).toMatchObject({ code: 'target_timeout' });
    await receiver.untilLeft(1);
  });
});

describe("the body of a receiver's answer", () => {
  it('is not waited for, and a connection that only drips is let go', async () => {
    const began = performance.now();
    expect(await told('drip')).toMatchObject({ status: 200 });
    expect(performance.now() - began).toBeLessThan(1_000);
    await receiver.untilLeft(1);
    const heldMs = performance.now() - began;
    expect(heldMs).toBeGreaterThan(900);
    expect(heldMs).toBeLessThan(10_000);
  });

  it.each([true, false])('of 10 GB costs next to nothing, with its length declared: %j', async (declared) => {
    const flood = { flood: 10 * GIB, declared };
    const tellAndLeave = async (): Promise<void> => {
      expect(await told(flood)).toMatchObject({ status: 200 });
      await receiver.untilLeft(receiver.requests.at(-1)?.connection);
    };
    // Once before, for what is made only once.
    await tellAndLeave();
    const [before, sentBefore] = [memory(), receiver.sent()];
    for (let n = 0; n < 10; n += 1) await tellAndLeave();
    expect(memory() - before).toBeLessThan(5 * 1024 * 1024);
    // What was on its way when we hung up: what the buffers of the system hold.
    expect((receiver.sent() - sentBefore) / 10).toBeLessThan(16 * 1024 * 1024);
  });
});

describe('connections', () => {
  it('are used again, also after answers with a body', async () => {
    for (const status of [200, 500, 204, 302]) {
      await told({ status, body: 'x'.repeat(status === 204 ? 0 : 50_000) });
      await aMoment();
    }
    expect(receiver.connections()).toBe(1);
    expect(receiver.requests.map(({ connection }) => connection)).toEqual([1, 1, 1, 1]);
  });

  it('that died while they were idle are replaced once, and the receiver is not blamed', async () => {
    receiver.behave = ({ connection }) => (connection === 1 && receiver.requests.length > 1 ? 'close' : 200);
    await send();
    await aMoment();
    expect(await send()).toMatchObject({ status: 200 });
    expect(receiver.requests.map(({ connection }) => connection)).toEqual([1, 1, 2]);
    expect(new Set(receiver.requests.map(({ body }) => body.toString()))).toEqual(new Set([BODY]));
  });

  it('that die again are the receiver’s fault', async () => {
    receiver.behave = () => (receiver.requests.length === 1 ? 200 : 'close');
    await send();
    await aMoment();
    expect(await faultOf(send())).toMatchObject({ code: 'connect_failed' });
    expect(receiver.requests).toHaveLength(3);
  });

  it('that are new and die are not tried again', async () => {
    await faultOf(told('close'));
    expect(receiver.requests).toHaveLength(1);
  });

  it('are all gone once the sender is closed, answers under way too', async () => {
    const dripping = await told('drip');
    expect(dripping.status).toBe(200);
    const hanging = faultOf(told('hang'));
    await receiver.until(2);
    await post.close();
    await hanging;
    await receiver.untilLeft();
  });
});

describe('an abort', () => {
  const reason = new Error('enough');
  const abortsWithin = async (sending: (signal: AbortSignal) => Promise<unknown>, when: () => Promise<unknown>) => {
    const controller = new AbortController();
    const ended = sending(controller.signal).catch((error: unknown) => error);
    await when();
    const began = performance.now();
    controller.abort(reason);
    expect(await ended).toBe(reason);
    expect(performance.now() - began).toBeLessThan(2_000);
  };

  it('ends the wait for an answer at once, and the connection', async () => {
    receiver.behave = 'hang';
    await abortsWithin(
      (signal) => send(receiver.url(PATH), signal),
      () => receiver.until(1),
    );
    await receiver.untilLeft(1);
  });

  it('ends the wait for a name, and what is found afterwards is not told anything', async () => {
    let found = (_: { address: string; family: 4 }[]): void => {};
    const asked = new Promise<void>((resolve) => {
      const lookup = () => {
        resolve();
        return new Promise<{ address: string; family: 4 }[]>((answer) => {
          found = answer;
        });
      };
      closing.push(post);
      post = openWebhookPost({ lookup });
    });
    await abortsWithin(
      (signal) => send(`http://slow.example:${receiver.port}${PATH}`, signal),
      () => asked,
    );
    found([{ address: '127.0.0.1', family: 4 }]);
    await expect.poll(() => receiver.connections()).toBe(1);
    expect(await send()).toMatchObject({ status: 200 });
    expect(receiver.requests.map(({ headers }) => headers.host)).toEqual([new URL(receiver.origin).host]);
  });

  it('ends a handshake that never comes to an end', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    const connected = once(silent, 'connection');
    await abortsWithin(
      (signal) => send(`https://127.0.0.1:${port}${PATH}`, signal),
      () => connected,
    );
    const [socket] = await connected;
    socket.on('error', () => {}).destroy();
    silent.close();
  });

  it('that came before anything began sends nothing', async () => {
    await expect(send(receiver.url(PATH), AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(await send()).toMatchObject({ status: 200 });
    expect(receiver.requests).toHaveLength(1);
  });
});

/** The status is there a little before the connection is free again; in the service a write to the store lies between. */
async function aMoment(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();
}

/** What is held, once everything that can be let go has been. */
function memory(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}
