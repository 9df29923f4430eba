import { type DomElement, isElement, walk } from './dom.js';
import { fenceFor } from './markdown-escape.js';
import { foldRun, withoutInvisible } from './plain-text.js';

/** Code on lines of its own, between fences longer than any in it; empty when there is none. */
export function codeBlock(element: DomElement): string {
  const code = withoutInvisible(codeText(element)).replace(/^\n/, '').trimEnd();
  if (code.trim() === '') return '';
  const fence = fenceFor(code, 3);
  return `${fence}${languageOf(element)}\n${code}\n${fence}`;
}

/** `language-js` on the code or around it, as highlighters write it. */
function languageOf(element: DomElement): string {
  const inner = element.children.find((child): child is DomElement => isElement(child) && child.name === 'code');
  const names = `${inner?.attribs.class ?? ''} ${element.attribs.class ?? ''}`.slice(0, 500);
  return /(?:^|\s)lang(?:uage)?-([\w+#-]{1,20})/.exec(names)?.[1] ?? '';
}

/** Code within a line. */
export function inlineCode(element: DomElement): string {
  const code = foldRun(codeText(element)).trim();
  if (code === '') return ' ';
  const fence = fenceFor(code, 1);
  const pad = code.startsWith('`') || code.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${code}${pad}${fence}`;
}

/** The text of code as it is written, without what is never seen. */
function codeText(element: DomElement, limit = 500_000): string {
  const pieces: string[] = [];
  let left = limit;
  walk(element, {
    enter(node) {
      if (left < 0) return 'stop';
      if (isElement(node)) {
        if (node.name === 'br') pieces.push('\n');
        return node.name === 'script' || node.name === 'style' || node.name === 'template' ? 'over' : 'into';
      }
      if ('data' in node) {
        pieces.push(node.data);
        left -= node.data.length;
      }
      return 'over';
    },
  });
  return pieces.join('').slice(0, limit);
}
