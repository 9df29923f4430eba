import { describe, expect, it } from 'vitest';
import { parseHtml } from '../../../src/adapters/readers/dom.js';
import { visibleText } from '../../../src/adapters/readers/dom-text.js';
import { readPage } from '../../../src/adapters/readers/page-reader.js';
import { pageOf } from '../page.js';

const read = (html: string, url?: string) => readPage(pageOf(html, url === undefined ? {} : { url }));

describe('a page reader', () => {
  it('is the same for the same page, so that a page is parsed once', () => {
    const page = pageOf('<title>x</title>');
    expect(readPage(page)).toBe(readPage(page));
    expect(readPage(pageOf('<title>x</title>'))).not.toBe(readPage(page));
  });

  it('goes unseen with its page', () => {
    const page = pageOf('<title>x</title>');
    const before = JSON.stringify(page);
    const reader = readPage(page);
    expect(JSON.stringify(page)).toBe(before);
    expect(readPage({ ...page })).not.toBe(reader);
  });

  it('keeps what others read of the page', () => {
    const reader = read('<p>x</p>');
    let times = 0;
    const count = () => {
      times += 1;
      return null;
    };
    expect([reader.kept(count, count), reader.kept(count, count)]).toEqual([null, null]);
    expect(times).toBe(1);
    expect(reader.outline).toBe(reader.outline);
  });

  it.each([
    ['a short page', '<p>few words</p>'],
    ['a page of hardly anything but tags', `${'<div> </div>'.repeat(60_000)}<p>few words</p>`],
    ['a page of hardly anything but space', `${' '.repeat(100_000)}<p>few words</p>`],
  ])('sees all of %s at a glance', (_, html) => {
    expect(read(html).opening).toBe('few words');
  });

  it('sees enough of a long page at a glance', () => {
    const reader = read('<p>some more words </p>'.repeat(20_000));
    expect(reader.opening.length).toBeGreaterThan(10_000);
    expect(reader.opening.length).toBeLessThan(50_000);
    expect(reader.text.startsWith(reader.opening)).toBe(true);
  });

  it.each([
    ['.a', ['1', '2']],
    ['.a.b', ['2']],
    ['#x .b', ['2']],
    ['#x .c', []],
    ['.missing', []],
    ['p[title="t"]', ['2']],
    ['[title]', ['2']],
  ])('finds what %s names', (selector, found) => {
    const reader = read('<p class="a">1</p><div id="x"><p class=" b\na " title="t">2</p></div>');
    expect(reader.select(selector).map((element) => visibleText(element))).toEqual(found);
  });

  it('reads metas by any of their names, the first of each', () => {
    const reader = read(`
      <meta property="OG:Title" content=" A "><meta property="og:title" content="B">
      <meta name="description" content=""><meta name="twitter:description" content="T">`);
    expect(reader.meta('og:title')).toBe('A');
    expect(reader.meta('description', 'twitter:description')).toBe('T');
    expect(reader.meta('og:image')).toBeNull();
  });

  it('does not take the title of a drawing, or what stands in templates and noscript', () => {
    const reader = read('<svg><title>icon</title></svg><noscript><h1>n</h1></noscript><template><h1>t</h1></template>');
    expect(reader.title).toBeNull();
    expect(reader.headings).toEqual([]);
  });

  it('sees what a reader sees', () => {
    const html =
      '<head><title>t</title></head><body>a<p>b</p><b>c</b>d<p style="DISPLAY : none">e</p><p hidden>f</p><select><option>g</select><noscript>h</noscript></body>';
    expect(visibleText(parseHtml(html))).toBe('a b cd');
  });

  it.each([
    [
      'a relative canonical link',
      '<link rel="canonical" href="/b?x=1">',
      'https://site.test/a',
      'https://site.test/b?x=1',
    ],
    [
      'a sub-domain of the same site',
      '<link rel=Canonical href="https://www.site.test/b">',
      'https://site.test/a',
      'https://www.site.test/b',
    ],
    [
      'no other site',
      '<link rel="canonical" href="https://other.test/b">',
      'https://site.test/a',
      'https://site.test/a',
    ],
    ['no home page for an inner page', '<link rel="canonical" href="/">', 'https://site.test/a', 'https://site.test/a'],
    [
      'nothing that is not a URL',
      '<link rel="canonical" href="https://">',
      'https://site.test/a',
      'https://site.test/a',
    ],
    [
      'the base of the page',
      '<base href="/deep/"><link rel="canonical" href="b">',
      'https://site.test/a',
      'https://site.test/deep/b',
    ],
  ])('takes %s for its own address', (_, html, url, own) => {
    expect(read(html, url).ownUrl).toBe(own);
  });

  it('selects by tag, id, class, attribute and descent', () => {
    const reader = read(
      '<div id="a" class="x y"><p class="z" data-k="v"><b>1</b></p></div><p class="z"><b>2</b></p><p class="zz"><b>3</b></p>',
    );
    const texts = (selector: string) => reader.select(selector).map((element) => visibleText(element));
    expect(texts('b')).toEqual(['1', '2', '3']);
    expect(texts('.z b')).toEqual(['1', '2']);
    expect(texts('#a b')).toEqual(['1']);
    expect(texts('div.x.y p[data-k="v"] b')).toEqual(['1']);
    expect(texts('p[data-k]')).toEqual(['1']);
    expect(texts('.x .y b')).toEqual([]);
    expect(reader.selectText('.none', '.zz')).toBe('3');
  });
});
