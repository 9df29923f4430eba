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

  it('reads a thing that stands in the text of another property', () => {
    const [job] = read(`
      <div itemscope itemtype="https://schema.org/JobPosting">
        <p itemprop="description"><b>About:</b>
          <span itemprop="hiringOrganization" itemscope itemtype="https://schema.org/Organization">
            <span itemprop="name">Crumb</span> bakes bread.</span></p>
      </div>`);
    expect(textOf(job ?? null, 'description')).toBe('About: Crumb bakes bread.');
    expect(textOf(job ?? null, 'hiringOrganization')).toBe('Crumb');
  });

  it.each([
    [
      'an exact value for the text around it',
      '<b itemprop="p"><i itemprop="q" content="EUR">€</i><i itemprop="p" content="5.5">5</i></b>',
      ['5.5'],
    ],
    [
      'each exact value',
      '<b itemprop="p"><i itemprop="p" content="5"></i><i itemprop="p" content="6"></i></b>',
      ['5', '6'],
    ],
    ['a text said twice once', '<b itemprop="p"><i itemprop="p">Oslo</i></b>', ['Oslo']],
    ['a part beside the whole', '<b itemprop="p"><i itemprop="p">Oslo</i> now</b>', ['Oslo now', 'Oslo']],
    ['what comes after as another value', '<b itemprop="p">a</b><i itemprop="p" content="b">', ['a', 'b']],
  ])('takes %s where a property is inside one of its own name', (_, html, values) => {
    const [thing] = read(`<div itemscope itemtype="x/Y">${html}</div>`);
    expect(thing?.props.get('p')).toEqual(values);
  });

  it('reads metas and links in the body, also those without a value', () => {
    const [thing] = read(`<div itemscope itemtype="x/Y">
      <meta itemprop="a" content="1"><link itemprop="b" href="https://schema.org/InStock"><meta itemprop="c"></div>`);
    expect(Object.fromEntries(thing?.props ?? [])).toEqual({ a: ['1'], b: ['https://schema.org/InStock'], c: [''] });
  });

  it('lists what a page is mainly about beside the page, and other properties only within', () => {
    const things = read(`
      <body itemscope itemtype="https://schema.org/WebPage">
        <div itemprop="mainEntity" itemscope itemtype="https://schema.org/JobPosting"><b itemprop="title">Baker</b></div>
        <div itemprop="author" itemscope itemtype="https://schema.org/Person"><b itemprop="name">Ida</b></div>
      </body>`);
    expect(things.map((thing) => thing.types[0])).toEqual(['WebPage', 'JobPosting']);
  });

  it('gives the thing where only its name is given, but an address stays an address', () => {
    const [job] = read(`
      <div itemscope itemtype="https://schema.org/JobPosting">
        <link itemprop="hiringOrganization" href="#org"><link itemprop="url" href="#org"><link itemprop="x" href="#none">
      </div>
      <div itemscope itemid="#org" itemtype="https://schema.org/Organization"><b itemprop="name">Crumb</b></div>`);
    expect(textOf(job ?? null, 'hiringOrganization')).toBe('Crumb');
    expect(textOf(job ?? null, 'url')).toBe('#org');
    expect(textOf(job ?? null, 'x')).toBe('#none');
  });

  it('takes a thing without properties by its name or its words, and not where they are many', () => {
    const [job] = read(`
      <div itemscope itemtype="https://schema.org/JobPosting">
        <b itemprop="hiringOrganization" itemscope itemtype="https://schema.org/Organization">Crumb <i>Ltd</i></b>
        <b itemprop="employmentUnit" itemscope itemtype="https://schema.org/Organization">${'About us. '.repeat(20)}</b>
        <b itemprop="jobLocation" itemscope itemtype="https://schema.org/Place"></b>
        <b itemprop="author" itemscope itemid="#ida">Someone</b>
      </div>
      <div itemscope itemid="#ida" itemtype="https://schema.org/Person"><b itemprop="name">Ida</b></div>`);
    expect([...(job?.props.keys() ?? [])]).toEqual(['hiringOrganization', 'author']);
    expect(textOf(job ?? null, 'hiringOrganization')).toBe('Crumb Ltd');
    expect(textOf(job ?? null, 'author')).toBe('Ida');
  });
});
