/**
 * Real upstream proxies on loopback that remember what they were asked for. All want `user:pass` where told so, and go
 * out by an address of their own where given one, so that the site they lead to can tell them apart.
 */
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type PrepareRequestFunctionResult, Server } from 'proxy-chain';
import { PROXY_CERT, PROXY_KEY } from './proxy-tls.js';

export interface TestProxy {
  port: number;
  /** Targets as they were asked for by who was let in, `host:port`. */
  targets: string[];
  /** `user:pass` of everybody who came, `''` where there was none. */
  logins: string[];
  close(): Promise<void>;
}

interface ProxyOptions {
  auth?: string;
  /** Such as 127.0.0.101. */
  exit?: string;
  /** 0 for any. */
  port?: number;
}

/** proxy-chain as it is: the library that others run as their proxy. */
export async function startChainProxy(options: ProxyOptions & { tls?: boolean } = {}): Promise<TestProxy> {
  const targets: string[] = [];
  const logins: string[] = [];
  const server = new Server({
    host: '127.0.0.1',
    port: options.port ?? 0,
    ...(options.tls
      ? { serverType: 'https' as const, httpsOptions: { cert: PROXY_CERT, key: PROXY_KEY } }
      : { serverType: 'http' as const }),
    prepareRequestFunction({ username, password, hostname, port }): PrepareRequestFunctionResult {
      const login = username ? `${username}:${password}` : '';
      logins.push(login);
      if (options.auth && login !== options.auth) return { requestAuthentication: true };
      targets.push(`${hostname}:${port}`);
      return options.exit ? { localAddress: options.exit } : {};
    },
  });
  await server.listen();
  return { port: server.port, targets, logins, close: () => server.close(true) };
}

export async function startHttpProxy(options: ProxyOptions & { refuseWith?: number } = {}): Promise<TestProxy> {
  const targets: string[] = [];
  const logins: string[] = [];
  const sockets = new Set<Socket>();
  const server = createHttpServer((_, response) => response.writeHead(405).end());
  server.on('connection', (socket: Socket) => track(sockets, socket));
  server.on('connect', (request, socket: Socket) => {
    targets.push(request.url ?? '');
    const [, pair = ''] = (request.headers['proxy-authorization'] ?? '').split(' ');
    logins.push(Buffer.from(pair, 'base64').toString());
    if (options.auth && logins.at(-1) !== options.auth) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    } else if (options.refuseWith) socket.end(`HTTP/1.1 ${options.refuseWith} No\r\n\r\n`);
    else {
      const { hostname: host, port } = new URL(`http://${request.url}`);
      join(sockets, socket, { host, port: Number(port || 80), exit: options.exit }, () =>
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n'),
      );
    }
  });
  return listening(server, { sockets, targets, logins, port: options.port });
}

interface SocksOptions extends ProxyOptions {
  /** The number every request is refused with. */
  replyWith?: number;
  /** Says nothing after this step. */
  silentAfter?: 'greeting' | 'request';
}

/** SOCKS5 (RFC 1928, 1929), just enough of it: CONNECT to an IPv4 address. */
export async function startSocksProxy(options: SocksOptions = {}): Promise<TestProxy> {
  const targets: string[] = [];
  const logins: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    track(sockets, socket);
    socket.once('data', (hello: Buffer) => {
      const offered = [...hello.subarray(2, 2 + hello[1]!)];
      const wanted = options.auth ? 2 : 0;
      if (options.silentAfter === 'greeting') return;
      if (!offered.includes(wanted)) return void socket.end(Buffer.from([5, 0xff]));
      socket.write(Buffer.from([5, wanted]));
      if (options.auth) return void socket.once('data', onLogin);
      logins.push('');
      socket.once('data', onRequest);
    });
    const onLogin = (login: Buffer): void => {
      const user = login.subarray(2, 2 + login[1]!);
      const password = login.subarray(3 + user.length);
      logins.push(`${user}:${password}`);
      const isRight = logins.at(-1) === options.auth;
      socket.write(Buffer.from([1, isRight ? 0 : 1]));
      if (isRight) socket.once('data', onRequest);
      else socket.end();
    };
    const onRequest = (request: Buffer): void => {
      const host = request[3] === 1 ? [...request.subarray(4, 8)].join('.') : 'not an IPv4 address';
      const port = request.readUInt16BE(request.length - 2);
      targets.push(`${host}:${port}`);
      if (options.silentAfter === 'request') return;
      if (options.replyWith) return void socket.end(Buffer.from([5, options.replyWith, 0, 1, 0, 0, 0, 0, 0, 0]));
      // Byte by byte, and a name as the bound address: nobody promises one packet, nor an IPv4 address.
      const granted = [5, 0, 0, 3, 4, ...Buffer.from('here'), 0, 80];
      join(sockets, socket, { host, port, exit: options.exit }, () => {
        for (const byte of granted) socket.write(Buffer.from([byte]));
      });
    };
  });
  return listening(server, { sockets, targets, logins, port: options.port });
}

function track(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket);
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
}

interface Exit {
  host: string;
  port: number;
  exit: string | undefined;
}

function join(sockets: Set<Socket>, near: Socket, { host, port, exit }: Exit, onOpen: () => void): void {
  const far = connect({ host, port, ...(exit && { localAddress: exit }) }, () => {
    onOpen();
    near.pipe(far).pipe(near);
  });
  track(sockets, far);
  far.on('close', () => near.destroy());
  near.on('close', () => far.destroy());
}

interface Started extends Pick<TestProxy, 'targets' | 'logins'> {
  sockets: Set<Socket>;
  port: number | undefined;
}

async function listening(server: ReturnType<typeof createServer>, started: Started): Promise<TestProxy> {
  await new Promise<void>((resolve) => server.listen(started.port ?? 0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    targets: started.targets,
    logins: started.logins,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of started.sockets) socket.destroy();
      await closed;
    },
  };
}
