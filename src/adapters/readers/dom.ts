import { DomBuilder } from './dom-builder.js';
import { type DomDocument, DomElement, type DomNode, type DomParent } from './dom-nodes.js';

export type { DomDocument, DomElement, DomNode } from './dom-nodes.js';

export const isElement = (node: DomNode | DomParent): node is DomElement => node instanceof DomElement;

// Browsers flatten beyond 512 levels; here reading ends there, and no walk up a tree is longer.
const MAX_DEPTH = 512;
const MAX_ELEMENTS = 200_000;
// Text comes in pieces, one per entity or stray bracket: megabytes of `<` are millions of pieces.
const MAX_TEXT_PIECES = 1_000_000;

/** Parses up to the bounds and leaves out the rest. Comments and declarations are not kept. */
export const parseHtml = (html: string): DomDocument =>
  new DomBuilder(html, { depth: MAX_DEPTH, elements: MAX_ELEMENTS, textPieces: MAX_TEXT_PIECES }).build();

/** What `walk` does after a node: go into it, step over it, or end. */
export type Step = 'into' | 'over' | 'stop';

interface Visitor {
  enter(node: DomNode): Step;
  leave?(element: DomElement): void;
}

/** Visits everything below `root` in document order. Follows the links between nodes, so it needs no stack. */
export function walk(root: DomParent, visitor: Visitor): void {
  let node: DomNode | null = root.first;
  while (node) {
    const step = visitor.enter(node);
    if (step === 'stop') return;
    const inside: DomNode | null = step === 'into' && node instanceof DomElement ? node.first : null;
    if (!inside && node instanceof DomElement) visitor.leave?.(node);
    node = inside ?? following(node, root, visitor);
  }
}

function following(from: DomNode, root: DomParent, visitor: Visitor): DomNode | null {
  let node = from;
  while (!node.next) {
    const { parent } = node;
    if (parent === root || !(parent instanceof DomElement)) return null;
    visitor.leave?.(parent);
    node = parent;
  }
  return node.next;
}
