import { readAddress } from '../../domain/normalize/address.js';
import type { LocationParts } from '../../domain/normalize/location.js';
import { postalCodes } from '../../domain/normalize/postal.js';
import { endingOf, isPlaceName } from './address-blocks-endings.js';
import {
  asPrinted,
  type Ending,
  holdsStreet,
  isHouse,
  isTown,
  mayBelong,
  STREETS,
  withoutLabel,
} from './address-blocks-lines.js';
import { type Segment, segmentsOf } from './address-blocks-segments.js';
import type { Line, Region } from './lines.js';
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

interface Span {
  first: number;
  last: number;
}

/** From the street down to the country. Without a street only a sure end is an address. */
function spanOf(
  segments: readonly Segment[],
  { at, free, ending }: { at: number; free: number; ending: Ending },
): Span | null {
  const text = withoutLabel(segments[at]?.text ?? '');
  const last = lastOf(segments, at);
  if (ending === 'uncoded' && !isTown(text)) return null;
  if (holdsStreet(text, STREETS[ending])) return { first: at, last };
  let first: number | null = null;
  for (let up = at - 1; up >= Math.max(free, at - (ending === 'sure' ? 6 : 3)); up -= 1) {
    const above = segments[up]?.text ?? '';
    if (!mayBelong(above)) break;
    if (!STREETS[ending](above)) continue;
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
    const isBetween = /^\d{4,6}$/.test(next) && isPlaceName(segments[last + 2]?.text ?? '');
    if (!isBetween && (!/^\p{Lu}/u.test(next) || !(isPlaceName(next) || isLoneCode(next)))) break;
    last += 1;
  }
  return last;
}

const isLoneCode = (text: string): boolean =>
  postalCodes(text).some(({ strength, before, behind }) => strength === 'sure' && before === '' && behind === '');

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
