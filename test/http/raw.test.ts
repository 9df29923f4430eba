import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lookAt } from '../support/sinks.js';
import { KEY, listening, openDoor, parseAnswer, rawExchange, SCRAPE, type TestDoor, target, UUID } from './support.js';

const HOST = 'Host: 127.0.0.1';
const AUTH = `X-Service-Key: ${KEY}`;
const JSON_TYPE = 'Content-Type: application/json';

const request = (...lines: string[]): string => `${lines.join('\r\n')}\r\n\r\n`;

describe('what arrives on the socket', () => {
  let door: TestDoor;
  let port: number;
  beforeAll(async () => {
    door = await openDoor();
    port = await listening(door.app);
  });
  afterAll(() => door.app.close());

  async function refused(bytes: string): Promise<ReturnType<typeof parseAnswer>> {
    const answer = parseAnswer(await rawExchange(port, [bytes]));
    const body = JSON.parse(answer.body);
    expect(answer.headers['x-request-id']).toMatch(UUID);
    expect(body).toMatchObject({ success: false, data: null, meta: { request_id: answer.headers['x-request-id'] } });
    return answer;
  }

  it('is refused as 400 when Content-Length and Transfer-Encoding disagree', async () => {
    const smuggled = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n';
    const answer = await refused(
      request(`POST ${SCRAPE} HTTP/1.1`, HOST, AUTH, JSON_TYPE, 'Content-Length: 5', 'Transfer-Encoding: chunked') +
        `0\r\n\r\n${smuggled}`,
    );
    expect(answer.status).toBe(400);
    expect(answer.body).not.toContain('HTTP/1.1');
  });

  it('is refused as 400 when two Content-Length headers differ', async () => {
    const bytes = request(`POST ${SCRAPE} HTTP/1.1`, HOST, AUTH, 'Content-Length: 5', 'Content-Length: 6');
    expect((await refused(`${bytes}hello!`)).status).toBe(400);
  });

  it('is refused as 400 with two Host headers, or with none', async () => {
    expect((await refused(request('GET /health HTTP/1.1', HOST, 'Host: other', 'Connection: close'))).status).toBe(400);
    expect((await refused(request('GET /health HTTP/1.1', 'Connection: close'))).status).toBe(400);
  });

  it('is refused as 401 with two service keys, even when both are right', async () => {
    const bytes = request(`GET ${SCRAPE}/jobs HTTP/1.1`, HOST, AUTH, AUTH, 'Connection: close');
    expect((await refused(bytes)).status).toBe(401);
  });

  it('is refused as 431 when the headers or the URL are too large', async () => {
    const flood = Array.from({ length: 400 }, (_, index) => `X-Flood-${index}: ${'a'.repeat(50)}`);
    expect((await refused(request('GET /health HTTP/1.1', HOST, ...flood))).status).toBe(431);
    expect((await refused(request(`GET /${'a'.repeat(20_000)} HTTP/1.1`, HOST))).status).toBe(431);
  });

  it('is refused as 400 when it is not HTTP at all', async () => {
    expect((await refused('HELO there\r\n\r\n')).status).toBe(400);
    expect((await refused('\u0016\u0003\u0001\u0000\u00a5')).status).toBe(400);
  });

  it('is refused as 405 for TRACE, without echoing the request', async () => {
    const answer = await refused(request('TRACE /health HTTP/1.1', HOST, 'X-Secret: s3cret', 'Connection: close'));
    expect(answer.status).toBe(405);
    expect(answer.body).not.toContain('s3cret');
  });

  it('is read although it expects something unknown', async () => {
    const bytes = request('GET /health HTTP/1.1', HOST, 'Expect: the-unexpected', 'Connection: close');
    const answer = parseAnswer(await rawExchange(port, [bytes]));
    expect(answer.status).toBe(200);
    expect(answer.headers['x-request-id']).toMatch(UUID);
  });

  it('is refused as 413 as soon as an endless chunked body passes the limit', async () => {
    const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`;
    const head = request(`POST ${SCRAPE} HTTP/1.1`, HOST, AUTH, JSON_TYPE, 'Transfer-Encoding: chunked');
    const answer = parseAnswer(await rawExchange(port, [head, ...Array(20).fill(chunk)]));
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.body).meta.code).toBe('payload_too_large');
  });

  it('ends the connection when a body of unknown length was refused unread', async () => {
    const head = request(`POST ${SCRAPE} HTTP/1.1`, HOST, JSON_TYPE, 'Transfer-Encoding: chunked');
    const answer = parseAnswer(await rawExchange(port, [head]));
    expect(answer.status).toBe(401);
    expect(answer.headers.connection).toBe('close');
  });

  it('is answered in order when a hundred requests are pipelined, and the key is checked on each', async () => {
    const one = (index: number) =>
      request(`GET ${SCRAPE}/jobs HTTP/1.1`, HOST, index % 2 === 0 ? AUTH : 'X-Service-Key: wrong');
    const last = request(`GET ${SCRAPE}/jobs HTTP/1.1`, HOST, AUTH, 'Connection: close');
    const raw = await rawExchange(port, [Array.from({ length: 99 }, (_, index) => one(index)).join('') + last]);
    const statuses = [...raw.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1]));
    expect(statuses).toEqual([...Array.from({ length: 99 }, (_, index) => (index % 2 === 0 ? 200 : 401)), 200]);
    const ids = [...raw.matchAll(/x-request-id: (\S+)/g)].map((match) => match[1]);
    expect(new Set(ids).size).toBe(100);
  });

  it('does not keep others waiting when hundreds of connections say nothing', async () => {
    const idle = Array.from({ length: 300 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
    await sleep(100);
    const startedAt = performance.now();
    const bytes = request('GET /health HTTP/1.1', HOST, 'Connection: close');
    expect(parseAnswer(await rawExchange(port, [bytes])).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(2000);
    for (const socket of idle) socket.destroy();
  });

  it('is logged without a header or a byte of the body', async () => {
    const body = JSON.stringify(target({ workspace_id: 'a-private-workspace' }));
    const head = request(
      `POST ${SCRAPE} HTTP/1.1`,
      HOST,
      AUTH,
      JSON_TYPE,
      `Content-Length: ${body.length}`,
      'Connection: close',
    );
    expect(parseAnswer(await rawExchange(port, [head + body])).status).toBe(202);
    const line = door.logLines.at(-1)!;
    expect(line).toMatchObject({ method: 'POST', route: SCRAPE, status: 202, request_id: expect.stringMatching(UUID) });
    expect(JSON.stringify(door.logLines)).not.toContain('a-private-workspace');
  });
});

describe('a request that comes too slowly', () => {
  it('is answered 408 with the envelope and the connection ends', async () => {
    const door = await openDoor({ limits: { maxRequestBytes: 1000, requestTimeoutMs: 300 } });
    const port = await listening(door.app);
    const halfHead = `POST ${SCRAPE} HTTP/1.1\r\n${HOST}\r\n`;
    const halfBody = request(`POST ${SCRAPE} HTTP/1.1`, HOST, AUTH, JSON_TYPE, 'Content-Length: 100').concat(
      '{"target',
    );
    for (const bytes of [halfHead, halfBody]) {
      const answer = parseAnswer(await rawExchange(port, [bytes], 5000));
      expect(answer.status).toBe(408);
      expect(answer.headers['x-request-id']).toMatch(UUID);
      expect(JSON.parse(answer.body).meta.code).toBe('request_timeout');
    }
    await door.app.close();
  });

  it('keeps nobody else waiting, be there five hundred of them, and all of them are sent away', {
    timeout: 60_000,
  }, async () => {
    const door = await openDoor({ limits: { maxRequestBytes: 1000, requestTimeoutMs: 2_000 } });
    const port = await listening(door.app);
    let open = 0;
    const slow = Array.from({ length: 500 }, () => {
      const socket = connect(port, '127.0.0.1', () => {
        open += 1;
        socket.write(`GET ${SCRAPE}/jobs HTTP/1.1\r\nX-Slow: `);
      });
      socket.on('error', () => undefined).on('close', () => (open -= 1));
      // Without it the end of the other side is never noticed.
      return socket.resume();
    });
    await expect.poll(() => open, { timeout: 20_000 }).toBe(500);
    const dripping = setInterval(() => {
      for (const socket of slow) if (socket.writable) socket.write('a');
    }, 250);
    let answered = 0;
    while (open > 0) {
      const answer = await fetch(`http://127.0.0.1:${port}${SCRAPE}/jobs`, { headers: { 'x-service-key': KEY } });
      expect(answer.status).toBe(200);
      lookAt('answer', await answer.text(), 'an answer beside slow ones');
      answered += 1;
    }
    clearInterval(dripping);
    expect(answered).toBeGreaterThan(10);
    await door.app.close();
  });
});
