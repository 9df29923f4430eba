import { type DomElement, type DomNode, isElement } from './dom.js';
import { isInline, type MarkdownContext } from './markdown-inline.js';

/** Items as they are marked; what stands between them is an item too. */
export function itemsOf(list: DomElement, context: MarkdownContext): (readonly DomNode[])[] {
  const items: (readonly DomNode[])[] = [];
  let loose: DomNode[] = [];
  for (const child of list.children) {
    const isItem = isElement(child) && child.name === 'li';
    if (!isItem) loose.push(child);
    if (!isItem && isInline(child, context)) continue;
    if (loose.length > 0) items.push(loose);
    if (isItem && !context.isLeftOut(child)) items.push(child.children);
    loose = [];
  }
  return [...items, loose];
}

export const LISTS: ReadonlySet<string> = new Set(['ul', 'ol', 'menu', 'dir']);

/** A list below an item's words follows them without a gap. */
export const joinItem = (blocks: readonly string[]): string =>
  blocks.map((block, at) => (at === 0 ? block : `${/^(?:- |\d+\. )/.test(block) ? '\n' : '\n\n'}${block}`)).join('');

export const indented = (text: string, by: number): string => text.replace(/\n(?!\n|$)/g, `\n${' '.repeat(by)}`);
