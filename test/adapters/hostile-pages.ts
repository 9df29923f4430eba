import { jsonLd } from './page.js';

const MEGABYTES = 10_000_000;
const filled = (piece: string, size = MEGABYTES): string => piece.repeat(Math.floor(size / piece.length));
const many = (count: number, make: (n: number) => unknown): unknown[] =>
  Array.from({ length: count }, (_, n) => make(n));
const written = (count: number, make: (n: number) => string): string => many(count, make).join('');
const script = (text: string): string => `<script type="application/ld+json">${text}</script>`;
const state = (text: string): string => `<script id="__NEXT_DATA__" type="application/json">${text}</script>`;
const person = 'itemscope itemtype="https://schema.org/Person"';

/** Each of these took minutes, the stack, or all memory in some form of the readers or the libraries beneath them. */
export const HOSTILE_PAGES: readonly [string, () => string][] = [
  // The tree.
  ['10 MB of nested tags', () => filled('<div>')],
  ['10 MB of nested inline tags', () => filled('<span>')],
  ['10 MB of tags closed in the wrong order', () => `${filled('<b>', 5_000_000)}${filled('</p>', 5_000_000)}`],
  ['millions of siblings', () => filled('<br>')],
  ['10 MB of opening brackets', () => filled('<')],
  ['10 MB of entities', () => filled('&amp;')],
  ['10 MB of one word', () => filled('x')],
  ['10 MB of spaces', () => `<p>${filled(' ')}x`],
  ['an endless title', () => `<title>${filled('- | ')}`],
  ['an endless comment', () => `<!--${filled('-')}`],
  ['half a million attributes', () => `<a ${many(500_000, (n) => `a${n}=1`).join(' ')}>x</a>`],
  [
    'megabytes in one attribute',
    () => `<p class="${filled('a ', 5_000_000)}" style="${filled('x:y;', 5_000_000)}">x</p>`,
  ],
  ['100,000 elements with a long class', () => written(100_000, () => `<p class="${'nav-'.repeat(20)}">x</p>`)],
  [
    'classes within classes',
    () => `${'<div class="summary">'.repeat(500)}${filled('<i class="experience-item">present</i>', 3_000_000)}`,
  ],
  // Structured data.
  [
    '100,000 jobs',
    () => jsonLd({ '@graph': many(100_000, (n) => ({ '@type': 'JobPosting', '@id': `#${n}`, title: `T${n}` })) }),
  ],
  [
    '100,000 companies in as many blocks',
    () => written(100_000, (n) => script(`{"@type":"Organization","name":"${n}"}`)),
  ],
  [
    '100,000 references to one another',
    () =>
      jsonLd({
        '@graph': many(100_000, (n) => ({
          '@type': 'Organization',
          '@id': `#${n}`,
          parentOrganization: { '@id': `#${n + 1}` },
          member: { '@id': '#0' },
        })),
      }),
  ],
  ['a million nested arrays', () => script(`${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`)],
  ['nested objects', () => script(`${'{"mainEntity":'.repeat(300_000)}1${'}'.repeat(300_000)}`)],
  ['broken JSON', () => script(filled('{"a": "b",'))],
  ['JSON of quotes and comments', () => script(`{"a":${filled('"\\"/*', 5_000_000)}`)],
  [
    'a name of spaces',
    () => jsonLd(many(2, (n) => ({ '@type': 'Organization', name: `${' '.repeat(1_000_000)}x${n}`, url: '/' }))),
  ],
  ['a description of tags', () => jsonLd({ '@type': 'JobPosting', title: 'x', description: filled('<b>', 3_000_000) })],
  [
    'a description of list items',
    () => jsonLd({ '@type': 'JobPosting', title: 'x', description: filled('<li>x</li>', 3_000_000) }),
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
    'RDFa by the 100,000',
    () =>
      written(
        100_000,
        (n) => `<p vocab="https://schema.org/" typeof="JobPosting" resource="#${n}"><b property="title">x</b></p>`,
      ),
  ],
  [
    'RDFa within RDFa',
    () =>
      `${'<div vocab="https://schema.org/" typeof="Person" property="knows" prefix="a: b c: d">'.repeat(500)}${filled('<i property="name">x</i>', 3_000_000)}`,
  ],
  [
    'state of 100,000 objects',
    () => state(JSON.stringify({ props: many(100_000, (n) => ({ id: n, title: `T${n}`, company: { name: 'x' } })) })),
  ],
  ['state nested without end', () => state(`${'{"props":'.repeat(200_000)}1${'}'.repeat(200_000)}`)],
  [
    'assignments of state',
    () => written(50_000, (n) => `<script>window.__STATE_${n}__ = {"title":"x","job":{"title":"y"}};</script>`),
  ],
  ['an assignment that never ends', () => `<script>window.__INITIAL_STATE__ = ${filled('{"a":[', 5_000_000)}</script>`],
  ['state within strings', () => `<script>window.__STATE__ = JSON.parse("${filled('\\"', 5_000_000)}");</script>`],
  // What is written for people.
  [
    'a table of 100,000 cells',
    () => `<table>${written(1_000, (n) => `<tr>${'<td>Location:</td>'.repeat(100)}<th>${n}</th></tr>`)}</table>`,
  ],
  ['a table of 160,000 columns', () => `<table>${'<col>'.repeat(160_000)}<tr><td>a<td>b</table>`],
  ['a table of 80,000 empty parts', () => `<table>${'<tbody></tbody>'.repeat(80_000)}</table>`],
  ['a table of 80,000 empty rows', () => `<table>${'<tr></tr>'.repeat(80_000)}</table>`],
  ['100,000 pieces of code', () => `<p>${'<code>``</code><kbd>x</kbd>'.repeat(50_000)}</p>`],
  [
    'tables within tables',
    () => `${'<table><tr><td>Salary<td>'.repeat(150)}${filled('<tr><td>Location<td>Oslo', 3_000_000)}`,
  ],
  ['100,000 labels', () => written(100_000, (n) => `<p>Location: Oslo ${n}</p>`)],
  ['100,000 labels in bold', () => written(100_000, (n) => `<p><b>Salary:</b> $${n},000 a year</p>`)],
  ['100,000 definitions', () => `<dl>${written(100_000, (n) => `<dt>Company</dt><dd>Crumb ${n}</dd>`)}</dl>`],
  ['one line of 100,000 labels', () => `<p>${written(100_000, (n) => `Location: Oslo ${n} `)}</p>`],
  [
    '100,000 addresses',
    () => written(100_000, (n) => `<p>${n} Mill Lane</p><p>Oxford OX1 2AB</p><p>United Kingdom</p>`),
  ],
  ['addresses in one line', () => `<p>${written(50_000, (n) => `${n} Mill Lane, Springfield, IL 62701, `)}</p>`],
  ['megabytes of digits', () => `<p>${filled('5550123', 5_000_000)}</p>`],
  ['megabytes of phone numbers', () => `<p>${filled('+44 (0)20 7946 0123 / ', 5_000_000)}</p>`],
  ['100,000 lines of phone numbers', () => written(100_000, (n) => `<p>Tel: +47 22 ${String(n).padStart(6, '0')}</p>`)],
  [
    '100,000 contact links',
    () => written(100_000, (n) => `<a href="tel:+4722${n}">${n}</a><a href="mailto:a${n}@crumb.test">x</a>`),
  ],
  ['megabytes of half an e-mail address', () => `<p>${filled('a.', 3_000_000)}@${filled('b.', 2_000_000)}</p>`],
  ['100,000 e-mail addresses', () => written(100_000, (n) => `<p>baker${n} [at] crumb [dot] test, a${n}@b.test</p>`)],
  [
    'hidden e-mail addresses',
    () => written(100_000, () => '<a class="__cf_email__" data-cfemail="ff9d9e949a8dbf9c8d8a929dd18b9a8c8b">x</a>'),
  ],
  ['megabytes of money', () => `<p>${filled('$75,000 - €80.000 per year ', 5_000_000)}</p>`],
  ['100,000 copyrights', () => written(100_000, (n) => `<p>© ${n} Crumb ${n} Ltd</p>`)],
  ['100,000 headings', () => written(100_000, (n) => `<h1>Baker ${n}</h1>`)],
  ['100,000 links', () => written(100_000, (n) => `<a href="/${n}?a=1&b=2#c">Bread ${n}</a> `)],
  [
    '100,000 metas',
    () => written(100_000, (n) => `<meta name="m${n}" content="x"><meta property="og:title" content="${n}">`),
  ],
  ['lists within lists', () => `${'<ul><li>'.repeat(250)}${filled('<li>x', 2_000_000)}`],
  ['quotes and code within one another', () => `${'<blockquote><pre><code>'.repeat(150)}${filled('x\n', 2_000_000)}`],
  ['a consent that never ends', () => `<title>Consent</title>${filled('<button>Accept cookies</button>', 2_000_000)}`],
  [
    'an error that never ends',
    () => `<title>Error</title><p>Fatal error: ${filled('uncaught error on line ', 2_000_000)}</p>`,
  ],
];
