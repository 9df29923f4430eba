import { describe, expect, it } from 'vitest';
import { glimpseOf, saysMore } from '../../src/domain/glimpse.js';

const glimpse = (record: Record<string, unknown>) => glimpseOf(record, 'title');
const words = (count: number): string => 'word '.repeat(count).trim();
const isMore = (later: Record<string, unknown>, earlier: Record<string, unknown>): boolean =>
  saysMore(glimpse(later), glimpse(earlier));

describe('a later record says more', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['with a field more', { title: 'Baker', company: 'Crumb' }, { title: 'Baker', company: null }],
    ['with the key', { title: 'Baker' }, { title: null }],
    ['with another key', { title: 'Baker' }, { title: 'Careers' }],
    ['with many more words', { title: 'Oven', text: words(500) }, { title: 'Oven', text: words(10) }],
    ['with a longer list', { links: times({ url: 'https://x.test/a/b' }, 20) }, { links: [{ url: 'https://x.test' }] }],
    ['where there was an empty list', { links: ['a'] }, { links: [] }],
    ['where there was no word', { text: 'a' }, { text: '' }],
  ])('%s', (_, later, earlier) => {
    expect(isMore(later, earlier)).toBe(true);
    expect(isMore(later, later)).toBe(false);
  });
});

describe('it does not', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['with a field less', { title: 'Baker' }, { title: 'Baker', company: 'Crumb' }],
    ['without the key', { title: null }, { title: 'Baker' }],
    ['with a few more words', { title: 'Oven', text: words(40) }, { title: 'Oven', text: words(10) }],
    ['with a banner on a long page', { title: 'Oven', text: words(1_100) }, { title: 'Oven', text: words(1_000) }],
    ['with another wording', { title: 'Oven', text: 'It bakes.' }, { title: 'Oven', text: 'It bakes!' }],
    ['with its markup or picture', { title: 'A', html: words(900), screenshot: 'x.png' }, { title: 'A', html: null }],
  ])('%s', (_, later, earlier) => {
    expect(isMore(later, earlier)).toBe(false);
  });
});

it('keeps nothing of what the fields say but the beginning of the key', () => {
  expect(glimpse({ title: 'x'.repeat(1_000), text: 'secret', none: null })).toEqual({
    key: 'x'.repeat(200),
    sizes: { title: 1_000, text: 6 },
  });
});

function times<T>(value: T, count: number): T[] {
  return Array.from({ length: count }, () => value);
}
