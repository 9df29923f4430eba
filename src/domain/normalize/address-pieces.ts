import { isCountry } from './countries.js';
import { isRegion } from './places.js';
import { cleanText } from './text.js';

/** What stands between two separators of an address, and in which of its lines. */
export interface Piece {
  text: string;
  line: number;
}

const MAX_LINES = 12;
const MAX_LINE = 300;
const MAX_PIECES = 20;

/** The lines of an address block, cut into pieces; none where it is longer than addresses are. */
export function piecesOf(lines: readonly string[]): Piece[] {
  if (lines.length > MAX_LINES || lines.some((line) => line.length > MAX_LINE)) return [];
  const pieces = lines.flatMap((line, at) =>
    splitLine(withoutContacts(cleanText(line) ?? '')).map((text) => ({ text, line: at })),
  );
  return pieces.length > MAX_PIECES ? [] : pieces;
}

/** `Tel.: …`, a number, a mail or web address: what stands before them may be an address, and nothing behind them. */
function withoutContacts(line: string): string {
  const at = line.search(CONTACT);
  return (at === -1 ? line : line.slice(0, at)).replace(LABEL, '');
}

const CONTACT =
  /(?:^|[^\p{L}])(?:tel|telefon|telephone|téléphone|tél|phone|fax|mobile|e-?mail|tlf)(?=$|\s?[.:+(\d]|\s$)|\S{1,64}@|https?:|www\.|\+\d|\(?\d{3}\)?[ .-]\d{3}[.-]\d{4}/iu;
const LABEL = /^[\p{L} .-]{1,30}:\s*/u;

function splitLine(line: string): string[] {
  return line
    .replace(/\s?\((\p{L}[\p{L} .'-]{3,40})\)$/u, (whole, name: string) => (isCountry(name) ? `, ${name}` : whole))
    .replace(/\((?![A-Z]{2}\)|\p{L}+\)$)[^()]*\)/gu, '|')
    .split(/[,|·•∙●▪;]/)
    .flatMap(splitDash)
    .map((text) => text.replace(/\s+/g, ' ').trim())
    .filter((text) => text !== '' && /[\p{L}\d]/u.test(text));
}

/** A dash parts what stands before a region, a country or a number; in `1 – 6 Place` and `Praha – Libeň` it does not. */
function splitDash(text: string): string[] {
  const [, head = '', tail = ''] = /^(.*\S)\s+[-–—]\s+(\S.*)$/.exec(text) ?? [];
  const isParted =
    tail !== '' &&
    (isCountry(tail) || isRegion(tail) || /^[A-Z]{2}(?: [\d-]+)?$/.test(tail) || /^[\d -]{4,9}$/.test(tail));
  return isParted ? [head, tail] : [text];
}
