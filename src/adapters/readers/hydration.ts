import { assignedValues } from './assigned-json.js';
import { isFlattened, unflatten } from './flattened-json.js';
import { parseLooseJson } from './json-repair.js';
import { isThing, type Thing, type Value } from './thing.js';
import { typeName } from './vocabulary.js';

/** Where a page hands state to its own scripts: JSON blocks, and scripts that may assign JSON to a global. */
export interface StateSource {
  state: readonly string[];
  inlineScripts: readonly string[];
}

/**
 * The objects of that state, outermost first. Their names are in camel case, however the site spells them
 * (`job_title`, `Job-Title`), and what calls itself `@type`, `__typename` or `_type` has that type. State is written for
 * one site's scripts: a name means only what it commonly means.
 */
export function readHydration({ state, inlineScripts }: StateSource): Thing[] {
  const builder = new StateBuilder();
  let left = MAX_CHARACTERS;
  for (const block of state) {
    if ((left -= block.length) < 0) break;
    builder.addAll(parseLooseJson(block));
  }
  builder.addAll(assignedValues(inlineScripts, Math.max(0, left)));
  return builder.build();
}

// Past these the state is a database; what lies beyond is left out.
const MAX_CHARACTERS = 4_000_000;
const MAX_THINGS = 20_000;
const MAX_DEPTH = 40;
const MAX_VALUES = 200;
const MAX_NESTED_ARRAYS = 4;
// What was put together from a flat list may hold one part in many places.
const MAX_STEPS = 1_000_000;

interface Pending {
  node: object;
  thing: Thing;
  depth: number;
}

class StateBuilder {
  readonly #queue: Pending[] = [];
  readonly #made = new Map<object, Thing>();
  readonly #byKey = new Map<string, Thing>();
  #steps = 0;

  addAll(values: readonly unknown[]): void {
    for (const value of values) {
      if (Array.isArray(value) && isFlattened(value)) this.#member(unflatten(value), 0);
      else if (Array.isArray(value)) this.#member({ items: value }, 0);
      else if (typeof value === 'object' && value !== null) this.#member(value, 0);
    }
  }

  /** Breadth first: what is near the top is what the page is about, and is read even where there is too much. */
  build(): Thing[] {
    for (let at = 0; at < this.#queue.length; at += 1) this.#fill(this.#queue[at] as Pending);
    const things = this.#queue.map(({ thing }) => thing);
    for (const thing of things) this.#resolve(thing);
    return things;
  }

  #member(node: object, depth: number): Thing | null {
    const made = this.#made.get(node);
    if (made) return made;
    if (this.#queue.length >= MAX_THINGS || depth > MAX_DEPTH) return null;
    const thing: Thing = { id: null, types: typesOf(node), props: new Map() };
    this.#made.set(node, thing);
    this.#queue.push({ node, thing, depth });
    return thing;
  }

  #fill({ node, thing, depth }: Pending): void {
    for (const [key, raw] of Object.entries(node)) {
      const name = camelName(key);
      if (name === '') continue;
      const values = thing.props.get(name) ?? [];
      this.#values(raw, values, { depth: depth + 1, arrays: 0 });
      if (values.length > 0) thing.props.set(name, values);
      const [first] = values;
      if (key.includes(':') && first !== undefined && isThing(first)) this.#byKey.set(key, first);
    }
  }

  #values(raw: unknown, into: Value[], at: { depth: number; arrays: number }): void {
    if (into.length >= MAX_VALUES || (this.#steps += 1) > MAX_STEPS) return;
    if (typeof raw === 'string') into.push(raw);
    else if (typeof raw === 'number' || typeof raw === 'boolean') into.push(String(raw));
    else if (Array.isArray(raw)) {
      if (at.arrays >= MAX_NESTED_ARRAYS) return;
      for (const member of raw.slice(0, MAX_VALUES)) this.#values(member, into, { ...at, arrays: at.arrays + 1 });
    } else if (typeof raw === 'object' && raw !== null) {
      const thing = this.#member(raw, at.depth);
      if (thing) into.push(thing);
    }
  }

  /** Caches keep every object once under a key such as `Company:4` and refer to it everywhere else. */
  #resolve({ props }: Thing): void {
    for (const values of props.values()) {
      for (const [at, value] of values.entries()) {
        const key = isThing(value) && value.props.size === 1 ? value.props.get('ref')?.[0] : undefined;
        if (typeof key === 'string') values[at] = this.#byKey.get(key) ?? value;
      }
    }
  }
}

function typesOf(node: { '@type'?: unknown; __typename?: unknown; _type?: unknown }): string[] {
  const written = node['@type'] ?? node.__typename ?? node._type;
  const types = (Array.isArray(written) ? written.slice(0, 20) : [written]).filter((type) => typeof type === 'string');
  return types.map(typeName);
}

/** `job_title`, `job-title`, `JobTitle` and `JOB_TITLE` are `jobTitle`. */
export function camelName(name: string): string {
  if (/^[a-z][a-z0-9]*$/i.test(name) && name[0] !== name[0]?.toUpperCase()) return name;
  const words = name.slice(0, 200).split(/[^\p{L}\p{N}]+/u);
  return words.filter((word) => word !== '').reduce((whole, word) => whole + inCamel(word, whole === ''), '');
}

function inCamel(word: string, isFirst: boolean): string {
  const plain = word === word.toUpperCase() ? word.toLowerCase() : word;
  const initial = isFirst ? plain.charAt(0).toLowerCase() : plain.charAt(0).toUpperCase();
  return initial + plain.slice(1);
}
