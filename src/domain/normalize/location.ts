import type { NormalizedLocation } from '../records.js';
import { isRegionCode, placeWord } from './places.js';
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
  const place = raw.length > MAX_LENGTH ? NOWHERE : (readDashed(raw) ?? readCommas(raw));
  return { city: asCity(place.city), state_region: asName(place.state_region), country: place.country, raw };
}

type Place = Pick<NormalizedLocation, 'city' | 'state_region' | 'country'>;

const MAX_LENGTH = 300;
const NOWHERE: Place = { city: null, state_region: null, country: null };

function locationFromParts(parts: LocationParts): NormalizedLocation | null {
  const part = (name: keyof LocationParts): string | null => {
    const value: unknown = parts[name];
    return typeof value === 'string' ? cleanText(value) : null;
  };
  const place = { city: part('city'), state_region: part('state_region'), country: part('country') };
  const area = [place.state_region, part('postal_code')].filter(Boolean).join(' ');
  const printed = [part('street'), place.city, area, place.country].filter(Boolean).join(', ');
  const raw = part('raw') ?? (printed || null);
  return raw === null ? null : { ...place, raw };
}

/** `US-MD-Potomac` */
function readDashed(text: string): Place | null {
  const [, country, region, city] = /^\s*([A-Z]{2})-([A-Z]{2})-([^\d,-][^\d,]*?)\s*$/.exec(text) ?? [];
  if (!country || !region || !city || !isRegionCode(region)) return null;
  return country === 'US' || country === 'CA' ? { city, state_region: region, country } : null;
}

/** `City`, `City, Region`, `Street, City, Region 12345, Country` and what lies between, read from the end. */
function readCommas(text: string): Place {
  const parts = text.split(/[,|·•]/).map((part) => part.trim());
  if (parts.length > 6 || text.includes(';')) return NOWHERE;
  const country = placeWord(parts.at(-1) ?? '') === 'country' ? (parts.pop() ?? null) : null;
  const last = parts.at(-1);
  if (last === undefined) return { ...NOWHERE, country };
  const before = parts.at(-2) ?? null;

  const coded = readRegionCode(last);
  if (coded) return { city: coded.city ?? before, state_region: coded.region, country };
  const word = placeWord(last);
  if (word === 'region') return { city: before, state_region: last, country };
  // In `Leipzig, DE` the code may be a country or a state; the city is one either way.
  if (word === 'unsure' && country === null) return { ...NOWHERE, city: parts.length === 2 ? before : null };
  if (country === null || /\d/.test(text)) return { ...NOWHERE, country };
  if (parts.length === 1) return { ...NOWHERE, city: word === 'unsure' ? null : last, country };
  return parts.length === 2 ? { city: before, state_region: last, country } : { ...NOWHERE, country };
}

/** `IN 46142`, `Vancouver BC V6J 3B5`, `Kirkland WA`: with a postal code the code is certainly a state or province. */
function readRegionCode(part: string): { city: string | null; region: string } | null {
  const pattern = /^(?:(.*\S)\s+)?([A-Z]{2})(?:\s+(\d{5}(?:-\d{4})?|[A-Z]\d[A-Z] ?\d[A-Z]\d))?$/;
  const [, city, region, postal] = pattern.exec(part) ?? [];
  if (!region || !isRegionCode(region) || (!city && !postal)) return null;
  return postal || placeWord(region) === 'region' ? { city: city ?? null, region } : null;
}

function asCity(text: string | null): string | null {
  const name = asName(text);
  return name !== null && NOT_A_CITY.test(name) ? null : name;
}

/** What could be the name of a place at all. */
function asName(text: string | null): string | null {
  if (text === null || text.length < 2 || text.length > 60 || /[\d/;&@:]/.test(text)) return null;
  return cleanText(text) !== text || NOT_A_PLACE.test(text) ? null : text;
}

const NOT_A_PLACE =
  /\b(?:remote|hybrid|anywhere|worldwide|nationwide|home|online|multiple|various|several|locations?)\b/i;
// Areas around a city, and two cities in one breath.
const NOT_A_CITY = /\b(?:area|region|county|metro|metropolitan|or|and)\b/i;
