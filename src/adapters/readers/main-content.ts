import { type DomDocument, type DomElement, type DomNode, isElement } from './dom.js';
import { ClutterJudge } from './main-content-clutter.js';
import { type WeighedPage, type Weight, weigh } from './main-content-weight.js';
import { oncePerPage } from './once.js';
import type { PageReader } from './page-reader.js';
import { plainText } from './plain-text.js';

/** What a page is there for, without the menus, banners and lists that stand around it on every page of its site. */
export interface MainContent {
  /** What holds it. */
  readonly root: DomElement | DomDocument;
  /** Is this inside the root and yet no part of the content? What is inside of it was left out with it. */
  isLeftOut(element: DomElement): boolean;
  /** Nothing but frame was found, so all of the page had to be taken for content. */
  readonly isFrameOnly: boolean;
  /** Paragraphs separated by blank lines; empty when there is nothing to read. */
  readonly text: string;
}

/** Never fails: where nothing tells content and frame apart, all of the page is content. */
export const mainContent = oncePerPage(findContent);

function findContent(reader: PageReader): MainContent {
  const page = weigh(reader.root);
  const judge = new ClutterJudge(page);
  const isLeftOut = (element: DomElement): boolean => element.isUnseen || judge.isClutter(element);
  const chosen = new Content(choose(reader.root, page, isLeftOut), isLeftOut, false);
  return chosen.text === '' && reader.opening !== ''
    ? new Content(reader.root, ({ isUnseen }) => isUnseen, true)
    : chosen;
}

class Content implements MainContent {
  readonly root: DomElement | DomDocument;
  readonly isLeftOut: IsLeftOut;
  readonly isFrameOnly: boolean;
  #text: string | null = null;

  constructor(root: DomElement | DomDocument, isLeftOut: IsLeftOut, isFrameOnly: boolean) {
    this.root = root;
    this.isLeftOut = isLeftOut;
    this.isFrameOnly = isFrameOnly;
  }

  get text(): string {
    this.#text ??= plainText(this);
    return this.#text;
  }
}

type IsLeftOut = (element: DomElement) => boolean;

/** The element the page itself names, where it holds most of what is to be read; else the narrowest that does. */
function choose(root: DomDocument, page: WeighedPage, isLeftOut: IsLeftOut): DomElement | DomDocument {
  const main = heaviest(page, page.mains);
  const isMainFull = main !== null && holds(main.weight, page.total, 0.3);
  const scope = isMainFull ? main : { element: root, weight: page.total };
  for (const candidates of [page.articles, page.articleBodies]) {
    const best = heaviest(page, candidates);
    if (!best || !holds(best.weight, scope.weight, 0.6)) continue;
    if (isInside(best.element, scope.element) && !isLeftOut(best.element)) return best.element;
  }
  return narrowed(scope.element, page, isLeftOut);
}

/** By sentences; by text where there are hardly any. */
const holds = (part: Weight, all: Weight, share: number): boolean =>
  all.prose * 4 >= all.text ? part.prose >= all.prose * share : part.text >= all.text * share;

function heaviest(page: WeighedPage, elements: readonly DomElement[]): { element: DomElement; weight: Weight } | null {
  let best: { element: DomElement; weight: Weight } | null = null;
  for (const element of elements) {
    const weight = page.weights.get(element);
    if (weight && (best === null || weight.prose > best.weight.prose)) best = { element, weight };
  }
  return best;
}

function isInside(element: DomElement, outer: DomElement | DomDocument): boolean {
  let node: DomNode | DomDocument | null = element;
  while (node !== null && node !== outer) node = node.parent;
  return node === outer;
}

/** Goes down while one part holds nearly all sentences and leaves no main heading behind. */
function narrowed(from: DomElement | DomDocument, page: WeighedPage, isLeftOut: IsLeftOut): DomElement | DomDocument {
  let node = from;
  for (;;) {
    const inner = dominant(node, page, isLeftOut);
    if (inner === null) return node;
    node = inner;
  }
}

const NEARLY_ALL = 0.85;

function dominant(node: DomElement | DomDocument, page: WeighedPage, isLeftOut: IsLeftOut): DomElement | null {
  const rest: Weight = { ...(isRoot(node) ? page.total : (page.weights.get(node) ?? page.total)) };
  let best: { element: DomElement; weight: Weight } | null = null;
  for (const child of node.children) {
    const weight = isElement(child) && !page.frame.has(child) ? page.weights.get(child) : undefined;
    if (!weight || weight.text === 0 || !isElement(child)) continue;
    if (isLeftOut(child)) subtract(rest, weight);
    else if (CONTAINERS.has(child.name) && weight.prose > (best?.weight.prose ?? 0)) best = { element: child, weight };
  }
  if (best === null || best.weight.titles < rest.titles) return null;
  // A page may be a long list with one sentence above it: the sentence is then not what it is there for.
  const holdsMost = best.weight.prose >= rest.prose * NEARLY_ALL && best.weight.text * 2 >= rest.text;
  return holdsMost ? best.element : null;
}

const isRoot = (node: DomElement | DomDocument): node is DomDocument => !('attribs' in node);

function subtract(rest: Weight, weight: Weight): void {
  rest.text -= weight.text;
  rest.prose -= weight.prose;
  rest.titles -= weight.titles;
}

const CONTAINERS: ReadonlySet<string> = new Set(
  'html body div section main article table tbody tr td center form'.split(' '),
);
