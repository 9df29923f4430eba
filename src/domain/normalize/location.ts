import type { NormalizedLocation } from '../records.js';
import { readAddress } from './address.js';
import { countryOf, isCountry } from './countries.js';
import { isNoPlace, locationPieces } from './location-pieces.js';
import {
  asCity,
  fits,
  isAlsoCity,
  isCodeElsewhere,
  isLargeCity,
  isRegion,
  isRegionOf,
  peelTail,
  regionOrCountry,
} from './places.js';
import { cleanText } from './text.js';

/** A place whose parts the page itself names apart, as structured data does. */
export interface LocationParts {
  street?: string | null;
  postal_code?: string | null;
  city?: string | null;
  state_region?: string | null;
  country?: string | null;
  raw?: string | null;
}

/** A place as text or as parts; `null` when it says nothing, `undefined` when it is neither. */
export function normalizePlace(given: unknown): NormalizedLocation | null | undefined {
  if (typeof given === 'string') return normalizeLocation(given);
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined;
  return locationFromParts(given);
}

/** Splits a printed place only where its shape leaves no doubt; `raw` is always the text as given. */
export function normalizeLocation(raw: string): NormalizedLocation {
  const text = raw.length > MAX_LENGTH ? null : cleanText(raw);
  const place = text === null ? NOWHERE : (readDashed(text) ?? readAsAddress(text) ?? readPieces(text));
  return { city: place.city, state_region: place.state_region, country: place.country, raw };
}

type Place = Pick<NormalizedLocation, 'city' | 'state_region' | 'country'>;

const MAX_LENGTH = 300;
const NOWHERE: Place = { city: null, state_region: null, country: null };

/** `US-OH-Dayton`, `DE-Berlin`, `OH-Dayton` */
function readDashed(text: string): Place | null {
  const [, code, region, city] = /^\s*([A-Z]{2,3})-(?:([A-Z]{2,3})-)?(\p{Lu}[^\d,-]{1,40}?)\s*$/u.exec(text) ?? [];
  if (!code || !city || asCity(city) !== city) return null;
  if (!region) return readCoded(code, city);
  return isCountry(code) && isRegion(region) && fits(region, code)
    ? { city, state_region: region, country: code }
    : null;
}

function readCoded(code: string, city: string): Place | null {
  if (isCodeElsewhere(code, city)) return { ...NOWHERE, city };
  if (!isRegion(code)) return isCountry(code) && isLargeCity(city) ? { ...NOWHERE, city, country: code } : null;
  const meaning = regionOrCountry(code, city);
  if (meaning === 'unsure') return { ...NOWHERE, city };
  return meaning === 'region' ? { ...NOWHERE, city, state_region: code } : { ...NOWHERE, city, country: code };
}

function readAsAddress(text: string): Place | null {
  if (text.includes(';')) return null;
  const address = readAddress([text]);
  return (
    address && {
      city: address.city ?? null,
      state_region: address.state_region ?? null,
      country: address.country ?? null,
    }
  );
}

/** `City`, `City, Region`, `City, Region, Country` and what lies between, read from the end. */
function readPieces(text: string): Place {
  const pieces = locationPieces(text);
  const last = pieces.pop();
  if (last === undefined) return NOWHERE;
  const tail = peelTail(last);
  if (tail.region === null && tail.country === null) return readCity([...pieces, last]);
  if (tail.region === null) return readCountry(pieces, { country: tail.country ?? '', inline: tail.rest });
  return readRegion(pieces, { region: tail.region, country: tail.country, inline: tail.rest });
}

/** Nothing here is a region or a country: only a large city is known without them. */
function readCity(pieces: readonly string[]): Place {
  const large = pieces.map((piece) => asCity(piece)).filter((city) => city !== null && isLargeCity(city));
  return { ...NOWHERE, city: large.length === 1 && pieces.length < 4 ? (large[0] ?? null) : null };
}

