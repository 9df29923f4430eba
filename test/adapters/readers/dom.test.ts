import fc from 'fast-check';
import { DomHandler, Parser } from 'htmlparser2';
import { describe, expect, it } from 'vitest';
import { type DomDocument, type DomNode, isElement, parseHtml, walk } from '../../../src/adapters/readers/dom.js';

type Told = string | [name: string, attribs: Record<string, string>, ...inside: Told[]];

const tell = (node: DomNode): Told =>
  isElement(node) ? [node.name.toLowerCase(), { ...node.attribs }, ...node.children.map(tell)] : node.data;
const ours = (html: string): Told[] => parseHtml(html).children.map(tell);

/** The library's own tree, which ours must be. It alone keeps the capitals of names in drawings. */
function theirs(html: string): Told[] {
  const handler = new DomHandler();
  const { onopentag, onclosetag, ontext } = DomHandler.prototype;
  new Parser({
    onopentag: (name, attribs) => onopentag.call(handler, name, attribs),
    onclosetag: () => onclosetag.call(handler),
    ontext: (data) => ontext.call(handler, data),
  }).end(html);
  type Theirs = (typeof handler.root.children)[number];
  const told = (node: Theirs): Told => {
    if ('attribs' in node) return [node.name.toLowerCase(), { ...node.attribs }, ...node.children.map(told)];
    return 'data' in node ? node.data : '';
  };
  return handler.root.children.map(told);
}

const TAGS = (
  'a p div span form svg math foreignObject desc title textarea script br img image input option select table tr td th ' +
  'tbody li dl dt dd h1 body iframe plaintext xmp mtext path P SVG rt rp pre hr linearGradient'
).split(' ');
const attribute = fc.constantFrom(
  ...[' class="x y"', " id='q'", ' hidden', ' CLASS=Z', ' href="a&amp;b&copy=1"', ' x="', " y='", ' a/b', ' =x', ' "'],
  ...[' constructor=1', ' __proto__=2', ' a = "b"', ' ö=ü', ' value=a&lt', '\n'],
);
const token = fc.oneof(
  fc
    .tuple(fc.constantFrom(...TAGS), fc.array(attribute, { maxLength: 3 }), fc.constantFrom('>', '>', '/>', ''))
    .map(([tag, attributes, end]) => `<${tag}${attributes.join('')}${end}`),
  fc.tuple(fc.constantFrom(...TAGS), fc.constantFrom('>', '>', ' x>', '')).map(([tag, end]) => `</${tag}${end}`),
  fc.constantFrom(
    ...[
      'words',
      ' ',
      '&amp;',
      '&lt;p&gt;',
      '&',
      '&#169;',
      '&copy',
      '<',
      '</',
      '<!',
      '<!--',
      '-->',
      '<!-- c -->',
      '<?x?>',
    ],
    ...['<![CDATA[ t ]]>', '<!doctype html>', '</ p>', '</>', '<3', '\n', 'é', '<!-->', '&#x110000;', '&#0;'],
  ),
);

describe('the tree of a page', () => {
  it('is the one the library would build, whatever is written', { timeout: 60_000 }, () => {
    const html = fc.array(token, { maxLength: 30 }).map((tokens) => tokens.join(''));
    fc.assert(
      fc.property(html, (text) => {
        expect(ours(text)).toEqual(theirs(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['<p>a<p>b</p>c</p>d', [['p', {}, 'a'], ['p', {}, 'b'], 'c', ['p', {}], 'd']],
    ['<ul><li>a<li>b</ul>', [['ul', {}, ['li', {}, 'a'], ['li', {}, 'b']]]],
    ['a<!-- x -->b&amp;c', ['ab&c']],
    ['<form><form id=x><input></form>', [['form', {}, ['input', {}]]]],
    ['<svg><path/><title>t</title></svg>', [['svg', {}, ['path', {}], ['title', {}, 't']]]],
    ['<DIV Class=a class=b>x', [['div', { class: 'a' }, 'x']]],
  ])('%s', (html, expected) => {
    expect(ours(html)).toEqual(expected);
  });

  it('knows neighbours and parents', () => {
    const [list] = parseHtml('<ul>x<li>a</li><li>b</li></ul>').children;
    if (!list || !isElement(list)) throw new Error('no list');
    const [text, first, second] = list.children;
    expect([text?.prev, first?.prev, second?.prev]).toEqual([null, text, first]);
    expect([text?.next, first?.next, second?.next]).toEqual([first, second, null]);
    expect(second?.parent).toBe(list);
    expect(list.children).toBe(list.children);
  });

  it.each([
    ['nested elements', '<div>'.repeat(10_000), 513],
    ['elements', '<br>'.repeat(210_000), 200_001],
    ['nested and closed', '<b>'.repeat(512) + '</b>'.repeat(512) + '<i>'.repeat(3), 515],
  ])('is no larger than its bounds: %s', (_, html, elements) => {
    expect(count(parseHtml(html))).toBe(elements);
  });
});

function count(root: DomDocument): number {
  let elements = 0;
  walk(root, {
    enter(node) {
      if (isElement(node)) elements += 1;
      return 'into';
    },
  });
  return elements;
}
