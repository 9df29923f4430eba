import { readdirSync, readFileSync } from 'node:fs';
import { Value } from '@sinclair/typebox/value';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgePage } from '../../src/adapters/page-verdict.js';
import { readPage } from '../../src/adapters/readers/page-reader.js';
import { createRegistry } from '../../src/adapters/registry.js';
import { FORMATS } from '../../src/domain/adapter.js';
import { normalizeRecord } from '../../src/domain/normalize/index.js';
import type { Page } from '../../src/domain/page.js';
import { decodeText } from '../../src/fetching/charset.js';
import { HOSTILE_PAGES } from './hostile-pages.js';
import { jsonLd, pageOf, READING } from './page.js';

const registry = createRegistry();
const everything = { ...READING, formats: new Set(FORMATS) };

/** No record is longer than this, whatever the page. */
const MAX_RECORD = 20_000_000;

/** Everything a visit asks of a page, by every adapter and every reader. */
function readEverything(page: Page): Record<string, unknown>[] {
  judgePage(page);
  const { text, lines, labels, jsonLd, microdata, rdfa, hydration, headings, ownUrl } = readPage(page);
  expect([text, lines, labels, jsonLd, microdata, rdfa, hydration, headings]).not.toContain(undefined);
  expect(ownUrl).not.toBe('');
  return registry.types().map((type) => {
    const adapter = registry.get(type);
    if (!adapter) throw new Error(type);
    adapter.enough(page);
    const { record } = normalizeRecord(adapter.schema, adapter.extract(page, everything).fields);
    expect(Value.Check(adapter.schema, record)).toBe(true);
    expect(JSON.stringify(record).length).toBeLessThan(MAX_RECORD);
    return record;
  });
}

const saved = ['./pages/', './verdicts/'].flatMap((folder) =>
  readdirSync(new URL(folder, import.meta.url))
    .filter((file) => file.endsWith('.html'))
    .map((file) => readFileSync(new URL(`${folder}${file}`, import.meta.url), 'utf8')),
);

/** A little of everything the readers know. */
const EVERY_SYNTAX = `<!DOCTYPE html><html lang="en"><head><title>Baker – Crumb</title><base href="/jobs/"><link rel="canonical" href="1">
<meta property="og:title" content="Baker &amp; more"><script type="application/ld+json">{"@graph":[{"@type":["JobPosting"],"title":"Baker",
"hiringOrganization":{"@id":"#c"},"baseSalary":{"value":{"minValue":"1","unitText":"HOUR"}}},{"@id":"#c","@type":"Organization","name":"Crumb"}]}</script>
<script id="__NEXT_DATA__" type="application/json">{"props":{"job":{"title":"Baker"}}}</script><script>window.__STATE__={"a":[1,{"b":"c"}]};</script></head>
<body vocab="https://schema.org/" typeof="Organization"><b property="name">Crumb</b><div itemscope itemtype="https://schema.org/Person" itemref="x">
<i itemprop="name">Ida</i></div><p id="x" itemprop="email">ida [at] crumb.test</p><h1>Baker</h1><table><tr><th>Location:</th><td>Oslo</td></tr></table>
<dl><dt>Salary</dt><dd>$10 – $12 an hour</dd></dl><ul><li><a href="mailto:a@b.test?x=%">Write</a><li><a href="tel:+47 22 00 00 00">+47 22 00 00 00</a></ul>
<address>1 Mill Lane<br>Oxford OX1 2AB<br>United Kingdom</address><!-- ©<![CDATA[ --><p>© 2025 Crumb Ltd</p></body></html>`;

describe('a hostile page is read in bounded time and memory, and nothing throws', () => {
  it.each(HOSTILE_PAGES)('%s', { timeout: 120_000 }, (_, make) => {
    expect(readEverything(pageOf(make()))).toHaveLength(registry.types().length);
  });

  it('cut off anywhere', { timeout: 120_000 }, () => {
    for (let length = 0; length <= EVERY_SYNTAX.length; length += 1)
      readEverything(pageOf(EVERY_SYNTAX.slice(0, length)));
  });

  it('random bytes', { timeout: 120_000 }, () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 3_000 }),
      fc
        .array(
          fc.oneof(
            fc.uint8Array({ maxLength: 30 }),
            fc.constantFrom(...'<>&;"=/').map((c) => Buffer.from(c)),
          ),
        )
        .map((all) => Buffer.concat(all)),
    );
    const charset = fc.constantFrom(
      null,
      'text/html; charset=utf-8',
      'text/html; charset=shift_jis',
      'text/html; charset=utf-16',
    );
    fc.assert(
      fc.property(bytes, charset, (body, contentType) => {
        readEverything(pageOf(decodeText(body, contentType)));
      }),
      { numRuns: 200 },
    );
  });
});

