/** Real upstream proxies on loopback that remember what they were asked for. Both want `user:pass` where told so. */
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface TestProxy {
  port: number;
  /** Targets as they were asked for, `host:port`. */
  targets: string[];
  close(): Promise<void>;
}

export async function startHttpProxy(options: { auth?: string; refuseWith?: number } = {}): Promise<TestProxy> {
  const targets: string[] = [];
  const sockets = new Set<Socket>();
  const server = createHttpServer((_, response) => response.writeHead(405).end());
  server.on('connection', (socket: Socket) => track(sockets, socket));
  server.on('connect', (request, socket: Socket) => {
    targets.push(request.url ?? '');
    const wanted = options.auth && `Basic ${Buffer.from(options.auth).toString('base64')}`;
    if (wanted && request.headers['proxy-authorization'] !== wanted) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    } else if (options.refuseWith) socket.end(`HTTP/1.1 ${options.refuseWith} No\r\n\r\n`);
    else {
      const target = new URL(`http://${request.url}`);
      join(sockets, socket, target.hostname, Number(target.port || 80), () =>
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n'),
      );
    }
  });
  return listening(server, sockets, targets);
}

/** SOCKS5 (RFC 1928, 1929), just enough of it: CONNECT to an IPv4 address. */
export async function startSocksProxy(options: { auth?: string } = {}): Promise<TestProxy> {
  const targets: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    track(sockets, socket);
    socket.once('data', () => {
      socket.write(Buffer.from([5, options.auth ? 2 : 0]));
      if (!options.auth) socket.once('data', onCommand);
      else {
        socket.once('data', (login: Buffer) => {
          const user = login.subarray(2, 2 + login[1]!);
          const password = login.subarray(3 + user.length);
          const right = `${user}:${password}` === options.auth;
          socket.write(Buffer.from([1, right ? 0 : 1]));
          if (right) socket.once('data', onCommand);
          else socket.end();
        });
      }
    });
    const onCommand = (command: Buffer): void => {
      const host = command[3] === 1 ? [...command.subarray(4, 8)].join('.') : 'not an IPv4 address';
      const port = command.readUInt16BE(command.length - 2);
      targets.push(`${host}:${port}`);
      join(sockets, socket, host, port, () => socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])));
    };
  });
  return listening(server, sockets, targets);
}

function track(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket);
  socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
}

function join(sockets: Set<Socket>, near: Socket, host: string, port: number, onOpen: () => void): void {
  const far = connect(port, host, () => {
    onOpen();
    near.pipe(far).pipe(near);
  });
  track(sockets, far);
  far.on('close', () => near.destroy());
  near.on('close', () => far.destroy());
}

async function listening(
  server: ReturnType<typeof createServer>,
  sockets: Set<Socket>,
  targets: string[],
): Promise<TestProxy> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    targets,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
