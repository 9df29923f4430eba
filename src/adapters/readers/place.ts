import { countryOf } from '../../domain/normalize/countries.js';
import type { LocationParts } from '../../domain/normalize/location.js';
import { regionOf } from '../../domain/normalize/regions.js';
import { isThing, type Thing, textOf, type Value, valuesOf } from './thing.js';

/** A place as structured data gives it: its parts where they are named, its text where it is one. */
export type RawPlace = LocationParts | string;

/** `DE-NW-Leverkusen`: the codes of a country and of a part of it, before the city. */
export function codedPlace(text: string): LocationParts | null {
  const [, country, region, city] = /^\s{0,9}([A-Z]{2})-([A-Z]{2,3})-(\p{Lu}[^\d,|;/-]{1,40})$/u.exec(text) ?? [];
  if (!country || !region || !city || countryOf(country) === null) return null;
  const isKnown = regionOf(region).includes(countryOf(country) ?? '');
  return { city: city.trim(), state_region: isKnown ? region : null, country, raw: text };
}

/** The one place under a property. Several different ones are printed side by side, and many are none. */
export function placeOf(thing: Thing, name: string): RawPlace | null {
  const places = new Map<string, RawPlace>();
  for (const value of valuesOf(thing, name)) {
    const place = readPlace(value, 0);
    if (place !== null) places.set(JSON.stringify(place), place);
  }
  if (places.size > MAX_PRINTED) return null;
  const [first, ...others] = places.values();
  return others.length === 0 ? (first ?? null) : [...places.values()].map(printed).join('; ');
}

// A remote job that lists every country of the world is not at any of them.
const MAX_PRINTED = 5;

function readPlace(value: Value, depth: number): RawPlace | null {
  if (!isThing(value)) return value.trim() === '' ? null : value;
  const parts: LocationParts = {
    street: textOf(value, 'streetAddress'),
    postal_code: textOf(value, 'postalCode'),
    city: textOf(value, 'addressLocality'),
    state_region: textOf(value, 'addressRegion'),
    country: textOf(value, 'addressCountry'),
  };
  if (Object.values(parts).some((part) => part !== null)) return parts;
  for (const address of depth < 3 ? valuesOf(value, 'address') : []) {
    const place = readPlace(address, depth + 1);
    if (place !== null) return place;
  }
  return textOf(value, 'name');
}

function printed(place: RawPlace): string {
  if (typeof place === 'string') return place;
  return [place.street, place.city, place.state_region, place.country].filter(Boolean).join(', ');
}
