import { type DomElement, isElement, walk } from './dom.js';
import { fenceFor } from './markdown-escape.js';
import { cutWhole, foldRun, withoutInvisible } from './plain-text.js';

/** Code on lines of its own, between fences longer than any in it; empty when there is none, or no room for it. */
export function codeBlock(element: DomElement, room: number): string {
  const code = withoutInvisible(codeText(element, room)).replace(/^\n/, '').trimEnd();
  if (code.trim() === '') return '';
  const fence = fenceFor(code, 3);
  const block = `${fence}${languageOf(element)}\n${code}\n${fence}`;
  return block.length <= room + FENCES ? block : '';
}

// The fences and the name of the language.
const FENCES = 30;

/** `language-js` on the code or around it, as highlighters write it. */
function languageOf(element: DomElement): string {
  const inner = element.children.find((child): child is DomElement => isElement(child) && child.name === 'code');
  const names = `${inner?.attribs.class ?? ''} ${element.attribs.class ?? ''}`.slice(0, 500);
  return /(?:^|\s)lang(?:uage)?-([\w+#-]{1,20})/.exec(names)?.[1] ?? '';
}

/** Code within a line; a space when there is no room for it. */
export function inlineCode(element: DomElement, room: number): string {
  const code = foldRun(codeText(element, room)).trim();
  if (code === '') return ' ';
  const fence = fenceFor(code, 1);
  const pad = code.startsWith('`') || code.endsWith('`') ? ' ' : '';
  const span = `${fence}${pad}${code}${pad}${fence}`;
  return span.length <= room + FENCES ? span : ' ';
}

/** The text of code as it is written, without what is never seen. */
function codeText(element: DomElement, limit: number): string {
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
  // Every line must be known as one to whoever quotes or indents the code.
  return cutWhole(pieces.join('').replace(/\r\n?/g, '\n'), limit);
}
