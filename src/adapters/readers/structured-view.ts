import type { PageReader } from './page-reader.js';
import { cutWhole } from './plain-text.js';
import { isThing, type Thing, type Value } from './thing.js';

export type PlainObject = Record<string, unknown>;

// Past these a page is a data dump; what lies beyond is left out.
const MAX_DEPTH = 12;
const MAX_NODES = 10_000;
const MAX_CHARACTERS = 200_000;

/**
 * The page's structured data as plain objects, each with `@type` and, at the top, the `@syntax` it was written in.
 * A thing that stands at the top is referred to by `@id` from within the others, so nothing is told twice.
 */
export function structuredData(reader: PageReader): PlainObject[] | null {
  const view = new StructuredView();
  const found = [
    ...view.top(reader.jsonLd, 'json-ld'),
    ...view.top(reader.microdata, 'microdata'),
    ...view.top(reader.rdfa, 'rdfa'),
  ];
  return found.length === 0 ? null : found;
}

class StructuredView {
  readonly #told = new Set<Thing>();
  #top: ReadonlySet<Thing> = new Set();
  #nodes = MAX_NODES;
  #characters = MAX_CHARACTERS;

  top(things: readonly Thing[], syntax: string): PlainObject[] {
    this.#top = new Set(things);
    const objects: PlainObject[] = [];
    for (const thing of things) {
      // The main entity of a page is one of the things and told within the page already.
      if (this.#told.has(thing) || this.#isFull) continue;
      this.#characters -= FRAME;
      objects.push({ '@syntax': syntax, ...this.#object(thing, 0) });
    }
    return objects;
  }

  get #isFull(): boolean {
    return this.#nodes <= 0 || this.#characters <= 0;
  }

  #object(thing: Thing, depth: number): PlainObject {
    this.#told.add(thing);
    const object = this.#reference(thing);
    for (const [name, values] of thing.props) {
      if (this.#isFull) break;
      const told = values.map((value) => this.#value(value, depth + 1)).filter((value) => value !== undefined);
      this.#characters -= name.length + SIGNS;
      if (told.length > 0) define(object, name, told.length === 1 ? told[0] : told);
    }
    return object;
  }

  #reference({ id, types }: Thing): PlainObject {
    this.#nodes -= 1;
    const object: PlainObject = {};
    if (types.length > 0) object['@type'] = types.length === 1 ? types[0] : [...types];
    if (id !== null) object['@id'] = id;
    this.#characters -= (id?.length ?? 0) + types.join().length + FRAME;
    return object;
  }

  /** What was told before is in a circle or at the top: it is named, not told again. */
  #value(value: Value, depth: number): unknown {
    if (this.#isFull) return undefined;
    if (!isThing(value)) return this.#text(value);
    const isElsewhere = this.#told.has(value) || (this.#top.has(value) && value.id !== null);
    if (isElsewhere || depth > MAX_DEPTH) return value.id === null ? undefined : this.#reference(value);
    return this.#object(value, depth);
  }

  #text(value: string): string {
    const text = cutWhole(value, this.#characters);
    this.#characters -= JSON.stringify(text).length + 1;
    return text;
  }
}

// Around each piece once it is written: quotes, a colon, a comma.
const SIGNS = 4;
// Around each thing: brackets and the names of what it begins with.
const FRAME = 24;

/** As a property of its own, whatever its name: `__proto__` is one too. */
function define(object: PlainObject, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
}
