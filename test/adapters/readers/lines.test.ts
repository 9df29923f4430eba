import { describe, expect, it } from 'vitest';
import { parseHtml } from '../../../src/adapters/readers/dom.js';
import { addressOf, readOutline } from '../../../src/adapters/readers/lines.js';
import { select } from '../../../src/adapters/readers/select.js';

const lines = (html: string) => readOutline(parseHtml(html)).lines;

describe('lines', () => {
  it('end where a block or a break is, and not at inline elements', () => {
    const html = '<div>One <b>line</b><br>another<p>third</p>last</div><script>x</script>';
    expect(lines(html).map(({ text }) => text)).toEqual(['One line', 'another', 'third', 'last']);
  });

  it('know the block they stand in, also behind an inner one', () => {
    expect(lines('<section><span>a</span><p>b</p>c</section>').map(({ block }) => block?.name)).toEqual([
      'section',
      'p',
      'section',
    ]);
  });

  it('are links only where every word is in one', () => {
    const found = lines('<p><a href="/x">all</a> <a href="/y">of it</a></p><p><a href="/x">not</a> all</p>');
    expect(found.map(({ isLink }) => isLink)).toEqual([true, false]);
    expect(found.map(addressOf)).toEqual(['/x', '/x']);
  });

  it('are cut where emphasis begins, and tell their first element', () => {
    const [line] = lines('<p><span>Where</span> Oslo <b>When</b> now</p>');
    expect(line).toMatchObject({ parts: ['Where Oslo', 'When now'], lead: 'Where' });
  });

  it.each([
    ['<nav><p>x</p></nav>', 'navigation'],
    ['<div class="main-menu"><p>x</p></div>', 'navigation'],
    ['<footer><p>x</p></footer>', 'foot'],
    ['<div id="page-footer"><p>x</p></div>', 'foot'],
    ['<div class="has-footer with-sidebar"><p>x</p></div>', 'body'],
    ['<aside>x</aside>', 'aside'],
    ['<table><tr><td class="overview_nav">x</td></tr></table>', 'body'],
  ])('know their region: %s', (html, region) => {
    expect(lines(html)[0]?.region).toBe(region);
  });

  it('are counted for every block', () => {
    const root = parseHtml('<div><p><b>a</b></p><ul><li>b</li><li>c</li></ul></div><p>d</p>');
    const { spans } = readOutline(root);
    const found = ['div', 'ul', 'p', 'b'].map((tag) => select(root, tag, 1).map((element) => spans.get(element)));
    expect(found).toEqual([[{ from: 0, to: 3 }], [{ from: 1, to: 3 }], [{ from: 0, to: 1 }], [undefined]]);
  });
});
