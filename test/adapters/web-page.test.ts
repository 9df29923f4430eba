import { Value } from '@sinclair/typebox/value';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { webPage } from '../../src/adapters/web-page.js';
import type { Format } from '../../src/domain/adapter.js';
import type { Page } from '../../src/domain/page.js';
import { WebPageResult } from '../../src/domain/records.js';
import { readRecord } from '../../src/engine/reading.js';
import { jsonLd, pageOf } from './page.js';

const NOW = Date.UTC(2026, 0, 1);
const ALL: Format[] = ['text', 'markdown', 'links', 'html', 'screenshot'];
const read = (html: string, formats: Format[] = [], over: Partial<Page> = {}) =>
  readRecord(webPage, pageOf(html, over), { now: NOW, formats: new Set(formats) });
const record = (html: string, over: Partial<Page> = {}) => read(html, [], over).record as WebPageResult;
const og = (name: string, content: string) => `<meta property="og:${name}" content="${content}">`;

const prose = '<p>The work is hard, the days are long, and the view from the roof is wonderful. </p>'.repeat(5);
const script = '<script src="/app.js"></script>';

describe('the title of a page', () => {
  it.each([
    ['its title', '<title>Blue bread</title>', 'Blue bread'],
    ['its title with the site, which nobody confirms', '<title>Blue bread | The Oven</title>', 'Blue bread | The Oven'],
    [
      'without the site where a heading agrees',
      '<title>Blue bread | The Oven</title><h1>Blue bread</h1>',
      'Blue bread',
    ],
    ['behind the site where a heading agrees', '<title>The Oven: Blue bread</title><h1>Blue bread</h1>', 'Blue bread'],
    [
      'with a bar of its own',
      '<title>Salt - a history | The Oven</title><h1>Salt - a history</h1>',
      'Salt - a history',
    ],
    [
      'not the name of the site above it',
      `${og('site_name', 'The Oven')}<title>Blue bread - The Oven</title><h1>The Oven</h1>`,
      'Blue bread - The Oven',
    ],
    ['what it is shared as', `${og('title', 'Blue bread')}<title>The Oven | Blue bread</title>`, 'Blue bread'],
    [
      'its headline',
      `${jsonLd({ '@type': 'Article', headline: 'Blue bread' })}<title>Blue bread | The Oven</title>`,
      'Blue bread',
    ],
    ['its heading where it has no title', '<h1>Blue <i>bread</i></h1>', 'Blue bread'],
    ['none', '<h1>One</h1><h1>Two</h1>', null],
  ])('is %s', (_, html, title) => {
    expect(record(html).title).toBe(title);
  });
});

describe('the language of a page', () => {
  it.each([
    ['its root', '<html lang="pt-br">', 'pt-BR'],
    ['its root, to which the locale agrees', `<html lang="en">${og('locale', 'en_GB')}`, 'en'],
    ['its locale', og('locale', 'de_AT'), 'de-AT'],
    ['its meta', '<meta http-equiv="Content-Language" content="cs">', 'cs'],
    ['unknown where they contradict each other', `<html lang="en">${og('locale', 'de_DE')}`, null],
    ['unknown for several', '<meta http-equiv="content-language" content="en, de">', null],
    ['unknown for a name', '<html lang="English">', null],
    ['unknown for what is no language', '<html lang="xx">', null],
    ['unknown for a placeholder', '<html lang="{{lang}}">', null],
    ['unknown for "undetermined"', '<html lang="und">', null],
  ])('is %s', (_, html, language) => {
    expect(record(html).language).toBe(language);
  });
});

describe('the description of a page', () => {
  it('is its meta, then what it is shared with, then its article', () => {
    const article = jsonLd({ '@type': 'Article', headline: 'x', description: 'c' });
    expect(record(`<meta name="description" content="a">${og('description', 'b')}${article}`).description).toBe('a');
    expect(record(`${og('description', 'b')}${article}`).description).toBe('b');
    expect(record(article).description).toBe('c');
    expect(record(jsonLd({ '@type': 'Organization', description: 'd' })).description).toBeNull();
  });
});

describe('structured data', () => {
  it('is given as found, each with its syntax, nothing told twice', () => {
    const html = `${jsonLd({
      '@graph': [
        { '@type': 'Article', '@id': '#a', headline: 'Ice', author: { '@id': '#p' }, tags: ['x', 'y'], n: 3 },
        { '@type': 'Person', '@id': '#p', name: 'Ida', works: { '@id': '#a' } },
      ],
    })}<div itemscope itemtype="https://schema.org/Place"><b itemprop="name">Lake</b></div>`;
    expect(record(html).structured_data).toEqual([
      {
        '@syntax': 'json-ld',
        '@type': 'Article',
        '@id': 'https://site.test/page#a',
        headline: 'Ice',
        author: { '@type': 'Person', '@id': 'https://site.test/page#p' },
        tags: ['x', 'y'],
        n: '3',
      },
      {
        '@syntax': 'json-ld',
        '@type': 'Person',
        '@id': 'https://site.test/page#p',
        name: 'Ida',
        works: { '@type': 'Article', '@id': 'https://site.test/page#a' },
      },
      { '@syntax': 'microdata', '@type': 'Place', name: 'Lake' },
    ]);
  });

  it('tells the main entity inside its page', () => {
    const html = jsonLd({ '@type': 'WebPage', mainEntity: { '@type': 'Recipe', name: 'Ice' } });
    expect(record(html).structured_data).toEqual([
      { '@syntax': 'json-ld', '@type': 'WebPage', mainEntity: { '@type': 'Recipe', name: 'Ice' } },
    ]);
  });

  it('is null where there is none', () => {
    expect(record('<p>x</p>').structured_data).toBeNull();
  });

  it('is bounded, whatever it refers to', () => {
    const many = Array.from({ length: 12_000 }, (_, n) => ({
      '@type': 'Thing',
      '@id': `#${n}`,
      to: [{ '@id': `#${n + 1}` }, { '@id': '#0' }],
      text: 'x'.repeat(50),
    }));
    const data = record(jsonLd({ '@graph': many })).structured_data;
    expect(JSON.stringify(data).length).toBeLessThan(210_000);
    const nested = (n: number): object => (n === 0 ? {} : { '@type': 'Thing', a: nested(n - 1), b: nested(n - 1) });
    expect(JSON.stringify(record(jsonLd(nested(12))).structured_data).length).toBeLessThan(210_000);
  });
});

