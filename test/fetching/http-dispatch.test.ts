import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEgress } from '../../src/fetching/egress.js';
import { createDispatchers, type Dispatchers } from '../../src/fetching/http-dispatch.js';

/** One server on every address of loopback: each is an origin of its own. */
let server: Server;
let port: number;
let open = 0;
let most = 0;
let dispatchers: Dispatchers;

beforeAll(async () => {
  // It would never close a connection by itself.
  server = createServer({ keepAliveTimeout: 600_000 }, (_, response) => response.end('bread'));
  server.on('connection', (socket) => {
    open += 1;
    most = Math.max(most, open);
    socket.on('close', () => {
      open -= 1;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  port = (server.address() as AddressInfo).port;
  dispatchers = createDispatchers({
    egress: createEgress({ allow: ['127.0.0.0/8'] }),
    connectTimeoutMs: 10_000,
    headersTimeoutMs: 10_000,
    bodyTimeoutMs: 10_000,
  });
});

afterAll(async () => {
  await dispatchers.close();
  await new Promise((resolve) => server.close(resolve));
});

async function visit(host: string): Promise<string> {
  const url = new URL(`http://${host}:${port}/`);
  const { body } = await dispatchers.get(url, null).request({ origin: url.origin, path: '/', method: 'GET' });
  return body.text();
}

const hostOf = (n: number): string => `127.1.${Math.floor(n / 200)}.${(n % 200) + 1}`;

describe('kept connections', () => {
  it('are used again, and are at most six to one origin', async () => {
    for (let n = 0; n < 10; n += 1) await visit('127.0.0.1');
    // One may not be free yet when the next visit begins.
    expect(most).toBeLessThanOrEqual(2);
    await Promise.all(Array.from({ length: 50 }, () => visit('127.0.0.1')));
    expect(most).toBe(6);
  });

  it('are bounded over all origins: those used longest ago are closed', async () => {
    const ORIGINS = 600;
    for (let n = 0; n < ORIGINS; n += 20) {
      await Promise.all(Array.from({ length: 20 }, (_, k) => visit(hostOf(n + k))));
    }
    // What falls out is closed as others come; the last of it may be under way.
    expect(most).toBeLessThan(300);
    const before = most;
    await visit(hostOf(ORIGINS - 1));
    expect(most).toBe(before);
  });

  it('leave no sockets behind', async () => {
    await dispatchers.close();
    await expect.poll(() => open).toBe(0);
  });
});
