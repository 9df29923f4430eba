import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import { greetSocks, requestConnect } from '../../src/fetching/socks5.js';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A client and the other end of its connection. */
async function pair(): Promise<{ client: Socket; server: Socket; sent(): Buffer }> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const client = connect((listener.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  const [server] = (await once(listener, 'connection')) as [Socket];
  const chunks: Buffer[] = [];
  server.setNoDelay(true).on('error', () => {});
  server.on('data', (chunk: Buffer) => chunks.push(chunk));
  closing.push(
    () => listener.close(),
    () => client.destroy(),
    () => server.destroy(),
  );
  return { client, server, sent: () => Buffer.concat(chunks) };
}

/** Far enough apart that each arrives alone. */
async function drip(socket: Socket, bytes: number[]): Promise<void> {
  for (const byte of bytes) {
    socket.write(Buffer.from([byte]));
    await systemClock.wait(5);
  }
}

const V4_REPLY = [5, 0, 0, 1, 10, 0, 0, 1, 0, 80];

describe('a SOCKS5 client', () => {
  it('waits for answers that come in pieces, and leaves what follows to the tunnel', async () => {
    const { client, server, sent } = await pair();
    const greeting = greetSocks(client, { username: 'üser', password: 'pass' });
    await drip(server, [5, 2]);
    await drip(server, [1, 0]);
    await greeting;
    const asked = requestConnect(client, { address: '192.0.2.7', port: 8080 });
    await drip(server, V4_REPLY.slice(0, -1));
    server.write(Buffer.from([80, ...Buffer.from('hello')]));
    expect(await asked).toBe(0);
    const [first] = (await once(client, 'data')) as [Buffer];
    expect(first.toString()).toBe('hello');
    const login = [1, 5, ...Buffer.from('üser'), 4, ...Buffer.from('pass')];
    expect([...sent()]).toEqual([5, 2, 0, 2, ...login, 5, 1, 0, 1, 192, 0, 2, 7, 0x1f, 0x90]);
  });

  it('asks for IPv6 addresses by their sixteen bytes, and reads every kind of bound address', async () => {
    for (const bound of [
      [1, 1, 2, 3, 4],
      [4, ...Array(16).fill(9)],
      [3, 2, 104, 105],
    ]) {
      const { client, server, sent } = await pair();
      const asked = requestConnect(client, { address: '2001:db8::1', port: 443 });
      await once(server, 'data');
      server.write(Buffer.from([5, 0, 0, ...bound, 1, 187, 42]));
      expect(await asked).toBe(0);
      expect([...(client.read() as Buffer)]).toEqual([42]);
      expect([...sent()].slice(3, 8)).toEqual([4, 0x20, 0x01, 0x0d, 0xb8]);
    }
  });

  it.each([
    ['is not SOCKS5', [4, 0]],
    ['takes no method of ours', [5, 255]],
    ['wants a password that we do not have', [5, 2]],
    ['hangs up in mid-word', [5]],
  ])('rejects a server that %s', async (_, bytes) => {
    const { client, server } = await pair();
    const greeting = greetSocks(client, null);
    server.end(Buffer.from(bytes));
    await expect(greeting).rejects.toThrow();
  });

  it('rejects when the connection ends without a reply, or has ended before', async () => {
    const { client, server } = await pair();
    const asked = requestConnect(client, { address: '192.0.2.7', port: 80 });
    server.end();
    await expect(asked).rejects.toThrow('hung up');
    client.destroy();
    await expect(requestConnect(client, { address: '192.0.2.7', port: 80 })).rejects.toThrow();
  });

  it('answers the number of a refusal, also of a short one, and takes gibberish for a general failure', async () => {
    for (const [bytes, expected] of [
      [[5, 4, 0, 1, 0, 0, 0, 0, 0, 0], 4],
      [[5, 2, 0, 0], 2],
      [[72, 84, 84, 80], 1],
      [[5, 0, 0, 9, 1], 1],
    ] as const) {
      const { client, server } = await pair();
      const asked = requestConnect(client, { address: '192.0.2.7', port: 80 });
      server.end(Buffer.from(bytes));
      expect(await asked).toBe(expected);
    }
  });
});
