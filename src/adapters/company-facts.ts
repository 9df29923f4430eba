import { oncePerPage } from './readers/once.js';
import type { PageReader } from './readers/page-reader.js';
import { placeOf, type RawPlace } from './readers/place.js';
import { type Thing, textOf, thingsOf, valuesOf } from './readers/thing.js';

export const INDUSTRY = /^(?:industry|industries|sector|branche|secteur|sector de actividad|odvětví|settore)$/;
export const EMPLOYEES =
  /^(?:employees|number of employees|no\. of employees|company size|staff|headcount|mitarbeiter|mitarbeiterzahl|effectif|empleados|počet zaměstnanců)$/;

/** Most pages have none of these words, and need not be read for labels at all. */
const factLabels = oncePerPage((reader) => (reader.lines.some(({ text }) => FACTS.test(text)) ? reader.labels : []));
const FACTS =
  /industr(?:y|ies)|sect(?:or|eur)|branche|odvětví|settore|employees|size|staff|headcount|mitarbeiter|effectif|empleados|zaměstnanců/i;

/** The one value under such a label; a shop's filters and lists have several. */
export function labelled(reader: PageReader, label: RegExp, value = /^\p{L}/u): string | null {
  const values = new Set(
    factLabels(reader)
      .filter((pair) => label.test(pair.label))
      .map((pair) => pair.value),
  );
  const [only = null, ...others] = values;
  return only !== null && others.length === 0 && only.length <= 80 && value.test(only) ? only : null;
}

/** One address, or none: of several offices none is known to be the head one. */
export function headquarters(company: Thing): RawPlace | null {
  const name = ['address', 'location'].find((property) => valuesOf(company, property).length === 1);
  return name === undefined ? null : placeOf(company, name);
}

/** A place of which only the country is known is less than what the page prints. */
export const withCity = (place: RawPlace | null): RawPlace | null =>
  place === null || typeof place === 'string' || place.city ? place : null;

/** What content systems say of themselves until somebody writes a description. */
export const ownWords = (description: string | null): string | null =>
  description !== null &&
  (/^joomla!? - |^(?:site |page |your |meta )?description\W*$|^lorem ipsum/i.test(description) ||
    // `Just another WordPress site`, in whatever language it was set up.
    (/\bwordpress\b/i.test(description) && description.length <= 50))
    ? null
    : description;

export const contactPoint = (company: Thing, name: string): string | null =>
  textOf(company, name) ??
  thingsOf(company, 'contactPoint')
    .map((point) => textOf(point, name))
    .find(Boolean) ??
  null;

export function ownWebsite(company: Thing, reader: PageReader): string | null {
  const url = reader.absolute(textOf(company, 'url'));
  return url !== null && (reader.isOnSite(url) || reader.ownUrl === null) ? url : null;
}
