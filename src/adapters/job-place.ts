import type { LocationParts } from '../domain/normalize/location.js';
import { normalizeLocation } from '../domain/normalize/location.js';
import { linesNear, theOnly } from './job-company.js';
import type { JobLabel } from './job-labels.js';
import { namedLines } from './job-names.js';
import type { JobPage } from './job-page.js';
import { isNotSaid } from './job-words.js';
import { addressOf } from './readers/lines.js';
import { type Candidate, says } from './resolve.js';

/** Where the job is, where structured data does not say. Of several the first is taken: they tell the same differently. */
export function placeCandidates(page: JobPage, titleAt: () => number | null): Candidate[] {
  return [
    says('label', () => labelledPlace(page)),
    says('label', () => placeOfParts(page)),
    says('link', () => mappedPlace(page)),
    says('selector', () => namedPlace(page, titleAt())),
    says('text', () => placeNear(page, titleAt())),
  ];
}

const MAX_PLACE = 150;

function labelledPlace(page: JobPage): string | null {
  const labels = page.labelled('location');
  const places = labels.map((label) => ({ label, place: printedPlace(label.lines) }));
  const told = places.find(
    ({ label, place }) => label.isStrong && place !== null && (label.isExplicit || isUnderstood(place)),
  );
  return (told ?? places.find(({ place }) => place !== null && isUnderstood(place)))?.place ?? null;
}

const MAP = /\b(?:map|directions|karte|carte|mapa|mapy|mappa|kaart|kart|kartta)\b|^(?:loading|view|show)\b/i;

/** The first line, or all of them where only together they are a place: street, town. */
function printedPlace(lines: readonly string[]): string | null {
  const kept = lines.filter((line) => !MAP.test(line) && !isNotSaid(line)).slice(0, 4);
  const [first] = kept;
  if (first === undefined || first.length > MAX_PLACE || !/^[\p{L}\p{N},(]/u.test(first)) return null;
  if (/[.!?]\s\p{Lu}\p{Ll}+\s\p{Ll}/u.test(first)) return null;
  const whole = kept.join(', ');
  return kept.length > 1 && !isUnderstood(first) && isUnderstood(whole) ? whole : first;
}

/** Do we know what its parts are? */
export function isUnderstood(text: string): boolean {
  if (text.length > MAX_PLACE) return false;
  const { city, state_region, country } = normalizeLocation(text);
  return [city, state_region, country].filter((part) => part !== null).length >= 2;
}

/** `City: Dallas`, `State: TX` */
function placeOfParts(page: JobPage): LocationParts | null {
  const part = (field: JobLabel): string | null => {
    const text = page.labelled(field).find(({ isExplicit }) => isExplicit)?.lines[0] ?? null;
    return text === null || text.length > 60 || isNotSaid(text) ? null : text;
  };
  const place = { city: part('city'), state_region: part('state'), country: part('country') };
  return place.city === null && place.state_region === null ? null : place;
}

const MAP_SERVICE =
  /^(?:https?:)?\/\/(?:(?:www|maps)\.)?(?:google\.[a-z.]{2,6}\/maps|maps\.google|maps\.app\.goo|mapy\.cz|bing\.com\/maps|openstreetmap\.org|goo\.gl\/maps|maps\.apple)/i;

/** A link to a map that says what it shows. */
function mappedPlace(page: JobPage): string | null {
  const places = page.outline.lines.flatMap((line, at) => {
    if (!line.isLink || line.text.length > MAX_PLACE || !page.isOwn(at)) return [];
    return MAP_SERVICE.test(addressOf(line)) && !MAP.test(line.text) ? [line.text] : [];
  });
  return theOnly(places);
}

function namedPlace(page: JobPage, titleAt: number | null): string | null {
  const near = new Set(linesNear(page, titleAt));
  const lines = namedLines(page, 'location').flatMap((at) => page.outline.lines[at] ?? []);
  const texts = (lines.some((line) => near.has(line)) ? lines.filter((line) => near.has(line)) : lines).map(
    ({ text }) => text,
  );
  const place = theOnly(texts.flatMap((text) => printedPlace([text]) ?? []));
  return place !== null && !/:\s*$/.test(place) ? place : null;
}

/** A line by the title that is a place whose parts are known, alone or behind the employer: `Crumb – Oslo, Norway`. */
function placeNear(page: JobPage, titleAt: number | null): string | null {
  if (!page.hasSigns()) return null;
  for (const { text } of linesNear(page, titleAt)) {
    if (text.length > MAX_NEAR) continue;
    const pieces = text.split(/\s[–—|•·-]\s/).filter(isUnderstood);
    if (pieces.length === 1) return pieces[0] ?? null;
    if (isUnderstood(text)) return text;
  }
  return null;
}

const MAX_NEAR = 80;
