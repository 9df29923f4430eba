import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isElement, walk } from '../../../src/adapters/readers/dom.js';
import { pageMarkdown } from '../../../src/adapters/readers/markdown.js';
import { readPage } from '../../../src/adapters/readers/page-reader.js';
import { pageOf } from '../page.js';

const markdownOf = (html: string): string =>
  pageMarkdown(readPage(pageOf(html, { url: 'https://site.test/dir/page' })));

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
      .replace(/\\[\s\S]/g, '')
      .replace(/(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, '');

  it('holds no HTML and no script outside code, whatever the tree', () => {
    fc.assert(
      fc.property(fc.array(node, { maxLength: 6 }), (nodes) => {
        const markdown = markdownOf(nodes.join(''));
        expect(outsideCode(markdown)).not.toContain('<');
        expect(markdown).not.toMatch(/evil\(|javascript/);
      }),
      { numRuns: 500 },
    );
  });

  it('says every word of the content', () => {
    fc.assert(
      fc.property(fc.array(node, { maxLength: 6 }), (nodes) => {
        const reader = readPage(pageOf(`<main>${nodes.join('')}</main>`));
        const words: string[] = [];
        walk(reader.root, {
          enter(one) {
            if (isElement(one)) return one.name === 'script' || one.name === 'style' ? 'over' : 'into';
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
    ['one long line of dashes', '- '.repeat(1_000_000)],
  ])('is written in bounded time for endless %s', { timeout: 20_000 }, (_, html) => {
    const started = performance.now();
    expect(markdownOf(html).length).toBeLessThanOrEqual(2_000_000);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
