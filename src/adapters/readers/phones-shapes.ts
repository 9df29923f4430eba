import { digitsOf } from '../../domain/normalize/contact.js';

const EXT = String.raw`(?:,?\s?(?:ext|extension|x)[\s.:]{0,2}\d{1,5})?`;

/** Those that stand first are surer; `isPlain` means that the shape alone says what it is. */
export const SHAPES: readonly { pattern: RegExp; isPlain: boolean }[] = [
  // +44 (0)20 7946 0123, (+420) 601 234 567, 0049 89 123456
  {
    pattern: new RegExp(
      String.raw`(?<![\d+])(?:\(\s?\+\s?\d{1,3}\s?\)|\+\s?\d{1,3}|00[1-9]\d{0,2}(?=[\s(./-]))[\s./-]{0,3}(?:\(\s?\d{1,5}\s?\)[\s./-]{0,3})?\d{1,12}(?:[\s./\u2010-\u2015-]{1,3}\d{1,8}){0,6}(?!\d)${EXT}`,
      'gi',
    ),
    isPlain: true,
  },
  // (212) 555-0123, 1-800-555-0123, 212.555.0123
  {
    pattern: new RegExp(
      String.raw`(?<![\d.,/-])(?:1[\s./-]{1,2})?(?:\([2-9]\d{2}\)[\s./-]{0,3}[2-9]\d{2}[\s.\u2010-\u2015-]{0,3}|[2-9]\d{2}(?:\s[\u2010-\u2015-]\s|[\s./\u2010-\u2015-]{1,2})[2-9]\d{2}(?:\s[\u2010-\u2015-]\s|[\s.\u2010-\u2015-]{1,2}))\d{4}(?![\d])${EXT}`,
      'gi',
    ),
    isPlain: true,
  },
  // 01632 960123, (02) 5550 1234, 01 99 00 12 34, 030 / 123 456-78
  {
    // The last part may be a single figure, the switchboard's.
    pattern:
      /(?<![\d.,/+-]|\d[\s:])(?:\(0\d{1,5}\)[\s./\u2010-\u2015-]{0,3}|0\d{1,5}(?:\s?[/\u2010-\u2015-]\s?|[\s.]{1,2}))\d{2,8}(?:(?:\s[/\u2010-\u2015-]\s|[\s./\u2010-\u2015-]{1,2})\d{2,6}){0,4}(?:\s?[\u2010-\u2015-]\s?\d)?(?!\d)/g,
    isPlain: true,
  },
  // 1300 123 456
  { pattern: /(?<![\d.,/+-])1[38]00[\s-]\d{3}[\s-]\d{3}(?!\d)/g, isPlain: true },
  // Whatever is said to be one: 555-0123, 601 234 567, 01632960123, ( 33 1) 99 00 12 34
  { pattern: /(?<![\d+])(?:\(\s?\d[\d\s]{0,6}\)|\d)[\d\s./()\u2010-\u2015-]{3,20}\d(?!\d|-\p{L})/gu, isPlain: false },
];

export function isPhoneLike(printed: string): boolean {
  const count = digitsOf(printed).length;
  if (count < 6 || count > 17) return false;
  if (/^0\d/.test(printed) && (count < 9 || count > 13)) return false;
  return !NOT_A_PHONE.test(printed.trim()) && !FILLING.test(digitsOf(printed));
}

// What templates and forms print where a number should stand.
const FILLING = /^1?(\d)\1{6,}$|123456789|^(?:555)?5551212$/;

// Dates, times of day, spans of years, and American postal codes of nine digits.
const NOT_A_PHONE =
  /^\d{1,2}[./-]\d{1,2}[./-]\d{4}|^\d{4}[./-]\d{1,2}[./-]\d{1,2}|^\d{1,2}\.\d{2}\s?[\u2010-\u2015-]|^(?:19|20)\d{2}\s?[\u2010-\u2015/-]\s?(?:19|20)\d{2}$|^\d{5}-\d{4}$/;
