import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalUrl } from '../../src/domain/normalize/canonical-url.js';

describe('the canonical URL', () => {
  it.each([
    ['scheme and host', 'HTTP://Shop.Example.COM', 'https://shop.example.com/'],
    ['default ports', 'http://example.com:80/a', 'https://example.com/a'],
    ['other ports', 'http://example.com:8080/a', 'https://example.com:8080/a'],
    ['the case of a path', 'https://example.com/A/b', 'https://example.com/A/b'],
    ['fragments', 'https://example.com/a?b=1#c?d', 'https://example.com/a?b=1'],
    ['trailing slashes', 'https://example.com/a//?b=1', 'https://example.com/a?b=1'],
    ['inner slashes', 'https://example.com/a//b', 'https://example.com/a//b'],
    [
      'tracking, in any case and encoding',
      'https://example.com/?UTM_x=1&%67clid=2&fbclid=3&msclkid=4',
      'https://example.com/',
    ],
    [
      'near misses',
      'https://example.com/?utm=1&reference=2&fbclid2=3',
      'https://example.com/?fbclid2=3&reference=2&utm=1',
    ],
    ['empty parameters', 'https://example.com/a?b&c=&d=1', 'https://example.com/a?d=1'],
    ['the order of parameters', 'https://example.com/?b=2&a=2&a=1', 'https://example.com/?a=2&a=1&b=2'],
    ['encoded separators', 'https://example.com/?q=a%26b%2Bc', 'https://example.com/?q=a%26b%2Bc'],
    ['credentials', 'https://user:secret@example.com/a', 'https://example.com/a'],
    ['white space around it', '  https://example.com/a ', 'https://example.com/a'],
  ])('settles %s', (_, given, canonical) => {
    expect(canonicalUrl(given)).toBe(canonical);
  });

  it.each([
    '',
    'example.com/a',
    '/a',
    'ftp://example.com/',
    'javascript:alert(1)',
    'mailto:a@b.test',
    'https://',
    'http://a b/',
    `https://a.test/${'x'.repeat(5000)}`,
  ])('refuses %.40s', (given) => {
    expect(canonicalUrl(given)).toBeNull();
  });

  it('is a fixed point, blind to noise and to the order of parameters', () => {
    const name = fc.stringMatching(/^[a-z]{1,3}x$/);
    const params = fc.uniqueArray(fc.tuple(name, fc.string({ minLength: 1, maxLength: 5 })), {
      selector: ([key]) => key,
    });
    const noise = fc.constantFrom('utm_source=a', 'fbclid=b', 'ref=c', 'empty=', 'valueless');
    fc.assert(
      fc.property(fc.webUrl({ withFragments: true }), params, fc.array(noise), (base, pairs, extra) => {
        const url = new URL(base);
        url.search = '';
        const query = pairs.map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
        const clean = canonicalUrl(`${url.origin}${url.pathname}?${query.join('&')}`);
        const noisy = canonicalUrl(
          `${url.origin}${url.pathname}?${[...extra, ...query.toReversed()].join('&')}${url.hash}`,
        );
        expect(noisy).toBe(clean);
        expect(clean).toMatch(/^https:\/\//);
        expect(canonicalUrl(clean ?? '')).toBe(clean);
      }),
      { numRuns: 300 },
    );
  });
});
