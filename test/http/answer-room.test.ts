import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { createAnswerRoom } from '../../src/http/answer-room.js';

const LONG = 'x'.repeat(16 * 1024 * 1024);

/** A real server with one route; the handler waits until it is told to answer. */
async function openServer(limits: { atOnce: number; underWayBytes: number }) {
  const app = fastify();
  const room = createAnswerRoom(limits);
  const made: (() => void)[] = [];
  app.get<{ Querystring: { long?: string; fail?: string } }>('/', { onSend: room.onSend }, async (request, reply) => {
    await room.enter(reply);
    await new Promise<void>((resolve) => made.push(resolve));
    if (request.query.fail) throw new Error('It could not be made.');
    return reply.type('text/plain').send(request.query.long ? LONG : 'short');
  });
  app.setErrorHandler((error: Error & { code?: string }, _request, reply) => {
    reply.code(error.code === 'overloaded' ? 503 : 500).send(error.message);
  });
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  return { app, address, made, port: (app.server.address() as AddressInfo).port };
}

describe('the room for answers', () => {
  it('makes as many at once as it has places, then the next, also after one that failed or whose caller has gone', async () => {
    const { app, address, made } = await openServer({ atOnce: 1, underWayBytes: 1_000 });
    const gone = new AbortController();
    const first = fetch(`${address}/?fail=1`);
    await expect.poll(() => made.length).toBe(1);
    const second = fetch(address, { signal: gone.signal }).catch(() => 'gone');
    const third = fetch(address);
    made[0]!();
    expect((await first).status).toBe(500);
    await expect.poll(() => made.length).toBe(2);
    gone.abort();
    expect(await second).toBe('gone');
    await expect.poll(() => made.length).toBe(3);
    made[2]!();
    expect(await (await third).text()).toBe('short');
    for (const make of made) make();
    await app.close();
  });

  it('refuses while too much is on its way to a caller who does not read, and no longer', async () => {
    const { app, address, made, port } = await openServer({ atOnce: 9, underWayBytes: LONG.length });
    const idle = connect(port, '127.0.0.1');
    idle.pause();
    await once(idle, 'connect');
    idle.write('GET /?long=1 HTTP/1.1\r\nhost: x\r\n\r\n');
    await expect.poll(() => made.length).toBe(1);
    made[0]!();
    await expect.poll(async () => (await fetchMade(address, made)).status).toBe(503);
    idle.destroy();
    await expect.poll(async () => (await fetchMade(address, made)).status).toBe(200);
    await app.close();
  });
});

/** Asks, and has whatever is being made answered. */
async function fetchMade(address: string, made: (() => void)[]): Promise<Response> {
  const asked = fetch(address);
  const making = setInterval(() => {
    for (const make of made.splice(0)) make();
  }, 5);
  return asked.finally(() => clearInterval(making));
}
