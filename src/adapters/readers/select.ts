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

/** Ids and classes a page must have somewhere for the selector to find anything. */
export const namesIn = (selector: string): string[] =>
  parseSelector(selector).flatMap(({ id, classes }) => (id === null ? classes : [id, ...classes]));

/** All ids and classes below an element. Whoever has many selectors to try asks here first. */
export function namesOf(root: DomDocument | DomElement): ReadonlySet<string> {
  const names = new Set<string>();
  const lists = new Set<string>();
  walk(root, {
    enter(node) {
      if (!isElement(node)) return 'over';
      if (node.attribs.id !== undefined) names.add(node.attribs.id);
      if (node.attribs.class !== undefined) lists.add(node.attribs.class);
      return 'into';
    },
  });
  // The same few lists stand at hundreds of elements.
  for (const list of lists) for (const name of classesOf(list)) names.add(name);
  return names;
}

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
  if (actual === undefined) return false;
  const classes = classesOf(actual);
  return wanted.every((name) => classes.includes(name));
}

const classesOf = (list: string): string[] => (list.length > 10_000 ? [] : list.split(/\s+/));

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
