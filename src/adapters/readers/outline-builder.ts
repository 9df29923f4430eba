import { type DomDocument, type DomElement, type DomNode, isElement } from './dom.js';
import type { Line, Outline, Span, Spans } from './lines.js';
import { OpenLine } from './open-line.js';
import { type Region, Regions } from './region.js';

const MAX_LINES = 20_000;
const MAX_CHARACTERS = 500_000;
const EMPHASIS: ReadonlySet<string> = new Set(['b', 'strong', 'label']);
const FIELDS: ReadonlySet<string> = new Set(['input', 'select', 'textarea']);
const NO_FIELD: ReadonlySet<string> = new Set(['hidden', 'submit', 'button', 'image', 'reset']);

/** Every element and every text of a page passes here once, so it walks by itself and looks nothing up twice. */
export class OutlineBuilder {
  readonly #lines: Line[] = [];
  readonly #spans = new SpanList();
  readonly #names = new Regions();
  readonly #line = new OpenLine();
  /** What is open, the innermost last. */
  readonly #blocks: DomElement[] = [];
  readonly #regions: Region[] = ['body'];
  #characters = 0;
  #links = 0;

  build(root: DomDocument): Outline {
    let node = root.first;
    while (node !== null && this.#lines.length < MAX_LINES && this.#characters <= MAX_CHARACTERS) {
      const inside: DomNode | null = isElement(node) ? this.#open(node) : this.#text(node.data, node);
      node = inside ?? this.#following(node);
    }
    this.#end();
    this.#spans.close(this.#lines.length);
    return { lines: this.#lines, spans: this.#spans, columns: new Map() };
  }

  /** The next node behind this one; what ends before it is closed. */
  #following(from: DomNode): DomNode | null {
    let node = from;
    if (isElement(node)) this.#close(node);
    while (node.next === null) {
      const { parent } = node;
      if (!isElement(parent)) return null;
      this.#close(parent);
      node = parent;
    }
    return node.next;
  }

  #text(data: string, node: DomNode): null {
    this.#characters += Math.min(data.length, MAX_CHARACTERS);
    this.#line.add(data.length > MAX_CHARACTERS ? data.slice(0, MAX_CHARACTERS) : data, node, this.#links > 0);
    return null;
  }

  /** Returns what is inside of it for a reader, if anything is. */
  #open(element: DomElement): DomNode | null {
    const { name } = element;
    if (element.isInline) {
      if (name === 'a') this.#links += 1;
      else if (EMPHASIS.has(name)) this.#line.cut();
    } else {
      // A field is part of the text it stands in.
      if (!FIELDS.has(name)) this.#end();
      else if (!NO_FIELD.has(element.attribs.type?.toLowerCase() ?? '')) this.#line.hasField = true;
      this.#blocks.push(element);
      this.#regions.push(this.#names.regionOf(element) ?? (this.#regions.at(-1) as Region));
      this.#spans.open(element, this.#lines.length);
    }
    return element.isUnseen ? null : element.first;
  }

  #close(element: DomElement): void {
    if (element.name === 'a') this.#links -= 1;
    this.#line.leave(element);
    if (element.isInline) return;
    if (!FIELDS.has(element.name)) this.#end();
    this.#blocks.pop();
    this.#regions.pop();
    this.#spans.end(element, this.#lines.length);
  }

  #end(): void {
    // Most blocks begin and end where no line is open.
    if (this.#line.isUntouched) return;
    const line = this.#line.take(this.#blocks.at(-1) ?? null, this.#regions.at(-1) as Region);
    if (line !== null) this.#lines.push(line);
  }
}

class LineSpan implements Span {
  readonly from: number;
  to = -1;

  constructor(from: number) {
    this.from = from;
  }
}

/** By the numbers of the elements: thousands of them in a map would cost as much as the lines themselves. */
class SpanList implements Spans {
  readonly #all: (Span | undefined)[] = [];

  get(block: DomElement): Span | undefined {
    return this.#all[block.number];
  }

  open(block: DomElement, from: number): void {
    this.#all[block.number] = new LineSpan(from);
  }

  end(block: DomElement, to: number): void {
    const span = this.#all[block.number];
    if (span) span.to = to;
  }

  /** What is still open reaches to the end. */
  close(to: number): void {
    for (const span of this.#all) if (span && span.to < 0) span.to = to;
  }
}
