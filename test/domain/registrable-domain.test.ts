import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { domainOf, domainOfHost } from '../../src/domain/registrable-domain.js';

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

  it('is never empty', () => {
    for (const host of ['_dmarc.example.com', 'a..b.com', 'x_y', '..']) expect(domainOfHost(host)).not.toBe('');
  });
});
