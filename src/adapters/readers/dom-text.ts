import { foldSpace } from '../../domain/normalize/text.js';
import { type DomDocument, type DomElement, isElement, walk } from './dom.js';

/** The text a reader would see below an element, white space folded, cut after about `limit` characters. */
export const visibleText = (root: DomDocument | DomElement, limit = 200_000): string => collectText(root, limit).text;

/** The same, with what it cost to collect: characters and nodes. The limit is on that cost. */
export function collectText(root: DomDocument | DomElement, limit: number): { text: string; cost: number } {
  const pieces: string[] = [];
  let cost = 0;
  const boundary = (element: DomElement) => {
    if (!element.isInline) pieces.push(' ');
  };
  walk(root, {
    enter(node) {
      cost += 1;
      if (cost > limit) return 'stop';
      if (isElement(node)) {
        boundary(node);
        return node.isUnseen ? 'over' : 'into';
      }
      if ('data' in node) {
        const data = node.data.slice(0, limit - cost + 1);
        pieces.push(data);
        cost += data.length;
      }
      return 'over';
    },
    leave: boundary,
  });
  return { text: foldSpace(pieces.join('')).slice(0, limit), cost };
}
