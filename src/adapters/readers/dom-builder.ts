import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { nameAt } from './dom-names.js';
import { append, DomDocument, DomElement, type DomParent, DomText } from './dom-nodes.js';
import { ENDED_BY, LANGUAGES, type Language, VOID_TAGS } from './dom-rules.js';

/** How much of a page is read; the rest is left out. */
export interface DomBounds {
  depth: number;
  elements: number;
  textPieces: number;
}

/**
 * Makes the tree out of htmlparser2's tokens, by the rules of its own parser and at less than half its cost: the page is
 * there as a whole, so that tokens are places in it, and what is open is known by the element that is. Comments and
 * declarations are not kept.
 */
export class DomBuilder implements TokenizerCallbacks {
  readonly #source: string;
  readonly #bounds: DomBounds;
  readonly #tokenizer = new Tokenizer({}, this);
  readonly #root = new DomDocument();
  #open: DomParent = this.#root;
  #depth = 0;
  #elements = 0;
  #pieces = 0;
  /** Whose rules hold, for each open element that changes it. */
  readonly #languages: Language[] = [];
  /** Of the tag that is being read. Without attributes it is left out. */
  #name = '';
  #attribs: Record<string, string> | null = null;
  #attribute = '';
  #value = '';

  constructor(source: string, bounds: DomBounds) {
    this.#source = source;
    this.#bounds = bounds;
  }

  build(): DomDocument {
    this.#tokenizer.write(this.#source);
    this.#tokenizer.end();
    return this.#root;
  }

  ontext(start: number, end: number): void {
    this.#text(this.#source.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    this.#text(String.fromCodePoint(codePoint));
  }

  isInForeignContext(): boolean {
    return this.#languages.length > 0 && this.#languages.at(-1) !== 'html';
  }

  onopentagname(start: number, end: number): void {
    this.#begin(this.#tagAt(start, end));
  }

  onattribname(start: number, end: number): void {
    this.#attribute = nameAt(this.#source, start, end);
  }

  onattribdata(start: number, end: number): void {
    const data = this.#source.slice(start, end);
    this.#value = this.#value === '' ? data : this.#value + data;
  }

  onattribentity(codePoint: number): void {
    this.#value += String.fromCodePoint(codePoint);
  }

  /** The first of several with one name counts. */
  onattribend(): void {
    const attribs = this.#attribs;
    const name = this.#attribute;
    if (attribs !== null && (attribs[name] === undefined || !Object.hasOwn(attribs, name))) attribs[name] = this.#value;
    this.#value = '';
  }

  onopentagend(): void {
    this.#add();
  }

  /** Only drawings and formulas have tags that close themselves. */
  onselfclosingtag(): void {
    const isClosed = this.isInForeignContext() && this.#attribs !== null && !VOID_TAGS.has(this.#name);
    this.#add();
    if (isClosed) this.#close();
  }

  onclosetag(start: number, end: number): void {
    const name = this.#tagAt(start, end);
    if (name === 'br') this.#addEmpty('br');
    else if (VOID_TAGS.has(name)) return;
    else if (this.#isOpen(name)) this.#closeUpTo(name);
    else if (name === 'p') this.#addEmpty('p');
  }

  oncdata(start: number, end: number, offset: number): void {
    if (this.isInForeignContext()) this.#text(this.#source.slice(start, end - offset));
  }

  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}

  #tagAt(start: number, end: number): string {
    const name = nameAt(this.#source, start, end);
    if (name === 'image') return this.isInForeignContext() ? name : 'img';
    // The one name with a capital that matters: it leads from a drawing back to HTML, and only from there.
    const isSvg = name === 'foreignobject' && (this.#languages.at(-1) === 'svg' || this.#isOpen('foreignObject'));
    return isSvg ? 'foreignObject' : name;
  }

  #begin(name: string): void {
    this.#name = name;
    // A form within a form is none.
    if (name === 'form' && this.#isOpen('form')) return;
    const ended = ENDED_BY.get(name);
    if (ended !== undefined) while (this.#open instanceof DomElement && ended.has(this.#open.name)) this.#close();
    const language = LANGUAGES.get(name);
    if (language !== undefined) this.#languages.push(language);
    this.#attribs = {};
  }

  #add(): void {
    const attribs = this.#attribs;
    if (attribs === null) return;
    this.#attribs = null;
    const element = new DomElement(this.#name, attribs, { parent: this.#open, number: this.#elements });
    append(element);
    this.#elements += 1;
    if (this.#depth >= this.#bounds.depth || this.#elements > this.#bounds.elements) this.#tokenizer.pause();
    if (VOID_TAGS.has(this.#name)) return;
    this.#open = element;
    this.#depth += 1;
  }

  /** What is closed without having been opened, where that means something. */
  #addEmpty(name: 'br' | 'p'): void {
    this.#name = name;
    this.#attribs = {};
    this.#add();
    if (name === 'p') this.#close();
  }

  #isOpen(name: string): boolean {
    let element: DomParent | null = this.#open;
    while (element instanceof DomElement && element.name !== name) element = element.parent;
    return element instanceof DomElement;
  }

  #closeUpTo(name: string): void {
    let isLast = false;
    while (!isLast && this.#open instanceof DomElement) {
      isLast = this.#open.name === name;
      this.#close();
    }
  }

  #close(): void {
    const element = this.#open;
    if (!(element instanceof DomElement)) return;
    if (this.#languages.length > 0 && LANGUAGES.has(element.name)) this.#languages.pop();
    this.#open = element.parent;
    this.#depth -= 1;
  }

  #text(data: string): void {
    const { last } = this.#open;
    if (last instanceof DomText) last.data += data;
    else append(new DomText(data, this.#open));
    this.#pieces += 1;
    if (this.#pieces > this.#bounds.textPieces) this.#tokenizer.pause();
  }
}
