import { isCountry } from '../../domain/normalize/countries.js';
import { isLargeCity } from '../../domain/normalize/places.js';
import { mayHoldCode, postalCodes } from '../../domain/normalize/postal.js';
import { regionOf } from '../../domain/normalize/regions.js';
import { asPrinted, type Ending } from './address-blocks-lines.js';

const MAX_TEXT = 200;

/** How an address ends here: with a postal code that is nothing else, with a number before a name, or with a region. */
export function endingOf(text: string): Ending | null {
  if (text === '' || text.length > MAX_TEXT) return null;
  if (!mayHoldCode(text)) return mayEndInPlace(text) && endsInPlace(lastPiece(text)) ? 'uncoded' : null;
  if (text.split(' ', MAX_WORDS + 1).length > MAX_WORDS) return null;
  const pieces = asPrinted(text)
    .split(',')
    .map((piece) => piece.trim().replace(/\.$/, ''));
  return codedEnding(pieces.slice(-3)) ?? (endsInPlace(pieces.at(-1) ?? '') ? 'uncoded' : null);
}

/** Without a number only a label, and the points of a capital, are not as the address reader takes them. */
function lastPiece(text: string): string {
  const plain = text.includes(':') || text.includes('.') ? asPrinted(text) : text;
  return plain
    .slice(plain.lastIndexOf(',') + 1)
    .trim()
    .replace(/\.$/, '');
}

const MAX_WORDS = 20;

/** Hardly any line of prose passes: its last words are few, and the first of them has a capital. */
function mayEndInPlace(text: string): boolean {
  const cut = Math.max(text.lastIndexOf(','), text.lastIndexOf(':')) + 1;
  // Few or many words behind the cut: mostly that is all there is to know.
  if (text.length - cut < 2 || text.length - cut > 50) return false;
  const tail = text.slice(cut).trim();
  if (tail.length < 2 || tail.length > 42 || isSmall(tail, 0)) return false;
  return !isSmall(tail, tail.lastIndexOf(' ') + 1) || tail.split(' ', 4).length <= 3;
}

function isSmall(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 128) return code < CAPITAL_A || code > CAPITAL_Z;
  return text.charAt(at) === text.charAt(at).toLowerCase();
}

const [CAPITAL_A, CAPITAL_Z] = [65, 90];

function codedEnding(pieces: readonly string[]): Ending | null {
  for (let at = pieces.length - 1; at >= 0; at -= 1) {
    const piece = pieces[at] ?? '';
    for (const { strength, before, behind } of postalCodes(piece)) {
      if (strength === 'sure') return 'sure';
      const region = lastWords(before === '' ? (pieces[at - 1] ?? '') : before);
      if (strength === 'region' && region.some((words) => regionOf(words).length > 0)) return 'sure';
      // `Auckland 1010` alone in its line; any other word with a number would have to say more.
      const city = behind || (pieces.length > 2 || isLargeCity(before) ? before : '');
      if (strength === 'weak' && /^\p{Lu}/u.test(city)) return 'weak';
    }
  }
  return null;
}

/** `Memphis, Tennessee`, `Boise ID`, `Ireland` */
function endsInPlace(piece: string): boolean {
  if (!/^\p{Lu}[\p{L}. '-]{1,40}$/u.test(piece)) return false;
  if (isPlaceName(piece)) return true;
  const code = /(?:^|\s)([A-Z]{2,3})$/.exec(piece)?.[1];
  return code !== undefined && regionOf(code).length > 0;
}

export const isPlaceName = (text: string): boolean => regionOf(text).length > 0 || isCountry(text);

function lastWords(text: string): string[] {
  const words = text.trim().replace(/\.$/, '').split(/\s+/);
  return [words.slice(-1).join(' '), words.slice(-2).join(' ')];
}
