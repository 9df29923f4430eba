import { type DomDocument, type DomElement, isElement, walk } from './dom.js';

/**
 * The first elements that a selector names, in document order. It knows what adapters need: tags, `#id`, `.class`,
 * `[attr]`, `[attr="value"]`, and descent. A general library was measured and left out: its search is quadratic in
 * the number of siblings (40,000 of them took 4 s), and any page may have that many.
 */
export function select(root: DomDocument | DomElement, selector: string, limit = 20): DomElement[] {
  const steps = parseSelector(selector);
  const own = steps.at(-1);
  const found: DomElement[] = [];
  if (!own) return found;
  const budget = { left: MAX_CLIMB };
  walk(root, {
    enter(node) {
      if (!isElement(node)) return 'over';
      if (matches(node, own) && isBelow(node, steps.slice(0, -1), budget)) found.push(node);
      return found.length < limit && budget.left > 0 ? 'into' : 'stop';
    },
  });
  return found;
}

/** Ids, classes and values a page must hold somewhere for the selector to find anything. */
export const namesIn = (selector: string): string[] =>
  parseSelector(selector).flatMap(({ id, classes, attributes }) => [
    ...(id === null ? [] : [id]),
    ...classes,
    ...attributes.flatMap(({ value }) => (value === null ? [] : [value])),
  ]);

/** Steps up to ancestors, over a whole search. */
const MAX_CLIMB = 2_000_000;

interface Compound {
  tag: string | null;
  id: string | null;
  classes: string[];
  attributes: { name: string; value: string | null }[];
}

function parseSelector(selector: string): Compound[] {
  return selector.trim().split(/\s+/).map(parseCompound);
}

function parseCompound(text: string): Compound {
  const compound: Compound = { tag: /^[\w-]+/.exec(text)?.[0] ?? null, id: null, classes: [], attributes: [] };
  for (const [, sign, word, name, value] of text.matchAll(/([#.])([\w-]+)|\[([\w-]+)(?:="([^"]*)")?\]/g)) {
    if (sign === '#') compound.id = word ?? null;
    else if (sign === '.') compound.classes.push(word ?? '');
    else if (name) compound.attributes.push({ name, value: value ?? null });
  }
  return compound;
}

function matches(element: DomElement, wanted: Compound): boolean {
  const { name, attribs } = element;
  if (wanted.tag !== null && wanted.tag !== name) return false;
  if (wanted.id !== null && wanted.id !== attribs.id) return false;
  if (wanted.classes.length > 0 && !hasClasses(attribs.class, wanted.classes)) return false;
  return wanted.attributes.every((attribute) => {
    const actual = attribs[attribute.name];
    return actual !== undefined && (attribute.value === null || attribute.value === actual);
  });
}

function hasClasses(actual: string | undefined, wanted: string[]): boolean {
  if (actual === undefined || actual.length > 10_000) return false;
  const classes = actual.split(/\s+/);
  return wanted.every((name) => classes.includes(name));
}

/** Descent needs no backtracking: the nearest ancestor that fits leaves the most room for the others. */
function isBelow(element: DomElement, outer: Compound[], budget: { left: number }): boolean {
  let open = outer.length - 1;
  let ancestor = element.parent;
  while (open >= 0 && ancestor && 'attribs' in ancestor) {
    if ((budget.left -= 1) < 0) return false;
    if (matches(ancestor, outer[open] as Compound)) open -= 1;
    ancestor = ancestor.parent;
  }
  return open < 0;
}
