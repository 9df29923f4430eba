import { createSocket } from 'node:dgram';
import { isIPv4 } from 'node:net';

export interface Question {
  name: string;
  type: 'A' | 'AAAA';
}

/** Addresses (none: the name exists, but has none of this kind), behind a chain of other names if there is one. */
export type Reply = 'hang' | 'nxdomain' | 'servfail' | string[] | { chain: string[]; addresses: string[] };

export interface DnsServer {
  /** `address:port`, as `Resolver.setServers` takes it. */
  address: string;
  /** All that was asked, repeated packets included. */
  asked: Question[];
  close(): Promise<void>;
}

const TYPES = { A: 1, CNAME: 5, AAAA: 28 } as const;
const RCODES = { servfail: 2, nxdomain: 3 } as const;

/** A real name server on loopback UDP that says what it is told to. */
export async function startDnsServer(replyTo: (question: Question) => Reply): Promise<DnsServer> {
  const asked: Question[] = [];
  const socket = createSocket({ type: 'udp4', recvBufferSize: 1 << 20 });
  socket.on('message', (message, from) => {
    const { question, raw } = readQuestion(message);
    asked.push(question);
    const reply = replyTo(question);
    if (reply !== 'hang') socket.send(answer(message.readUInt16BE(0), raw, reply, question), from.port, from.address);
  });
  await new Promise<void>((ready) => socket.bind(0, '127.0.0.1', ready));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    close: () => new Promise((closed) => socket.close(() => closed())),
  };
}

function readQuestion(message: Buffer): { question: Question; raw: Buffer } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  const type = message.readUInt16BE(at + 1) === TYPES.A ? 'A' : 'AAAA';
  return { question: { name: labels.join('.').toLowerCase(), type }, raw: message.subarray(12, at + 5) };
}

function answer(id: number, question: Buffer, reply: Exclude<Reply, 'hang'>, { name, type }: Question): Buffer {
  const rcode = typeof reply === 'string' ? RCODES[reply] : 0;
  const { chain, addresses } = typeof reply === 'string' ? NOTHING : Array.isArray(reply) ? plain(reply) : reply;
  const links = chain.map((next, n) => record(chain[n - 1] ?? name, 'CNAME', encodeName(next)));
  const last = chain.at(-1) ?? name;
  const records = [...links, ...addresses.map((address) => record(last, type, encodeAddress(address)))];
  const header = Buffer.alloc(12);
  // An answer, recursion wanted and had.
  [id, 0x8180 | rcode, 1, records.length].forEach((word, n) => void header.writeUInt16BE(word, n * 2));
  return Buffer.concat([header, question, ...records]);
}

const NOTHING = { chain: [], addresses: [] };
const plain = (addresses: string[]): { chain: string[]; addresses: string[] } => ({ chain: [], addresses });

/** With an hour to live: who kept answers would be found out. */
function record(owner: string, type: keyof typeof TYPES, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(TYPES[type], 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(3600, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([encodeName(owner), fixed, data]);
}

const encodeName = (name: string): Buffer =>
  Buffer.concat([...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])), Buffer.of(0)]);

function encodeAddress(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail = ''] = address.split('::');
  const [front, back] = [head, tail].map((half) => half.split(':').filter((group) => group !== '')) as [
    string[],
    string[],
  ];
  const groups = [...front, ...Array<string>(8 - front.length - back.length).fill('0'), ...back];
  return Buffer.from(groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]));
}
