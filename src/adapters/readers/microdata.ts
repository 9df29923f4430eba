import { type DomElement, isElement, walk } from './dom.js';
import { collectText } from './dom-text.js';
import { localName, type Thing, type Value } from './thing.js';

/** What the reader needs to know of the page: its top-level items and the elements that `itemref` may name. */
export interface MicrodataSource {
  items: readonly DomElement[];
  byId: ReadonlyMap<string, DomElement>;
}

/** The page's top-level microdata items, with nested scopes and `itemref` followed. */
export function readMicrodata(source: MicrodataSource): Thing[] {
  const reader = new ItemReader(source.byId);
  return source.items.map((element) => reader.read(element)).filter((thing) => thing.props.size > 0);
}

// Nested properties and shared `itemref` blocks may be read many times over: nodes and characters together are bounded.
const MAX_COST = 1_000_000;
const MAX_DEPTH = 30;

class ItemReader {
  readonly #byId: ReadonlyMap<string, DomElement>;
  readonly #open = new Set<DomElement>();
  #budget = MAX_COST;

  constructor(byId: ReadonlyMap<string, DomElement>) {
    this.#byId = byId;
  }

  read(item: DomElement): Thing {
    const thing: Thing = {
      id: item.attribs.itemid ?? null,
      types: tokens(item.attribs.itemtype).map(localName),
      props: new Map(),
    };
    this.#open.add(item);
    this.#readBelow(item, thing);
    for (const id of tokens(item.attribs.itemref)) this.#readReferred(id, thing);
    this.#open.delete(item);
    return thing;
  }

  #readReferred(id: string, thing: Thing): void {
    const element = this.#byId.get(id);
    if (!element || this.#open.has(element)) return;
    if (this.#readProperty(element, thing) === 'into') this.#readBelow(element, thing);
  }

  #readBelow(root: DomElement, thing: Thing): void {
    walk(root, {
      enter: (node) => {
        if ((this.#budget -= 1) < 0) return 'stop';
        return isElement(node) ? this.#readProperty(node, thing) : 'over';
      },
    });
  }

  /** A nested scope keeps its properties to itself, so the walk steps over it. */
  #readProperty(element: DomElement, thing: Thing): 'into' | 'over' {
    const isScope = element.attribs.itemscope !== undefined;
    const names = tokens(element.attribs.itemprop);
    if (names.length > 0) {
      const value = isScope ? this.#nested(element) : this.#plain(element, names);
      if (value !== null) for (const name of names) append(thing, localName(name), value);
    }
    return isScope ? 'over' : 'into';
  }

  #nested(element: DomElement): Thing | null {
    return this.#open.has(element) || this.#open.size >= MAX_DEPTH ? null : this.read(element);
  }

  #plain(element: DomElement, names: string[]): string | null {
    const attribute = valueAttribute(element, names);
    if (attribute !== undefined) return attribute.trim();
    const { text, cost } = collectText(element, Math.min(this.#budget, 100_000));
    this.#budget -= cost;
    return text;
  }
}

const LINKING_TAGS: ReadonlySet<string> = new Set(['a', 'area', 'link']);
const EMBEDDING_TAGS: ReadonlySet<string> = new Set('audio embed iframe img source track video'.split(' '));
const URL_PROPERTIES: ReadonlySet<string> = new Set(
  'url sameAs image logo photo mainEntityOfPage email telephone'.split(' '),
);

/**
 * By the standard the value of a link is its address, but pages mean its text when the property is a name; only
 * properties that are addresses take the address. `content` counts on every element, as search engines read it.
 */
function valueAttribute(element: DomElement, names: string[]): string | undefined {
  const { name, attribs } = element;
  if (attribs.content !== undefined) return attribs.content;
  if (name === 'meta') return '';
  if (name === 'link') return attribs.href ?? '';
  if (LINKING_TAGS.has(name)) return names.some((prop) => URL_PROPERTIES.has(prop)) ? attribs.href : undefined;
  if (EMBEDDING_TAGS.has(name)) return attribs.src ?? '';
  if (name === 'time') return attribs.datetime;
  return name === 'data' || name === 'meter' ? attribs.value : undefined;
}

function append(thing: Thing, name: string, value: Value): void {
  const values = thing.props.get(name);
  if (values) values.push(value);
  else thing.props.set(name, [value]);
}

const tokens = (attribute: string | undefined): string[] =>
  attribute === undefined ? [] : attribute.split(/\s+/, 50).filter((token) => token !== '');
