import type { DomElement } from './dom.js';
import { type ItemSyntax, isRoot, readItems, tokens } from './item-reader.js';
import type { Thing } from './thing.js';
import { typeName } from './vocabulary.js';

/** What the reader needs to know of the page: its top-level items and the elements that `itemref` may name. */
export interface MicrodataSource {
  items: readonly DomElement[];
  named: readonly DomElement[];
}

/** The page's top-level microdata items, with nested scopes and `itemref` followed. */
export function readMicrodata({ items, named }: MicrodataSource): Thing[] {
  if (items.length === 0) return [];
  // The first of several with one id counts.
  const byId = new Map(named.toReversed().map((element) => [element.attribs.id ?? '', element]));
  return readItems(items, microdata(byId));
}

export const isMicrodataRoot = (element: DomElement): boolean => isRoot(element, WITHOUT_REFERENCES);

const microdata = (byId: ReadonlyMap<string, DomElement>): ItemSyntax => ({
  isScope: ({ attribs }) => attribs.itemscope !== undefined,
  identify: ({ attribs }) => ({
    id: attribs.itemid?.trim() || null,
    types: tokens(attribs.itemtype).map(typeName),
  }),
  names: ({ attribs }) => tokens(attribs.itemprop),
  ownNames: () => [],
  elsewhere: ({ attribs }) =>
    tokens(attribs.itemref).flatMap((id) => {
      const element = byId.get(id);
      return element ? [element] : [];
    }),
});

const WITHOUT_REFERENCES = microdata(new Map());
