import { DomHandler, Parser } from 'htmlparser2';

export type DomDocument = DomHandler['root'];
export type DomNode = DomDocument['children'][number];
export type DomElement = Extract<DomNode, { attribs: Record<string, string> }>;

export const isElement = (node: DomNode): node is DomElement => 'attribs' in node;

// The parser keeps its open tags in an array it shifts at the front, so its cost grows with depth: an unbounded
// page of nested tags takes quadratic time. Browsers flatten beyond 512 levels; here reading ends there.
const MAX_DEPTH = 512;
const MAX_ELEMENTS = 200_000;
// Text comes in pieces, one per entity or stray bracket: megabytes of `<` are millions of pieces.
const MAX_TEXT_PIECES = 1_000_000;

/** Parses up to the bounds and leaves out the rest. Comments and declarations are not kept. */
export function parseHtml(html: string): DomDocument {
  const handler = new DomHandler();
  let depth = 0;
  let elements = 0;
  let pieces = 0;
  const parser = new Parser({
    onopentag(name, attribs) {
      handler.onopentag(name, attribs);
      depth += 1;
      elements += 1;
      if (depth > MAX_DEPTH || elements > MAX_ELEMENTS) parser.pause();
    },
    onclosetag() {
      handler.onclosetag();
      depth -= 1;
    },
    ontext(data) {
      handler.ontext(data);
      pieces += 1;
      if (pieces > MAX_TEXT_PIECES) parser.pause();
    },
  });
  parser.end(html);
  return handler.root;
}

/** What `walk` does after a node: go into it, step over it, or end. */
export type Step = 'into' | 'over' | 'stop';

interface Visitor {
  enter(node: DomNode): Step;
  leave?(element: DomElement): void;
}

/** Visits everything below `root` in document order. Follows the links between nodes, so it needs no stack. */
export function walk(root: DomDocument | DomElement, visitor: Visitor): void {
  let node: DomNode | null = root.children[0] ?? null;
  while (node) {
    const step = visitor.enter(node);
    if (step === 'stop') return;
    const inside: DomNode | undefined = step === 'into' && isElement(node) ? node.children[0] : undefined;
    if (!inside && isElement(node)) visitor.leave?.(node);
    node = inside ?? following(node, root, visitor);
  }
}

function following(from: DomNode, root: DomDocument | DomElement, visitor: Visitor): DomNode | null {
  let node = from;
  while (!node.next) {
    const parent = node.parent;
    if (!parent || parent === root || !('attribs' in parent)) return null;
    visitor.leave?.(parent);
    node = parent;
  }
  return node.next;
}
