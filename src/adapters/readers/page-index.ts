import { type DomDocument, type DomElement, isElement, walk } from './dom.js';
import { visibleText } from './dom-text.js';
import { isMicrodataRoot } from './microdata.js';
import { isRdfaRoot } from './rdfa.js';

/** Everything the readers look for, found in one walk over the page. */
export interface PageIndex {
  title: string | null;
  /** `<base href>` and `<link rel="canonical">` as written. */
  base: string | null;
  canonical: string | null;
  /** First content per lower-case `name`, `property` or `http-equiv`. */
  metas: Map<string, string>;
  jsonLd: string[];
  /** Other JSON that the page carries for its scripts. */
  state: string[];
  /** Scripts written on the page itself, which may hold such JSON too. */
  inlineScripts: string[];
  /** Top-level microdata items, and the elements `itemref` may name, by their ids. */
  items: DomElement[];
  named: DomElement[];
  /** Where top-level RDFa things begin. */
  subjects: DomElement[];
  headings: DomElement[];
  contactLinks: DomElement[];
  /** Scripts a browser would run. */
  scripts: number;
}

export function indexPage(root: DomDocument): PageIndex {
  const index: PageIndex = {
    title: null,
    base: null,
    canonical: null,
    metas: new Map(),
    jsonLd: [],
    state: [],
    inlineScripts: [],
    items: [],
    named: [],
    subjects: [],
    headings: [],
    contactLinks: [],
    scripts: 0,
  };
  walk(root, {
    enter(node) {
      if (!isElement(node)) return 'over';
      note(node, index);
      // Neither is on the page a reader sees; a template's microdata would describe nobody.
      return node.name === 'template' || node.name === 'noscript' || node.name === 'svg' ? 'over' : 'into';
    },
  });
  return index;
}

function note(element: DomElement, index: PageIndex): void {
  const { attribs } = element;
  if (attribs.id !== undefined) index.named.push(element);
  if (isMicrodataRoot(element)) index.items.push(element);
  if (isRdfaRoot(element)) index.subjects.push(element);
  NOTES.get(element.name)?.(element, index);
}

type Note = (element: DomElement, index: PageIndex) => void;

const NOTES: ReadonlyMap<string, Note> = new Map(
  Object.entries<Note>({
    title: (element, index) => {
      index.title ??= visibleText(element, 1_000) || null;
    },
    base: (element, index) => {
      index.base ??= element.attribs.href ?? null;
    },
    link: ({ attribs }, index) => {
      if (attribs.rel?.trim().toLowerCase() === 'canonical') index.canonical ??= attribs.href ?? null;
    },
    meta: ({ attribs }, index) => {
      const name = (attribs.property ?? attribs.name ?? attribs['http-equiv'])?.trim().toLowerCase();
      const content = attribs.content?.trim();
      if (name && content && !index.metas.has(name)) index.metas.set(name, content);
    },
    script: (element, index) => {
      const type = element.attribs.type?.trim().toLowerCase() ?? '';
      if (type.startsWith('application/ld+json')) index.jsonLd.push(scriptText(element));
      else if (/^(?:application|text)\/json\b/.test(type)) index.state.push(scriptText(element));
      else if (type === '' || type === 'module' || type.endsWith('javascript')) {
        index.scripts += 1;
        if (element.attribs.src === undefined) index.inlineScripts.push(scriptText(element));
      }
    },
    h1: (element, index) => {
      index.headings.push(element);
    },
    a: (element, index) => {
      if (/^\s{0,9}(?:tel|callto|mailto):|\/cdn-cgi\/l\/email-protection#/i.test(element.attribs.href ?? ''))
        index.contactLinks.push(element);
    },
  }),
);

const scriptText = (element: DomElement): string =>
  element.children.map((child) => ('data' in child ? child.data : '')).join('');
