/** The receivers of the webhooks benchmark, in a process of their own: one that answers at once, many that never do. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';

const HANGING = 50;

const fast = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(204).end());
});
fast.listen(0, '127.0.0.1');
await once(fast, 'listening');

const hanging: string[] = [];
for (let n = 1; n <= HANGING; n++) {
  const server = createTcpServer((socket) => void socket.on('error', () => {}).resume());
  server.listen(0, `127.2.0.${n}`);
  await once(server, 'listening');
  hanging.push(originOf(server.address() as AddressInfo));
}
console.log(JSON.stringify({ fast: originOf(fast.address() as AddressInfo), hanging }));
process.on('SIGTERM', () => process.exit(0));

function originOf({ address, port }: AddressInfo): string {
  return `http://${address}:${port}`;
}
