import { type DomElement, isElement, walk } from './dom.js';
import { collectText } from './dom-text.js';
import { append, isReference, type OpenText, type Place, placeExact, placeText, valueAttribute } from './item-value.js';
import { isThing, localName, type Thing, type Value } from './thing.js';

/**
 * In what microdata and RDFa differ: their attributes. How things nest, what the value of an element is, and what a
 * page may cost is the same for both, and stands below.
 */
export interface ItemSyntax {
  /** Does another thing begin here, so that what is inside is not said of the one around it? */
  isScope(element: DomElement): boolean;
  identify(scope: DomElement): { id: string | null; types: string[] };
  /** The properties, of the thing around it, whose value this element is. */
  names(element: DomElement): string[];
  /** The properties of the scope itself whose value is the scope's own text. */
  ownNames(scope: DomElement): string[];
  /** Elements elsewhere on the page that belong to the scope too. */
  elsewhere(scope: DomElement): DomElement[];
}

/** A thing that is nobody's property, or what the page is mainly about, whoever that is said of. */
export function isRoot(element: DomElement, syntax: ItemSyntax): boolean {
  if (!syntax.isScope(element)) return false;
  const names = syntax.names(element);
  return names.length === 0 || names.some((name) => localName(name) === 'mainEntity');
}

/** The things that begin at these elements. Those that say nothing are left out. */
export function readItems(roots: readonly DomElement[], syntax: ItemSyntax): Thing[] {
  const reader = new ItemReader(syntax);
  const things = roots.map((root) => reader.read(root));
  reader.resolveReferences();
  return things.filter((thing) => thing.props.size > 0);
}

/** The words of an attribute that is a list. */
export const tokens = (attribute: string | undefined): string[] =>
  attribute === undefined ? [] : attribute.split(/\s+/, 50).filter((token) => token !== '');

// Nested properties and shared blocks may be read many times over: nodes and characters together are bounded.
const MAX_COST = 1_000_000;
const MAX_DEPTH = 30;
const MAX_NAME = 100;

class ItemReader {
  readonly #syntax: ItemSyntax;
  readonly #open = new Set<DomElement>();
  readonly #all: Thing[] = [];
  readonly #references: Place[] = [];
  #budget = MAX_COST;

  constructor(syntax: ItemSyntax) {
    this.#syntax = syntax;
  }

  read(scope: DomElement): Thing {
    const thing: Thing = { ...this.#syntax.identify(scope), props: new Map() };
    this.#all.push(thing);
    this.#open.add(scope);
    for (const name of this.#syntax.ownNames(scope)) append(thing, localName(name), this.#plain(scope, name));
    this.#readBelow(scope, thing, []);
    for (const element of this.#syntax.elsewhere(scope)) this.#readElsewhere(element, thing);
    this.#open.delete(scope);
    return thing;
  }

  /** What is said of one thing in several places comes together, and who only names a thing gets the thing. */
  resolveReferences(): void {
    const byId = new Map<string, Thing>();
    for (const thing of this.#all) {
      if (thing.id !== null && thing.types.length > 0 && !byId.has(thing.id)) byId.set(thing.id, thing);
    }
    for (const { id, types, props } of this.#all) {
      const known = id === null || types.length > 0 ? undefined : byId.get(id);
      if (known) for (const [name, values] of props) for (const value of values) append(known, name, value);
    }
    for (const { values, at } of this.#references) {
      const value = values[at] as Value;
      values[at] = byId.get(isThing(value) ? (value.id ?? '') : value) ?? value;
    }
  }

  #readElsewhere(element: DomElement, thing: Thing): void {
    if (this.#open.has(element)) return;
    const around: OpenText[] = [];
    if (this.#readElement(element, thing, around) === 'into') this.#readBelow(element, thing, around);
  }

  #readBelow(root: DomElement, thing: Thing, around: OpenText[]): void {
    walk(root, {
      enter: (node) => {
        if ((this.#budget -= 1) < 0) return 'stop';
        return isElement(node) ? this.#readElement(node, thing, around) : 'over';
      },
      leave: (element) => {
        while (around.at(-1)?.element === element) around.pop();
      },
    });
  }

  /** A nested scope keeps its properties to itself, so the walk steps over it. */
  #readElement(element: DomElement, thing: Thing, around: OpenText[]): 'into' | 'over' {
    const names = this.#syntax.names(element);
    if (!this.#syntax.isScope(element)) {
      for (const name of names) this.#readValue(element, name, thing, around);
      return 'into';
    }
    const nested = names.length > 0 ? this.#nested(element) : null;
    if (nested !== null) for (const name of names) this.#refer(placeExact(thing, localName(name), nested, around));
    return 'over';
  }

  /** A thing of which nothing is said is only named: by its address, or by the few words that stand there. */
  #nested(element: DomElement): Value | null {
    if (this.#open.has(element) || this.#open.size >= MAX_DEPTH) return null;
    const thing = this.read(element);
    if (thing.props.size > 0) return thing;
    if (thing.id !== null) return thing.id;
    const words = this.#text(element);
    return words === '' || words.length > MAX_NAME ? null : words;
  }

  #readValue(element: DomElement, written: string, thing: Thing, around: OpenText[]): void {
    const name = localName(written);
    const attribute = valueAttribute(element, name);
    if (attribute === undefined) {
      placeText(thing, name, { element, text: this.#text(element) }, around);
      return;
    }
    const place = placeExact(thing, name, attribute.trim(), around);
    if (isReference(element, name)) this.#refer(place);
  }

  /** Notes a value that may be described elsewhere: what has a type is described already. */
  #refer(place: Place): void {
    const value = place.values[place.at] as Value;
    if (!isThing(value) || value.types.length === 0) this.#references.push(place);
  }

  #plain(element: DomElement, name: string): string {
    return valueAttribute(element, localName(name))?.trim() ?? this.#text(element);
  }

  #text(element: DomElement): string {
    const { text, cost } = collectText(element, Math.max(0, Math.min(this.#budget, 100_000)));
    this.#budget -= cost;
    return text;
  }
}
