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
    expect(parseRange('example.com')).toBe(null);
    expect(parseRange('127.1')).toBe(null);
  });

  it('are told from names', () => {
    expect(['1.2.3.4', '::1'].every(isAddress)).toBe(true);
    expect(['1.2.3', '0x7f.1', '1e100.net', '10.example.com', ''].some(isAddress)).toBe(false);
  });
});
