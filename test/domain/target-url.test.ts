import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../src/domain/address.js';
import { allowsAddress, allowsHost, checkUrl, parseEgressAllow } from '../../src/domain/target-url.js';

interface Row {
  id: string;
  url: string;
  verdict: 'allow' | 'block';
  dns?: string[];
}

const rows = JSON.parse(readFileSync(new URL('../vectors/ssrf_urls.json', import.meta.url), 'utf8')) as Row[];
const nothing = parseEgressAllow([]);

const fault = (raw: string, allow = nothing): string | null => {
  const checked = checkUrl(raw, allow);
  return 'fault' in checked ? checked.fault : null;
};

describe('target URLs', () => {
  it('are refused or accepted by their text as the vectors say', () => {
    expect(rows).toHaveLength(107);
    // Rows with DNS answers pass here and are judged when the name is resolved (see the egress tests).
    const wrong = rows.filter(
      (row) => (fault(row.url) === null) !== (row.verdict === 'allow' || row.dns !== undefined),
    );
    expect(wrong).toEqual([]);
  });

  it('may lead to exceptions that were named, and to nothing else', () => {
    const allow = parseEgressAllow(['127.0.0.0/8', '::1', 'wiki', 'db.internal', '*.corp.example', '']);
    for (const url of [
      'http://127.0.0.4:1/',
      'http://0x7f.1/',
      'http://[::1]/',
      'http://wiki/',
      'http://db.internal/x',
    ]) {
      expect(fault(url, allow)).toBe(null);
    }
    expect(fault('http://a.corp.example/', allow)).toBe(null);
    for (const url of [
      'http://10.0.0.1/',
      'http://[::2]/',
      'http://other/',
      'http://b.db.internal/',
      'http://localhost/',
    ]) {
      expect(fault(url, allow)).toEqual(expect.any(String));
    }
    expect(fault('ftp://127.0.0.1/', allow)).toContain('http://');
  });

  it('name a host that can be one, also where an exception opens everything below a suffix', () => {
    const allow = parseEgressAllow(['*.corp.example']);
    const long = `http://${'abcdefg.'.repeat(31)}corp.example/`;
    for (const label of ['-a', 'a-', 'a.', 'x.-b', 'a!', 'a'.repeat(64)]) {
      expect(fault(`http://${label}.corp.example/`, allow), label).toContain('is not a host name: it ');
      expect(fault(`https://${label}.example.com/`), label).toContain('is not a host name: it ');
    }
    expect(fault(long, allow)).toContain('is longer than 253 characters.');
    expect(fault('http://example.com../')).toBe(
      '"example.com." is not a host name: it has nothing before or after a dot.',
    );
    for (const label of ['_a', 'a_', 'a--b', '1', 'xn--bcher-kva', 'a'.repeat(63)]) {
      expect(fault(`http://${label}.corp.example/`, allow), label).toBe(null);
      expect(fault(`https://${label}.example.com./`), label).toBe(null);
    }
  });

  it('refuse exceptions that are none', () => {
    for (const entry of [
      'http://x',
      '10.0.0.0/99',
      'a b',
      '*',
      '*.',
      'host:80',
      '10/8',
      '127.1',
      '10.0.0.256',
      '*.0.0.1',
      '*.10.0.0.1',
      '*.::1',
      'a-.example',
      'a..b',
      'wiki.',
    ]) {
      expect(() => parseEgressAllow([entry])).toThrow('is not a CIDR');
    }
  });

  it('are at most 2048 characters long', () => {
    const long = (length: number): string => `https://x.example/${'a'.repeat(length - 18)}`;
    expect(fault(long(2048))).toBe(null);
    expect(fault(long(2049))).toContain('2049 characters');
  });

  it('are quoted in the fault, but never with a password or a query', () => {
    expect(fault('ftp://files.example/x?token=hush')).toBe(
      'The URL "ftp://files.example/x" must start with http:// or https://.',
    );
    const word = fc.stringMatching(/^[a-z0-9]{8,12}$/);
    fc.assert(
      fc.property(
        word,
        word,
        fc.constantFrom('http://U:P@h.example/', 'http:U:P@[::1/', 'x://U:P@h y/', 'http://U:P?@'),
        (user, password, shape) => {
          const text = fault(shape.replace('U', user).replace('P', password));
          expect(text).toEqual(expect.any(String));
          expect(text).not.toContain(user);
          expect(text).not.toContain(password);
        },
      ),
    );
  });

  it('never throw, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl({ withQueryParameters: true })), (raw) => {
        const checked = checkUrl(raw, nothing);
        expect('url' in checked !== 'fault' in checked).toBe(true);
      }),
    );
  });

  it.each([
    'file:///etc/passwd',
    'view-source:http://pub.example/',
    'ws://pub.example/',
    'wss://pub.example/',
    'blob:http://pub.example/x',
    'data:text/html,x',
    'javascript:1',
    'chrome://version',
    'http://pub.example@127.0.0.1/',
    'http://127.0.0.1@pub.example/',
    'http://pub.example:80@10.0.0.5/',
    'http://pub.example\\@10.0.0.5/',
    'http://[fe80::1%25eth0]/',
    'http://[::1%25lo]/',
    'http://127.0.0.1./',
    'http://0177.0.0.1/',
    'http://0x7f.0.0.1/',
    'http://2130706433/',
    'http://017700000001/',
    'http://0xa9fea9fe/',
    'http://127.0.0.1:80\t/',
    'http://①②⑦.⓪.⓪.①/',
    'http://[::ffff:169.254.169.254]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[2002:a00:5::]/',
    'http://localhost./',
    'http://LOCALHOST/',
    'http://a.localhost/',
    'http://metadata.google.internal./',
  ])('are refused in the spelling %s', (url) => {
    expect(fault(url)).toEqual(expect.any(String));
  });
});

