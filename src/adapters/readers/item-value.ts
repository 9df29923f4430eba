import type { DomElement } from './dom.js';
import type { Thing, Value } from './thing.js';

const LINKING_TAGS: ReadonlySet<string> = new Set(['a', 'area', 'link']);
const EMBEDDING_TAGS: ReadonlySet<string> = new Set('audio embed iframe img source track video'.split(' '));
const URL_PROPERTIES: ReadonlySet<string> = new Set(
  'url sameAs image logo photo mainEntityOfPage email telephone'.split(' '),
);

/**
 * By the standards the value of a link is its address, but pages mean its text when the property is a name; only
 * properties that are addresses take the address. `content` counts on every element, as search engines read it.
 */
export function valueAttribute({ name, attribs }: DomElement, property: string): string | undefined {
  if (attribs.content !== undefined) return attribs.content;
  if (attribs.resource !== undefined) return attribs.resource;
  if (name === 'meta') return '';
  if (name === 'link') return attribs.href ?? '';
  if (LINKING_TAGS.has(name)) return URL_PROPERTIES.has(property) ? attribs.href : undefined;
  if (EMBEDDING_TAGS.has(name)) return attribs.src ?? '';
  if (name === 'data' || name === 'meter') return attribs.value;
  return attribs.datetime;
}

/** Does it name a thing that may be described elsewhere on the page? An address of its own is not meant so. */
export const isReference = ({ name, attribs }: DomElement, property: string): boolean =>
  attribs.content === undefined && (attribs.resource !== undefined || name === 'link') && !URL_PROPERTIES.has(property);

/** Where in a thing a value stands. */
export interface Place {
  values: Value[];
  at: number;
}

/** A property that was read as text while the walk is still inside of it. */
export interface OpenText extends Place {
  element: DomElement;
  name: string;
}

// Properties of one name inside each other are few; whoever nests more of them gets all values side by side.
const MAX_AROUND = 30;

interface ReadText {
  element: DomElement;
  text: string;
}

export function placeText(thing: Thing, name: string, { element, text }: ReadText, around: OpenText[]): void {
  const outer = around.find((open) => open.name === name);
  if (outer && outer.values[outer.at] === text) return;
  const place = append(thing, name, text);
  if (around.length < MAX_AROUND) around.push({ element, name, ...place });
}

/** What is said exactly takes the place of the text around it: `<b itemprop="price">$<i itemprop="price" content="5">`. */
export function placeExact(thing: Thing, name: string, value: Value, around: OpenText[]): Place {
  const at = around.findLastIndex((open) => open.name === name);
  const [outer] = at === -1 ? [] : around.splice(at, 1);
  if (!outer) return append(thing, name, value);
  outer.values[outer.at] = value;
  return outer;
}

export function append(thing: Thing, name: string, value: Value): Place {
  const values = thing.props.get(name) ?? [];
  if (values.length === 0) thing.props.set(name, values);
  values.push(value);
  return { values, at: values.length - 1 };
}
