import { foldSpace } from '../domain/normalize/text.js';
import { type DomElement, type DomNode, isElement } from './readers/dom.js';
import { visibleText } from './readers/dom-text.js';
import type { Line } from './readers/lines.js';

/** One of the elements and texts that stand side by side in a line. */
export interface Piece {
  text: string;
  isLink: boolean;
}

const MAX_STEPS = 60;
const MAX_TEXT = 300;
const MAX_DEPTH = 5;

/**
 * What a line is made of. Labels that look like buttons stand in elements of their own, often with no space between
 * them: only their borders tell where one ends. A line of one piece is that piece.
 */
export function piecesOf(line: Line): Piece[] {
  let first: DomNode = outermostInline(line.start);
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const pieces = piecesFrom(first);
    const inside = pieces.length === 1 && isElement(first) ? firstWithText(first) : null;
    if (pieces.length > 1 || inside === null) return pieces;
    first = inside;
  }
  return [{ text: line.text, isLink: line.isLink }];
}

/** The words of a line without the links beside them: `Crumb Ltd (all jobs)`. */
export function ownWords(line: Line): string {
  if (line.isLink || line.text.length > MAX_TEXT) return line.text;
  const pieces = piecesOf(line);
  const [plain, ...others] = pieces.filter(({ isLink }) => !isLink);
  return pieces.length > 1 && plain !== undefined && others.length === 0 ? plain.text : line.text;
}

function piecesFrom(first: DomNode): Piece[] {
  const pieces: Piece[] = [];
  let steps = 0;
  for (let node: DomNode | null = first; node && steps < MAX_STEPS; node = node.next) {
    steps += 1;
    if (isElement(node) && !node.isInline) break;
    const text = textOfNode(node);
    if (/[\p{L}\p{N}]/u.test(text)) pieces.push({ text, isLink: isElement(node) && isLinkAlone(node, text) });
  }
  return pieces;
}

function textOfNode(node: DomNode): string {
  if (isElement(node)) return visibleText(node, MAX_TEXT);
  return 'data' in node ? foldSpace(node.data.slice(0, MAX_TEXT)) : '';
}

function isLinkAlone(element: DomElement, text: string): boolean {
  if (element.name === 'a' || element.name === 'button') return true;
  return element.children.some(
    (child) => isElement(child) && child.name === 'a' && visibleText(child, MAX_TEXT) === text,
  );
}

const firstWithText = (element: DomElement): DomNode | null =>
  element.children.find((child) => textOfNode(child) !== '') ?? null;

function outermostInline(start: DomNode): DomNode {
  let node = start;
  while (node.parent && 'attribs' in node.parent && node.parent.isInline) node = node.parent as DomElement;
  return node;
}
