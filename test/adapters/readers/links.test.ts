import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparable, pageLinks } from '../../../src/adapters/readers/links.js';
import { readPage } from '../../../src/adapters/readers/page-reader.js';
import { canonicalUrl } from '../../../src/domain/normalize/canonical-url.js';
import { pageOf } from '../page.js';

const linksOf = (html: string, url = 'https://site.test/dir/page') => pageLinks(readPage(pageOf(html, { url })));

describe('the links of a page', () => {
  it('are absolute, in document order, with their text', () => {
    const html = `<nav><a href="/">Home</a></nav><p>see <a href="next?x=1&amp;y=2"> the <b>next</b>\n one</a></p>
      <a href="//other.test/a#part">Other</a><map><area href="/map" alt="North"></map>`;
    expect(linksOf(html)).toEqual([
      { url: 'https://site.test/', text: 'Home' },
      { url: 'https://site.test/dir/next?x=1&y=2', text: 'the next one' },
      { url: 'https://other.test/a', text: 'Other' },
      { url: 'https://site.test/map', text: 'North' },
    ]);
  });

  it('follow the base of the page', () => {
    expect(linksOf('<base href="/docs/"><a href="a">A</a>')).toEqual([{ url: 'https://site.test/docs/a', text: 'A' }]);
  });

  it('lead to pages only', () => {
    const hrefs = [
      'javascript:alert(1)',
      'mailto:a@b.test',
      'tel:123',
      'data:text/html,x',
      '#top',
      '',
      'http://[',
      'ftp://x.test/',
    ];
    expect(linksOf(hrefs.map((href) => `<a href="${href}">x</a>`).join('') + '<a name="x">y</a>')).toEqual([]);
    expect(linksOf('<template><a href="/t">x</a></template><noscript><a href="/n">x</a></noscript>')).toEqual([]);
  });

  it('name an address once, whatever its spelling, with the first text there is', () => {
    const html = `<a href="/a"><img src="i.png"></a><a href="/a/#x">A</a><a href="HTTP://SITE.test/a?utm_source=x">Again</a>
      <a href="/a">Later</a><a href="/b"><img alt="  Picture  of b"></a><a href="/c" title="See c"></a>`;
    expect(linksOf(html)).toEqual([
      { url: 'https://site.test/a', text: 'A' },
      { url: 'https://site.test/b', text: 'Picture of b' },
      { url: 'https://site.test/c', text: 'See c' },
    ]);
  });

  it('are five thousand at most, and their text is not endless', () => {
    const many = Array.from({ length: 12_000 }, (_, n) => `<a href="/${n}">x</a>`).join('');
    expect(linksOf(many)).toHaveLength(5_000);
    const long = Array.from({ length: 2_000 }, (_, n) => `<a href="/${'x'.repeat(1_000)}${n}">x</a>`).join('');
    const written = linksOf(long).reduce((sum, { url, text }) => sum + url.length + (text?.length ?? 0), 0);
    expect(written).toBeLessThanOrEqual(500_000);
    expect(written).toBeGreaterThan(490_000);
    expect(linksOf(`<a href="/${'é'.repeat(2_000)}">x</a>`)).toEqual([]);
    expect(linksOf(`<a href="/a">${'x'.repeat(999)}🍞</a>`)[0]?.text).toBe('x'.repeat(999));
    expect(linksOf(`<a href="/a" title="${'x'.repeat(999)}🍞"></a>`)[0]?.text).toBe('x'.repeat(999));
    expect(linksOf(`<a href="/a">${'word '.repeat(10_000)}</a>`)[0]?.text?.length).toBeLessThanOrEqual(1_000);
  });

  it('are told apart as canonical addresses are', () => {
    const address = fc
      .tuple(
        fc.constantFrom('http', 'https'),
        fc.constantFrom('a.test', 'a.test:8080', 'xn--bcher-kva.test', 'u:p@a.test'),
        fc.webPath(),
        fc.constantFrom('', '?b=2&a=1', '#x', '?utm_source=y#z'),
        fc.constantFrom('', '/', '//'),
      )
      .map(([scheme, host, path, tail, slash]) => new URL(`${scheme}://${host}${path}${slash}${tail}`).href);
    fc.assert(
      fc.property(address, (url) => {
        expect(comparable(url)).toBe(canonicalUrl(url));
      }),
      { numRuns: 300 },
    );
  });

  it('are absolute http addresses, each once, whatever is written', () => {
    const href = fc.oneof(
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      fc.string({ maxLength: 20 }),
      fc.constantFrom('javascript:x', '../..', '?', '//h', 'HTTPS:a', '\u0000'),
    );
    const html = fc
      .array(href, { maxLength: 20 })
      .map((hrefs) => hrefs.map((one) => `<a href="${one.replaceAll('"', '&quot;')}">${one}</a>`).join('<p>'));
    fc.assert(
      fc.property(
        html,
        fc.constantFrom('', '<base href="/b/">', '<base href="javascript:">', '<base href="//[">'),
        (links, base) => {
          const found = linksOf(base + links);
          for (const { url } of found) expect(new URL(url).href).toBe(url);
          for (const { url } of found) expect(url).toMatch(/^https?:\/\/[^#]+$/);
          expect(new Set(found.map(({ url }) => canonicalUrl(url))).size).toBe(found.length);
        },
      ),
      { numRuns: 300 },
    );
  });
});
