import { type DomElement, isElement, walk } from './dom.js';
import type { MainContent } from './main-content.js';

export type ContentRoot = Pick<MainContent, 'root' | 'isLeftOut'>;

/** No text is longer: the rest of an endless page is left out. */
export const MAX_TEXT = 500_000;

/**
 * The content as text: blank lines between paragraphs, one line per list item and table row, cells apart by tabs,
 * preformatted text as it is.
 */
export function plainText({ root, isLeftOut }: ContentRoot): string {
  const writer = new TextWriter();
  walk(root, {
    enter(node) {
      if (writer.length > MAX_TEXT) return 'stop';
      if (isElement(node)) {
        if (isLeftOut(node)) return 'over';
        writer.open(node);
        return 'into';
      }
      if ('data' in node) writer.put(node.data);
      return 'over';
    },
    // Left-out elements are left as well: they part what stands around them.
    leave: (element) => writer.close(element),
  });
  return cutWhole(writer.text, MAX_TEXT).trim();
}

/** At most `limit` characters, and never half of one. */
export function cutWhole(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const isHalf = /[\ud800-\udbff]/.test(text[limit - 1] ?? '');
  return text.slice(0, isHalf ? limit - 1 : limit);
}

/** One run of white space is one space, and what has no width is gone. */
export const foldRun = (data: string): string => withoutInvisible(data).replace(/\s{2,}|[^\S ]/g, ' ');

export const withoutInvisible = (data: string): string => data.replace(INVISIBLE, '');

// Built from numbers because the characters themselves may not stand in source text. White space is kept.
const chars = (from: number, to = from): string => `${String.fromCharCode(from)}-${String.fromCharCode(to)}`;
const INVISIBLE = new RegExp(
  `[${[chars(0, 8), chars(14, 31), chars(127), chars(0xad), chars(0x200b), chars(0x2060), chars(0xfeff)].join('')}]+`,
  'g',
);

/** What stands between two pieces of text. The widest that was asked for is written, before the next piece. */
const GAPS = ['', ' ', '\t', '\n', '\n\n'] as const;
const [NONE, SPACE, CELL, LINE, PARAGRAPH] = [0, 1, 2, 3, 4] as const;

class TextWriter {
  readonly #pieces: string[] = [];
  #length = 0;
  #gap = NONE as number;
  #openItems = 0;
  #openPres = 0;

  get text(): string {
    return this.#pieces.join('');
  }

  get length(): number {
    return this.#length;
  }

  open(element: DomElement): void {
    if (element.name === 'br') this.#break();
    else this.#ask(this.#gapOf(element));
    if (element.name === 'li') this.#openItems += 1;
    if (element.name === 'pre') this.#openPres += 1;
  }

  close(element: DomElement): void {
    if (element.name === 'li' && this.#openItems > 0) this.#openItems -= 1;
    if (element.name === 'pre' && this.#openPres > 0) this.#openPres -= 1;
    if (element.name !== 'br') this.#ask(this.#gapOf(element));
  }

  put(data: string): void {
    const text = this.#openPres > 0 ? withoutInvisible(data) : foldRun(data);
    if (text.startsWith(' ')) this.#ask(SPACE);
    const piece = this.#openPres > 0 ? text : text.trim();
    if (piece === '') return;
    if (this.#pieces.length > 0) this.#write(GAPS[this.#gap] as string);
    this.#write(piece);
    this.#gap = text.endsWith(' ') && this.#openPres === 0 ? SPACE : NONE;
  }

  #write(piece: string): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
  }

  #ask(gap: number): void {
    this.#gap = Math.max(this.#gap, gap);
  }

  /** Two breaks in a row are how many pages part their paragraphs. */
  #break(): void {
    this.#gap = this.#gap >= LINE ? PARAGRAPH : LINE;
  }

  #gapOf({ name, isInline }: DomElement): number {
    if (isInline) return NONE;
    if (name === 'td' || name === 'th') return CELL;
    if (name === 'img' || name === 'picture') return SPACE;
    return PARAGRAPHS.has(name) && this.#openItems === 0 ? PARAGRAPH : LINE;
  }
}

const PARAGRAPHS: ReadonlySet<string> = new Set(
  'p h1 h2 h3 h4 h5 h6 ul ol dl table pre blockquote section article header figure hr details address'.split(' '),
);
