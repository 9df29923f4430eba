import type { Piece } from './address-pieces.js';
import { cityIn, type Found, placesBehind, type Walked, walkBack } from './address-walk.js';
import { countryOf } from './countries.js';
import { asCity, fits, isLargeCity, isRegion, peelCountry, peelTail, type Tail } from './places.js';
import { type PostalCode, postalCodes } from './postal.js';
import { regionOf } from './regions.js';
import { hasStreetWord, isStreet } from './street.js';

/** A postal code in a piece, and the country behind it. */
export interface Spot {
  pieces: readonly Piece[];
  at: number;
  postal: PostalCode;
  country: string | null;
}

/** Every way to read a code in this piece. */
export function codesIn(pieces: readonly Piece[], at: number): Spot[] {
  const text = pieces[at]?.text ?? '';
  if (!/\d/.test(text)) return [];
  const tail = peelCountry(text);
  // `33172 USA`, but also `L-1234 Luxembourg`.
  const tellings = tail.country === null ? [tail] : [tail, { rest: text, country: null }];
  return tellings.flatMap(({ rest, country }) => postalCodes(rest).map((postal) => ({ pieces, at, postal, country })));
}

/** The first of them that makes sense together with its neighbours. */
export function readCode(spots: readonly Spot[]): Found[] {
  for (const spot of spots) {
    const found = spot.postal.city === 'before' ? cityFirst(spot) : codeFirst(spot);
    if (found && isOneCountry(found, spot.postal)) return [found];
  }
  return [];
}

function isOneCountry({ country, region }: Found, postal: PostalCode): boolean {
  const code = country === null ? null : countryOf(country);
  if (code !== null && postal.country !== null && code !== postal.country) return false;
  return region === null || fits(region, code ?? postal.country) || postal.strength === 'weak';
}

/** `Dayton, OH 45402`, `Macclesfield, Cheshire, SK11 6NA`, `Mumbai 400001` */
function cityFirst(spot: Spot): Found | null {
  const { pieces, at, postal } = spot;
  const behind = placesBehind(pieces, at);
  const walked = overState(
    pieces,
    postal,
    walkBack(pieces, { at, text: postal.before, country: spot.country ?? behind.country }),
  );
  const city = cityIn(walked.rest, walked.region);
  // `Makhanda, 6139, Eastern Cape, South Africa`
  const found: Found = {
    ...walked,
    region: walked.region ?? behind.region,
    city,
    code: postal.code,
    last: behind.last,
  };
  if (city === null && !hasStreet(spot)) return null;
  if (postal.strength === 'sure') return found;
  if (postal.strength === 'region') return regionOf(walked.region ?? '').includes(postal.country ?? '') ? found : null;
  // Four digits behind a city may be a year; and any number may stand behind any word.
  if ((found.country?.length ?? 0) > 2) return found;
  const isSure = postal.code.length > 4 || (hasNumberedStreet(spot) && !/^(?:19|20)\d\d$/.test(postal.code));
  return isSure && isLargeCity(city ?? '') ? found : null;
}

/** `São Paulo - SP, 01310-100`: a code of two letters before the code that only Brazil has is a state. */
function overState(pieces: readonly Piece[], postal: PostalCode, walked: Walked): Walked {
  const isState = /^[A-Z]{2}$/.test(walked.rest) && /^\d{5}-\d{3}$/.test(postal.code) && walked.cityAt > 0;
  if (!isState) return walked;
  const cityAt = walked.cityAt - 1;
  return { ...walked, region: walked.rest, rest: pieces[cityAt]?.text ?? '', cityAt };
}

/** `D-10115 Berlin`, `Rua Nova 8 4710-228 Braga Portugal` */
function codeFirst({ pieces, at, postal, ...spot }: Spot): Found | null {
  const { text, province } = withoutProvince(postal.behind, pieces);
  // `København NV` is a district and not Nevada.
  const isWhole = isLargeCity(asCity(text) ?? '');
  const tail: Tail = isWhole ? { rest: text, region: null, country: null } : peelTail(text);
  const behind = placesBehind(pieces, at);
  const isAll = tail.rest === '';
  const named = isAll ? text : tail.rest;
  const city = asCity(named) ?? asCity(named.replace(/ \d{1,2}$/, ''));
  if (city === null) return null;
  const region = province ?? (isAll ? null : tail.region) ?? behind.region;
  const country = spot.country ?? (isAll ? null : tail.country) ?? behind.country;
  const found = { rest: postal.before, city, region, country, code: postal.code, cityAt: at, last: behind.last };
  if (postal.strength === 'sure') return found;
  return isEuropean(pieces, at, { ...found, region: province ? null : region }) && hasEvidence(pieces, at, found)
    ? found
    : null;
}

/** `20121 Milano (MI)`, `00187 Roma RM`, `08820 El Prat de Llobregat (Barcelona)` */
function withoutProvince(text: string, pieces: readonly Piece[]): { text: string; province: string | null } {
  const [, city, code] = /^(.*\S)\s+\(([A-Z]{2})\)$/.exec(text) ?? [];
  if (city && code) return { text: city, province: code };
  const [, town, name = ''] = /^(.*\S)\s+\((\p{L}+)\)$/u.exec(text) ?? [];
  if (town && !isLargeCity(text) && (isLargeCity(name) || isRegion(name))) return { text: town, province: name };
  const [, place, letters] = /^(.*\p{Ll}.*)\s+([A-Z]{2})$/u.exec(text) ?? [];
  const isItalian = pieces.some((piece) => /^(?:via|viale|piazza|corso|largo|vicolo)\s/i.test(piece.text));
  return place && letters && isItalian ? { text: place, province: letters } : { text, province: null };
}

/** `1234 Innovation, Suite 5, Springfield, IL`: a number before a word is a house number where a city comes later. */
const isEuropean = (pieces: readonly Piece[], at: number, found: Found): boolean =>
  pieces.slice(at + 1).every(({ text }) => !isLargeCity(text) && !isOverseas(peelTail(text).region)) &&
  !(isOverseas(found.region) && countryOf(found.country ?? '') !== 'IT');

const isOverseas = (region: string | null): boolean =>
  region !== null && regionOf(region).some((home) => ['US', 'CA', 'AU'].includes(home));

function hasEvidence(pieces: readonly Piece[], at: number, found: Found): boolean {
  if (found.rest !== '' && !isStreet(found.rest)) return false;
  if (found.country !== null || isLargeCity(found.city ?? '')) return true;
  if (/^\d{6}$/.test(found.code ?? '')) return false;
  const before = [...pieces.slice(Math.max(0, at - 3), at).map(({ text }) => text), found.rest];
  // `1051 Budapest, Nádor utca 7.`
  const behind = at + 2 === pieces.length ? (pieces[at + 1]?.text ?? '') : '';
  const isYear = /^(?:19|20)\d\d$/.test(found.code ?? '');
  return [...before, behind].some((text) => (isYear ? hasStreetWord(text) : isStreet(text)));
}

/** `12 Queen Street, Auckland 1010` */
const hasNumberedStreet = ({ pieces, at }: Spot): boolean => {
  const above = pieces[at - 1]?.text ?? '';
  return /\d/.test(above) && hasStreetWord(above);
};

const hasStreet = ({ pieces, at, postal }: Spot): boolean =>
  [...pieces.slice(Math.max(0, at - 4), at).map(({ text }) => text), postal.before].some(isStreet);
