import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAddress, isInRange, isPublicAddress, parseRange } from '../../src/domain/address.js';

interface Row {
  ip: string;
  verdict: 'allow' | 'block' | 'either';
}

const rows = JSON.parse(readFileSync(new URL('../vectors/ssrf_ips.json', import.meta.url), 'utf8')) as Row[];

describe('addresses', () => {
  it('are public exactly where the vectors say so', () => {
    expect(rows).toHaveLength(117);
    expect(rows.filter(({ verdict }) => verdict === 'either')).toHaveLength(1);
    const wrong = rows.filter(
      ({ ip, verdict }) => verdict !== 'either' && isPublicAddress(ip) !== (verdict === 'allow'),
    );
    expect(wrong).toEqual([]);
  });

  it('are judged by the IPv4 address a mapped one carries', () => {
    fc.assert(
      fc.property(fc.ipV4(), (ip) => {
        expect(isPublicAddress(`::ffff:${ip}`)).toBe(isPublicAddress(ip));
      }),
    );
  });

  it('are never public with a zone, and neither is what is no address', () => {
    for (const text of [
      'fe80::1%eth0',
      '2606:4700::1%lo',
      '',
      'example.com',
      '1.2.3',
      '999.1.1.1',
      '[::1]',
      '4000::1',
    ]) {
      expect(isPublicAddress(text)).toBe(false);
    }
  });

  it('lie in the ranges that were written for them', () => {
    expect(isInRange('127.0.0.5', parseRange('127.0.0.0/8')!)).toBe(true);
    expect(isInRange('::ffff:127.0.0.5', parseRange('127.0.0.0/8')!)).toBe(true);
    expect(isInRange('128.0.0.5', parseRange('127.0.0.0/8')!)).toBe(false);
    expect(isInRange('::1', parseRange('::1')!)).toBe(true);
    expect(isInRange('10.0.0.1', parseRange('::/0')!)).toBe(false);
    expect(isInRange('10.9.0.1', parseRange('::ffff:10.0.0.0/104')!)).toBe(true);
    expect(isInRange('11.0.0.1', parseRange('::ffff:10.0.0.0/104')!)).toBe(false);
    expect(isInRange('::10.0.0.1', parseRange('10.0.0.0/8')!)).toBe(false);
    expect(isInRange('10.0.0.1', parseRange('::10.0.0.0/104')!)).toBe(false);
    expect(isInRange('::10.0.0.1', parseRange('::a00:0/104')!)).toBe(true);
  });

  it.each([
    'example.com',
    '127.1',
    // Short for 10.0.0.0/8 to a person, for 0.0.0.10/8 to a parser.
    '10/8',
    '127.1/8',
    '0x7f.0.0.0/8',
    '010.0.0.0/8',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/08x',
    '::1/129',
    'fe80::1%eth0/64',
    '[::1]',
    '/8',
  ])('are not read from %s', (text) => {
    expect(parseRange(text)).toBe(null);
  });

  it.each([
    ['mapped', '::ffff:127.0.0.1'],
    ['mapped, in hex', '::ffff:7f00:1'],
    ['mapped, in full', '0:0:0:0:0:ffff:10.0.0.5'],
    ['compatible', '::127.0.0.1'],
    ['compatible with a public one inside', '::8.8.8.8'],
    ['compatible with a public one inside, in hex', '::808:808'],
    ['translated', '::ffff:0:127.0.0.1'],
    ['NAT64', '64:ff9b::127.0.0.1'],
    ['NAT64 with a public one inside', '64:ff9b::8.8.8.8'],
    ['local NAT64', '64:ff9b:1::10.0.0.5'],
    ['6to4', '2002:7f00:1::'],
    ['Teredo', '2001:0:53aa:64c:0:fbef:80ff:fffe'],
    ['unspecified', '::'],
    ['unique local', 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
  ])('that carry or are an inside address are not public: %s', (_, ip) => {
    expect(isPublicAddress(ip)).toBe(false);
  });

  it('are told from names', () => {
    expect(['1.2.3.4', '::1'].every(isAddress)).toBe(true);
    expect(['1.2.3', '0x7f.1', '1e100.net', '10.example.com', ''].some(isAddress)).toBe(false);
  });
});
