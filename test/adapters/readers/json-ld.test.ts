import { describe, expect, it } from 'vitest';
import { readJsonLd } from '../../../src/adapters/readers/json-ld.js';
import { parseLooseJson } from '../../../src/adapters/readers/json-repair.js';
import { textOf, thingsOf } from '../../../src/adapters/readers/thing.js';

const read = (...blocks: unknown[]) =>
  readJsonLd(
    blocks.map((block) => (typeof block === 'string' ? block : JSON.stringify(block))),
    'https://site.test/a',
  );

describe('reading JSON-LD', () => {
  it('finds top-level things in objects, arrays and nested graphs', () => {
    const things = read(
      { '@type': 'A', name: 'one' },
      [{ '@type': 'B' }, [{ '@graph': [{ '@type': 'C' }, { '@graph': { '@type': 'D' } }] }]],
      { name: 'has no type' },
    );
    expect(things.map((thing) => thing.types)).toEqual([['A'], ['B'], ['C'], ['D']]);
  });

  it('takes types and properties without their vocabulary', () => {
    const [thing] = read({
      '@type': ['http://schema.org/JobPosting', 'schema:Thing', 7, null],
      'schema:title': 'x',
      'http://schema.org/url': 'y',
    });
    expect(thing?.types).toEqual(['JobPosting', 'Thing']);
    expect(textOf(thing ?? null, 'title')).toBe('x');
    expect(textOf(thing ?? null, 'url')).toBe('y');
  });

  it('resolves references across blocks, relative or absolute, before and after the definition', () => {
    const [job] = read(
      { '@type': 'JobPosting', hiringOrganization: { '@id': '#org' }, other: { '@id': '#nowhere' } },
      { '@graph': [{ '@id': 'https://site.test/a#org', '@type': 'Organization', name: 'Acme' }] },
    );
    expect(textOf(job ?? null, 'hiringOrganization')).toBe('Acme');
    expect(textOf(job ?? null, 'other')).toBeNull();
  });

  it('survives things that refer to each other in a circle', () => {
    const [a] = read([
      { '@id': '#a', '@type': 'A', next: { '@id': '#b' } },
      { '@id': '#b', '@type': 'B', next: { '@id': '#a' } },
    ]);
    const b = thingsOf(a ?? null, 'next')[0];
    expect(thingsOf(b ?? null, 'next')[0]).toBe(a);
  });

  it('unwraps values and lists, prints numbers, and takes the main entity of a page', () => {
    const things = read({
      '@type': 'WebPage',
      mainEntity: {
        '@type': 'Person',
        name: { '@value': 'Ida', '@language': 'sv' },
        age: 7,
        tags: { '@list': ['x', true] },
      },
    });
    expect(things.map((thing) => thing.types[0])).toEqual(['WebPage', 'Person']);
    const person = things[1] ?? null;
    expect(textOf(person, 'name')).toBe('Ida');
    expect(textOf(person, 'age')).toBe('7');
    expect(person?.props.get('tags')).toEqual(['x', 'true']);
  });

  it('ignores blocks that are not JSON or not objects', () => {
    expect(read('null', '42', '"text"', '', '{', 'alert(1)', '[[[]]]', '{"@type": null}')).toEqual([]);
  });

  it('does no harm with keys named after prototypes', () => {
    const [thing] = read('{"@type":"A","__proto__":{"polluted":true},"constructor":"x"}');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(textOf(thing ?? null, 'constructor')).toBe('x');
  });
});

describe('repairing JSON', () => {
  it.each([
    ['a trailing comma', '{"a":[1,2,],}', { a: [1, 2] }],
    ['comments', '// head\n{"a":1, /* b */ "c":2} // tail', { a: 1, c: 2 }],
    ['an HTML comment', '<!-- {"a":1} -->', { a: 1 }],
    ['CDATA with slashes', '//<![CDATA[\n{"a":1}\n//]]>', { a: 1 }],
    ['CDATA in one line', '//<![CDATA[ {"a":1} //]]>', { a: 1 }],
    ['CDATA in comments', '/*<![CDATA[*/{"a":1}/*]]>*/', { a: 1 }],
    ['raw line breaks in a text', '{"a":"b\n\tc"}', { a: 'b\n\tc' }],
    ['a semicolon at the end', '{"a":1};', { a: 1 }],
    ['a byte order mark', '\ufeff{"a":1}', { a: 1 }],
    ['escaped quotes everywhere', '{&quot;a&quot;:&quot;b &amp;amp; c&quot;}', { a: 'b &amp; c' }],
  ])('mends %s', (_, text, value) => {
    expect(parseLooseJson(text)).toEqual(value);
  });

  it('leaves texts that look like noise alone', () => {
    const value = { url: 'https://site.test/*x*/', text: 'a,] // b <!-- c --> ,}', quote: 'say "hi", }' };
    expect(parseLooseJson(`${JSON.stringify(value).slice(0, -1)},}`)).toEqual(value);
  });

  it('gives up on what is not JSON', () => {
    expect(parseLooseJson('var a = {"a":1}')).toBeUndefined();
    expect(parseLooseJson('{"a":"unfinished')).toBeUndefined();
  });
});
