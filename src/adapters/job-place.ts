import { cityOf } from '../domain/normalize/cities.js';
import type { LocationParts } from '../domain/normalize/location.js';
import { normalizeLocation } from '../domain/normalize/location.js';
import { hiringTitle } from './job-hiring.js';
import { type JobLabel, knownLabel } from './job-labels.js';
import { mainPlace } from './job-main-place.js';
import { namedLines } from './job-names.js';
import { linesNear, theOnly } from './job-near.js';
import type { JobLabelled, JobPage } from './job-page.js';
import { piecesOf } from './job-pieces.js';
import { townIn } from './job-town.js';
import { isNotSaid } from './job-words.js';
import { addressOf } from './readers/lines.js';
import { codedPlace, type RawPlace } from './readers/place.js';
import { type Candidate, says } from './resolve.js';

/** Where the job is, as the page prints it: beside structured data, or where that does not say. */
export function placeCandidates(page: JobPage, titleAt: () => number | null): Candidate[] {
  return [
    says('label', () => labelledPlace(page)),
    says('label', () => placeOfParts(page)),
    says('link', () => mappedPlace(page)),
    says('selector', () => namedPlace(page, titleAt())),
    says('text', () => placeNear(page, titleAt())),
    says('text', () => cityUnder(page, titleAt())),
    says('title', () => understood(hiringTitle(page)?.place ?? null)),
  ].map((candidate) => ({ ...candidate, read: () => mainPlace(page, candidate.read()) }));
}

const UNDER = 4;

/** A large city alone in a line under the title, or as one of its parts: `Full time · Oslo`. */
function cityUnder(page: JobPage, titleAt: number | null): string | null {
  if (!page.hasSigns() || titleAt === null) return null;
  const cities: string[] = [];
  for (let at = titleAt + 1; at <= titleAt + UNDER; at += 1) {
    const line = page.outline.lines[at];
    if (!line || !page.isOwn(at) || line.text.length > MAX_NEAR) continue;
    for (const { text } of piecesOf(line)) cities.push(...placesIn(text));
  }
  return theOnly(cities);
}