describe('whatever is on a page', () => {
  it('its markup', { timeout: 120_000 }, () => {
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
      fc.constantFrom(
        '<table>',
        '<tr>',
        '<td>',
        'Location:',
        '<dt>',
        '<dd>',
        '<ul>',
        '<li>',
        '<br>',
        '<pre>',
        '<b>',
        '<frameset>',
        '<noscript>',
      ),
      fc.constantFrom(
        '<div vocab="schema" typeof="a b" property="">',
        '<script>window.x = {',
        '};',
        '<img src="//[">',
        '<a href="http://[">',
        '$1,0',
        '+1 (',
        '@',
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

  it('its tree', { timeout: 120_000 }, () => {
    const tag = fc.constantFrom(
      ...'div p b a h1 h2 table tr td th dl dt dd ul li main nav footer address section br span article'.split(' '),
    );
    const attribute = fc.constantFrom(
      ...[
        '',
        ' hidden',
        ' class="nav menu"',
        ' id="root"',
        ' itemscope',
        ' itemprop="name"',
        ' itemtype="https://schema.org/Organization"',
      ],
      ...[
        ' typeof="JobPosting"',
        ' property="title"',
        ' href="/a"',
        ' href="mailto:a@b.test"',
        ' rowspan="99999999"',
        ' colspan="-1"',
        ' role="main"',
      ],
    );
    const words = fc.constantFrom(
      'Location:',
      'Oslo',
      'Crumb Ltd',
      '1 Mill Lane',
      'OX1 2AB',
      '+47 22 00 00 00',
      '£20k – £30k',
      ' ',
      'a@b.test',
      '©',
    );
    const { tree } = fc.letrec<{ tree: string }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 8, depthSize: 'large' },
        words,
        fc
          .tuple(tag, attribute, attribute, fc.array(tie('tree'), { maxLength: 5 }))
          .map(([name, one, other, inner]) => `<${name}${one}${other}>${inner.join('')}</${name}>`),
      ),
    }));
    fc.assert(
      fc.property(tree, (html) => {
        readEverything(pageOf(html));
      }),
      { numRuns: 300 },
    );
  });

  it('its structured data', { timeout: 120_000 }, () => {
    const key = fc.constantFrom(
      ...[
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
      ],
      ...[
        'numberOfEmployees',
        'publisher',
        'mainEntity',
        'email',
        'telephone',
        '__proto__',
        'datePublished',
        'hiringOrganization',
      ],
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
      fc.property(node, fc.boolean(), (value, isState) => {
        const state = `<script type="application/json">${JSON.stringify(value)?.replaceAll('<', '\\u003c')}</script>`;
        readEverything(pageOf(isState ? state : jsonLd(value)));
      }),
      { numRuns: 300 },
    );
  });

  it('saved pages with parts missing, doubled or swapped', { timeout: 120_000 }, () => {
    const cut = fc.tuple(fc.nat(10_000), fc.nat(300), fc.constantFrom('drop', 'double', 'swap', 'noise'));
    fc.assert(
      fc.property(fc.constantFrom(...saved), fc.array(cut, { minLength: 1, maxLength: 6 }), (html, cuts) => {
        readEverything(
          pageOf(cuts.reduce((page, [at, size, how]) => mutated(page, at % (page.length + 1), size, how), html)),
        );
      }),
      { numRuns: 300 },
    );
  });
});

function mutated(html: string, at: number, size: number, how: string): string {
  const [before, part, after] = [html.slice(0, at), html.slice(at, at + size), html.slice(at + size)];
  if (how === 'drop') return `${before}${after}`;
  if (how === 'double') return `${before}${part}${part}${after}`;
  return how === 'swap' ? `${after}${part}${before}` : `${before}\u0000<"'>\ud800&#x110000;${after}`;
}
