import { type DomDocument, type DomElement, type DomNode, isElement, walk } from './dom.js';
import type { Addresses } from './links.js';
import { inlineCode } from './markdown-code.js';
import { escapeAddress, escapeWithin } from './markdown-escape.js';
import { type ContentRoot, cutWhole } from './plain-text.js';

/** What the writers of a page's Markdown share. */
export interface MarkdownContext {
  isLeftOut: ContentRoot['isLeftOut'];
  absolute: Addresses;
  /** Inline elements with blocks inside: they are no part of a line. */
  blocky: ReadonlySet<DomElement>;
  /** Characters that may still be written. */
  budget: number;
}

// Beside the words of a line: what is drawn in it, or stands there unseen.
const INLINE_TOO: ReadonlySet<string> = new Set(
  (
    'acronym area audio br button canvas embed iframe img input map meter noscript object picture progress rb ruby ' +
    'script select source style svg template textarea track video'
  ).split(' '),
);

/** Word processors leave elements of their own behind (`o:p`, `st1:place`), always within a line. */
const isInlineTag = ({ name, isInline }: DomElement): boolean => isInline || INLINE_TOO.has(name) || name.includes(':');

export const isInline = (node: DomNode, context: MarkdownContext): boolean =>
  !isElement(node) || (isInlineTag(node) && !context.blocky.has(node));

export function findBlocky(root: DomDocument | DomElement): Set<DomElement> {
  const blocky = new Set<DomElement>();
  walk(root, {
    enter(node) {
      if (!isElement(node) || isInlineTag(node)) return 'into';
      let outer = node.parent;
      while (outer && 'attribs' in outer && isInlineTag(outer) && !blocky.has(outer)) {
        blocky.add(outer);
        outer = outer.parent;
      }
      return 'into';
    },
  });
  return blocky;
}

/**
 * Writes what stands in a line. A line break is one `\n`, which text itself never holds; spaces are folded by whoever
 * closes the line. Marks are not nested in themselves, so a piece is copied at most once per kind of mark.
 */
export class InlineWriter {
  readonly #context: MarkdownContext;
  readonly #open = new Set<string>();
  #lastMarked: { into: string[]; at: number; mark: string } | null = null;

  constructor(context: MarkdownContext) {
    this.#context = context;
  }

  write(node: DomNode, into: string[]): void {
    const { budget } = this.#context;
    if (budget <= 0) return;
    if (!isElement(node)) {
      if ('data' in node) this.#put(escapeWithin(node.data, budget), into);
    } else if (!this.#context.isLeftOut(node)) this.#element(node, into);
  }

  #element(element: DomElement, into: string[]): void {
    const { name } = element;
    const mark = MARKS.get(name);
    if (name === 'br') into.push('\n');
    else if (name === 'img') this.#put(this.#image(element), into);
    else if (name === 'a' && !this.#open.has('a')) this.#link(element, into);
    else if (CODE.has(name)) this.#put(inlineCode(element, this.#context.budget), into);
    else if (mark !== undefined && !this.#open.has(mark)) this.#marked(element, mark, into);
    else for (const child of element.children) this.write(child, into);
  }

  #put(piece: string, into: string[]): void {
    this.#context.budget -= piece.length;
    append(into, piece);
  }

  #within(element: DomElement, kind: string): string {
    const inner: string[] = [];
    this.#open.add(kind);
    for (const child of element.children) this.write(child, inner);
    this.#open.delete(kind);
    return inner.join('');
  }

  /** Marks must touch the words they mark; the space around them stays outside. */
  #marked(element: DomElement, mark: string, into: string[]): void {
    const inner = this.#within(element, mark);
    const text = inner.trim();
    if (text === '' || text.includes('\n')) return void append(into, inner);
    this.#context.budget -= 2 * mark.length;
    const [before, after] = [inner.startsWith(' ') ? ' ' : '', inner.endsWith(' ') ? ' ' : ''];
    const last = this.#lastMarked;
    // `**a****b**` would be nonsense: what is marked alike and stands together is marked once.
    if (before === '' && last?.mark === mark && last.into === into && last.at === into.length - 1) {
      // The closing mark is a piece of its own, so that a page of such pieces is not copied for each of them.
      into.pop();
      append(into, text);
      into.push(mark);
    } else into.push(`${before}${mark}${text}`, mark);
    this.#lastMarked = { into, at: into.length - 1, mark };
    if (after !== '') into.push(after);
  }

  #link(element: DomElement, into: string[]): void {
    const inner = this.#within(element, 'a').replaceAll('\n', ' ');
    const href = element.attribs.href?.trim() ?? '';
    const address = href === '' || href === '#' ? null : this.#context.absolute(href);
    linkInto(into, inner, address, this.#context);
  }

  #image({ attribs }: DomElement): string {
    if (isPixel(attribs.width) || isPixel(attribs.height)) return '';
    const written = [attribs.src, attribs['data-src']].find((src) => src && !/^\s{0,9}data:/i.test(src));
    const src = written ? this.#context.absolute(written.trim()) : null;
    const alt = escapeWithin(cutWhole(attribs.alt ?? '', 1_000), this.#context.budget).trim();
    const image = src === null ? alt : `![${alt}](${escapeAddress(src)})`;
    return image.length <= this.#context.budget ? image : '';
  }
}

const MARKS = new Map([
  ['b', '**'],
  ['strong', '**'],
  ['i', '*'],
  ['em', '*'],
  ['del', '~~'],
  ['s', '~~'],
  ['strike', '~~'],
]);
const CODE: ReadonlySet<string> = new Set(['code', 'kbd', 'samp', 'tt']);

const isPixel = (size: string | undefined): boolean => size === '0' || size === '1';

/** Two runs of backticks that touch are one run, and what stood in code would be outside of it. */
function append(into: string[], piece: string): void {
  if (piece === '') return;
  if (piece.startsWith('`') && into.at(-1)?.endsWith('`')) into.push(' ');
  into.push(piece);
}

/** Without an address, or room for it, a link is its text. */
export function linkInto(into: string[], inner: string, href: string | null, context: MarkdownContext): void {
  const text = inner.trim();
  const address = href === null ? '' : escapeAddress(href);
  if (text === '' || address === '' || address.length > context.budget) return void append(into, inner);
  context.budget -= address.length + LINK_SIGNS;
  // `!` before a link would make it an image.
  const last = into.at(-1);
  if (last?.endsWith('!') && !inner.startsWith(' ')) into[into.length - 1] = `${last.slice(0, -1)}\\!`;
  const [before, after] = [inner.startsWith(' ') ? ' ' : '', inner.endsWith(' ') ? ' ' : ''];
  into.push(`${before}[${text}](${address})${after}`);
}

const LINK_SIGNS = '[]()'.length;
