import { normalizeLocation } from '../domain/normalize/location.js';
import { isLargeCity } from '../domain/normalize/places.js';
import { foldSpace } from '../domain/normalize/text.js';
import { isNotSaid, isPartName, isTerms, isWithheld } from './job-words.js';
import { hasLegalForm } from './readers/site-name.js';

const ASIDE =
  /\s*[([](?:[^()[\]]*\s)?(?:jobs?|profile|website|more|view|see|reviews?|vacancies|follow)(?:\s[^()[\]]*)?[)\]]$/i;
const ACTION =
  /^(?:view|see|show|visit|browse|follow|find|learn|read|about|all|more|search|apply|save|click|go|back|contact|zobrazit|mehr|alle|voir|ver|vedi|bekijk|zobacz)\b|\b(?:jobs|vacancies|profile|website|stellen|profil)$/i;

const POSTED_BY =
  /^(?:at|bei|chez|hos|[Bb]y|[Pp]osted by|[Pp]ublished by|[Aa]dvertised by|[Oo]ffered by|[Ll]isted by)(?:\s+|$)/;

/** Longer lines hold no name. */
export const MAX_LINE = 300;
const MAX_ASIDES = 4;

/** `Crumb [view all jobs] [profile]`: links beside a name say what they do. */
function withoutAsides(text: string): string {
  let rest = text;
  for (let asides = 0; asides < MAX_ASIDES && ASIDE.test(rest); asides += 1) rest = rest.replace(ASIDE, '');
  return rest;
}

/** The name alone, or `null` for what can be no company's name. */
export function companyName(text: string): string | null {
  if (text.length > MAX_LINE) return null;
  const name = foldSpace(withoutAsides(text).replace(POSTED_BY, '')).replace(/[\s|,:–-]+$/u, '');
  if (name.length < 2 || name.length > 100 || !/\p{L}/u.test(name) || name.split(' ').length > 12) return null;
  if (isNotSaid(name) || isWithheld(name) || isPartName(name) || isTerms(name) || ACTION.test(name)) return null;
  return /@|https?:|[!?]|\p{Sc}|\p{Ll}{3,}\.\s\p{Lu}/u.test(name) ? null : name;
}

/** A place, or several of them side by side: `Pune, Nashik`. */
export function isPlace(text: string): boolean {
  // `Crumb AB` is in Sweden, not in Alberta.
  if (hasLegalForm(text) || PUBLIC.test(text)) return false;
  const pieces = text.split(/\s*[,/|]\s*/);
  if (pieces.every(isLargeCity) || (pieces.length > 1 && pieces.some(isLargeCity))) return true;
  const { city, state_region, country } = normalizeLocation(text);
  return country !== null || (city !== null && state_region !== null);
}

// `City of Boston, MA` employs people.
const PUBLIC = /^(?:city|county|town|village|state|commonwealth|borough|university|port) of /i;
