import { parseLooseJson } from './json-repair.js';
import { isThing, localName, type Thing, thingsOf, type Value } from './thing.js';
import { typeName } from './vocabulary.js';

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
    else if (isBag(node, thing)) this.roots.push(...typedMembers(thing));
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
      if (key.startsWith('@') || isAlias(key, node)) continue;
      const values: Value[] = [];
      this.#values(raw, values, depth + 1);
      if (values.length > 0) thing.props.set(localName(key), values);
    }
    this.#remember(thing);
    return thing;
  }

  /** Of several that carry one name, the one that says most is meant. */
  #remember(thing: Thing): void {
    const { id, props } = thing;
    if (id !== null && props.size > (this.#byId.get(id)?.props.size ?? 0)) this.#byId.set(id, thing);
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

interface Node {
  '@id'?: unknown;
  '@type'?: unknown;
  id?: unknown;
  type?: unknown;
}

function identity(node: Node): { id: string | null; types: string[] } {
  const id = node['@id'] ?? node.id;
  const type = node['@type'] ?? node.type;
  const types = (Array.isArray(type) ? type.slice(0, 20) : [type]).filter((name) => typeof name === 'string');
  return { id: typeof id === 'string' ? id : null, types: types.map(typeName).filter((name) => name !== '') };
}

/** The vocabulary's own context lets `id` and `type` stand for the words with the sign. */
const isAlias = (key: string, node: Node): boolean =>
  (key === 'id' && node['@id'] === undefined) || (key === 'type' && node['@type'] === undefined);

/** `{"en": {"@type": …}, "de": {"@type": …}}` says nothing itself; it only holds what does. */
const isBag = (node: object, { id, props }: Thing): boolean =>
  id === null && !('@graph' in node) && [...props.values()].every((values) => values.every(isThing));

const typedMembers = ({ props }: Thing): Thing[] =>
  [...props.values()].flat().filter((value): value is Thing => isThing(value) && value.types.length > 0);
