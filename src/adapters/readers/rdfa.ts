import type { DomElement } from './dom.js';
import { type ItemSyntax, isRoot, readItems, tokens } from './item-reader.js';
import type { Thing } from './thing.js';
import { typeName } from './vocabulary.js';

/**
 * The page's top-level RDFa things: RDFa Lite, and as much of RDFa 1.0 as old shops and publishing systems write
 * (`about`, and `rel` with a prefix). Prefixes and `vocab` are not looked up; names lose their vocabulary anyway.
 */
export const readRdfa = (roots: readonly DomElement[]): Thing[] =>
  readItems(roots, RDFA).filter((thing) => thing.types.length > 0);

export const isRdfaRoot = (element: DomElement): boolean => isRoot(element, RDFA);

// `resource` beside `property` is the property's value; alone it says whom the inside is about, as `about` always does.
const RDFA: ItemSyntax = {
  isScope: ({ attribs }) =>
    attribs.typeof !== undefined ||
    attribs.about !== undefined ||
    (attribs.resource !== undefined && attribs.property === undefined),
  identify: ({ attribs }) => ({
    id: (attribs.about ?? attribs.resource)?.trim() || null,
    types: tokens(attribs.typeof).filter(isVocabulary).map(typeName),
  }),
  names: (element) => [...(element.attribs.about === undefined ? properties(element) : []), ...relations(element)],
  ownNames: (scope) => (scope.attribs.about === undefined ? [] : properties(scope)),
  elsewhere: () => [],
};

const properties = ({ attribs }: DomElement): string[] => tokens(attribs.property).filter(isVocabulary);

/** `rel` names what its own `resource`, `href` or `typeof` is, or else the things right inside of it. */
function relations(element: DomElement): string[] {
  const { attribs, parent } = element;
  const own = hasTarget(element) ? prefixed(attribs.rel) : [];
  if (!RDFA.isScope(element) || !parent || !('attribs' in parent) || hasTarget(parent)) return own;
  return [...own, ...prefixed(parent.attribs.rel)];
}

const hasTarget = ({ attribs }: DomElement): boolean =>
  attribs.resource !== undefined || attribs.href !== undefined || attribs.typeof !== undefined;

// `rel="nofollow"` is HTML, not a property.
const prefixed = (rel: string | undefined): string[] => tokens(rel).filter((name) => name.includes(':'));

/** OpenGraph borrows the attribute for what it says about the page; none of that is said of a thing. */
const isVocabulary = (name: string): boolean => !OPEN_GRAPH.test(name);

const OPEN_GRAPH = /^(?:og|fb|al|article|book|business|music|place|product|profile|restaurant|twitter|video):/i;
