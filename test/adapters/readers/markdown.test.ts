import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isElement, walk } from '../../../src/adapters/readers/dom.js';
import { mainContent } from '../../../src/adapters/readers/main-content.js';
import { pageMarkdown } from '../../../src/adapters/readers/markdown.js';
import { readPage } from '../../../src/adapters/readers/page-reader.js';
import { pageOf } from '../page.js';
import { liveMarkup } from './live-markup.js';

const markdownOf = (html: string, limit?: number): string =>
  pageMarkdown(readPage(pageOf(html, { url: 'https://site.test/dir/page' })), limit);

describe('the Markdown of a page', () => {
  it.each([
    [
      'headings and paragraphs',
      '<h1>Ice</h1><p>one\n two</p><h3>More <i>ice</i></h3>text',
      '# Ice\n\none two\n\n### More *ice*\n\ntext',
    ],
    [
      'emphasis that touches its words',
      'a <b> bold </b>word, <em>so</em> <del>old</del>',
      'a **bold** word, *so* ~~old~~',
    ],
    ['emphasis once, however often it is said', '<b>a<strong>b</strong></b><b>c</b><b> </b>', '**abc**'],
    [
      'absolute links',
      '<a href="../x?a=1&amp;b=(2)">go</a>!<a href="/y">there </a>.',
      '[go](https://site.test/x?a=1&b=%282%29)\\![there](https://site.test/y) .',
    ],
    [
      'links that lead nowhere as their text',
      '<a href="javascript:alert(1)">run</a> <a href="data:text/html,x">data</a> <a>name</a> <a href="#">top</a>',
      'run data name top',
    ],
    ['no signs beside headings', '<h2>Ice<a href="#ice">¶</a></h2>', '## Ice'],
    [
      'images',
      '<p><img alt="A [map]" src="/m.png"><img src="data:x" alt="dot"><img src="/p.gif" width="1"></p>',
      '![A \\[map\\]](https://site.test/m.png)dot',
    ],
    [
      'images in links',
      '<a href="/big"><img alt="m" src="s.png"></a>',
      '[![m](https://site.test/dir/s.png)](https://site.test/big)',
    ],
    [
      'a link around blocks on its first line',
      '<a href="/t"><h3>Title</h3><p>Teaser</p></a>',
      '### [Title](https://site.test/t)\n\nTeaser',
    ],
    [
      'lists in lists',
      '<ul><li>a<ol start="3"><li>b</li><li>c</li></ol></li><li><p>d</p><p>e</p></li><li> </li></ul>',
      '- a\n  3. b\n  4. c\n- d\n\n  e',
    ],
    ['quotes', '<blockquote><p>one</p><blockquote>two</blockquote></blockquote>', '> one\n>\n> > two'],
    ['code', 'use <code>a`b *c*</code> or <kbd>`</kbd>', 'use ``a`b *c*`` or `` ` ``'],
    [
      'blocks of code',
      '<pre><code class="hljs language-js">\nif (a &lt; b) {\n  ```\n}\n</code></pre>',
      '````js\nif (a < b) {\n  ```\n}\n````',
    ],
    ['code in a list', '<ul><li><pre>a\n\n b</pre></li></ul>', '- ```\n  a\n\n   b\n  ```'],
    [
      'tables',
      '<table><tr><th>Y</th><th>D|z</th></tr><tr><td>1<br>2</td><td><code>|</code></td></tr></table>',
      '| Y | D\\|z |\n| --- | --- |\n| 1 2 | `\\|` |',
    ],
    [
      'tables without a head',
      '<table><tr><th>a</th><td>1</td></tr><tr><th>b</th><td>2</td></tr></table>',
      '|  |  |\n| --- | --- |\n| a | 1 |\n| b | 2 |',
    ],
    [
      'captions above their tables',
      '<table><caption>Ice</caption><colgroup><col></colgroup><thead><tr><td>a<td>b</thead><tr><td>1<td>2</table>',
      'Ice\n\n| a | b |\n| --- | --- |\n| 1 | 2 |',
    ],
    [
      'loose words in lists and tables',
      '<ul>a<li>b</li></ul><table>c<tr><td>d<td>e<tr><td>f<td>g</table>',
      '- a\n- b\n\nc\n\nd\n\ne\n\nf\n\ng',
    ],
    [
      'tables that only arrange',
      '<table><tr><td colspan="2">a</td></tr><tr><td>b</td><td>c</td></tr></table>',
      'a\n\nb\n\nc',
    ],
    ['rules and breaks', 'a<br>b<br><br>c<hr>d', 'a  \nb\n\nc\n\n---\n\nd'],
    ['definitions', '<dl><dt>Ice</dt><dd>Frozen water</dd></dl>', 'Ice\n\nFrozen water'],
  ])('has %s', (_, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
  });

  it.each([
    ['a heading', '# no', '\\# no'],
    ['a list', '- no', '\\- no'],
    ['a numbered list', '1. no', '1\\. no'],
    ['a quote', '&gt; no', '\\> no'],
    ['a rule', '---', '\\---'],
    ['an underlined heading', 'a<br>===', 'a  \n\\==='],
    ['a table', 'a|b<br>--|--', 'a|b  \n\\--|--'],
    ['a link', '[a](b)', '\\[a\\](b)'],
    ['emphasis', '*a* _b_ snake_case ~~c~~', '\\*a\\* \\_b\\_ snake_case \\~\\~c\\~\\~'],
    ['code', '`a`', '\\`a\\`'],
    ['HTML', '&lt;script&gt;x&lt;/script&gt;', '\\<script>x\\</script>'],
    ['an entity', '&amp;lt; A&amp;B & C', '\\&lt; A\\&B & C'],
    ['an escape', 'a\\*', 'a\\\\\\*'],
    ['the end of a heading', '<h2>C #</h2>', '## C \\#'],
  ])('has no text that could be %s', (_, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
  });

  it('is of the main content', () => {
    expect(
      markdownOf('<nav><a href="/">Home</a></nav><main><h1>Ice</h1><p>It is cold.</p></main><footer>x</footer>'),
    ).toBe('# Ice\n\nIt is cold.');
  });

  it.each([
    [
      'beside code',
      '<code>&lt;img src=x onerror=alert(1)&gt;</code><code>``x</code>',
      '`<img src=x onerror=alert(1)>` ``` ``x ```',
    ],
    ['in marks that are joined', '<b><code>&lt;img></code></b><b><code>``x</code></b>', '**`<img>` ``` ``x ```**'],
    ['in links that lead nowhere', '<a><code>&lt;img></code></a><a><code>``x</code></a>', '`<img>` ``` ``x ```'],
    ['behind a backtick', '`<code>&lt;img></code>', '\\` `<img>`'],
    [
      'behind an address with a backtick',
      '<a href="/?a`">x</a> <code>&lt;img></code>',
      '[x](https://site.test/?a%60) `<img>`',
    ],
    [
      'in a quote, behind an old line end',
      '<blockquote><pre>a&#13;&lt;img></pre></blockquote>',
      '> ```\n> a\n> <img>\n> ```',
    ],
    ['in a list, behind an old line end', '<ul><li><pre>a&#13;&lt;img></pre></ul>', '- ```\n  a\n  <img>\n  ```'],
    [
      'in a cell, behind an escaped bar',
      '<table><tr><th>a<th>b<tr><td><code>\\|&lt;img></code><td>\\|</table>',
      '| a | b |\n| --- | --- |\n| `\\\\\\|<img>` | \\\\\\| |',
    ],
  ])('keeps code %s', (_, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
    expect(liveMarkup(markdown.replace(/^(?:> |- | {2})/gm, ''))).toBeNull();
  });

  it.each([
    ['whole blocks', '<p>one two</p><p>three</p><p>4</p>', 14, 'one two'],
    ['the blocks that just fit', '<p>one two</p><p>three</p><p>4</p>', 15, 'one two\n\nthree'],
    ['the items of a list', `<ul>${'<li>bread</li>'.repeat(50)}</ul>`, 40, '- bread\n- bread\n- bread\n- bread'],
    [
      'the rows of a table',
      `<table>${'<tr><td>a<td>b'.repeat(50)}</table>`,
      60,
      '|  |  |\n| --- | --- |\n| a | b |\n| a | b |',
    ],
    ['the text of a first block', '<pre>a*b &lt;img&gt;\n\n\n\nc</pre>', 20, 'a\\*b \\<img> c'],
    ['no half of a character', '<p>aaaa🍞🍞</p>', 5, 'aaaa'],
  ])('is cut to %s', (_, html, limit, markdown) => {
    const cut = markdownOf(html, limit);
    expect(cut.length).toBeLessThanOrEqual(limit);
    expect(liveMarkup(cut)).toBeNull();
    if (markdown !== null) expect(cut).toBe(markdown);
  });

  const hostileText = fc
    .string({
      unit: fc.constantFrom(
        '`',
        '``',
        '[',
        ']',
        '(x:y)',
        '](x:y)',
        '<i>',
        '</',
        '<!--',
        '\\',
        '|',
        '!',
        ' ',
        'a',
        '\r',
      ),
      maxLength: 10,
    })
    .map((text) => text.replaceAll('<', '&lt;').replaceAll('\r', '&#13;'));
  const { inline } = fc.letrec<{ inline: string }>((tie) => ({
    inline: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      hostileText,
      hostileText.map((text) => `<code>${text}</code>`),
      hostileText.map((text) => `<a href="/?${text.replaceAll('"', '')}">${text}</a>`),
      hostileText.map((text) => `<img src="/?${text}" alt="${text}">`),
      fc.constantFrom('<br>', '<wbr>', '<i></i>', '&#8203;'),
      fc
        .tuple(
          fc.constantFrom('b', 'i', 'del', 'span', 'a', 'a href="/x"', 'kbd', 'samp'),
          fc.array(tie('inline'), { maxLength: 4 }),
        )
        .map(([tag, inner]) => `<${tag}>${inner.join('')}</${tag.split(' ', 1)[0]}>`),
    ),
  }));
  const line = fc.array(inline, { maxLength: 5 }).map((pieces) => pieces.join(''));
  const block = fc.oneof(
    line.map((text) => `<p>${text}</p>`),
    line.map((text) => `<h2>${text}</h2>`),
    line.map((text) => `<a href="/x"><div>${text}</div></a>`),
    hostileText.map((text) => `<pre>a ${text}\n\n${text}</pre>`),
    fc
      .array(line, { minLength: 4, maxLength: 4 })
      .map(([a, b, c, d]) => `<table><tr><td>${a}<td>${b}<tr><td>${c}<td>${d}</table>`),
  );

  it('lets no text of the page come to life, cut anywhere or not at all', () => {
    fc.assert(
      fc.property(fc.array(block, { maxLength: 4 }), fc.integer({ min: 1, max: 150 }), (blocks, limit) => {
        const html = `<main>${blocks.join('')}</main>`;
        expect(liveMarkup(markdownOf(html))).toBeNull();
        const cut = markdownOf(html, limit);
        expect(liveMarkup(cut)).toBeNull();
        expect(cut.length).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 1_000 },
    );
  });

  const { node } = fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 6, withCrossShrink: true },
      fc
        .string({ unit: fc.constantFrom(...'ab1 *_`#->[]()!|\\~&.+='), maxLength: 12 })
        .map((text) => text.replaceAll('&', '&amp;').replaceAll('>', '&gt;')),
      fc.constantFrom(
        '<br>',
        '<hr>',
        '<script>evil()</script>',
        '<style>evil</style>',
        '&lt;evil>',
        '<img src="a.png" alt="x">',
        '<a href="javascript:evil">x</a>',
      ),
      fc
        .tuple(
          fc.constantFrom(
            'p',
            'div',
            'b',
            'i',
            'code',
            'pre',
            'ul',
            'ol',
            'li',
            'blockquote',
            'h2',
            'table',
            'tr',
            'td',
            'th',
            'a href="/x"',
            'span',
            'dl',
            'del',
          ),
          fc.array(tie('node'), { maxLength: 4 }),
        )
        .map(([tag, inner]) => `<${tag}>${inner.join('')}</${tag.split(' ', 1)[0]}>`),
    ),
  }));

  /** What a reader of Markdown would see outside of code: escapes gone, code gone. */
  const outsideCode = (markdown: string): string =>
    markdown
      .replace(/^[ >]*(?:(?:- |\d+\. )[ >]*)*(`{3,})[^`\n]*\n[\s\S]*?\n[ >]*\1$/gm, '')
      // Whichever comes first: within code a backslash is one.
      .replace(/\\[\s\S]|(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)|`+/g, '');

  it('holds no HTML and no script outside code, whatever the tree', () => {
    fc.assert(
      fc.property(fc.array(node, { maxLength: 6 }), (nodes) => {
        const markdown = markdownOf(nodes.join(''));
        expect(outsideCode(markdown)).not.toContain('<');
        expect(markdown).not.toMatch(/evil\(|javascript/);
      }),
      { numRuns: 500, examples: [[['<code>&lt;evil>\\\\</code>']], [['`<code>&lt;evil></code>']]] },
    );
  });

  it('says every word of the content', () => {
    fc.assert(
      fc.property(fc.array(node, { maxLength: 6 }), (nodes) => {
        const reader = readPage(pageOf(`<main>${nodes.join('')}</main>`));
        const words: string[] = [];
        // Which part of a page is its content is another question: beside a long paragraph a letter is none.
        const { root, isLeftOut } = mainContent(reader);
        walk(root, {
          enter(one) {
            if (isElement(one))
              return isLeftOut(one) || one.name === 'script' || one.name === 'style' ? 'over' : 'into';
            if ('data' in one) words.push(...(one.data.match(/[ab1]+/g) ?? []));
            return 'over';
          },
        });
        const letters = pageMarkdown(reader).replace(/[^ab1]/g, '');
        for (const word of words) expect(letters).toContain(word);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['nested lists', '<ul><li>'.repeat(250)],
    ['nested quotes', '<blockquote>x'.repeat(500)],
    ['nested emphasis', '<b><i>'.repeat(250) + 'x '.repeat(500_000)],
    ['nested links', '<a href="/x">y'.repeat(500)],
    ['nested tables', '<table><tr><td>a<td>'.repeat(120)],
    ['siblings', '<i>x</i>!<a href="/y">y</a>'.repeat(60_000)],
    ['backticks', `<code>${'`'.repeat(300_000)}</code><pre>${'`'.repeat(300_000)}</pre>`],
    ['spaces', `<p>${' \n'.repeat(1_000_000)}`],
    ['underscores', '_'.repeat(1_000_000)],
    ['breaks', '<br> '.repeat(150_000)],
    ['columns', `<table>${'<col>'.repeat(160_000)}</table>`],
    ['parts of a table', `<table>${'<tbody></tbody>'.repeat(80_000)}</table>`],
    ['pieces of code', '<code>``</code><kbd>x</kbd>'.repeat(50_000)],
    ['one long line of dashes', '- '.repeat(1_000_000)],
  ])('is written in bounded time for endless %s', { timeout: 20_000 }, (_, html) => {
    const started = performance.now();
    expect(markdownOf(html).length).toBeLessThanOrEqual(500_000);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
