/** Where webhooks may not go. 127.0.0.2 plays the internet: it alone is on the allow-list. 127.0.0.3 is inside. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEgress } from '../../src/fetching/egress.js';
import { isOwnDoor } from '../../src/http/own-door.js';
import { openDoor, type TestDoor } from '../http/support.js';
import { type DnsServer, type Question, type Reply, startDnsServer } from '../support/dns-server.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { EXPIRED_CERT, TLS_CERT, TLS_KEY } from '../support/tls.js';
import { openWebhookPost, type WebhookPost } from '../support/webhook-post.js';

const PUBLIC = '127.0.0.2';
const INSIDE = '127.0.0.3';
const BODY = '{"result":"only for who may read it"}';

let post: WebhookPost;
afterEach(() => post.close());

const send = (url: string) => post.send({ url, headers: {}, body: BODY }, AbortSignal.timeout(10_000));

describe('a receiver whose name leads inside', () => {
  let dns: DnsServer;
  let receiver: Receiver;
  let inside: Receiver;
  let replyTo: (question: Question) => Reply;

  beforeAll(async () => {
    dns = await startDnsServer((question) => replyTo(question));
    receiver = await startReceiver({ host: PUBLIC, behave: { status: 200, headers: { connection: 'close' } } });
    inside = await startReceiver({ host: INSIDE, port: receiver.port });
  });
  afterAll(() => Promise.all([dns.close(), receiver.close(), inside.close()]));
  beforeEach(() => {
    receiver.requests.length = 0;
    dns.asked.length = 0;
    const egress = createEgress({ allow: [PUBLIC], dns: { servers: [dns.address], hostsPath: '/dev/null' } });
    post = openWebhookPost({ egress });
  });
  afterEach(() => expect(inside.connections()).toBe(0));

  /** IPv4 addresses, one set after the other; the last one stays. */
  const leadingTo =
    (...answers: string[][]) =>
    ({ type }: Question): Reply => {
      if (type === 'AAAA') return [];
      return answers.length > 1 ? answers.shift()! : answers[0]!;
    };
  const url = (name: string): string => `http://${name}:${receiver.port}/hook`;

  it('is refused when the connection is to be made', async () => {
    replyTo = leadingTo([INSIDE]);
    await expect(send(url('hooks.example.com'))).rejects.toMatchObject({
      code: 'egress_denied',
      message: 'The host "hooks.example.com" leads to an address that is not a public one.',
    });
    expect(dns.asked.length).toBeGreaterThan(0);
  });

  it('is refused though it was a public one the time before', async () => {
    replyTo = leadingTo([PUBLIC], [INSIDE]);
    expect(await send(url('rebind.example.com'))).toMatchObject({ status: 200 });
    await receiver.untilLeft();
    await expect(send(url('rebind.example.com'))).rejects.toMatchObject({ code: 'egress_denied' });
    expect(receiver.requests).toHaveLength(1);
  });

  it('is dialled at the address that was looked at, which is asked for once', async () => {
    replyTo = leadingTo([PUBLIC], [INSIDE]);
    expect(await send(url('once.example.com'))).toMatchObject({ status: 200 });
    expect(dns.asked.filter(({ type }) => type === 'A')).toHaveLength(1);
  });

  it('is refused when only one of its addresses is inside, in either family', async () => {
    replyTo = leadingTo([PUBLIC, INSIDE]);
    await expect(send(url('mixed.example.com'))).rejects.toMatchObject({ code: 'egress_denied' });
    replyTo = ({ type }) => (type === 'A' ? [PUBLIC] : ['::1']);
    await expect(send(url('mixed6.example.com'))).rejects.toMatchObject({ code: 'egress_denied' });
    expect(receiver.requests).toEqual([]);
  });

  it('is refused as a literal too, in whatever spelling, and where a name does not exist nobody is told', async () => {
    replyTo = () => 'nxdomain';
    for (const host of [INSIDE, '2130706435', '0x7f.1', '[::1]', `[::ffff:${INSIDE}]`, 'localhost', 'hooks.internal']) {
      await expect(send(url(host)), host).rejects.toMatchObject({ code: 'egress_denied' });
    }
    await expect(send(url('nowhere.example.com'))).rejects.toMatchObject({ code: 'dns_not_found' });
    expect(receiver.requests).toEqual([]);
  });
});

