/** Which marks stand between the digits, where the caller knows. */
export interface Separators {
  decimalSeparator?: string | null;
  groupSeparator?: string | null;
}

/** A number in a text: digits and whatever may stand between them. */
export interface PrintedNumber {
  start: number;
  end: number;
  text: string;
}

/**
 * The text with one kind of space and one kind of digit, and without what nobody sees (marks of direction, joiners).
 * Everything below reads only such text.
 */
export function plainText(text: string): string {
  return text
    .replace(INVISIBLE, '')
    .replace(/\s/g, ' ')
    .replace(/[^\P{Nd}0-9]/gu, plainDigit)
    .replace(/．(?=\d)/g, '.')
    .replace(/，(?=\d)/g, ',');
}

/** All numbers of a plain text, in reading order; `1 299`, `1.299,00`, `1'299.–` and `1,29,999` are one each. */
export function findNumbers(text: string): PrintedNumber[] {
  const numbers: PrintedNumber[] = [];
  for (const match of text.matchAll(NUMBER)) {
    numbers.push({ start: match.index, end: match.index + match[0].length, text: match[0] });
  }
  return numbers;
}

/**
 * The value of a printed number as an exact decimal (`1299.5`), or `null` where it can be read in two ways or none.
 * `decimals` is how many the currency has: with three, `1.234` may be a fraction or a thousand.
 */
export function readNumber(printed: string, decimals: number | null, known: Separators = {}): string | null {
  const number = printed.replace(/[.,] ?[-–—]{1,2}$/, '').replace(/([.,]) (?=\d)/, '$1');
  if (known.decimalSeparator || known.groupSeparator) return readKnown(number, known);
  const marks = number.match(/\D/g) ?? [];
  const [whole = '', ...rest] = number.split(/\D/);
  const last = rest.at(-1);
  if (last === undefined) return decimal(whole, '');

  const mark = marks.at(-1) ?? '';
  const others = marks.slice(0, -1);
  const head = [whole, ...rest.slice(0, -1)];
  if (others.length === 0) return readSingle(whole, mark, last, decimals);
  if (others.some((other) => other !== others[0]) || others[0] === '٫') return null;
  if (others[0] !== mark) return DECIMAL.test(mark) && isGrouped(head) ? decimal(head.join(''), last) : null;
  if (isGrouped([...head, last]) && mark !== '٫') return decimal([...head, last].join(''), '');
  // `1.298.00`: nobody groups by two at the end, so the last mark is a slip for the decimal one.
  return last.length === 2 && isGrouped(head, 3) && DECIMAL.test(mark) ? decimal(head.join(''), last) : null;
}

const INVISIBLE = /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;

const DECIMAL = /[.,٫]/;

const NUMBER = new RegExp(
  [
    // Cents printed smaller than the rest leave a space behind the mark: `1.837, 32`, `119. 95`.
    "(?:\\d{1,3}(?:[ .,'’٬]\\d{3})+(?!\\d)|\\d+)[.,] \\d{2}(?![\\d%]|[.,] ?\\d)",
    // Spaces stand only before groups of three; otherwise two prices in a row would be one.
    '\\d{1,3}(?: \\d{3})+(?!\\d)(?:[.,٫]\\d+)?(?:[.,] ?[-–—]{1,2}(?!\\d))?',
    "\\d+(?:[.,'’٬٫]\\d+)*(?:[.,] ?[-–—]{1,2}(?!\\d))?",
    // `.75`, but not the dot of `Rs.75` or of `$.750.30`.
    '(?<![\\d\\p{L}./])[.,]\\d+(?![.,]?\\d)',
  ].join('|'),
  'gu',
);

function readSingle(whole: string, mark: string, last: string, decimals: number | null): string | null {
  if (mark === '٫') return decimal(whole, last);
  if (!DECIMAL.test(mark)) return last.length === 3 && isGrouped([whole, last]) ? decimal(whole + last, '') : null;
  if (last.length !== 3 || !isGrouped([whole, last])) return decimal(whole, last);
  return decimals === 3 ? null : decimal(whole + last, '');
}

/** Groups of three behind one to three digits that are no zero alone, or two and a last three as in India. */
function isGrouped([first = '', ...rest]: readonly string[], size?: 3): boolean {
  if (first.length === 0 || first.length > 3 || first.startsWith('0')) return false;
  if (rest.every((group) => group.length === 3)) return true;
  const isIndian =
    first.length <= 2 && rest.at(-1)?.length === 3 && rest.slice(0, -1).every((group) => group.length === 2);
  return size === undefined && isIndian;
}

function readKnown(number: string, { decimalSeparator, groupSeparator }: Separators): string | null {
  const isGroup = (mark: string) => (groupSeparator ? mark === groupSeparator : mark !== decimalSeparator);
  const isDecimal = (mark: string) => (decimalSeparator ? mark === decimalSeparator : mark !== groupSeparator);
  const at = [...number].findLastIndex((mark) => /\D/.test(mark) && isDecimal(mark));
  const head = at === -1 ? number : number.slice(0, at);
  const groups = head.split(/\D/);
  if ((head.match(/\D/g) ?? []).some((mark) => !isGroup(mark))) return null;
  if (groups.length > 1 && !isGrouped(groups)) return null;
  return decimal(groups.join(''), at === -1 ? '' : number.slice(at + 1));
}

/** An exact decimal in its shortest form. */
export function decimal(whole: string, fraction: string): string {
  const shown = fraction.replace(/0+$/, '');
  const units = whole.replace(/^0+(?=\d)/, '') || '0';
  return shown === '' ? units : `${units}.${shown}`;
}

/** The first digit of each script that pages are written in. */
const ZEROS = [
  ...[0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20, 0x1040],
  ...[0x17e0, 0x1810, 0xff10],
];

function plainDigit(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const zero = ZEROS.find((first) => code >= first && code < first + 10);
  return zero === undefined ? char : String(code - zero);
}
