import { Value } from '@sinclair/typebox/value';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgePage } from '../../src/adapters/page-verdict.js';
import { createRegistry } from '../../src/adapters/registry.js';
import { normalizeRecord } from '../../src/domain/normalize/index.js';
import type { Page } from '../../src/domain/page.js';
import { jsonLd, pageOf, READING } from './page.js';

const registry = createRegistry();

/** Everything a visit asks of a page, by every adapter. */
function readEverything(page: Page): Record<string, unknown>[] {
  judgePage(page);
  return registry.types().map((type) => {
    const adapter = registry.get(type);
    if (!adapter) throw new Error(type);
    adapter.enough(page);
    const { record } = normalizeRecord(adapter.schema, adapter.extract(page, READING).fields);
    expect(Value.Check(adapter.schema, record)).toBe(true);
    return record;
  });
}

const MEGABYTES = 10_000_000;
const filled = (piece: string, size = MEGABYTES) => piece.repeat(Math.floor(size / piece.length));
const many = (count: number, make: (n: number) => unknown) => Array.from({ length: count }, (_, n) => make(n));
const script = (text: string) => `<script type="application/ld+json">${text}</script>`;
const person = 'itemscope itemtype="https://schema.org/Person"';

describe('a hostile page is read in bounded time and memory, and nothing throws', () => {
  // Each of these took minutes, the stack, or all memory in some form of the readers or the libraries beneath them.
  it.each<[string, () => string]>([
    ['10 MB of nested tags', () => filled('<div>')],
    ['10 MB of tags closed in the wrong order', () => `${filled('<b>', 5_000_000)}${filled('</p>', 5_000_000)}`],
    ['millions of siblings', () => filled('<br>')],
    ['10 MB of opening brackets', () => filled('<')],
    ['10 MB of entities', () => filled('&amp;')],
    ['an endless title', () => `<title>${filled('- | ')}`],
    ['half a million attributes', () => `<a ${many(500_000, (n) => `a${n}=1`).join(' ')}>x</a>`],
    [
      '100,000 jobs',
      () => jsonLd({ '@graph': many(100_000, (n) => ({ '@type': 'JobPosting', '@id': `#${n}`, title: `T${n}` })) }),
    ],
    [
      '100,000 companies in as many blocks',
      () => many(100_000, (n) => script(`{"@type":"Organization","name":"${n}"}`)).join(''),
    ],
    ['a million nested arrays', () => script(`${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`)],
    ['nested objects', () => script(`${'{"mainEntity":'.repeat(300_000)}1${'}'.repeat(300_000)}`)],
    ['broken JSON', () => script(filled('{"a": "b",'))],
    [
      'a name of spaces',
      () => jsonLd(many(2, (n) => ({ '@type': 'Organization', name: `${' '.repeat(1_000_000)}x${n}`, url: '/' }))),
    ],
    [
      'a description of tags',
      () => jsonLd({ '@type': 'JobPosting', title: 'x', description: filled('<b>', 3_000_000) }),
    ],
    [
      'a description escaped without end',
      () => jsonLd({ '@type': 'JobPosting', title: 'x', description: `&${filled('amp;', 3_000_000)}` }),
    ],
    [
      'properties within properties',
      () => `<div ${person}>${'<div itemprop="a">'.repeat(500)}${filled('<i>x</i>', 1_500_000)}`,
    ],
    [
      'items that all refer to one block',
      () =>
        `<p id="big">${filled('<i itemprop="name">x</i>', 2_000_000)}</p>${filled(`<p ${person} itemref="big"></p>`, 4_000_000)}`,
    ],
    [
      'classes within classes',
      () => `${'<div class="summary">'.repeat(500)}${filled('<i class="experience-item">present</i>', 3_000_000)}`,
    ],
  ])('%s', { timeout: 60_000 }, (_, make) => {
    const page = pageOf(make());
    expect(readEverything(page)).toHaveLength(3);
  });

  it('whatever the markup', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '<div itemscope itemprop="a">',
        '</div>',
        '<script type="application/ld+json">',
        '</script>',
        '{"@type":',
        '"JobPosting"',
      ),
      fc.constantFrom(
        '<title>',
        '<h1>',
        '<meta property="og:title" content="',
        '">',
        '<base href="//[">',
        '<link rel="canonical" href="http://%">',
      ),
      fc.constantFrom(
        '<a href="tel:%zz">',
        '<a href="mailto:%">',
        '<!--',
        '-->',
        '<![CDATA[',
        '<svg>',
        '<template>',
        '<p itemref="x" id="x">',
      ),
      fc.string({ unit: 'binary', maxLength: 20 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        readEverything(pageOf(pieces.join('')));
      }),
      { numRuns: 300 },
    );
  });

  it('whatever the structured data', () => {
    const key = fc.constantFrom(
      '@type',
      '@id',
      '@graph',
      'title',
      'name',
      'address',
      'jobLocation',
      'baseSalary',
      'value',
      'minValue',
      'url',
      'worksFor',
      'numberOfEmployees',
      'publisher',
      'mainEntity',
      'email',
      'telephone',
      '__proto__',
    );
    const { node } = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom(
          'JobPosting',
          'Organization',
          'Person',
          'WebSite',
          '#a',
          '',
          '-',
          'https://site.test/',
          '0',
          '<b>x</b>',
        ),
        fc.jsonValue(),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(key, tie('node'), { maxKeys: 6 }),
      ),
    }));
    fc.assert(
      fc.property(node, (value) => {
        readEverything(pageOf(jsonLd(value)));
      }),
      { numRuns: 300 },
    );
  });
});
