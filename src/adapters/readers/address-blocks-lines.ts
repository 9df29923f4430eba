import { hasStreetWord } from '../../domain/normalize/street.js';
import { bareLabel } from './phones-labels.js';
import { hasLegalForm } from './site-name.js';

/** How an address ends: with a postal code that is nothing else, with a number before a name, or with a region. */
export type Ending = 'sure' | 'weak' | 'uncoded';

/** Without a postal code only names may stand before the region. */
export const isTown = (text: string): boolean => {
  const pieces = text
    .split(',')
    .slice(-3)
    .map((piece) => piece.trim());
  return pieces.every((piece) => /\d/.test(piece) || /^\p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*){0,3}$/u.test(piece));
};

function isStreet(text: string): boolean {
  const line = withoutLabel(text);
  return (
    hasStreetWord(line) ||
    isHouse(line) ||
    /^\d{1,6}[A-Za-z]?(?:\s?[-–/]\s?\d{1,6}[A-Za-z]?)?,?\s+\p{Lu}/u.test(line) ||
    /^\p{Lu}[\p{L}.'’ -]{2,40},?\s(?:n\.?[ºo°]\s?)?\d{1,5}(?:[/-]\d{1,5})?\s?[a-zA-Z]?$/u.test(line) ||
    /^(?:c\/|avda\.?\s|pza\.?\s|ctra\.?\s|r\.\s|v\.\s|pl\.\s)/i.test(line) ||
    /\bp\.?\s?o\.?\s?box\b/i.test(line)
  );
}

export const isHouse = (text: string): boolean =>
  text.length <= 60 &&
  /\b(?:house|centre|center|park|estate|mill|works|court|chambers|hall|farm|unit|suite|floor|building|tower)\b/i.test(
    text,
  ) &&
  !hasLegalForm(text) &&
  mayBelong(text);

/** The less the end says, the more the street must: any number before a word looks like a code and a city. */
export const STREETS: Record<Ending, (text: string) => boolean> = {
  sure: isStreet,
  weak: (text) => /\d/.test(text) && isStreet(text),
  uncoded: (text) => (/\d/.test(text) || NAMES_ONLY.test(text)) && hasStreetWord(withoutLabel(text)),
};

const NAMES_ONLY = /^\p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*){1,3}$/u;

/** A whole address in one line: its street stands before its end. */
export function holdsStreet(text: string, isOne: (text: string) => boolean): boolean {
  const pieces = text.split(',').map((piece) => piece.trim());
  if (pieces.length >= 2 && isOne(pieces[0] ?? '')) return true;
  if (pieces.length >= 3 && pieces.slice(0, -1).some(isOne)) return true;
  return /^\d{1,6}[A-Za-z]?\s+\p{L}/u.test(text) && hasStreetWord(text);
}

export function mayBelong(text: string): boolean {
  if (text === '' || text.length > 80 || bareLabel(text) !== null || isCompany(text)) return false;
  if (/[?!:]$|©|\p{Ll}{4}\.\s\p{Lu}\p{Ll}/u.test(text) || text.split(' ').length > 10) return false;
  return !LABEL_LINE.test(text);
}

// `AB` behind a name is Alberta as often as a Swedish company.
const isCompany = (text: string): boolean => hasLegalForm(text) && !/[\s,]AB$/.test(text);

const LABEL_LINE =
  /^(?:our\s)?(?:(?:street|mailing|postal|office|business|visiting|physical|company)\s)?(?:address|addresses|location|locations|contact.{0,20}|offices?|head ?quarters|(?:head|main|registered|corporate)\s?office.{0,20}|hours?|opening.{0,15}|visit.{0,10}|find us|directions?|adresse|anschrift|kontakt.{0,10}|sede|indirizzo|dirección|morada|sídlo|get in touch|come visit us|menu|home)$/i;

/** As the address reader takes it: `ID. 83702`, `D.C. 20001` and `BA1 2AB England` lose their oddity. */
export const asPrinted = (text: string): string =>
  withoutLabel(text)
    .replace(/\bD\.\s?C\.(?=,?\s)/, 'DC')
    .replace(/\b([A-Z]{2})\.(?=,?\s\d{5})/, '$1')
    .replace(/([A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}) (?=\p{Lu}\p{L}{2})/u, '$1, ');

export const withoutLabel = (text: string): string =>
  (text.includes(':') ? text.replace(/^[\p{L}\s/'’&-]{2,30}:\s*/u, '') : text).replace(
    /^(?:(?:our|main|head)\s)?(?:office|address|location|store|showroom|shop|(?:located|visit us|find us) at|at)\s+(?=\d)/i,
    '',
  );
