import { isCountry } from './countries.js';
import { fits, isLargeCity, isRegion } from './places.js';

const MAX_PIECES = 6;

/**
 * The pieces of a printed place, the smallest first, without notes on where the work is done. None where several
 * places are named, or more than one place has parts.
 */
export function locationPieces(text: string): string[] {
  if (text.includes(';')) return [];
  const pieces = withoutNotes(text)
    .split(/[,|·•]|\s[-–—]\s(?!\p{Ll})/u)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '' && !isNoPlace(piece));
  if (pieces.length > MAX_PIECES) return [];
  return isLargestFirst(pieces) ? pieces.reverse() : pieces;
}

/** `Berlin (Hybrid)`, `Remote (US)`, `Seattle, WA (King County)`: of what is in brackets only a country is kept. */
function withoutNotes(text: string): string {
  let country = '';
  const rest = text.replace(/\(([^()]*)\)/g, (_, note: string) => {
    if (isCountry(note.trim())) country = `, ${note.trim()}`;
    return '|';
  });
  return (rest + country).replace(/\s+/g, ' ').replace(REMOTE_IN, '').trim();
}

/** `USA, Texas, Austin`, `Germany, Bayern`; but `Lebanon, NH` is a town, for that state lies elsewhere. */
function isLargestFirst(pieces: readonly string[]): boolean {
  const [first = '', last = ''] = [pieces[0], pieces.at(-1)];
  if (pieces.length < 2 || isCountry(last) || isRegion(last))
    return pieces.length > 1 && isCountry(first) && isRegion(last) && !isCountry(last) && fits(last, first);
  return isCountry(first) || (isRegion(first) && isLargeCity(last));
}

/** Says how or that the work is done somewhere, and not where. */
export const isNoPlace = (text: string): boolean => NO_PLACE.test(text);

const REMOTE =
  '(?:(?:fully|100 ?%|partly|partially) )?(?:remote|hybrid|on-?site|home ?office|work from home|wfh|télétravail)';
const REMOTE_IN = new RegExp(`^${REMOTE} (?:in|from|within) (?:the )?`, 'iu');
const NO_PLACE = new RegExp(
  `^(?:${REMOTE}|multiple locations|various locations|several locations|flexible|anywhere|worldwide)(?: work| working| only| possible| job)?$`,
  'iu',
);
