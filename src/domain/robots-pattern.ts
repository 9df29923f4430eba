/**
 * One path pattern of robots.txt, cut up once when the file is read. A file and the address it is asked about may come
 * from the same hostile site, so a match has an end: no place is tried twice, and what all patterns together may cost
 * is counted.
 */
export interface Pattern {
  /** Characters of the whole pattern; the more, the more specific. */
  readonly length: number;
  /** What the path begins with. */
  readonly prefix: string;
  /** What follows in this order, with anything in between. */
  readonly pieces: readonly string[];
  /** What the path ends with, after all of that. Empty: anything may follow. */
  readonly tail: string;
  /** `$` and no star: the prefix is the whole path. */
  readonly isExact: boolean;
}

/** What may still be spent on one path; below zero nobody knows whether the patterns left would match. */
export interface Effort {
  left: number;
}

/**
 * Enough for 5,000 patterns that begin with a star against a path of 500 characters. Spent to the end by the worst file
 * and path we could make it is about 50 ms.
 */
const MAX_EFFORT = 4_000_000;
/** Beginning a search costs about as much as this many characters. */
const SEARCH_COST = 4;
/** The engine's search may compare a piece at every place; so many comparisons cost what one place does. */
const COMPARISONS_PER_PLACE = 32;

export const newEffort = (): Effort => ({ left: MAX_EFFORT });

/** One spelling for one pattern; `*` and a `$` at the end are left bare, being special. */
export function normalizePattern(value: string): string {
  const isAnchored = value.endsWith('$');
  const body = (isAnchored ? value.slice(0, -1) : value).split('*').map(normalizePath).join('*');
  return isAnchored ? `${body}$` : body;
}

/** `text` as `normalizePattern` spells it. */
export function cutPattern(text: string): Pattern {
  const isAnchored = text.endsWith('$');
  const [prefix = '', ...rest] = (isAnchored ? text.slice(0, -1) : text).split('*');
  const isExact = isAnchored && rest.length === 0;
  const tail = isAnchored ? (rest.pop() ?? '') : '';
  // Stars in a row are one star, though each counts for the length.
  const pieces = rest.filter((piece) => piece !== '');
  return { length: text.length, prefix, pieces: pieces.length === 0 ? NO_PIECES : pieces, tail, isExact };
}

/** Each piece is taken at its first place after the one before: if any places fit, then these do. */
export function matchesPattern(pattern: Pattern, path: string, effort: Effort): boolean {
  const { prefix, pieces, tail, isExact } = pattern;
  if (!path.startsWith(prefix) || !path.endsWith(tail)) return false;
  if (isExact) return path.length === prefix.length;
  let at = prefix.length;
  for (const piece of pieces) {
    at = endOfPiece(path, { piece, at, effort });
    if (at === -1) return false;
  }
  return path.length - tail.length >= at;
}

/** Where the first `piece` not before `at` ends; -1 if there is none, or if it could cost more than is left. */
function endOfPiece(path: string, { piece, at, effort }: { piece: string; at: number; effort: Effort }): number {
  if (piece.length > path.length - at) return -1;
  const perPlace = Math.ceil(piece.length / COMPARISONS_PER_PLACE);
  const worst = SEARCH_COST + (path.length - at) * perPlace;
  if (worst > effort.left) {
    effort.left = -1;
    return -1;
  }
  const found = path.indexOf(piece, at);
  const end = found + piece.length;
  effort.left -= found === -1 ? worst : SEARCH_COST + (end - at) * perPlace;
  return found === -1 ? -1 : end;
}

/** Nearly all patterns share it. */
const NO_PIECES: readonly string[] = [];

/**
 * One spelling for one path: unreserved characters plain, reserved ones as they were written (`%2F` is not `/`),
 * everything else percent-encoded in upper case. `*` and `$` are encoded, so that in a pattern only the special
 * ones are left bare.
 */
export function normalizePath(text: string): string {
  return text.replace(/%([0-9A-Fa-f]{2})|%|[^A-Za-z0-9%._~!&()+,/:;=?@[\]-]+/g, (found, hex: string | undefined) => {
    if (hex === undefined) return percentEncode(found);
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : found.toUpperCase();
  });
}

const percentEncode = (text: string): string => Buffer.from(text).toString('hex').toUpperCase().replace(/../g, '%$&');
