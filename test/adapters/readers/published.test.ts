import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPage } from '../../../src/adapters/readers/page-reader.js';
import { publishedAt } from '../../../src/adapters/readers/published.js';
import { readDate } from '../../../src/adapters/readers/published-date.js';
import { resolveField } from '../../../src/adapters/resolve.js';
import { jsonLd, pageOf } from '../page.js';

const NOW = Date.UTC(2026, 0, 1);
const published = (html: string) => resolveField(publishedAt(readPage(pageOf(html)), NOW));
const article = (datePublished: string, type = 'NewsArticle') => jsonLd({ '@type': type, datePublished });
const meta = (content: string, name = 'article:published_time') => `<meta property="${name}" content="${content}">`;

describe('a date is read as precisely as it is printed', () => {
  it.each([
    ['2024-03-05', '2024-03-05'],
    ['20240305', '2024-03-05'],
    ['2024-03-05T10:00', '2024-03-05T10:00'],
    ['2024-03-05 10:00:07', '2024-03-05T10:00:07'],
    ['2024-03-05T10:00:00Z', '2024-03-05T10:00:00Z'],
    ['2024-03-05T10:00:00.000+0100', '2024-03-05T10:00:00.000+01:00'],
    ['2024-03-05T10:00:00-05', '2024-03-05T10:00:00-05:00'],
    ['2024-03-05 10:00:00 UTC', '2024-03-05T10:00:00Z'],
    ['Tue, 05 Mar 2024 10:00:00 GMT', '2024-03-05T10:00:00Z'],
    ['Tue Mar 05 2024 10:00:00 GMT+0100 (Central European Standard Time)', null],
    ['Tue Mar 05 2024 10:00:00 GMT+0100 (CET)', '2024-03-05T10:00:00+01:00'],
    ['March 5, 2024', '2024-03-05'],
    ['5 Sept. 2024', '2024-09-05'],
    ['05/03/2024', null],
    ['2024-03', null],
    ['2024', null],
    ['2024-02-30', null],
    ['2024-13-01', null],
    ['2024-03-05T25:00', null],
    ['2024-03-05T24:00:00Z', null],
    ['2024-03-05T23:59:59Z', '2024-03-05T23:59:59Z'],
    ['5 Marsupial 2024', null],
    ['5 Marc 2024', null],
    ['Sunflower, 5 May 2024', null],
    ['Sunday, 5 May 2024', '2024-05-05'],
    ['Thurs. 1 February 2024', '2024-02-01'],
    ['5 Märch 2024', null],
    ['yesterday', null],
    ['', null],
  ])('%s', (printed, iso) => {
    expect(readDate(printed)?.iso ?? null).toBe(iso);
  });

  it('and nothing else is one', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.date({ noInvalidDate: true }).map(String)), (text) => {
        const date = readDate(text);
        expect(date === null || Number.isFinite(date.at)).toBe(true);
        if (date) expect(date.iso).toMatch(/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}|$)/);
      }),
      { numRuns: 300 },
    );
  });
});

it('every month is known by its name and by its short one', () => {
  const long = Array.from({ length: 12 }, (_, n) => new Date(Date.UTC(2024, n, 5)));
  for (const day of long) {
    const iso = day.toISOString().slice(0, 10);
    for (const month of ['long', 'short'] as const) {
      const name = day.toLocaleDateString('en-US', { month, timeZone: 'UTC' });
      expect(readDate(`5 ${name} 2024`)?.iso).toBe(iso);
      expect(readDate(`${name} 5, 2024`)?.iso).toBe(iso);
    }
  }
});

describe('the day of publication', () => {
  it.each([
    ['the only article', article('2024-03-05T10:00:00+01:00'), '2024-03-05T10:00:00+01:00', 'json-ld'],
    ['the page itself', article('2024-03-05', 'WebPage'), '2024-03-05', 'json-ld'],
    ['a video', jsonLd({ '@type': 'VideoObject', uploadDate: '2024-03-05' }), '2024-03-05', 'json-ld'],
    [
      'microdata',
      '<div itemscope itemtype="http://schema.org/Article"><time itemprop="datePublished" datetime="2024-03-05">then</time></div>',
      '2024-03-05',
      'microdata',
    ],
    ['a meta', meta('2024-03-05T10:00:00Z'), '2024-03-05T10:00:00Z', 'meta'],
    ['an older meta', meta('2024-03-05', 'DC.date.issued'), '2024-03-05', 'meta'],
    ['a marked time', '<time pubdate datetime="2024-03-05">5.3.</time>', '2024-03-05', 'selector'],
    [
      'the time of an entry',
      '<time class="entry-date published" datetime="2024-03-05">5.3.</time>',
      '2024-03-05',
      'selector',
    ],
  ])('is read from %s', (_, html, iso, source) => {
    const decided = published(html);
    expect(decided?.value).toBe(iso);
    expect(decided?.from.source).toBe(source);
  });

  it('is agreed upon across clocks and zones', () => {
    const decided = published(
      `${article('2024-03-05T23:30:00Z')}${meta('2024-03-06T00:30:00+01:00')}<time pubdate datetime="2024-03-06"></time>`,
    );
    expect(decided?.value).toBe('2024-03-05T23:30:00Z');
    expect(decided?.from.agreeing).toEqual(['meta', 'selector']);
  });

  it.each([
    ['witnesses that contradict each other', `${article('2024-03-05')}${meta('2024-03-08')}`],
    ['days that follow each other', `${meta('2024-03-05')}${meta('2024-03-06', 'date')}`],
    ['several articles', `${article('2024-03-05')}${article('2024-03-05')}`],
    ['several times', '<time pubdate datetime="2024-03-05"></time><time pubdate datetime="2024-03-06"></time>'],
    ['a time that is not marked', '<time datetime="2024-03-05">5.3.</time>'],
    ['the future', meta('2026-01-03')],
    ['the beginning of time', meta('1970-01-01T00:00:00Z')],
    ['the day of a change', jsonLd({ '@type': 'Article', dateModified: '2024-03-05' })],
    ['something else than an article', article('2024-03-05', 'Book')],
  ])('is not known from %s', (_, html) => {
    expect(published(html)).toBeNull();
  });

  it('may be tomorrow where tomorrow has begun', () => {
    expect(published(meta('2026-01-01T12:00:00+14:00'))?.value).toBe('2026-01-01T12:00:00+14:00');
  });
});