describe('the formats of a page', () => {
  const html = `<title>Ice</title><nav><a href="/">Home</a></nav><main><h1>Ice</h1>${prose}</main>`;

  it('are made only when asked for', () => {
    expect(read(html).record).toMatchObject({
      title: 'Ice',
      text: null,
      markdown: null,
      links: null,
      html: null,
      screenshot: null,
    });
    expect(read(html, ['text']).record).toMatchObject({ markdown: null, links: null, html: null });
    expect((read(html, ['text']).record.text as string).startsWith('Ice\n\nThe work is hard')).toBe(true);
  });

  it('are the main content, the links of all of it, and the page as it came', () => {
    const { record: all, provenance, quality } = read(html, ALL);
    expect((all.markdown as string).startsWith('# Ice\n\nThe work is hard')).toBe(true);
    expect(all.links).toEqual([{ url: 'https://site.test/', text: 'Home' }]);
    expect(all.html).toBe(html);
    expect(all.screenshot).toBeNull();
    expect(provenance.markdown).toEqual({ source: 'page', confidence: 1, agreeing: [] });
    expect(quality).toBe('ok');
  });

  it('are cut where they do not fit, never within a character', () => {
    const { text, html: source, markdown } = read(`${'x'.repeat(1_999_999)}🍞`, ALL).record as WebPageResult;
    expect([text?.length, source?.length, markdown?.length]).toEqual([500_000, 1_999_999, 500_000]);
    const split = read(`${'x'.repeat(499_999)}🍞`, ALL).record as WebPageResult;
    expect([split.text?.length, split.markdown?.length]).toEqual([499_999, 499_999]);
  });

  it('are null where there is nothing', () => {
    expect(read('', ALL).record).toMatchObject({ text: null, markdown: null, links: [], html: null });
  });

  it('keep a page whose beginning says nothing', () => {
    const head = '<link rel="x">'.repeat(1_000);
    expect(read(`${head}<p>End`, ALL).record).toMatchObject({ html: `${head}<p>End`, text: 'End', markdown: 'End' });
  });

  it('fit their record, whatever the page', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '<main>',
        '</main>',
        '<table>',
        '<tr>',
        '<td>',
        '<ul>',
        '<li>',
        '<pre>',
        '<a href="',
        '">',
        '</a>',
        '<img src="',
        '<html lang="',
        '<time pubdate datetime="',
        '<base href="',
      ),
      fc.string({ unit: 'binary', maxLength: 20 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const { record: all, dropped } = read(pieces.join(''), ALL);
        expect(Value.Check(WebPageResult, all)).toBe(true);
        expect(dropped.filter((field) => field !== 'canonical_url' && field !== 'title')).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['nested tags', '<div>'.repeat(1_000_000)],
    ['unclosed links', '<a href="/x">x '.repeat(50_000)],
    ['classes', '<div class="sidebar comments x">y</div>'.repeat(50_000)],
    ['classes of their own', Array.from({ length: 40_000 }, (_, n) => `<div class="a${n} nav-${n}">y</div>`).join('')],
    ['articles', '<article><p>A sentence that is long enough to be counted.</p>'.repeat(50_000)],
    ['entities', '&amp;'.repeat(500_000)],
  ])('are made in bounded time from megabytes of %s', { timeout: 60_000 }, (_, hostile) => {
    expect(webPage.enough(pageOf(hostile))).toBe(true);
    expect(Value.Check(WebPageResult, read(hostile, ALL).record)).toBe(true);
  });
});

describe('raw HTML of any page', () => {
  it.each([
    ['text', `<main>${prose}</main>${script}`],
    [
      'structured data in a shell',
      `${jsonLd({ '@type': 'Product', name: 'Oven', sku: '1' })}<div id="root"></div>${script}`,
    ],
    ['no scripts', '<p>Nothing here.</p>'],
  ])('is enough with %s', (_, html) => {
    expect(webPage.enough(pageOf(html))).toBe(true);
  });

  it.each([
    ['an empty root', `<title>Oven</title><div id="root"></div>${script}`],
    [
      'only the site described',
      `${jsonLd({ '@type': 'WebSite', name: 'Oven', url: '/' })}<div id="root"></div>${script}`,
    ],
    ['only a menu', `<main></main><nav>${prose}</nav>${script}`],
    ['a short note and scripts', `<main><p>Loading the recipes…</p></main><nav>${prose}</nav>${script}`],
  ])('is not enough with %s', (_, html) => {
    expect(webPage.enough(pageOf(html))).toBe(false);
  });
});
