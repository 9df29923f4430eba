import { describe, expect, it } from 'vitest';
import { parseHtml } from '../../../src/adapters/readers/dom.js';
import { readOutline } from '../../../src/adapters/readers/lines.js';
import { findCards, sectionUnder } from '../../../src/adapters/readers/listing.js';

const outlineOf = (html: string) => readOutline(parseHtml(html));
const card = (name: string) => `<li><h3><a href="/${name}">${name}</a></h3><p>Somewhere</p></li>`;

describe('cards', () => {
  it('are links that look alike, with something written below each', () => {
    const outline = outlineOf(`<h1>All</h1><ul>${['a', 'b', 'c', 'd'].map(card).join('')}</ul><p>End</p>`);
    expect(findCards(outline, [])).toEqual({ from: 1, to: 9 });
  });

  it.each([
    [
      'a menu',
      `<ul>${['a', 'b', 'c', 'd', 'e'].map((name) => `<li><a href="/${name}">${name}</a></li>`).join('')}</ul>`,
    ],
    ['a few', `<ul>${['a', 'b', 'c'].map(card).join('')}</ul>`],
    ['one and the same', `<ul>${['a', 'a', 'a', 'a'].map(card).join('')}</ul>`],
    ['a sidebar', `<aside><ul>${['a', 'b', 'c', 'd'].map(card).join('')}</ul></aside>`],
  ])('are not %s', (_, html) => {
    expect(findCards(outlineOf(html), [])).toBeNull();
  });
});

it('cards may be fewer where the page says that it is a list', () => {
  const outline = outlineOf(`<ul>${['a', 'b', 'c'].map(card).join('')}</ul>`);
  expect(findCards(outline, [], 3)).toEqual({ from: 0, to: 6 });
  expect(findCards(outline, [], 4)).toBeNull();
});

describe('the section under a heading', () => {
  it('is the widest block that nothing else is in', () => {
    const outline = outlineOf(
      `<h1>Own</h1><div><div><h2>Others</h2></div><ul>${card('a')}${card('b')}</ul></div><p>End</p>`,
    );
    expect(sectionUnder(outline, 1, (from, to) => from <= 0 || to > 6)).toEqual({ from: 1, to: 6 });
  });

  it('goes on as long as there are links where all lies flat', () => {
    const html = `<h2>Others</h2>${'<p><a href="/x">x</a></p><p>y</p>'.repeat(2)}${'<p>Own words</p>'.repeat(8)}`;
    const outline = outlineOf(html);
    expect(sectionUnder(outline, 0, (from, to) => to - from > 1 && from === 0)).toEqual({ from: 0, to: 4 });
  });
});
