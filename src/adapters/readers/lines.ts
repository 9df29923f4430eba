import type { DomDocument, DomElement, DomNode } from './dom.js';
import type { Columns } from './label-columns.js';
import { OutlineBuilder } from './outline-builder.js';
import type { WrittenPhone } from './phones-written.js';
import type { Region } from './region.js';

export type { Region } from './region.js';

/** One line as a reader sees it: what stands between two breaks. */
export interface Line {
  /** White space folded; never empty. */
  text: string;
  /** The innermost block the line stands in. */
  block: DomElement | null;
  region: Region;
  /** Every word of it is inside links. */
  isLink: boolean;
  /** The text, cut where emphasised words begin: `Where: Oslo`, `When: now`. */
  readonly parts: readonly string[];
  /** Its first words where they are an element of their own, and other words follow. */
  lead: string | null;
  /** The node its text begins with. */
  start: DomNode;
  /** A form field stands in it: what is said there is a question. */
  hasField: boolean;
  /** How many figures are in it: most have none, and need not be read for numbers. */
  readonly digits: number;
  /** The phone numbers in it, once somebody has asked for them. */
  phones: readonly WrittenPhone[] | null;
}

/** From which line to which (not included) an element reaches. */
export interface Span {
  from: number;
  to: number;
}

/** Where each block of the page lies among its lines. Inline elements have no place of their own. */
export interface Spans {
  get(block: DomElement): Span | undefined;
}

/** The page line by line, in document order, and where each block of it lies among the lines. */
export interface Outline {
  lines: Line[];
  spans: Spans;
  /** Rows of tables that were looked at already. */
  columns: Map<DomElement, Columns | null>;
}

/** Blocks and `<br>` end a line, inline elements do not. */
export const readOutline = (root: DomDocument): Outline => new OutlineBuilder().build(root);

/** Where a line that is a link leads to. */
export function addressOf(line: Line): string {
  let node: DomNode | null = line.start;
  while (node) {
    if ('attribs' in node && node.name === 'a') return node.attribs.href?.slice(0, 500) ?? '';
    node = node.parent && 'attribs' in node.parent ? node.parent : null;
  }
  return '';
}
