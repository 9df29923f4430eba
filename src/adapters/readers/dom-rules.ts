/** What HTML says of tags by their names alone: which are always empty, and which end others where they begin. */

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

export const VOID_TAGS = words(
  'area base basefont br col command embed frame hr img input isindex keygen link meta param source track wbr',
);

const PARAGRAPH = words('p');
const HEADINGS = words('h1 h2 h3 h4 h5 h6 p');
const FORM_PARTS = words('input option optgroup select button datalist textarea');
const TABLE_SECTIONS = words('thead tbody');
const DEFINITIONS = words('dd dt');
const RUBY_PARTS = words('rt rp');

/** Which open elements end where one of this name begins. */
export const ENDED_BY: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['tr', words('tr th td')],
  ['th', words('th')],
  ['td', words('thead th td')],
  ['body', words('head link script')],
  ['a', words('a')],
  ['li', words('li')],
  ['option', words('option')],
  ['optgroup', words('optgroup option')],
  ...all('h1 h2 h3 h4 h5 h6', HEADINGS),
  ...all('select input output button datalist textarea', FORM_PARTS),
  ...all('dd dt', DEFINITIONS),
  ...all('rt rp', RUBY_PARTS),
  ...all('tbody tfoot', TABLE_SECTIONS),
  ...all(
    'p address article aside blockquote details div dl fieldset figcaption figure footer form header hr main nav ol ' +
      'pre section table ul',
    PARAGRAPH,
  ),
]);

function all(names: string, ended: ReadonlySet<string>): [string, ReadonlySet<string>][] {
  return names.split(' ').map((name) => [name, ended]);
}

/** Drawings and formulas have rules of their own; some elements inside of them hold ordinary HTML again. */
export type Language = 'html' | 'svg' | 'math';

export const LANGUAGES: ReadonlyMap<string, Language> = new Map<string, Language>([
  ['svg', 'svg'],
  ['math', 'math'],
  ...'mi mo mn ms mtext annotation-xml foreignObject desc title'
    .split(' ')
    .map((name): [string, Language] => [name, 'html']),
]);

const UNSEEN_TAGS = words(
  'head title script style noscript noframes noembed template svg math iframe object select option textarea datalist dialog',
);

/** Nobody reads what such an element holds. */
export function isUnseen(name: string, { hidden, style }: Record<string, string>): boolean {
  if (UNSEEN_TAGS.has(name) || hidden !== undefined) return true;
  return style !== undefined && /display\s{0,9}:\s{0,9}none/i.test(style);
}
