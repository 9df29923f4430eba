import { foldSpace, INLINE_TAGS } from '../../domain/normalize/text.js';
import { type DomDocument, type DomElement, isElement, walk } from './dom.js';

/** The text a reader would see below an element, white space folded, cut after about `limit` characters. */
export const visibleText = (root: DomDocument | DomElement, limit = 200_000): string => collectText(root, limit).text;

/** The same, with what it cost to collect: characters and nodes. The limit is on that cost. */
export function collectText(root: DomDocument | DomElement, limit: number): { text: string; cost: number } {
  const pieces: string[] = [];
  let cost = 0;
  const boundary = (element: DomElement) => {
    if (!INLINE_TAGS.has(element.name)) pieces.push(' ');
  };
  walk(root, {
    enter(node) {
      cost += 1;
      if (cost > limit) return 'stop';
      if (isElement(node)) {
        boundary(node);
        return isUnseen(node) ? 'over' : 'into';
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

const UNSEEN_TAGS: ReadonlySet<string> = new Set(
  'head title script style noscript noframes noembed template svg math iframe object select option textarea datalist dialog'.split(
    ' ',
  ),
);

export function isUnseen(element: DomElement): boolean {
  if (UNSEEN_TAGS.has(element.name) || element.attribs.hidden !== undefined) return true;
  const style = element.attribs.style;
  return style !== undefined && /display\s{0,9}:\s{0,9}none/i.test(style);
}