/** What stands before a country. */
function readCountry(pieces: string[], { country, inline }: { country: string; inline: string }): Place {
  if (inline !== '') return { ...readCity([...pieces, inline]), country };
  const last = pieces.pop();
  if (last === undefined) return { ...NOWHERE, country };
  const tail = peelTail(last, { region: null, country });
  if (tail.region !== null && fits(tail.region, country)) {
    return readRegion(pieces, { region: tail.region, country, inline: tail.rest });
  }
  const [before, ...others] = pieces.toReversed();
  const city = asCity(last);
  if (city === null && isCountry(last)) return NOWHERE;
  if (isCodeElsewhere(country, city)) return { ...NOWHERE, city };
  if (before === undefined || isLargeCity(city ?? '')) return { ...NOWHERE, city, country };
  // The long form of a place, as profiles print it. A street has a number and was read as an address.
  const isLong = others.length === 0 && city !== null && asCity(before) !== null && !/\d/.test(before + last);
  return isLong ? { city: asCity(before), state_region: last, country } : { ...NOWHERE, country };
}

interface Region {
  region: string;
  country: string | null;
  inline: string;
}

/** What stands before a region. */
function readRegion(pieces: readonly string[], { region, country, inline }: Region): Place {
  const before = inline !== '' ? inline : (pieces.at(-1) ?? null);
  // Without a comma only a code parts the city from its state: `Northern California` is no city.
  const isParted = inline === '' || /^[A-Z]{2,3}$/.test(region) || isLargeCity(inline);
  const city = isParted ? asCity(before, region) : null;
  // `Norwich, Norfolk, England`: the county says more than the nation.
  if (before !== null && inline === '' && isRegion(before) && country === null && fits(before, 'GB')) {
    if (fits(region, 'GB')) return readRegion(pieces.slice(0, -1), { region: before, country, inline: '' });
  }
  if (country !== null) {
    const isAlone = before === null && isAlsoCity(region);
    return { city, state_region: isAlone ? null : region, country };
  }
  if (before !== null && isRegionOf(before, region)) {
    return readRegion(pieces.slice(0, -1), { region: before, country: region, inline: '' });
  }
  const meaning = regionOrCountry(region, city);
  if (meaning === 'country') return { ...NOWHERE, city, country: region };
  return {
    ...NOWHERE,
    city,
    state_region: meaning === 'region' && !(before === null && isAlsoCity(region)) ? region : null,
  };
}

function locationFromParts(parts: LocationParts): NormalizedLocation | null {
  const part = (name: keyof LocationParts): string | null => {
    const value: unknown = parts[name];
    return typeof value === 'string' ? cleanText(value) : null;
  };
  const name = (of: keyof LocationParts): string | null => asName(part(of));
  const place = splitCity({ city: name('city'), state_region: name('state_region'), country: name('country') });
  const area = [place.state_region, part('postal_code')].filter(Boolean).join(' ');
  const printed = [part('street'), place.city, area, place.country].filter(Boolean).join(', ');
  const raw = part('raw') ?? (printed || null);
  return raw === null ? null : { ...place, raw };
}

// `Remote` in the place of a city names none, and what fills pages is no name.
const asName = (text: string | null): string | null =>
  text === null || text.length > MAX_LENGTH || isNoPlace(text) ? null : text;

/** `Paris, France` in the place of a city: what the page does not name apart is still said. */
function splitCity(place: Place): Place {
  const [, first, last] = /^([^,]+),\s*([^,]+)$/.exec(place.city ?? '') ?? [];
  if (!first || !last) return splitLongCity(place) ?? { ...place, city: withoutCode(place.city) };
  const city = first.trim();
  if (asCity(city, last) !== city) return place;
  const country = countryOf(last);
  if (
    country !== null &&
    !isRegion(last) &&
    !isCodeElsewhere(last, city) &&
    (place.country === null || countryOf(place.country) === country)
  ) {
    return { ...place, city, country: place.country ?? last };
  }
  const isState = place.state_region === null && isRegion(last) && regionOrCountry(last, city) === 'region';
  return isState && fits(last, place.country) ? { ...place, city, state_region: last } : place;
}

/** `Gouda, South Holland, Netherlands` in the place of a city, as profiles give it. */
function splitLongCity({ city, state_region, country }: Place): Place | null {
  if (city === null || state_region !== null || !/^[^,]+,[^,]+,[^,]+$/.test(city)) return null;
  const long = readPieces(city);
  if (long.city === null || long.country === null) return null;
  const isSame = country === null || countryOf(country) === countryOf(long.country);
  return isSame ? { ...long, country: country ?? long.country } : null;
}

/** `10115 Berlin` in the place of a city. */
function withoutCode(city: string | null): string | null {
  return city !== null && /\d{4}/.test(city) ? (readAddress([city])?.city ?? city) : city;
}
