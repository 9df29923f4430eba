import { readAddress } from '../../domain/normalize/address.js';
import { isCountry } from '../../domain/normalize/countries.js';
import type { LocationParts } from '../../domain/normalize/location.js';
import { postalCodes } from '../../domain/normalize/postal.js';
import { regionOf } from '../../domain/normalize/regions.js';
import { hasStreetWord } from '../../domain/normalize/street.js';
import { type Segment, segmentsOf } from './address-blocks-segments.js';
import type { Line, Region } from './lines.js';
import { bareLabel } from './phones-written.js';
import { hasLegalForm } from './site-name.js';

/** An address that the page prints for people. */
export interface AddressBlock {
  place: LocationParts;
  /** What stands right above the street, nearest last: a company's name, more often than not. */
  above: readonly string[];
  /** The words around its beginning, which may say what kind of office it is. */
  heading: string;
  firstLine: number;
  lastLine: number;
  region: Region;
  isAddressTag: boolean;
}

/** Every printed address, in document order. */
export function readAddressBlocks(lines: readonly Line[]): AddressBlock[] {
  const segments = segmentsOf(lines);
  const blocks: AddressBlock[] = [];
  let free = 0;
  segments.forEach((segment, at) => {
    if (at < free || blocks.length >= MAX_BLOCKS) return;
    const ending = endingOf(segment.text);
    const span = ending && spanOf(segments, { at, free, ending });
    const place = span && readAddress(segments.slice(span.first, span.last + 1).map(({ text }) => asPrinted(text)));
    if (!span || !place) return;
    blocks.push(blockOf(segments, span, place));
    free = span.last + 1;
  });
  return blocks;
}

const MAX_BLOCKS = 60;
const MAX_TEXT = 200;

interface Span {
  first: number;
  last: number;
}

type Ending = 'sure' | 'weak' | 'uncoded';

/** How an address ends here: with a postal code that is nothing else, with a number before a name, or with a region. */
function endingOf(text: string): Ending | null {
  if (text === '' || text.length > MAX_TEXT || text.split(' ', MAX_WORDS + 1).length > MAX_WORDS) return null;
  const pieces = asPrinted(text)
    .split(',')
    .map((piece) => piece.trim().replace(/\.$/, ''));
  return codedEnding(pieces.slice(-3)) ?? (endsInPlace(pieces.at(-1) ?? '') ? 'uncoded' : null);
}

const MAX_WORDS = 20;

function codedEnding(pieces: readonly string[]): Ending | null {
  for (let at = pieces.length - 1; at >= 0; at -= 1) {
    const piece = pieces[at] ?? '';
    if (!/\d{3}|\d ?[A-Z]/.test(piece)) continue;
    for (const { strength, before, behind } of postalCodes(piece)) {
      if (strength === 'sure') return 'sure';
      const region = lastWords(before === '' ? (pieces[at - 1] ?? '') : before);
      if (strength === 'region' && region.some((words) => regionOf(words).length > 0)) return 'sure';
      if (strength === 'weak' && /^\p{Lu}/u.test(behind || (pieces.length > 2 ? before : ''))) return 'weak';
    }
  }
  return null;
}

