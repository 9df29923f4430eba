import { INLINE_TAGS } from '../../domain/normalize/text.js';
import { isUnseen } from './dom-rules.js';

/**
 * A parsed page. Nodes have what the readers ask for and nothing else, each kind always in one shape: thousands of them
 * are made and walked for every page. The tree does not change once it is built.
 */
export type DomNode = DomElement | DomText;
export type DomParent = DomElement | DomDocument;

export class DomText {
  data: string;
  readonly parent: DomParent;
  prev: DomNode | null = null;
  next: DomNode | null = null;

  constructor(data: string, parent: DomParent) {
    this.data = data;
    this.parent = parent;
  }
}

export class DomElement {
  readonly name: string;
  readonly attribs: Record<string, string>;
  readonly parent: DomParent;
  /** Its place among all elements of the page, in the order they begin: what is known of each may stand in a list. */
  readonly number: number;
  /** It does not break a line. */
  readonly isInline: boolean;
  /** Nobody sees it, nor what is inside. */
  readonly isUnseen: boolean;
  prev: DomNode | null = null;
  next: DomNode | null = null;
  first: DomNode | null = null;
  last: DomNode | null = null;
  #children: readonly DomNode[] | null = null;

  constructor(
    name: string,
    attribs: Record<string, string>,
    { parent, number }: { parent: DomParent; number: number },
  ) {
    this.name = name;
    this.attribs = attribs;
    this.parent = parent;
    this.number = number;
    this.isInline = INLINE_TAGS.has(name);
    this.isUnseen = isUnseen(name, attribs);
  }

  /** Most are only walked, so the list is made for those that are asked for it. */
  get children(): readonly DomNode[] {
    this.#children ??= listFrom(this.first);
    return this.#children;
  }
}

export class DomDocument {
  readonly parent = null;
  first: DomNode | null = null;
  last: DomNode | null = null;

  get children(): readonly DomNode[] {
    return listFrom(this.first);
  }
}

/** Makes it the last child of its parent. */
export function append(node: DomNode): void {
  const { parent } = node;
  if (parent.last === null) {
    parent.first = node;
  } else {
    parent.last.next = node;
    node.prev = parent.last;
  }
  parent.last = node;
}

function listFrom(first: DomNode | null): DomNode[] {
  const nodes: DomNode[] = [];
  for (let node = first; node !== null; node = node.next) nodes.push(node);
  return nodes;
}
