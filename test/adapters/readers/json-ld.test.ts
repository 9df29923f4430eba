import { describe, expect, it } from 'vitest';
import { readJsonLd } from '../../../src/adapters/readers/json-ld.js';
import { parseLooseJson } from '../../../src/adapters/readers/json-repair.js';
import { readPage } from '../../../src/adapters/readers/page-reader.js';
import { textOf, thingsOf } from '../../../src/adapters/readers/thing.js';
import { pageOf } from '../page.js';

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

  it('takes `type` and `id` for the words with the sign, as the vocabulary does', () => {
    const [job] = read([
      { type: 'JobPosting', hiringOrganization: { id: '#org' } },
      { id: '#org', type: 'Organization', name: 'Acme' },
    ]);
    expect(job?.types).toEqual(['JobPosting']);
    expect(textOf(job ?? null, 'hiringOrganization')).toBe('Acme');
  });

  it('knows a type by its letters, whatever their case', () => {
    const [thing] = read({ '@type': [' jobPosting', 'http://schema.org/LOCALBUSINESS/', 'ownType', ''] });
    expect(thing?.types).toEqual(['JobPosting', 'LocalBusiness', 'ownType']);
  });

  it('looks into an object that only holds things, and not into one that says something itself', () => {
    const things = read(
      { '@context': 'https://schema.org', en: { '@type': 'A' }, list: [{ '@type': 'B' }, { name: 'untyped' }] },
      { name: 'says something', part: { '@type': 'C' } },
      { '@id': '#known', part: { '@type': 'D' } },
      { deep: { deeper: { '@type': 'E' } } },
    );
    expect(things.map((thing) => thing.types)).toEqual([['A'], ['B']]);
  });

  it('resolves a reference to the fullest of the things that carry the name', () => {
    const [job] = read([
      { '@type': 'JobPosting', hiringOrganization: { '@type': 'Organization', '@id': '#org' } },
      { '@type': 'Review', author: { '@id': '#org', url: '/' } },
      { '@id': '#org', '@type': 'Organization', url: '/', name: 'Acme' },
    ]);
    expect(textOf(job ?? null, 'hiringOrganization')).toBe('Acme');
  });

  it.each(['application/ld+json', 'application/ld+json; charset=utf-8', ' Application/LD+JSON '])(
    'finds the block of type "%s" on a page, with escapes in its names',
    (type) => {
      const html = `<script type="${type}">{"\\u0040context":"https://schema.org","\\u0040type":"Store","name":"A &amp; B"}</script>`;
      const [thing] = readPage(pageOf(html)).jsonLd;
      expect(thing?.types).toEqual(['Store']);
      expect(textOf(thing ?? null, 'name')).toBe('A &amp; B');
    },
  );

  it('does no harm with keys named after prototypes', () => {
    const [thing] = read('{"@type":"A","__proto__":{"polluted":true},"constructor":"x"}');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(textOf(thing ?? null, 'constructor')).toBe('x');
  });
});

describe('repairing JSON', () => {
  it.each<[string, string, unknown]>([
    ['a trailing comma', '{"a":[1,2,],}', { a: [1, 2] }],
    ['commas too many', '[,{"a":1},,\n,{"b":2,, "c":3 , }]', [{ a: 1 }, { b: 2, c: 3 }]],
    ['comments', '// head\n{"a":1, /* b */ "c":2} // tail', { a: 1, c: 2 }],
    ['a comment behind the last value', '{"a":"x", // one\n//"b": ""\n}', { a: 'x' }],
    ['an HTML comment', '<!-- {"a":1} -->', { a: 1 }],
    ['CDATA with slashes', '//<![CDATA[\n{"a":1}\n//]]>', { a: 1 }],
    ['CDATA in one line', '//<![CDATA[ {"a":1} //]]>', { a: 1 }],
    ['CDATA in comments', '/*<![CDATA[*/{"a":1}/*]]>*/', { a: 1 }],
    ['raw line breaks in a text', '{"a":"b\n\tc"}', { a: 'b\n\tc' }],
    ['a line continued by a backslash', '{"a":"b\\\nc"}', { a: 'b\nc' }],
    ['an apostrophe escaped as in JavaScript', '{"a":"it\\\'s \\\\\'"}', { a: "it's \\'" }],
    ['values that are missing', '{"a":undefined,"b":[NaN],"c":"undefined"}', { a: null, b: [null], c: 'undefined' }],
    ['a semicolon at the end', '{"a":1};', { a: 1 }],
    ['a byte order mark and foreign spaces', '\ufeff{\u00a0"a":\u200b1}', { a: 1 }],
    ['escaped quotes everywhere', '{&quot;a&quot;:&quot;b &amp;amp; c&quot;}', { a: 'b &amp; c' }],
    ['quotes escaped by number', '{&#34;a&#34;:&#x22;b&#X22;}', { a: 'b' }],
    ['a bracket too many', '{"a":{"b":"}"}}}', { a: { b: '}' } }],
    ['words behind the end', '{"a":1} </div>', { a: 1 }],
  ])('mends %s', (_, text, value) => {
    expect(parseLooseJson(text)).toEqual([value]);
  });

  it('reads several values behind each other, up to what is not one', () => {
    expect(parseLooseJson('{"a":"}{"}\n{"b":2},[3];')).toEqual([{ a: '}{' }, { b: 2 }, [3]]);
    expect(parseLooseJson('{"a":1} or {"b":2}')).toEqual([{ a: 1 }]);
    expect(parseLooseJson('{"a":1}{"b":')).toEqual([{ a: 1 }]);
  });

  it('leaves texts that look like noise alone', () => {
    const value = { url: 'https://site.test/*x*/', text: 'a,] // b <!-- c --> ,}', quote: 'say "hi", }', end: '\\' };
    expect(parseLooseJson(`${JSON.stringify(value).slice(0, -1)},}`)).toEqual([value]);
  });

  it.each([
    'var a = {"a":1}',
    '{"a":"unfinished',
    '{"a":"say "hi" twice"}',
    '{"a":,"b":1}',
    "{'a':1}",
    '{a:1}',
    '{"a":"\\u00"}',
    '',
  ])('gives up on %s', (text) => {
    expect(parseLooseJson(text)).toEqual([]);
  });

  it('is done in time with a megabyte that is broken at every character', { timeout: 60_000 }, () => {
    for (const piece of ['"\\', ',', '{', '[{"a":', '/*', '//', 'undefined', '{}', '<!--', '\\"', ' ']) {
      parseLooseJson(`{${piece.repeat(Math.floor(1_000_000 / piece.length) - 2)}`);
    }
  });
});
