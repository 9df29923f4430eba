import { cityOf } from '../domain/normalize/cities.js';
import { type LocationParts, normalizeLocation } from '../domain/normalize/location.js';
import { comparable, type JobPage } from './job-page.js';
import { isTown } from './job-town.js';
import { codedPlace } from './readers/place.js';

const MAX_PLACE = 150;

/** Of several places the one the page's title names is where the job is; that of others may be in a list too. */
export function mainPlace(page: JobPage, place: unknown): unknown {
  if (typeof place !== 'string' || place.length > MAX_PLACE) return place;
  const coded = codedPlace(place);
  if (coded !== null || normalizeLocation(place).city !== null) return coded ?? place;
  const title = ` ${comparable(page.reader.title ?? '').replace(/[^\p{L}\p{N}]+/gu, ' ')} `;
  const isInTitle = ({ city }: LocationParts) =>
    city !== null && city !== undefined && title.includes(` ${comparable(city).replace(/[^\p{L}\p{N}]+/gu, ' ')} `);
  const [main, ...others] = separatePlaces(place).filter(isInTitle);
  if (main !== undefined && others.length === 0) return { ...main, raw: place };
  // `Elm Bay, Elm Bay Region WA`: the title says which of the names is the town's.
  const [first = ''] = place.split(/\s*,\s*/, 1);
  const { state_region, country } = normalizeLocation(place);
  const isTold = first !== place && state_region !== null && isTown(first) && isInTitle({ city: first });
  return isTold ? { city: first, state_region, country, raw: place } : place;
}

function separatePlaces(text: string): LocationParts[] {
  const parts = text.split(/\s*[;|/•]\s*|\s(?:or|and|oder|und|ou|et|o|y|nebo|lub)\s/).filter(Boolean);
  const places = parts.length > 1 ? parts : text.split(/\s*,\s*/).filter((part) => cityOf(part).length > 0);
  return places.slice(0, MAX_PLACES).map((part) => codedPlace(part) ?? normalizeLocation(part));
}

const MAX_PLACES = 10;
