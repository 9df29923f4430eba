import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** What came in where nothing may come in. */
export interface Touch {
  kind: string;
  by: 'tcp' | 'udp';
  /** The address it came to; not known of datagrams to a socket that is bound to all. */
  at: string;
}

export interface Canaries {
  touches: Touch[];
  portOf(kind: string): number;
  close(): void;
}

/** One TCP and one UDP listener of the same port for each kind, on one address (`::` is all of them). */
export async function startCanaries(kinds: readonly string[], address: string): Promise<Canaries> {
  const touches: Touch[] = [];
  const ports = new Map<string, number>();
  const closing: (() => void)[] = [];
  for (const kind of kinds) {
    const tcp = createServer((socket) => {
      touches.push({ kind, by: 'tcp', at: socket.localAddress ?? '' });
      socket.on('error', () => {}).destroy();
    });
    tcp.listen(0, address);
    await once(tcp, 'listening');
    const { port } = tcp.address() as AddressInfo;
    const udp = createSocket(address.includes(':') ? 'udp6' : 'udp4', () =>
      touches.push({ kind, by: 'udp', at: address }),
    );
    udp.bind(port, address);
    await once(udp, 'listening');
    ports.set(kind, port);
    closing.push(
      () => tcp.close(),
      () => udp.close(),
    );
  }
  return {
    touches,
    portOf: (kind) => ports.get(kind)!,
    close() {
      for (const close of closing) close();
    },
  };
}
