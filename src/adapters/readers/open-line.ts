import { foldSpace } from '../../domain/normalize/text.js';
import { type DomElement, type DomNode, isElement } from './dom.js';
import type { Line } from './lines.js';
import type { Region } from './region.js';

/** The line that is being read. */
export class OpenLine {
  hasField = false;
  #text = '';
  /** Where in the text emphasised words begin. */
  #cuts: number[] = [];
  #start: DomNode | null = null;
  #isPlain = false;
  /** The element the text begins in, and what it said when it ended. */
  #leadEnd: DomElement | null = null;
  #lead: string | null = null;

  get isUntouched(): boolean {
    return this.#start === null && !this.hasField && this.#cuts.length === 0;
  }

  /** White space before the first word says nothing. */
  add(data: string, node: DomNode, isLinked: boolean): void {
    const isSilent = isBlank(data);
    if (this.#start === null) {
      if (isSilent) return;
      this.#start = node;
      this.#leadEnd = outermostInline(node);
    }
    if (!isSilent && !isLinked) this.#isPlain = true;
    this.#text = this.#text === '' ? data : this.#text + data;
  }

  cut(): void {
    this.#cuts.push(this.#text.length);
  }

  leave(element: DomElement): void {
    if (element === this.#leadEnd) this.#lead = readable(this.#text);
  }

  /** The line as it was read, or none; the next one may begin. */
  take(block: DomElement | null, region: Region): Line | null {
    const start = this.#start;
    const text = start === null ? '' : readable(this.#text);
    const line = start === null || text === '' ? null : this.#lineOf(text, { start, block, region });
    this.hasField = false;
    this.#text = '';
    if (this.#cuts.length > 0) this.#cuts = [];
    this.#start = null;
    this.#isPlain = false;
    this.#leadEnd = null;
    this.#lead = null;
    return line;
  }

  #lineOf(text: string, { start, block, region }: Pick<Line, 'start' | 'block' | 'region'>): Line {
    const line = new PrintedLine(text, start);
    line.block = block;
    line.region = region;
    line.isLink = !this.#isPlain;
    if (this.#cuts.length > 0) line.cutAt(this.#cuts, this.#text);
    line.lead = this.#lead === text || this.#lead === '' ? null : this.#lead;
    line.hasField = this.hasField;
    return line;
  }
}

/**
 * A class, and no object written out: those that live for a whole page are soon made as old ones by the engine, and what
 * is old keeps the tree it points at until the next full round of the collector.
 */
class PrintedLine implements Line {
  readonly text: string;
  readonly start: DomNode;
  block: DomElement | null = null;
  region: Region = 'body';
  isLink = false;
  lead: string | null = null;
  hasField = false;
  phones: Line['phones'] = null;
  #digits = -1;
  #cuts: readonly number[] | null = null;
  #uncut = '';

  constructor(text: string, start: DomNode) {
    this.text = text;
    this.start = start;
  }

  /** Few lines are ever asked for their parts, and making them costs as much as the line. */
  cutAt(cuts: readonly number[], text: string): void {
    this.#cuts = cuts;
    this.#uncut = text;
  }

  get parts(): readonly string[] {
    if (this.#cuts === null) return [this.text];
    const ends = [...this.#cuts, this.#uncut.length];
    return ends.map((end, at) => readable(this.#uncut.slice(ends[at - 1] ?? 0, end))).filter((part) => part !== '');
  }

  get digits(): number {
    if (this.#digits < 0) this.#digits = digitsIn(this.text);
    return this.#digits;
  }
}

function digitsIn(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= ZERO && code <= NINE) count += 1;
  }
  return count;
}

function outermostInline(node: DomNode): DomElement | null {
  let found: DomElement | null = null;
  for (let { parent } = node; isElement(parent) && parent.isInline; { parent } = parent) found = parent;
  return found;
}

/** The same as `text.trim() === ''`, which would copy each text to know it. */
function isBlank(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > LAST_PLAIN) return text.trim() === '';
    if (code > SPACE || code < TAB || (code > RETURN && code < SPACE)) return false;
  }
  return true;
}

const [TAB, RETURN, SPACE, ZERO, NINE, LAST_PLAIN] = [9, 13, 32, 48, 57, 127];

// Where a word may be broken is for the browser, and parts no two words.
const BREAKS = /[\u00AD\u200B\u2060\uFEFF]+/g;
const readable = (text: string): string => foldSpace(text.replace(BREAKS, ''));