/** `Memphis, Tennessee`, `Boise ID`, `Ireland` */
function endsInPlace(piece: string): boolean {
  if (!/^\p{Lu}[\p{L}. '-]{1,40}$/u.test(piece)) return false;
  return (
    isPlaceName(piece) || lastWords(piece).some((words) => /^[A-Z]{2,3}$/.test(words) && regionOf(words).length > 0)
  );
}

const isPlaceName = (text: string): boolean => regionOf(text).length > 0 || isCountry(text);

function lastWords(text: string): string[] {
  const words = text.trim().replace(/\.$/, '').split(/\s+/);
  return [words.slice(-1).join(' '), words.slice(-2).join(' ')];
}

/** From the street down to the country. Without a street only a sure end is an address. */
function spanOf(
  segments: readonly Segment[],
  { at, free, ending }: { at: number; free: number; ending: Ending },
): Span | null {
  const text = withoutLabel(segments[at]?.text ?? '');
  const last = lastOf(segments, at);
  if (ending === 'uncoded' && !isTown(text)) return null;
  if (holdsStreet(text)) return { first: at, last };
  let first: number | null = null;
  for (let up = at - 1; up >= Math.max(free, at - (ending === 'sure' ? 6 : 3)); up -= 1) {
    const above = segments[up]?.text ?? '';
    if (!mayBelong(above)) break;
    if (!(ending === 'uncoded' ? isNumberedStreet(above) : isStreet(above))) continue;
    first = up;
    // A numbered street is the top; a named house may still stand above it.
    if (/^\d/.test(withoutLabel(above)) && !isHouse(segments[up - 1]?.text ?? '')) break;
  }
  if (first !== null) return { first, last };
  return ending === 'sure' && /\p{L}{3}/u.test(text) ? { first: at, last } : null;
}

/** A country, or a county of the kind that is written behind the code. */
function lastOf(segments: readonly Segment[], at: number): number {
  let last = at;
  while (last < at + 2) {
    const next = segments[last + 1]?.text ?? '';
    if (!/^\p{Lu}/u.test(next) || !(isPlaceName(next) || isLoneCode(next))) break;
    last += 1;
  }
  return last;
}

const isLoneCode = (text: string): boolean =>
  postalCodes(text).some(({ strength, before, behind }) => strength === 'sure' && before === '' && behind === '');

/** Without a postal code the rest must be beyond doubt: names only before the region, and a house number. */
const isTown = (text: string): boolean => {
  const pieces = text
    .split(',')
    .slice(-3)
    .map((piece) => piece.trim());
  return pieces.every((piece) => /\d/.test(piece) || /^\p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*){0,3}$/u.test(piece));
};

const isNumberedStreet = (text: string): boolean => /\d/.test(text) && hasStreetWord(withoutLabel(text));

const isStreet = (text: string): boolean => {
  const line = withoutLabel(text);
  return (
    hasStreetWord(line) ||
    isHouse(line) ||
    /^\d{1,6}[A-Za-z]?(?:\s?[-–/]\s?\d{1,6}[A-Za-z]?)?,?\s+\p{Lu}/u.test(line) ||
    /^\p{Lu}[\p{L}.'’ -]{2,40},?\s(?:n\.?[ºo°]\s?)?\d{1,5}(?:[/-]\d{1,5})?\s?[a-zA-Z]?$/u.test(line) ||
    /^(?:c\/|avda\.?\s|pza\.?\s|ctra\.?\s|r\.\s|v\.\s|pl\.\s)/i.test(line) ||
    /\bp\.?\s?o\.?\s?box\b/i.test(line)
  );
};

const isHouse = (text: string): boolean =>
  text.length <= 60 &&
  /\b(?:house|centre|center|park|estate|mill|works|court|chambers|hall|farm|unit|suite|floor|building|tower)\b/i.test(
    text,
  ) &&
  !hasLegalForm(text) &&
  mayBelong(text);

/** A whole address in one line: its street stands before its end. */
function holdsStreet(text: string): boolean {
  const [first = '', ...others] = text.split(',');
  if (others.length >= 1 && isStreet(first)) return true;
  if (others.length >= 2 && text.split(',').slice(0, -1).some(isStreet)) return true;
  return /^\d{1,6}[A-Za-z]?\s+\p{L}/u.test(text) && hasStreetWord(text);
}

function mayBelong(text: string): boolean {
  if (text === '' || text.length > 80 || bareLabel(text) !== null || isCompany(text)) return false;
  if (/[?!:]$|©|\.\s\p{Lu}\p{Ll}{3}/u.test(text) || text.split(' ').length > 10) return false;
  return !LABEL_LINE.test(text);
}

// `AB` behind a name is Alberta as often as a Swedish company.
const isCompany = (text: string): boolean => hasLegalForm(text) && !/[\s,]AB$/.test(text);

const LABEL_LINE =
  /^(?:our\s)?(?:(?:street|mailing|postal|office|business|visiting|physical|company)\s)?(?:address|addresses|location|locations|contact.{0,20}|offices?|head ?quarters|(?:head|main|registered|corporate)\s?office.{0,20}|hours?|opening.{0,15}|visit.{0,10}|find us|directions?|adresse|anschrift|kontakt.{0,10}|sede|indirizzo|dirección|morada|sídlo|get in touch|come visit us|menu|home)$/i;

/** As the address reader takes it: `ID. 83702`, `D.C. 20001` and `BA1 2AB England` lose their oddity. */
const asPrinted = (text: string): string =>
  withoutLabel(text)
    .replace(/\bD\.\s?C\.(?=,?\s)/, 'DC')
    .replace(/\b([A-Z]{2})\.(?=,?\s\d{5})/, '$1')
    .replace(/([A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}) (?=\p{Lu}\p{L}{2})/u, '$1, ');

const withoutLabel = (text: string): string =>
  text
    .replace(/^[\p{L}\s/'’&-]{2,30}:\s*/u, '')
    .replace(
      /^(?:(?:our|main|head)\s)?(?:office|address|location|store|showroom|shop|(?:located|visit us|find us) at|at)\s+(?=\d)/i,
      '',
    );

function blockOf(segments: readonly Segment[], { first, last }: Span, place: LocationParts): AddressBlock {
  const start = segments[first];
  const before = segments.slice(Math.max(0, first - 3), first).filter(({ text }) => text !== '');
  // A named house, or a name that sounds like one.
  const houses = segments.slice(first, last).filter(({ text }) => isHouse(text) && !/^\d/.test(text));
  const above = [...segments.slice(Math.max(0, first - 1), first), ...houses]
    .map(({ text }) => text)
    .filter((text) => text !== '');
  return {
    place,
    above: above.filter((text) => endingOf(text) === null || hasLegalForm(text)),
    heading: [...before.map(({ text }) => text.slice(0, 100)), start?.text.slice(0, 60) ?? ''].join('\n'),
    firstLine: start?.line ?? 0,
    lastLine: segments[last]?.line ?? 0,
    region: start?.region ?? 'body',
    isAddressTag: start?.isAddressTag ?? false,
  };
}
