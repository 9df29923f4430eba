import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { domainOf, domainOfHost, hostKey, suffixOfHost } from '../../src/domain/registrable-domain.js';

interface Row {
  host: string | null;
  registrable: string | null;
}

const rows = JSON.parse(readFileSync(new URL('../vectors/public_suffix.json', import.meta.url), 'utf8')) as Row[];

const ascii = (host: string): string => new URL(`http://${host}`).hostname;

describe('the registrable domain', () => {
  it('agrees with every row of the public suffix vectors', () => {
    const usable = rows.filter((row): row is Row & { host: string } => URL.canParse(`http://${row.host ?? ''}`));
    expect(usable.length).toBeGreaterThan(110);
    const wrong = usable.filter(({ host, registrable }) => {
      const own = ascii(host).replace(/^\[|\]$|\.$/g, '');
      return domainOf(`http://${host}`) !== (registrable === null ? own : ascii(registrable));
    });
    expect(wrong).toEqual([]);
  });

  it('is the address itself for an IP and the host itself where there is none', () => {
    expect(domainOf('http://127.0.0.3:8080/x')).toBe('127.0.0.3');
    expect(domainOf('http://[::1]:8080/x')).toBe('::1');
    expect(domainOf('http://localhost:3000/')).toBe('localhost');
    expect(domainOf('https://github.io/')).toBe('github.io');
    expect(domainOf(new URL('https://a.github.io/'))).not.toBe(domainOf(new URL('https://b.github.io/')));
    expect(domainOf('https://Shop.Example.CO.uk./x')).toBe('example.co.uk');
  });

  it('is that of the host above, whatever label a resolver takes stands before it', () => {
    const label = fc.oneof(
      fc.stringMatching(/^[a-z0-9_-]{1,63}$/),
      fc.stringMatching(/^[a-z0-9!$&'()*+,;=_~-]{1,70}$/),
      fc.constantFrom('-', 'x0-', '-x', 'xn--a', '_dmarc', 'www', 'com', '1', 'co', 'a'.repeat(64)),
    );
    const known = rows.flatMap(({ host, registrable }) => (host && registrable ? [ascii(host)] : []));
    const host = fc.oneof(fc.constantFrom(...known), fc.domain(), fc.constant('b-.example.com'));
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: 4 }), host, (labels, above) => {
        const name = [...labels, above].join('.');
        // A suffix has no domain.
        fc.pre(suffixOfHost(above) !== above);
        // Below `kawasaki.jp` and `amazonaws.com` there are suffixes again, and other people's domains.
        fc.pre(suffixOfHost(name) === suffixOfHost(above));
        expect(domainOfHost(name)).toBe(domainOfHost(above));
        expect(domainOfHost(domainOfHost(name))).toBe(domainOfHost(name));
      }),
      { numRuns: 1000 },
    );
    expect(domainOfHost(`${'abcdefg.'.repeat(40)}example.com`)).toBe('example.com');
    expect(domainOf('http://slow.example.com../')).toBe('example.com');
  });

  it('of an IPv4 address is the same in the clothes of IPv6, and of no other address', () => {
    fc.assert(
      fc.property(fc.ipV4(), (ip) => {
        expect(domainOf(`http://[::ffff:${ip}]:8080/`)).toBe(ip);
        expect(hostKey(`[::FFFF:${ip}]`)).toBe(ip);
        expect(domainOf(`http://[::${ip}]/`)).not.toBe(ip);
        expect(domainOf(`http://[64:ff9b::${ip}]/`)).not.toBe(ip);
      }),
    );
    fc.assert(
      fc.property(fc.ipV6(), (ip) => {
        const { hostname } = new URL(`http://[${ip}]/`);
        fc.pre(!hostname.startsWith('[::ffff:'));
        expect(domainOf(`http://[${ip}]/`)).toBe(hostname.slice(1, -1));
      }),
    );
  });

  it('is never empty', () => {
    for (const host of ['_dmarc.example.com', 'a..b.com', 'x_y', '..']) expect(domainOfHost(host)).not.toBe('');
  });
});
