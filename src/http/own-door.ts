import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { FastifyInstance } from 'fastify';
import { plainAddress } from '../domain/address.js';
import { isThisMachine } from '../domain/host-name.js';

/** Who dials these means this machine, and so does the system. */
const UNSPECIFIED = ['0.0.0.0', '::'];

/** Does this lead back to where the application listens? Then nobody is told of anything there. */
export function isOwnDoor(app: FastifyInstance, address: string, port: number): boolean {
  const own = (app.addresses() as AddressInfo[]).filter((one) => one.port === port).map((one) => one.address);
  if (own.length === 0) return false;
  const local = Object.values(networkInterfaces()).flatMap((ones) => ones?.map((one) => one.address) ?? []);
  // An IPv4 address in the clothes of IPv6 is the same door.
  const dialled = plainAddress(address);
  return isThisMachine(dialled) || [...UNSPECIFIED, ...own, ...local].includes(dialled);
}
