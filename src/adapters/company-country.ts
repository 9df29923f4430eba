import { countryOf } from '../domain/normalize/countries.js';
import { normalizePlace } from '../domain/normalize/location.js';
import { postalCodes } from '../domain/normalize/postal.js';
import { regionOf } from '../domain/normalize/regions.js';

/** The country (ISO 3166-1) that a place is certainly in: it is named, or its state and postal code are only theirs. */
export function countryOfPlace(place: unknown): string | null {
  const known = typeof place === 'string' ? normalizePlace(place) : place;
  if (typeof known !== 'object' || known === null) return null;
  const part = (name: string): string => {
    const value: unknown = (known as Record<string, unknown>)[name];
    return typeof value === 'string' ? value.trim() : '';
  };
  if (part('country') !== '') return countryOf(part('country'));
  const codes = postalCodes(part('postal_code'));
  const sure = codes.find(({ strength }) => strength === 'sure')?.country ?? null;
  if (sure !== null) return sure;
  const states = regionOf(part('state_region'));
  return (
    codes.find(({ strength, country }) => strength === 'region' && states.includes(country ?? ''))?.country ?? null
  );
}
