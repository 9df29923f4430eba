import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalUrl } from '../../src/domain/normalize/canonical-url.js';
import { domainOf } from '../../src/domain/registrable-domain.js';
import { checkUrl, parseEgressAllow } from '../../src/domain/target-url.js';

const vectors = <T>(file: string): T =>
  JSON.parse(readFileSync(new URL(`../vectors/${file}`, import.meta.url), 'utf8')) as T;

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
    ['bytes that are no UTF-8', 'https://example.com/?q=%e9&p=100%', 'https://example.com/?p=100%25&q=%E9'],
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
    `https://a.test/${'漢'.repeat(1000)}`,
  ])('refuses %.40s', (given) => {
    expect(canonicalUrl(given)).toBeNull();
  });

  it('is as every row of url_canonical.json says', () => {
    const rows = vectors<{ id: string; input: string; expected: string | null }[]>('url_canonical.json');
    const wrong = rows.flatMap((row) => {
      const ours = canonicalUrl(row.input);
      return ours === row.expected ? [] : [{ ...row, ours }];
    });
    expect(rows.length).toBeGreaterThan(60);
    expect(wrong).toEqual([]);
  });
});

describe('the properties of url_canonical_properties.json', () => {
  const known = vectors<{ properties: string[]; equivalence_classes: string[][]; must_differ: string[][] }>(
    'url_canonical_properties.json',
  );

  const name = fc.stringMatching(/^[a-z]{1,3}x$/);
  const params = fc.uniqueArray(fc.tuple(name, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 5 })), {
    selector: ([key]) => key,
  });
  const noise = fc.constantFrom(
    ...['utm_source=a', 'UTM_x=1', 'fbclid=b', 'gclid=b', 'ref=c', 'source=d', 'campaign=e', 'empty=', 'valueless'],
  );
  const base = fc.webUrl({ validSchemes: ['http', 'https'] });
  const queryOf = (pairs: [string, string][]) =>
    pairs.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&');

  it('are those tested here', () => {
    expect(known.properties.map((text) => text.split(/[: ]/)[0])).toEqual([
      'idempotent',
      'order-free',
      'noise-free',
      'host-stable',
      'scheme',
      'no',
      'never',
    ]);
  });

  it('hold: order and noise change nothing', () => {
    fc.assert(
      fc.property(base, params, fc.array(noise), fc.webFragments(), (url, pairs, extra, fragment) => {
        const clean = canonicalUrl(`${url}?${queryOf(pairs)}`);
        const shuffled = [...extra, ...queryOf(pairs.toReversed()).split('&')];
        expect(canonicalUrl(`${url}?${shuffled.join('&')}#${fragment}`)).toBe(clean);
        // All that meant something is still there.
        expect([...new URL(clean!).searchParams].sort()).toEqual([...pairs].sort());
      }),
      { numRuns: 300 },
    );
  });

  it('hold: a fixed point of https at the same domain, no longer than encoding makes it', () => {
    const anyQuery = fc.string({ unit: fc.constantFrom(..."aB1%2+&=;[]~'é漢 #?/"), maxLength: 20 });
    fc.assert(
      fc.property(base, anyQuery, (url, query) => {
        const given = new URL(`${url}?${query}`);
        const canonical = canonicalUrl(given.href)!;
        expect(canonicalUrl(canonical)).toBe(canonical);
        expect(canonical).toMatch(/^https:\/\//);
        expect(domainOf(canonical)).toBe(domainOf(given.href));
        expect(canonical.length).toBeLessThanOrEqual(given.href.length + 1 + 2 * given.search.length);
      }),
      { numRuns: 300 },
    );
  });

  it('hold: nothing makes it throw', () => {
    const bits = [
      'http',
      's',
      ':',
      '/',
      '//',
      '\\',
      '@',
      '[',
      ']',
      '%',
      '.',
      '?',
      '#',
      '&',
      '=',
      'utm_a',
      ' ',
      '\t',
      '\ud800',
      'é',
    ];
    const piece = fc.oneof(fc.constantFrom(...bits), fc.string({ unit: 'binary', maxLength: 4 }));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        for (const text of [pieces.join(''), `http://${pieces.join('')}`]) {
          const canonical = canonicalUrl(text);
          if (canonical !== null) expect(canonicalUrl(canonical)).toBe(canonical);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('hold: what is one page has one key', () => {
    for (const urls of known.equivalence_classes) expect(new Set(urls.map(canonicalUrl)).size, urls[0]).toBe(1);
  });

  it('hold: what are two pages have two', () => {
    for (const urls of [...known.must_differ, ['https://example.com/?q=%E8', 'https://example.com/?q=%E9']]) {
      expect(new Set(urls.map(canonicalUrl)).size, urls[0]).toBe(2);
    }
  });
});

describe('the URL parser we rely on', () => {
  interface Row {
    input: string;
    failure: boolean;
    href: string;
  }
  const PARTS = ['href', 'hostname', 'port', 'pathname', 'search', 'hash'] as const;
  const rows = vectors<(Row & Record<(typeof PARTS)[number], string>)[]>('whatwg_http_subset.json');

  /**
   * Labels that claim to be punycode and are none. The standard lets ASCII ones pass since 2024, Node 20 does not. A name
   * that nobody can register is refused instead of looked up; no other page is reached by it.
   */
  const REFUSED_BY_NODE_20 = new Set([
    'http://a.b.c.xn--pokxncvks',
    'http://10.0.0.xn--pokxncvks',
    'http://a.b.c.XN--pokxncvks',
    'http://a.b.c.Xn--pokxncvks',
    'http://10.0.0.XN--pokxncvks',
    'http://10.0.0.xN--pokxncvks',
    'https://xn--/',
  ]);

  it('reads every row of whatwg_http_subset.json as the standard does', () => {
    const wrong = rows.filter((row) => {
      if (!URL.canParse(row.input)) return !row.failure && !REFUSED_BY_NODE_20.has(row.input);
      const url = new URL(row.input);
      return row.failure || PARTS.some((part) => url[part] !== row[part]);
    });
    expect(rows.length).toBeGreaterThan(270);
    expect(wrong).toEqual([]);
  });

  it('is never more generous through our own check, and never leads elsewhere', () => {
    const everything = parseEgressAllow(['0.0.0.0/0', '::/0']);
    let taken = 0;
    for (const row of rows) {
      const checked = checkUrl(row.input, everything);
      if ('fault' in checked) continue;
      taken += 1;
      expect(checked.url.href).toBe(row.href);
    }
    expect(taken).toBeGreaterThan(50);
  });
});
