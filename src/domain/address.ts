import ipaddr from 'ipaddr.js';

/**
 * Is this an address of the public internet? Everything special is refused: loopback, private, link-local (cloud
 * metadata), shared, documentation, multicast, reserved. Addresses that carry an IPv4 address inside are judged by
 * it (mapped) or refused outright (NAT64, 6to4, Teredo, compatible), because who unwraps them is out of our hands.
 */
export function isPublicAddress(ip: string): boolean {
  if (!isAddress(ip)) return false;
  const address = unmappedAddress(ip);
  if (address instanceof ipaddr.IPv4) return !isIn(address, SPECIAL_V4);
  return isIn(address, ASSIGNED_V6) && !isIn(address, SPECIAL_V6);
}

/** Is the address in the range, written as CIDR or as a single address? A mapped IPv4 counts as its IPv4. */
export function isInRange(ip: string, range: AddressRange): boolean {
  return isAddress(ip) && matches(unmappedAddress(ip), range);
}

export type AddressRange = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** `10.0.0.0/8`, `::1`, … as a range; `null` if it is neither. Short forms are not read: `10/8` would be 0.0.0.10/8. */
export function parseRange(text: string): AddressRange | null {
  const [base = '', bits, ...more] = text.split('/');
  if (!isAddress(base) || more.length > 0) return null;
  const address = parse(base);
  const width = address.kind() === 'ipv4' ? 32 : 128;
  if (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= width)) return null;
  return unmapped([address, bits === undefined ? width : Number(bits)]);
}

/** The library reads `::1.2.3.4` as if it were mapped; it is another address (IPv4-compatible), and dialled as that. */
function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 {
  const compatible = /^::(\d+\.\d+\.\d+\.\d+)$/.exec(text)?.[1];
  if (compatible === undefined) return ipaddr.parse(text);
  return new ipaddr.IPv6([...Array<number>(12).fill(0), ...ipaddr.IPv4.parse(compatible).toByteArray()]);
}

function unmappedAddress(ip: string): ipaddr.IPv4 | ipaddr.IPv6 {
  const address = parse(ip);
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** An IPv4 address in the clothes of IPv6 (`::ffff:7f00:1`) as the IPv4 address it is; anything else as it is written. */
export function plainAddress(text: string): string {
  if (!text.includes(':') || !isAddress(text)) return text;
  const address = unmappedAddress(text);
  return address instanceof ipaddr.IPv4 ? address.toString() : text;
}

/** Addresses are compared with their mapping undone, so ranges of mapped ones are read the same way. */
function unmapped([network, bits]: AddressRange): AddressRange {
  if (network instanceof ipaddr.IPv4 || !network.isIPv4MappedAddress() || bits < 96) return [network, bits];
  return [network.toIPv4Address(), bits - 96];
}

/** A complete IPv4 (four decimal parts) or IPv6 address. No short forms, and no zone: that names an interface of ours. */
export function isAddress(text: string): boolean {
  if (text.includes(':')) return !text.includes('%') && ipaddr.IPv6.isValid(text);
  // Asked about a name the library throws an error and catches it, which costs more than all the rest of a check.
  return /^[\d.]+$/.test(text) && ipaddr.IPv4.isValidFourPartDecimal(text);
}

const matches = (address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: AddressRange): boolean => {
  if (address instanceof ipaddr.IPv4) return network instanceof ipaddr.IPv4 && address.match(network, bits);
  return network instanceof ipaddr.IPv6 && address.match(network, bits);
};

const isIn = (address: ipaddr.IPv4 | ipaddr.IPv6, ranges: AddressRange[]): boolean =>
  ranges.some((range) => matches(address, range));

const SPECIAL_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Azure's WireServer: a public number that only answers inside its cloud.
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
].map((cidr): AddressRange => ipaddr.parseCIDR(cidr));

/** Global unicast is 2000::/3; the first /8 holds translation prefixes, of which the special ones are listed below. */
const ASSIGNED_V6 = ['2000::/3', '::/8'].map((cidr): AddressRange => ipaddr.parseCIDR(cidr));

const SPECIAL_V6 = [
  // Unspecified, loopback, IPv4-compatible and IPv4-translated. Mapped addresses have become IPv4 before.
  '::/64',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  // IETF protocol assignments: Teredo, benchmarking, ORCHID.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
].map((cidr): AddressRange => ipaddr.parseCIDR(cidr));
