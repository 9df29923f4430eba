import { foldSpace, INLINE_TAGS } from '../../domain/normalize/text.js';
import { type DomDocument, type DomElement, type DomNode, isElement, walk } from './dom.js';
import { isUnseen } from './dom-text.js';

/** The part of a page something stands in. */
export type Region = 'head' | 'navigation' | 'main' | 'aside' | 'foot' | 'body';

/** One line as a reader sees it: what stands between two breaks. */
export interface Line {
  /** White space folded; never empty. */
  text: string;
  /** The innermost block the line stands in. */
  block: DomElement | null;
  region: Region;
  /** Every word of it is inside links. */
  isLink: boolean;
}

const MAX_LINES = 20_000;
const MAX_CHARACTERS = 500_000;

/** The page line by line, in document order; blocks and `<br>` end a line, inline elements do not. */
export function readLines(root: DomDocument | DomElement): Line[] {
  const lines: Line[] = [];
  const regions: Region[] = ['body'];
  let pieces: string[] = [];
  let characters = 0;
  let links = 0;
  let plain = false;
  let block: DomElement | null = null;

  const end = (): void => {
    const text = foldSpace(pieces.join(''));
    if (text !== '') lines.push({ text, block, region: regions.at(-1) ?? 'body', isLink: !plain });
    pieces = [];
    plain = false;
  };
  const open = (element: DomElement): void => {
    if (element.name === 'a') links += 1;
    if (INLINE_TAGS.has(element.name)) return;
    end();
    block = element;
    regions.push(regionOf(element) ?? regions.at(-1) ?? 'body');
  };

  walk(root, {
    enter(node: DomNode) {
      if (lines.length >= MAX_LINES || characters > MAX_CHARACTERS) return 'stop';
      if (isElement(node)) {
        open(node);
        return isUnseen(node) ? 'over' : 'into';
      }
      if ('data' in node) {
        pieces.push(node.data);
        characters += node.data.length;
        if (links === 0 && node.data.trim() !== '') plain = true;
      }
      return 'over';
    },
    leave(element) {
      if (element.name === 'a') links -= 1;
      if (INLINE_TAGS.has(element.name)) return;
      end();
      regions.pop();
      block = element.parent && 'attribs' in element.parent ? element.parent : null;
    },
  });
  end();
  return lines;
}

const BY_TAG: Record<string, Region> = {
  header: 'head',
  nav: 'navigation',
  main: 'main',
  article: 'main',
  aside: 'aside',
  footer: 'foot',
};

const BY_ROLE: Record<string, Region> = {
  banner: 'head',
  navigation: 'navigation',
  main: 'main',
  complementary: 'aside',
  contentinfo: 'foot',
};

/** By its tag, its role, or the name its makers gave it. */
function regionOf({ name, attribs }: DomElement): Region | null {
  const known = BY_TAG[name] ?? BY_ROLE[attribs.role ?? ''];
  if (known) return known;
  const names = `${attribs.id ?? ''} ${attribs.class ?? ''}`.slice(0, 200);
  if (/(?:^|[\s_-])(?:footer|foot|copyright)(?:$|[\s_-])/i.test(names)) return 'foot';
  if (/(?:^|[\s_-])(?:nav|navbar|navigation|menu|breadcrumbs?)(?:$|[\s_-])/i.test(names)) return 'navigation';
  return /(?:^|[\s_-])sidebar(?:$|[\s_-])/i.test(names) ? 'aside' : null;
}