describe('an exception', () => {
  const hosts = fc.array(fc.constantFrom('a', 'b', 'wiki', 'corp', 'example', 'internal'), {
    minLength: 1,
    maxLength: 4,
  });

  it('for a range opens that range and nothing beside it', () => {
    const cases = fc.oneof(
      fc.tuple(fc.ipV4(), fc.nat(32), fc.ipV4(), fc.nat(31), fc.constant(32)),
      fc.tuple(fc.ipV6(), fc.nat(128), fc.ipV6(), fc.nat(127), fc.constant(128)),
    );
    fc.assert(
      fc.property(cases, fc.boolean(), ([base, bits, other, flip, width], near) => {
        const allow = parseEgressAllow([`${base}/${bits}`]);
        // Half of the addresses differ from the base by one bit: that is where an off-by-one would show.
        const ip = near ? textOf(numberOf(base) ^ (1n << BigInt(flip)), width) : other;
        const shift = BigInt(width - bits);
        // Mapped addresses count as the IPv4 address they carry, on either side; see the tests of addresses.
        fc.pre(![base, ip].some((text) => text.includes(':') && numberOf(text) >> 32n === 0xffffn));
        const isInside = numberOf(ip) >> shift === numberOf(base) >> shift;
        expect(allowsAddress(ip, allow)).toBe(isInside || isPublicAddress(ip));
      }),
      { numRuns: 500 },
    );
  });

  it('for a name or a suffix opens that and nothing beside it', () => {
    fc.assert(
      fc.property(hosts, hosts, fc.boolean(), (entry, host, isSuffix) => {
        const name = entry.join('.');
        const allow = parseEgressAllow([isSuffix ? `*.${name}` : name]);
        const isIn = isSuffix
          ? host.length > entry.length && host.slice(-entry.length).join('.') === name
          : host.join('.') === name;
        expect(allowsHost(host.join('.'), allow)).toBe(isIn);
      }),
      { numRuns: 500 },
    );
  });
});

/** Of IPv4 or IPv6 (as fast-check writes them), by plain arithmetic. */
function numberOf(ip: string): bigint {
  if (!ip.includes(':')) return ip.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
  const tail = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(ip);
  const text = tail
    ? ip.replace(
        tail[0],
        numberOf(tail[0])
          .toString(16)
          .padStart(8, '0')
          .replace(/(.{4})$/, ':$1'),
      )
    : ip;
  const [head = '', rest] = text.split('::');
  const [front, back] = [head, rest ?? ''].map((part) => part.split(':').filter(Boolean));
  const zeros = rest === undefined ? 0 : 8 - front!.length - back!.length;
  const groups = [...front!, ...Array<string>(zeros).fill('0'), ...back!];
  return groups.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}

function textOf(value: bigint, width: number): string {
  const [size, count, base, mark] = width === 32 ? ([8n, 4, 10, '.'] as const) : ([16n, 8, 16, ':'] as const);
  const parts = Array.from(
    { length: count },
    (_, n) => (value >> (size * BigInt(count - 1 - n))) & ((1n << size) - 1n),
  );
  return parts.map((part) => part.toString(base)).join(mark);
}
