import { countryOf } from '../domain/normalize/countries.js';
import { normalizePlace } from '../domain/normalize/location.js';
import type { Salary } from '../domain/records.js';
import { sameWords } from './resolve.js';

/** Two tellings of one place: by the narrowest part that both name. Who is silent about a part contradicts nobody. */
export function samePlace(a: unknown, b: unknown): boolean {
  const [one, other] = [normalizePlace(a), normalizePlace(b)];
  if (!one || !other) return sameWords(a, b);
  if (one.city !== null && other.city !== null) return sameWords(one.city, other.city);
  if (one.state_region !== null && other.state_region !== null) return sameRegion(one.state_region, other.state_region);
  if (one.country !== null && other.country !== null) return sameCountry(one.country, other.country);
  return true;
}

/** `TX` may be Texas; whether it is, a list of other things would have to tell. */
const sameRegion = (a: string, b: string): boolean => isCode(a) !== isCode(b) || sameWords(a, b);

const isCode = (region: string): boolean => /^[A-Z]{2,3}$/.test(region);

const sameCountry = (a: string, b: string): boolean =>
  sameWords(a, b) || (countryOf(a) !== null && countryOf(a) === countryOf(b));

/** The same ends. Currency and period may be left out, but not be others. */
export function samePay(a: unknown, b: unknown): boolean {
  const [one, other] = [salaryOf(a), salaryOf(b)];
  if (one === null || other === null || one.min !== other.min || one.max !== other.max) return false;
  return agree(one.currency, other.currency) && agree(one.period, other.period);
}

const agree = (a: string | null, b: string | null): boolean => a === null || b === null || a === b;

const salaryOf = (pay: unknown): Salary | null => (pay as { salary?: Salary } | null)?.salary ?? null;
