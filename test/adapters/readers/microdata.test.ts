import { describe, expect, it } from 'vitest';
import { readPage } from '../../../src/adapters/readers/page-reader.js';
import { textOf, thingsOf } from '../../../src/adapters/readers/thing.js';
import { pageOf } from '../page.js';

const read = (html: string) => readPage(pageOf(html)).microdata;

describe('reading microdata', () => {
  it('keeps the properties of nested scopes apart', () => {
    const things = read(`
      <div itemscope itemtype="https://schema.org/JobPosting">
        <p><span itemprop="title">Baker</span></p>
        <div itemprop="hiringOrganization" itemscope itemtype="https://schema.org/Organization">
          <span itemprop="name">Crumb</span><span itemprop="title">not the job's</span>
        </div>
      </div>`);
    expect(things).toHaveLength(1);
    expect(things[0]?.props.get('title')).toEqual(['Baker']);
    expect(textOf(things[0] ?? null, 'hiringOrganization')).toBe('Crumb');
  });

  it('takes a property inside a property as two', () => {
    const [thing] = read('<div itemscope itemtype="x/Y"><p itemprop="a">one <b itemprop="b">two</b></p></div>');
    expect(textOf(thing ?? null, 'a')).toBe('one two');
    expect(textOf(thing ?? null, 'b')).toBe('two');
  });

  it('follows itemref, also to a property and to nothing, and never in circles', () => {
    const [thing] = read(`
      <b id="x" itemprop="a">far</b>
      <div itemscope itemtype="x/Y" id="me" itemref="x y none me"></div>
      <div id="y"><div itemprop="self" itemscope itemref="me y"><i itemprop="c">deep</i></div></div>`);
    expect(textOf(thing ?? null, 'a')).toBe('far');
    expect(textOf(thingsOf(thing ?? null, 'self')[0] ?? null, 'c')).toBe('deep');
  });

  it.each([
    ['content on any element', '<span itemprop="p" content=" 12.5 ">twelve</span>', '12.5'],
    ['a time by its date', '<time itemprop="p" datetime="2025-01-01">today</time>', '2025-01-01'],
    ['a time without a date by its text', '<time itemprop="p">today</time>', 'today'],
    ['an image by its address', '<img itemprop="p" src="/a.png">', '/a.png'],
    ['a name in a link by its text', '<a itemprop="p" href="/x">Acme</a>', 'Acme'],
    ['a meter by its value', '<meter itemprop="p" value="3">three</meter>', '3'],
    ['text as it is seen', '<p itemprop="p">a<br>b<script>c</script> <i>d</i>e</p>', 'a b de'],
  ])('reads %s', (_, html, value) => {
    const [thing] = read(`<div itemscope itemtype="x/Y">${html}</div>`);
    expect(textOf(thing ?? null, 'p')).toBe(value);
  });

  it('reads a url in a link by its address, and several types and names', () => {
    const [thing] = read(
      '<div itemscope itemtype="http://schema.org/A  http://schema.org/B#C"><a itemprop="url sameAs" href="/x">Acme</a></div>',
    );
    expect(thing?.types).toEqual(['A', 'C']);
    expect(textOf(thing ?? null, 'url')).toBe('/x');
    expect(textOf(thing ?? null, 'sameAs')).toBe('/x');
  });
});
