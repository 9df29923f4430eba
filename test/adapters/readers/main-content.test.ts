import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mainContent } from '../../../src/adapters/readers/main-content.js';
import { readPage } from '../../../src/adapters/readers/page-reader.js';
import { pageOf } from '../page.js';

const textOf = (html: string): string => mainContent(readPage(pageOf(html))).text;

const first = 'The river froze in the first week of January, and the ferry stayed at its mooring until March.';
const second = 'People crossed on foot, carrying lamps, and the mail came by sledge from the other bank.';
const story = `<p>${first}</p><p>${second}</p>`;
const told = `${first}\n\n${second}`;

describe('the main content of a page', () => {
  it.each([
    [
      'a frame of semantic elements',
      `<header><a href="/">Ice Post</a></header><nav>Home News</nav>${story}<footer>Imprint</footer>`,
    ],
    [
      'roles instead of elements',
      `<div role="banner">Ice Post</div><div role="navigation">Home</div>${story}<div role="contentinfo">Imprint</div>`,
    ],
    [
      'names of parts',
      `<div class="main-nav"><a href="/">Home</a></div>${story}<div id="siteFooter">Imprint</div><div class="sidebar"><p>${first.slice(0, 60)}</p></div>`,
    ],
    [
      'a menu without a name',
      `<ul><li><a href="/a">News</a></li><li><a href="/b">Sport</a></li><li><a href="/c">Ads</a></li></ul>${story}`,
    ],
    [
      'an article among other things',
      `<article>${story}</article><div><p>Subscribe to our letter and never miss a thing that happens here.</p></div>`,
    ],
    [
      'a marked body',
      `<div><p>By our reporter in the north, who stayed a week.</p><div itemprop="articleBody">${story}</div></div>`,
    ],
    [
      'a share bar and related stories',
      `<main>${story}<div class="share-buttons"><a href="/s">Share</a></div><div class="related-posts"><p>Other winters that people still talk about at the harbour.</p></div></main>`,
    ],
    [
      'comments',
      `<article>${story}<section id="comments"><p>I was there and it was not as cold as they say it was.</p></section></article>`,
    ],
    [
      'a form and its buttons',
      `${story}<form><label>Mail</label><input><button>Send</button></form><button>Print</button>`,
    ],
    [
      'a consent banner longer than the story',
      `<div class="cookie-banner">${`<p>${first}</p>`.repeat(20)}</div>${story}`,
    ],
    ['a dialog nobody opened', `<div role="dialog"><p>${first}</p></div>${story}`],
    [
      'what only machines see',
      `<style>p{}</style><script>var x='${first}'</script><noscript>${first}</noscript>${story}<p hidden>${first}</p>`,
    ],
    ['words for screen readers', `<a class="skip-link" href="#main">Skip to content</a>${story}`],
  ])('is found in %s', (_, body) => {
    expect(textOf(`<html><body>${body}</body></html>`)).toBe(told);
  });

  it('keeps the title that heads it', () => {
    expect(textOf(`<div><h1>Ice</h1><div class="text">${story}</div></div><footer>Imprint</footer>`)).toBe(
      `Ice\n\n${told}`,
    );
    expect(textOf(`<article><header><h1>Ice</h1></header>${story}</article>`)).toBe(`Ice\n\n${told}`);
  });

  it('does not believe a name that would take the content away', () => {
    expect(
      textOf(`<body class="has-sidebar"><form id="aspnetForm"><div class="no-sidebar">${story}</div></form></body>`),
    ).toBe(told);
    expect(textOf(`<div class="comments">${story}</div>`)).toBe(told);
    expect(textOf(`<div class="footer"><p>Short.</p></div>`)).toBe('Short.');
  });

  it('is the list where the page is one', () => {
    const items = Array.from({ length: 30 }, (_, n) => `<li><a href="/${n}">Ruling ${n}</a></li>`).join('');
    const text = textOf(`<nav>Home</nav><div class="intro"><p>${first}</p></div><div><ul>${items}</ul></div>`);
    expect(text).toContain(`${first}\n\nRuling 0\nRuling 1\n`);
    expect(text).toContain('Ruling 29');
    expect(text).not.toContain('Home');
  });

  it('is the element the page names, and not a dialog that calls itself an article', () => {
    const page = `<main><h1>Ice</h1>${story}</main><article class="modal"><p>${first}</p><p>${first}</p></article>`;
    expect(textOf(page)).toBe(`Ice\n\n${told}`);
  });

  it('is all there is when nothing tells it apart', () => {
    expect(textOf('Just <b>words</b>')).toBe('Just words');
    expect(textOf('<nav><a href="/">Home</a> and some more words</nav>')).toBe('Home and some more words');
    expect(textOf('')).toBe('');
  });

  it('is found once for a page, however often it is asked for', () => {
    const reader = readPage(pageOf(story));
    expect(mainContent(reader)).toBe(mainContent(reader));
  });
});

describe('the text of the content', () => {
  it('has blank lines between paragraphs, lines for items and rows, and code as it is', () => {
    const html = `<h2>Ice</h2>one<br>two<br><br>three<ul><li>a<ul><li>b</li></ul></li><li><p>c</p></li></ul>
      <table><tr><th>Year</th><th>Days</th></tr><tr><td>1940</td><td>61</td></tr></table><pre>  x
    y</pre><div>d</div><div>e <i>f</i>g</div>`;
    expect(textOf(html)).toBe('Ice\n\none\ntwo\n\nthree\n\na\nb\nc\n\nYear\tDays\n1940\t61\n\n  x\n    y\n\nd\ne fg');
  });

  it('leaves out what has no width', () => {
    expect(textOf('<p>soft\u00adhyphen\u200b</p><p>\u200b</p><p>\ufeffend</p>')).toBe('softhyphen\n\nend');
  });

  it('ends where a page does not', () => {
    expect(textOf(`<p>${'word '.repeat(400_000)}`).length).toBe(499_999);
  });

  it('never holds markup or scripts, whatever the page', () => {
    const tag = fc.constantFrom(
      'div',
      'p',
      'b',
      'a',
      'ul',
      'li',
      'table',
      'tr',
      'td',
      'nav',
      'main',
      'article',
      'pre',
      'br',
      'footer',
    );
    const piece = fc.oneof(
      tag.map((name) => `<${name}>`),
      tag.map((name) => `</${name}>`),
      fc.constantFrom(
        '<div class="sidebar comments">',
        '<script>evil()</script>',
        '<style>evil</style>',
        '<p style="display:none">evil</p>',
      ),
      fc.constant(`${first} `),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = textOf(pieces.join(''));
        expect(text).not.toMatch(/<|evil/);
        expect(text).toBe(text.trim());
        expect(text).not.toMatch(/\n{3}/);
      }),
      { numRuns: 300 },
    );
  });
});
