import { parseLooseJson } from './json-repair.js';
import { isThing, localName, type Thing, thingsOf, type Value } from './thing.js';

/**
 * The things a page's JSON-LD blocks are about: top-level objects, members of arrays and `@graph`s, and the main entity
 * of a page that is itself described. References by `@id` are resolved within the page; no context is ever fetched.
 */
export function readJsonLd(blocks: readonly string[], baseUrl: string): Thing[] {
  const graph = new GraphBuilder(baseUrl);
  for (const block of blocks) graph.addRoots(parseLooseJson(block), 0);
  graph.resolveReferences();
  const mains = graph.roots.flatMap((root) => thingsOf(root, 'mainEntity').filter((thing) => thing.types.length > 0));
  return [...new Set([...graph.roots, ...mains])];
}

// Past these a page is not describing itself any more. What lies beyond is left out, not an error.
const MAX_DEPTH = 40;
const MAX_THINGS = 50_000;
const MAX_VALUES = 1_000;

class GraphBuilder {
  readonly roots: Thing[] = [];
  readonly #all: Thing[] = [];
  readonly #byId = new Map<string, Thing>();
  readonly #baseUrl: string;

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  addRoots(node: unknown, depth: number): void {
    if (depth > MAX_DEPTH || typeof node !== 'object' || node === null || this.#isFull) return;
    if (Array.isArray(node)) {
      for (const member of node) this.addRoots(member, depth + 1);
      return;
    }
    if ('@graph' in node) this.addRoots(node['@graph'], depth + 1);
    const thing = this.#thing(node, depth);
    if (thing.types.length > 0) this.roots.push(thing);
  }

  /** A value that is nothing but an `@id` becomes the thing that carries it, wherever on the page that is written. */
  resolveReferences(): void {
    for (const thing of this.#all) {
      for (const [name, values] of thing.props) {
        thing.props.set(
          name,
          values.map((value) => (isThing(value) ? this.#target(value) : value)),
        );
      }
    }
  }

  get #isFull(): boolean {
    return this.#all.length >= MAX_THINGS;
  }

  #thing(node: object, depth: number): Thing {
    const { types, id } = identity(node);
    const thing: Thing = { id: id === null ? null : this.#absolute(id), types, props: new Map() };
    this.#all.push(thing);
    for (const [key, raw] of Object.entries(node)) {
      if (key.startsWith('@')) continue;
      const values: Value[] = [];
      this.#values(raw, values, depth + 1);
      if (values.length > 0) thing.props.set(localName(key), values);
    }
    if (thing.id !== null && thing.props.size > 0 && !this.#byId.has(thing.id)) this.#byId.set(thing.id, thing);
    return thing;
  }

  #values(raw: unknown, into: Value[], depth: number): void {
    if (depth > MAX_DEPTH || into.length >= MAX_VALUES || this.#isFull) return;
    if (typeof raw === 'string') into.push(raw);
    else if (typeof raw === 'number' || typeof raw === 'boolean') into.push(String(raw));
    else if (Array.isArray(raw)) for (const member of raw) this.#values(member, into, depth + 1);
    else if (typeof raw === 'object' && raw !== null) this.#objectValue(raw, into, depth);
  }

  #objectValue(raw: object, into: Value[], depth: number): void {
    const wrapped =
      '@value' in raw ? raw['@value'] : '@list' in raw ? raw['@list'] : '@set' in raw ? raw['@set'] : null;
    if (wrapped !== null) this.#values(wrapped, into, depth + 1);
    else into.push(this.#thing(raw, depth));
  }

  #target(value: Thing): Thing {
    if (value.id === null || value.props.size > 0) return value;
    return this.#byId.get(value.id) ?? value;
  }

  // `#org` and `https://site/#org` are the same name.
  #absolute(id: string): string {
    return URL.canParse(id, this.#baseUrl) ? new URL(id, this.#baseUrl).href : id;
  }
}

function identity(node: object): { id: string | null; types: string[] } {
  const id = '@id' in node ? node['@id'] : null;
  const type = '@type' in node ? node['@type'] : [];
  const types = (Array.isArray(type) ? type.slice(0, 20) : [type]).filter((name) => typeof name === 'string');
  return { id: typeof id === 'string' ? id : null, types: types.map(localName) };
}
