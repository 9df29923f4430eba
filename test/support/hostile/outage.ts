import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';

/** The server that listens at this url, found among everything the process has open. */
export function listenerOf(url: string): HttpServer {
  const handles = (process as unknown as { _getActiveHandles(): HttpServer[] })._getActiveHandles();
  const port = Number(new URL(url).port);
  const found = handles.find((one) => one.listening && (one.address() as AddressInfo | null)?.port === port);
  if (!found) throw new Error(`Nobody in this process listens at ${url}.`);
  return found;
}

export interface Impostor {
  connections: number;
  leave(): Promise<void>;
}

/** Takes the listening socket away from whoever has it in this process, and sits on the port in its place. */
export async function takePortOf(url: string): Promise<Impostor> {
  const own = listenerOf(url);
  const server = createServer((socket) => {
    impostor.connections += 1;
    socket.destroy();
  });
  const impostor: Impostor = {
    connections: 0,
    async leave() {
      server.close();
      await once(server, 'close');
    },
  };
  // Before the owner itself hears of it: it would have the port back at once.
  own.prependOnceListener('close', () => server.listen(Number(new URL(url).port), '127.0.0.1'));
  own.close();
  own.closeAllConnections();
  await once(server, 'listening');
  return impostor;
}
