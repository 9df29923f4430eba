import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostNamed, isThisMachine, isThisMachineToBrowsers, nameFault } from '../../src/domain/host-name.js';

describe('a host that somebody wrote', () => {
  it.each([
    ['Example.COM', 'example.com'],
    ['example.com.', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['localhost', 'localhost'],
    ['_dmarc.a-b.example', '_dmarc.a-b.example'],
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '::1'],
    ['[::1]', '::1'],
    ['2001:0DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['[::FFFF:102:304]', '1.2.3.4'],
    ['::1.2.3.4', '::102:304'],
  ])('%j is %s', (text, host) => {
    expect(hostNamed(text)).toBe(host);
  });

  it.each([
    '',
    '.',
    '..',
    'a..b',
    '-a.example',
    'a-.example',
    'a-.com',
    'a!b.example',
    'example..',
    'a b',
    'a.example:80',
    'https://a.example',
    'a.example/path',
    'user@a.example',
    'user:hush@a.example',
    '*.example.com',
    'a%2eexample',
    'a\\b',
    '[::1',
    '::1]',
    '[::1]:80',
    '1:2:3',
    '999.1.1.1',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(130)}example`,
    'a\u0000.example',
  ])('%j is none', (text) => {
    expect(hostNamed(text)).toBeNull();
  });

  it('is what a URL with it has as its host, or nothing, and naming it twice changes nothing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6(), fc.string()), (text) => {
        const host = hostNamed(text);
        if (host === null) return;
        expect(hostNamed(host)).toBe(host);
        const authority = host.includes(':') ? `[${host}]` : host;
        expect(new URL(`http://${authority}/`).hostname).toBe(authority);
      }),
    );
  });
});

describe('what is no host name', () => {
  const label = 'a'.repeat(63);

  it.each([
    ['a..example', 'has nothing before or after a dot'],
    ['.example', 'has nothing before or after a dot'],
    ['example.', 'has nothing before or after a dot'],
    ['-a.example', 'has a part that begins or ends with a hyphen'],
    ['b.a-.example', 'has a part that begins or ends with a hyphen'],
    [`${label}a.example`, 'has a part of over 63 characters'],
    [`${label}.${label}.${label}.${label}`, 'is longer than 253 characters'],
    ['a~b.example', 'has characters that no host name has'],
  ])('%s %s', (host, fault) => {
    expect(nameFault(host)).toBe(fault);
  });

  it.each(['a', 'a--b.example', '_x_.example', `${label}.example`, `${label}.${label}.${label}.${'a'.repeat(61)}`])(
    'is not %s',
    (host) => {
      expect(nameFault(host)).toBeNull();
    },
  );
});

describe('this very machine', () => {
  it.each([
    ['http://localhost:80/', true, true],
    ['http://LOCALHOST/', true, true],
    ['http://127.0.0.1/', true, true],
    ['http://127.1/', true, true],
    ['http://127.255.255.254/', true, true],
    ['http://[::1]/', true, true],
    ['http://[0:0::1]:80/', true, true],
    // Kept for this machine, but a resolver may ask the network for them.
    ['http://a.localhost/', false, true],
    ['http://localhost./', false, true],
    ['http://b.a.localhost./', false, true],
    // Chromium does not unwrap it either.
    ['http://[::ffff:127.0.0.1]/', false, false],
    ['http://[::2]/', false, false],
    ['http://128.0.0.1/', false, false],
    ['http://0.0.0.0/', false, false],
    ['http://notlocalhost/', false, false],
    ['http://localhost.example/', false, false],
    ['http://127.0.0.1.example/', false, false],
  ])('is %s: %s, and to browsers: %s', (url, forSure, toBrowsers) => {
    const { hostname } = new URL(url);
    expect(isThisMachine(hostname)).toBe(forSure);
    expect(isThisMachineToBrowsers(hostname)).toBe(toBrowsers);
  });
});
