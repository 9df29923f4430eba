import { codesIn, readCode } from './address-code.js';
import { type Piece, piecesOf } from './address-pieces.js';
import { cityIn, type Found, walkBack } from './address-walk.js';
import type { LocationParts } from './location.js';
import { asCity, fits, isLargeCity, regionOrCountry } from './places.js';
import { hasStreetWord, isHouse, isStreetLike } from './street.js';

/**
 * The parts of an address that a page prints in a block of a few lines. `null` unless it surely is one address: a
 * postal code with its city, or a street with a city, region or country. What is unclear in it stays null.
 */
export function readAddress(lines: readonly string[]): LocationParts | null {
  if (!lines.some((line) => /\d/.test(line) || hasStreetWord(line))) return null;
  const pieces = piecesOf(lines);
  const spots = pieces.map((_, at) => codesIn(pieces, at));
  for (const strength of ['sure', 'region', 'weak'] as const) {
    const [first, ...others] = spots.flatMap((each) =>
      readCode(each.filter(({ postal }) => postal.strength === strength)),
    );
    // Two codes are two addresses, and none of them is the one.
    if (first) return others.every(({ code }) => code === first.code) ? printed(pieces, lines, first) : null;
  }
  const found = readUncoded(pieces);
  return found && printed(pieces, lines, found);
}

/** `12 Elm Street, Dayton, OH`, `12 High Street, Ely, United Kingdom`, `Vodní 554/14, Praha – Libeň` */
function readUncoded(pieces: readonly Piece[]): Found | null {
  const last = pieces.length - 1;
  const walked = walkBack(pieces, { at: last, text: pieces[last]?.text ?? '', country: null });
  const city = cityIn(walked.rest, walked.region);
  const meant = walked.region === null ? null : regionOrCountry(walked.region, city);
  const region = meant === 'region' ? walked.region : null;
  const country = walked.country ?? (meant === 'country' ? walked.region : null);
  if (city === null || (region !== null && !fits(region, country))) return null;
  const isAlone = asCity(walked.rest, walked.region) !== null;
  const street = isAlone ? (pieces[walked.cityAt - 1]?.text ?? '') : walked.rest;
  const isPlaced = region !== null || country !== null || meant === 'unsure';
  const isNamed = (country !== null || COUNTY.test(region ?? '')) && isNamedStreet(street);
  return (isPlaced ? isNamed || isHouse(street) : isLargeCity(city) && isSurelyStreet(street))
    ? { ...walked, city, region, country, code: null, last }
    : null;
}

/** `Dublin Road, Naas, Co. Kildare`: in small towns houses have no numbers. A few names, and nothing of a sentence. */
const isNamedStreet = (text: string): boolean =>
  /^\p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*){1,3}$/u.test(text) && hasStreetWord(text);
const COUNTY = /^(?:co\.?|county)\s/i;

/** `Founded 1999, Berlin` and `500 people, Berlin` are no addresses; nothing but the street itself says it here. */
const isSurelyStreet = (text: string): boolean =>
  /\d/.test(text) &&
  (hasStreetWord(text) ||
    /\d\/\d+\w?$/.test(text) ||
    /^(?:\p{Lu}[\p{L}.'’-]*\s)+(?!(?:19|20)\d\d$)\d{1,4}\w?$/u.test(text));

function printed(pieces: readonly Piece[], lines: readonly string[], found: Found): LocationParts {
  const { cityAt, last, city, region, country, code } = found;
  const inCity = streetIn(found.rest, city);
  const before = pieces.slice(Math.max(0, cityAt - 4), cityAt);
  const start = streetStart(before);
  const street = [...(start === -1 ? [] : before.slice(start)).map(({ text }) => text), inCity].filter(Boolean);
  const first = start === -1 ? cityAt : cityAt - before.length + start;
  const used = lines.slice(pieces[first]?.line, (pieces[last]?.line ?? 0) + 1);
  return {
    street: street.join(', ') || null,
    postal_code: code,
    city,
    state_region: region,
    country,
    raw: used
      .map((line) => line.replace(/\s+/g, ' ').trim())
      .filter(Boolean)
      .join(', '),
  };
}

/** The first piece that says street; a number alone has the name of its street before it: `Av. da Liberdade, 100`. */
function streetStart(pieces: readonly Piece[]): number {
  const start = pieces.findIndex(({ text }) => isStreetLike(text));
  const isNumber = start > 0 && /^(?:n\.?\s?[ºo°]?\s?)?\d{1,5}\s?\p{L}?$/iu.test(pieces[start]?.text ?? '');
  return isNumber ? start - 1 : start;
}

/** What stands before the city in its own piece. */
function streetIn(text: string, city: string | null): string {
  const at = city === null ? -1 : text.lastIndexOf(city);
  return (at === -1 ? text : text.slice(0, at)).replace(/[\s–—-]+$/, '');
}