describe('a receiver whose certificate is not to be trusted', () => {
  const read: Buffer[] = [];
  const listenWith = async (cert: string) => {
    const server = createTlsServer({ cert, key: TLS_KEY }, (socket) => {
      socket.on('error', () => {}).on('data', (data: Buffer) => void read.push(data));
    });
    server.on('tlsClientError', () => {});
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { server, port: (server.address() as AddressInfo).port };
  };
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }];

  it.each([
    ['signed by nobody we know', { cert: TLS_CERT, host: 'tls.example', ca: undefined, code: 'DEPTH_ZERO' }],
    ['expired', { cert: EXPIRED_CERT, host: 'tls.example', ca: EXPIRED_CERT, code: 'CERT_HAS_EXPIRED' }],
    ['of another name', { cert: TLS_CERT, host: 'wrong.example', ca: TLS_CERT, code: 'ERR_TLS_CERT_ALTNAME' }],
  ])('(%s) is told nothing', async (_, { cert, host, ca, code }) => {
    const { server, port } = await listenWith(cert);
    post = openWebhookPost({ allow: ['tls.example', 'wrong.example'], lookup, ...(ca && { ca }) });
    const gone = once(server, 'connection').then(([socket]) => once(socket, 'close'));
    await expect(send(`https://${host}:${port}/hook?token=hush`)).rejects.toMatchObject({
      code: 'tls_failed',
      message: expect.stringMatching(new RegExp(`^No trusted TLS connection to ${host}:${port} \\(${code}\\w*\\)\\.$`)),
    });
    // All that it will ever have said.
    await gone;
    expect(Buffer.concat(read).toString()).toBe('');
    server.close();
    await once(server, 'close');
  });

  it('is told all the same when it is a good one', async () => {
    const receiver = await startReceiver({ tls: { cert: TLS_CERT, key: TLS_KEY } });
    post = openWebhookPost({ allow: ['tls.example'], lookup, ca: TLS_CERT });
    expect(await send(`https://tls.example:${receiver.port}/hook`)).toMatchObject({ status: 200 });
    expect(receiver.requests[0]?.body.toString()).toBe(BODY);
    await receiver.close();
  });
});

describe('a callback that leads back to the service', () => {
  let door: TestDoor;
  let port: number;
  beforeAll(async () => {
    door = await openDoor();
    await door.app.listen({ host: '127.0.0.1', port: 0 });
    ({ port } = door.app.server.address() as AddressInfo);
  });
  afterAll(() => door.app.close());

  const own = (): Parameters<typeof openWebhookPost>[0] => ({
    allow: ['127.0.0.0/8', '::1', '0.0.0.0', 'gleaner.example', 'localhost'],
    lookup: async () => [{ address: '127.0.0.1', family: 4 }],
    isForbidden: (address, at) => isOwnDoor(door.app, address, at),
  });

  it.each([
    '127.0.0.1',
    '127.0.0.9',
    'localhost',
    'gleaner.example',
    '[::1]',
    '0.0.0.0',
    '[::ffff:127.0.0.1]',
    '127.1',
  ])('as %s is refused, and nobody knocks', async (host) => {
    post = openWebhookPost(own());
    const connections = await countConnections(door);
    await expect(send(`http://${host}:${port}/api/v1/scrape`)).rejects.toMatchObject({
      code: 'egress_denied',
      message: expect.stringContaining('leads back to this service'),
    });
    expect(await countConnections(door)).toBe(connections);
    expect(door.answered).toEqual([]);
  });

  it('is another matter on another port', async () => {
    post = openWebhookPost(own());
    const receiver = await startReceiver();
    for (const host of ['127.0.0.1', 'gleaner.example', '[::ffff:127.0.0.1]']) {
      expect(await send(`http://${host}:${receiver.port}/hook`), host).toMatchObject({ status: 200 });
    }
    await receiver.close();
  });
});

const countConnections = (door: TestDoor): Promise<number> =>
  new Promise((resolve, reject) =>
    door.app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