/** Several in one part are kept together: which of them it is, is decided later. */
function placesIn(text: string): string[] {
  if (isLabelledPlace(text)) return [];
  const department = /^(?:\d{2,3}|2[AB]) - (\p{L}[\p{L}' -]{1,40}?)(?: - .*)?$/u.exec(text)?.[1];
  if (department !== undefined) return [department];
  if (isCity(DISTRICT.exec(text)?.[1] ?? '')) return [text];
  return text
    .split(/\s[–—|•·-]\s/)
    .map((part) => part.trim())
    .filter(
      (part) =>
        part !== '' &&
        part
          .replace(CODE, '')
          .split(/\s*[,/]\s*/)
          .every(isCity),
    );
}

/** What stands behind a label was asked for by its name. */
const isLabelledPlace = (text: string): boolean =>
  text.includes(':') && knownLabel(text.slice(0, text.indexOf(':')))?.field === 'location';

// `Praha 7 – Holešovice`
const DISTRICT = /^(\p{L}[\p{L} ]{1,30}?) \d{1,2}(?:\s?[–-]\s?\p{L}[\p{L} ]{1,40})?$/u;
// `Nantes (44)`, `44000 Nantes`
const CODE = /^\d{4,5} | \(\d{2,5}\)$/;
const isCity = (text: string): boolean => cityOf(text).length > 0;

const MAX_PLACE = 150;

function labelledPlace(page: JobPage): RawPlace | null {
  const labels = page.labelled('location');
  const places = labels.map((label) => ({ label, place: printedPlace(label.lines) }));
  const told = places.find(
    ({ label, place }) => label.isStrong && place !== null && (label.isExplicit || isUnderstood(place)),
  );
  const { place = null, label } = told ?? places.find(({ place }) => place !== null && isUnderstood(place)) ?? {};
  if (place === null || !label || isOneOfSeveral(page, label, place)) return null;
  return label.isStrong && label.isExplicit ? townIn(place) : place;
}

/** `Location: Oslo | Bergen` */
function isOneOfSeveral({ outline }: JobPage, { at, value }: JobLabelled, place: string): boolean {
  const { text = '' } = outline.lines[at] ?? {};
  const from = value === place ? text.indexOf(value) : -1;
  if (from === -1 || text.length > MAX_PLACE * 2) return false;
  const [, next = ''] = /^\s[|•·]\s([^|•·]+)/.exec(text.slice(from + value.length)) ?? [];
  return isCity(next.trim()) || isUnderstood(next.trim());
}

const MAP = /\b(?:map|directions|karte|carte|mapa|mapy|mappa|kaart|kart|kartta)\b|^(?:loading|view|show)\b/i;

// `Oslo (map it!)`
const MAP_ASIDE = /\s?[([][^()[\]]{0,30}\b(?:map|directions|karte|carte|mapa|mappa|kaart)\b[^()[\]]{0,20}[)\]]$/i;

/** The first line, or all of them where only together they are a place: street, town. */
function printedPlace(lines: readonly string[]): string | null {
  const kept = lines
    .map((line) => line.replace(/^[-–—]\s+/u, '').replace(MAP_ASIDE, ''))
    .filter((line) => !MAP.test(line) && !isNotSaid(line))
    .slice(0, 4);
  const [first] = kept;
  if (first === undefined || first.length > MAX_PLACE || !/^[\p{L}\p{N},(]/u.test(first)) return null;
  if (/[.!?]\s\p{Lu}\p{Ll}+\s\p{Ll}/u.test(first)) return null;
  const whole = kept.join(', ');
  return kept.length > 1 && !isUnderstood(first) && isUnderstood(whole) ? whole : first;
}

const understood = (text: string | null): string | null => (text !== null && isUnderstood(text) ? text : null);

/** Do we know what its parts are? */
function isUnderstood(text: string): boolean {
  if (text.length > MAX_PLACE) return false;
  if (codedPlace(text) !== null) return true;
  const { city, state_region, country } = normalizeLocation(text);
  return [city, state_region, country].filter((part) => part !== null).length >= 2;
}

/** `City: Dallas`, `State: TX` */
function placeOfParts(page: JobPage): LocationParts | null {
  // Two of them together are no chance.
  const isTable = (['city', 'state', 'country'] as const).filter((field) => page.labelled(field).length > 0).length > 1;
  const part = (field: JobLabel): string | null => {
    const text = page.labelled(field).find(({ isExplicit }) => isExplicit || isTable)?.lines[0] ?? null;
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

function namedPlace(page: JobPage, titleAt: number | null): RawPlace | null {
  const near = new Set(linesNear(page, titleAt));
  const lines = namedLines(page, 'location').flatMap((at) => page.outline.lines[at] ?? []);
  const texts = (lines.some((line) => near.has(line)) ? lines.filter((line) => near.has(line)) : lines).map(
    ({ text }) => text,
  );
  const place = theOnly(texts.flatMap((text) => printedPlace([text]) ?? []));
  if (place === null || /:\s*$/.test(place)) return null;
  return near.size > 0 && lines.some((line) => near.has(line)) ? townIn(place) : place;
}

/** A line by the title that is a place whose parts are known, alone or behind the employer: `Crumb – Oslo, Norway`. */
function placeNear(page: JobPage, titleAt: number | null): string | null {
  if (!page.hasSigns()) return null;
  for (const line of linesNear(page, titleAt)) {
    if (line.text.length > MAX_NEAR || isLabelledPlace(line.text)) continue;
    const pieces = piecesOf(line).flatMap(({ text }) => text.split(/\s[–—|•·-]\s/));
    const places = pieces.filter(isUnderstood);
    if (places.length === 1) return places[0] ?? null;
    // Mostly the line is its only piece, and was asked already.
    if (!(pieces.length === 1 && pieces[0] === line.text) && isUnderstood(line.text)) return line.text;
  }
  return null;
}

const MAX_NEAR = 80;
