import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostNamed } from '../../src/domain/host-name.js';

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
    ['::ffff:1.2.3.4', '::ffff:102:304'],
  ])('%j is %s', (text, host) => {
    expect(hostNamed(text)).toBe(host);
  });

  it.each([
    '',
    '.',
    '..',
    'a..b',
    '-a.example',
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
