import { type DomElement, type DomNode, isElement } from './dom.js';
import { absoluteAddresses } from './links.js';
import { mainContent } from './main-content.js';
import { codeBlock } from './markdown-code.js';
import { escapeHeading, escapeLine, escapeWithin } from './markdown-escape.js';
import { findBlocky, InlineWriter, isInline, linkInto, type MarkdownContext } from './markdown-inline.js';
import { indented, itemsOf, joinItem, LISTS } from './markdown-list.js';
import { tableMarkdown } from './markdown-table.js';
import type { PageReader } from './page-reader.js';

const MAX_MARKDOWN = 500_000;
// Each level of lists and quotes copies what is inside of it; nobody reads deeper ones.
const MAX_NESTING = 10;
// Of most marks; those of long numbered lists are wider.
const MARK_WIDTH = 3;
// Inside a heading or a cell, where everything is part of one line.
const FLAT = Number.POSITIVE_INFINITY;

/** The page's main content as CommonMark with GFM tables; no HTML, and no text that could be taken for markup. */
export function pageMarkdown(reader: PageReader, limit = MAX_MARKDOWN): string {
  const content = mainContent(reader);
  const { root, isLeftOut } = content;
  const absolute = absoluteAddresses(reader);
  const context: MarkdownContext = { isLeftOut, absolute, blocky: findBlocky(root), budget: limit };
  const blocks = new BlockWriter(context).blocksOf(root.children, 0);
  const [first = ''] = blocks;
  // Markup that is cut may come to life; its text may not.
  if (first.length > limit) return escapeLine(escapeWithin(content.text, limit - 1).trim());
  return joinWithin(blocks, limit);
}

/** Whole blocks only, up to the first that does not fit. */
function joinWithin(blocks: readonly string[], limit: number): string {
  let length = -GAP.length;
  const end = blocks.findIndex((block) => {
    length += GAP.length + block.length;
    return length > limit;
  });
  return blocks.slice(0, end === -1 ? blocks.length : end).join(GAP);
}

const GAP = '\n\n';
const BREAK = '  \n';

/** Writes blocks one after the other. What is no list, quote, table, heading or code is only as good as its lines. */
class BlockWriter {
  readonly #context: MarkdownContext;
  readonly #inline: InlineWriter;
  #link: string | null = null;
  #hasWritten = false;

  constructor(context: MarkdownContext) {
    this.#context = context;
    this.#inline = new InlineWriter(context);
  }

  blocksOf(nodes: readonly DomNode[], nesting: number): string[] {
    const blocks: string[] = [];
    this.#writeAll(nodes, nesting, blocks);
    return blocks;
  }

  #writeAll(nodes: readonly DomNode[], nesting: number, into: string[]): void {
    let line: string[] = [];
    for (const node of nodes) {
      if (isInline(node, this.#context)) {
        this.#inline.write(node, line);
        continue;
      }
      this.#paragraphs(line, nesting, into);
      line = [];
      if (this.#context.budget <= 0) return;
      if (isElement(node) && !this.#context.isLeftOut(node)) this.#element(node, nesting, into);
    }
    this.#paragraphs(line, nesting, into);
  }

  #element(element: DomElement, nesting: number, into: string[]): void {
    const { name } = element;
    if (nesting === FLAT) this.#writeAll(element.children, FLAT, into);
    else if (/^h[1-6]$/.test(name)) this.#heading(element, into);
    else if (name === 'hr') into.push('---');
    else if (name === 'pre') this.#code(element, nesting, into);
    else if (name === 'a') this.#linkedBlocks(element, nesting, into);
    else if (name === 'table') this.#table(element, nesting, into);
    else if (nesting < MAX_NESTING && name === 'blockquote') this.#quote(element, nesting, into);
    else if (nesting < MAX_NESTING && LISTS.has(name)) this.#list(element, nesting, into);
    else this.#writeAll(element.children, nesting, into);
  }

  /** Two line breaks part paragraphs, as they do for the eye. */
  #paragraphs(line: readonly string[], nesting: number, into: string[]): void {
    if (line.length === 0 || this.#isCut) return;
    for (const paragraph of line.join('').split(/\n\s*\n/)) {
      const lines = paragraph.split('\n').map((text) => escapeLine(text.replace(/ {2,}/g, ' ').trim()));
      const text = lines.filter((one) => one !== '').join(BREAK);
      if (text === '') continue;
      into.push(this.#linked(text));
      this.#hasWritten = true;
      this.#charge(lines.length, nesting);
    }
  }

  /** What stands around lines counts as well: the gap, the breaks, and the marks of the lists and quotes they are in. */
  #charge(lines: number, nesting: number): void {
    const marks = nesting === FLAT ? 0 : nesting * MARK_WIDTH;
    this.#context.budget -= GAP.length + (lines - 1) * BREAK.length + lines * marks;
  }

  /** What was written last had to be cut to fit. Only what comes first is kept in part: else there would be nothing. */
  get #isCut(): boolean {
    return this.#context.budget <= 0 && this.#hasWritten;
  }

  #heading(element: DomElement, into: string[]): void {
    const text = this.lineOf(element);
    if (text !== '') into.push(`${'#'.repeat(Number(element.name[1]))} ${escapeHeading(this.#linked(text))}`);
  }

  /** All there is below an element on one line. */
  lineOf(element: DomElement): string {
    return this.blocksOf(element.children, FLAT).join(' ').replaceAll(BREAK, ' ');
  }

  /** A link around whole blocks, such as a teaser, is put on the first of its lines. */
  #linkedBlocks(element: DomElement, nesting: number, into: string[]): void {
    this.#link = this.#context.absolute(element.attribs.href?.trim() ?? '');
    this.#writeAll(element.children, nesting, into);
    this.#link = null;
  }

  #linked(text: string): string {
    const href = this.#link;
    if (href === null || text.includes('](')) return text;
    this.#link = null;
    const piece: string[] = [];
    linkInto(piece, text.replaceAll(BREAK, ' '), href, this.#context);
    return piece.join('');
  }

  #code(element: DomElement, nesting: number, into: string[]): void {
    const code = codeBlock(element, this.#context.budget);
    this.#context.budget -= code.length;
    if (code === '' || this.#isCut) return;
    if (nesting > 0) this.#context.budget -= code.split('\n').length * nesting * MARK_WIDTH;
    into.push(code);
    this.#hasWritten = true;
  }

  #quote(element: DomElement, nesting: number, into: string[]): void {
    const inner = this.blocksOf(element.children, nesting + 1).join('\n\n');
    if (inner !== '') into.push(inner.split('\n').map(quoted).join('\n'));
  }

  #table(element: DomElement, nesting: number, into: string[]): void {
    const table = tableMarkdown(element, this.#context, (cell) => this.lineOf(cell));
    if (table !== null) into.push(table);
    else this.#writeAll(element.children, nesting, into);
  }

  #list(element: DomElement, nesting: number, into: string[]): void {
    const start = Number.parseInt(element.attribs.start ?? '1', 10);
    let number = Number.isSafeInteger(start) && start >= 0 && start < 1_000_000 ? start : 1;
    const items: string[] = [];
    for (const nodes of itemsOf(element, this.#context)) {
      if (this.#context.budget <= 0) break;
      const inner = joinItem(this.blocksOf(nodes, nesting + 1));
      if (inner === '') continue;
      const marker = element.name === 'ol' ? `${number}. ` : '- ';
      items.push(`${marker}${indented(inner, marker.length)}`);
      number += 1;
    }
    if (items.length > 0) into.push(items.join('\n'));
  }
}

const quoted = (line: string): string => (line === '' ? '>' : `> ${line}`);
