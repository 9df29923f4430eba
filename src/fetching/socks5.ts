import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * SOCKS5 (RFC 1928) with user name and password (RFC 1929), as far as a client needs it that wants to be connected to
 * an address. Of our own because who is to blame hangs on two things that libraries do not tell: how far the
 * handshake had come, and the number of the reply.
 */
export interface SocksLogin {
  username: string;
  password: string;
}

/** What a server answers to a request to connect. */
export const SocksReply = {
  granted: 0,
  generalFailure: 1,
  notAllowed: 2,
  networkUnreachable: 3,
  hostUnreachable: 4,
  refused: 5,
  ttlExpired: 6,
  unknownCommand: 7,
  unknownAddressType: 8,
} as const;

const VERSION = 5;
const LOGIN_VERSION = 1;
const Method = { open: 0, login: 2 } as const;
const CONNECT = 1;
const AddressType = { v4: 1, name: 3, v6: 4 } as const;

/** Agrees on a method and logs in. Rejects where the server does not take us, or speaks something else. */
export async function greetSocks(socket: Socket, login: SocksLogin | null): Promise<void> {
  const methods = login ? [Method.open, Method.login] : [Method.open];
  socket.write(Buffer.from([VERSION, methods.length, ...methods]));
  const [version, method] = await readBytes(socket, 2);
  if (version !== VERSION) throw new Error('It does not speak SOCKS5.');
  if (method === Method.open) return;
  if (method !== Method.login || !login) throw new Error('It wants another way to log in.');

  const [username, password] = [Buffer.from(login.username), Buffer.from(login.password)];
  socket.write(
    Buffer.concat([Buffer.from([LOGIN_VERSION, username.length]), username, Buffer.from([password.length]), password]),
  );
  const [, status] = await readBytes(socket, 2);
  if (status !== 0) throw new Error('It refused our user name and password.');
}

/**
 * Asks to be connected and answers the number of the reply; 0, and the socket is a tunnel. Rejects where the connection
 * ends without a reply. A reply that is no SOCKS5 counts as a general failure.
 */
export async function requestConnect(socket: Socket, target: { address: string; port: number }): Promise<number> {
  const bytes = ipaddr.parse(target.address).toByteArray();
  const type = bytes.length === 4 ? AddressType.v4 : AddressType.v6;
  socket.write(Buffer.from([VERSION, CONNECT, 0, type, ...bytes, target.port >> 8, target.port & 0xff]));
  const [version, reply, , boundType] = await readBytes(socket, 4);
  if (version !== VERSION) return SocksReply.generalFailure;
  // A refusal need not be complete: some servers hang up after its number.
  if (reply !== SocksReply.granted) return reply ?? SocksReply.generalFailure;
  const size = await boundSize(socket, boundType);
  if (size === null) return SocksReply.generalFailure;
  await readBytes(socket, size + 2);
  return SocksReply.granted;
}

async function boundSize(socket: Socket, type: number | undefined): Promise<number | null> {
  if (type === AddressType.v4) return 4;
  if (type === AddressType.v6) return 16;
  return type === AddressType.name ? (await readBytes(socket, 1))[0]! : null;
}

/** Exactly so many: what comes after them belongs to the tunnel and stays in the socket. */
function readBytes(socket: Socket, size: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const leave = (): void => void socket.off('readable', look).off('end', fail).off('close', fail);
    const fail = (): void => {
      leave();
      reject(socket.errored ?? new Error('It hung up.'));
    };
    const look = (): void => {
      const bytes: Buffer | null = socket.read(size);
      if (bytes?.length === size) {
        leave();
        resolve(bytes);
      } else if (bytes) fail(); // At the end of the stream the rest is handed out, however short.
    };
    if (socket.destroyed || socket.readableEnded) return fail();
    // One listener until all is there: adding it anew while a part is waiting would call it at once, again and again.
    socket.on('readable', look).on('end', fail).on('close', fail);
  });
}
