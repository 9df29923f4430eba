import { foldSpace, INLINE_TAGS } from '../../domain/normalize/text.js';
import { type DomDocument, type DomElement, type DomNode, isElement, walk } from './dom.js';
import { isUnseen } from './dom-text.js';
import { type Region, regionOf } from './region.js';

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
  parts: readonly string[];
  /** Its first words where they are an element of their own, and other words follow. */
  lead: string | null;
  /** The node its text begins with. */
  start: DomNode;
  /** A form field stands in it: what is said there is a question. */
  hasField: boolean;
}

/** From which line to which (not included) an element reaches. */
export interface Span {
  from: number;
  to: number;
}

/** The page line by line, in document order, and where each block of it lies among the lines. */
export interface Outline {
  lines: Line[];
  spans: ReadonlyMap<DomElement, Span>;
}

/** Blocks and `<br>` end a line, inline elements do not. */
export const readLines = (root: DomDocument | DomElement): Line[] => readOutline(root).lines;

/** Labels, sections and lists are all read from it; the page is walked for the first of them. */
export function readOutline(root: DomDocument | DomElement): Outline {
  const known = outlines.get(root);
  if (known) return known;
  const outline = new OutlineBuilder().build(root);
  outlines.set(root, outline);
  return outline;
}

// Lives exactly as long as the tree itself.
const outlines = new WeakMap<DomDocument | DomElement, Outline>();

const MAX_LINES = 20_000;
const MAX_CHARACTERS = 500_000;
const EMPHASIS: ReadonlySet<string> = new Set(['b', 'strong', 'label']);
const FIELDS: ReadonlySet<string> = new Set(['input', 'select', 'textarea']);
const NO_FIELD: ReadonlySet<string> = new Set(['hidden', 'submit', 'button', 'image', 'reset']);

class OutlineBuilder {
  readonly #lines: Line[] = [];
  readonly #spans = new Map<DomElement, Span>();
  readonly #regions: Region[] = ['body'];
  readonly #blocks: (DomElement | null)[] = [null];
  #characters = 0;
  #links = 0;
  /** Of the line that is being read. */
  #parts: string[][] = [[]];
  #start: DomNode | null = null;
  #leadEnd: DomElement | null = null;
  #lead: string | null = null;
  #isPlain = false;
  #hasField = false;

  build(root: DomDocument | DomElement): Outline {
    walk(root, {
      enter: (node) => {
        if (this.#lines.length >= MAX_LINES || this.#characters > MAX_CHARACTERS) return 'stop';
        if (!isElement(node)) return this.#text(node);
        this.#open(node);
        return isUnseen(node) ? 'over' : 'into';
      },
      leave: (element) => this.#close(element),
    });
    this.#end();
    for (const span of this.#spans.values()) if (span.to < 0) span.to = this.#lines.length;
    return { lines: this.#lines, spans: this.#spans };
  }

  #text(node: DomNode): 'over' {
    if (!('data' in node)) return 'over';
    const data = node.data.slice(0, MAX_CHARACTERS);
    this.#parts.at(-1)?.push(data);
    this.#characters += data.length;
    if (data.trim() === '') return 'over';
    if (this.#links === 0) this.#isPlain = true;
    if (this.#start === null) {
      this.#start = node;
      this.#leadEnd = outermostInline(node);
    }
    return 'over';
  }

  #open(element: DomElement): void {
    const { name, attribs } = element;
    if (name === 'a') this.#links += 1;
    if (EMPHASIS.has(name)) this.#parts.push([]);
    if (FIELDS.has(name) && !NO_FIELD.has(attribs.type?.toLowerCase() ?? '')) this.#hasField = true;
    if (INLINE_TAGS.has(name)) return;
    // A field is part of the text it stands in.
    if (!FIELDS.has(name)) this.#end();
    this.#blocks.push(element);
    this.#regions.push(regionOf(element) ?? this.#regions.at(-1) ?? 'body');
    this.#spans.set(element, { from: this.#lines.length, to: -1 });
  }

  #close(element: DomElement): void {
    if (element.name === 'a') this.#links -= 1;
    if (element === this.#leadEnd) this.#lead = readable(this.#parts.flat().join(''));
    if (INLINE_TAGS.has(element.name)) return;
    if (!FIELDS.has(element.name)) this.#end();
    this.#blocks.pop();
    this.#regions.pop();
    const span = this.#spans.get(element);
    if (span) span.to = this.#lines.length;
  }

  #end(): void {
    // Most blocks begin and end where no line is open.
    if (this.#isBlank) return;
    const text = readable(this.#parts.flat().join(''));
    if (text !== '' && this.#start !== null) this.#push(text, this.#start);
    this.#parts = [[]];
    this.#start = null;
    this.#leadEnd = null;
    this.#lead = null;
    this.#isPlain = false;
    this.#hasField = false;
  }

  get #isBlank(): boolean {
    return this.#start === null && !this.#hasField && this.#parts.length === 1 && this.#parts[0]?.length === 0;
  }

  #push(text: string, start: DomNode): void {
    this.#lines.push({
      text,
      block: this.#blocks.at(-1) ?? null,
      region: this.#regions.at(-1) ?? 'body',
      isLink: !this.#isPlain,
      parts:
        this.#parts.length === 1
          ? [text]
          : this.#parts.map((pieces) => readable(pieces.join(''))).filter((part) => part !== ''),
      lead: this.#lead === text || this.#lead === '' ? null : this.#lead,
      start,
      hasField: this.#hasField,
    });
  }
}

// Where a word may be broken is for the browser, and parts no two words.
const BREAKS = /[\u00AD\u200B\u2060\uFEFF]/;
const readable = (text: string): string =>
  foldSpace(BREAKS.test(text) ? text.replace(/[\u00AD\u200B\u2060\uFEFF]/g, '') : text);

function outermostInline(node: DomNode): DomElement | null {
  let found: DomElement | null = null;
  let parent = node.parent;
  while (parent && 'attribs' in parent && INLINE_TAGS.has(parent.name)) {
    found = parent;
    parent = parent.parent;
  }
  return found;
}

/** Where a line that is a link leads to. */
export function addressOf(line: Line): string {
  let node: DomNode | null = line.start;
  while (node) {
    if ('attribs' in node && node.name === 'a') return node.attribs.href?.slice(0, 500) ?? '';
    node = node.parent && 'attribs' in node.parent ? node.parent : null;
  }
  return '';
}
