import type { DomElement } from './readers/dom.js';
import { visibleText } from './readers/dom-text.js';
import type { PageReader } from './readers/page-reader.js';

/** What a profile prints for people: its top card and its sections, as the site has named them over the years. */

// The guest page of today first, then the public profiles of earlier years.
const NAME_SELECTORS = ['.top-card-layout__title', '.top-card__title', '.topcard__name', '.full-name'];
const HEADLINE_SELECTORS = [
  '.top-card-layout__headline',
  '.top-card__headline',
  '.topcard__headline',
  '.profile-overview .headline',
  'p.headline',
  '.headline-title',
];
const PLACE_SELECTORS = [
  '.top-card-layout__first-subline .top-card__subline-item',
  '.top-card__subline-item',
  '.topcard__location',
  '.profile-info-subheader span',
  '.top-card-layout__entity-info .not-first-middot span',
  '#location .locality',
  '.profile-overview .locality',
  '.locality',
];
const COMPANY_SELECTORS = [
  '[data-section="currentPositionsDetails"] .top-card-link__description',
  '[data-section="currentPositions"] .top-card-link__description',
  '.top-card-layout__card .current-company',
];
const SUMMARY_SELECTORS = [
  '[data-section="summary"] .core-section-container__content',
  '[data-section="about"] .core-section-container__content',
  'section.summary p',
  '#summary .description',
  '#summary-item .summary',
  '#profile-summary .summary',
  '.summary .description',
];

export const unmasked = (text: string | null): string | null => (text?.includes('**') ? null : text);

export const printedName = (reader: PageReader): string | null => firstText(reader, NAME_SELECTORS);

export const printedHeadline = (reader: PageReader): string | null => firstText(reader, HEADLINE_SELECTORS);

/** The line of the top card that is a place: followers and connections are counted in the same row. */
export function printedPlace(reader: PageReader): string | null {
  const text = firstText(reader, PLACE_SELECTORS);
  return text === null || /\d/.test(text) ? null : text.replace(/\s*(?:Contact info|\|.*)$/i, '');
}

/** Below its selectors, or else the one section that is headed so. */
export const printedSummary = (reader: PageReader): string | null =>
  firstText(reader, SUMMARY_SELECTORS) ?? unmasked(headedSummary(reader));

function headedSummary(reader: PageReader): string | null {
  const found = reader.labels.filter(({ label, value }) => SUMMARY_HEADING.test(label) && value.length > MIN_SUMMARY);
  const [only, ...others] = new Set(found.map(({ value }) => value));
  return only === undefined || others.length > 0 ? null : only;
}

const MIN_SUMMARY = 40;
const SUMMARY_HEADING =
  /^(?:summary|about|info|résumé|à propos|zusammenfassung|extracto|acerca de|sobre|resumo|riepilogo|informazioni|over|om|souhrn|podsumowanie|.{2,30}['’]s? summary)$/;

export const printedCompany = (reader: PageReader): string | null =>
  unmasked(topCardCompany(reader)) ?? currentCompany(reader);

/** The first that has text and is the person's own. */
function firstText(reader: PageReader, selectors: readonly string[]): string | null {
  for (const selector of selectors) {
    for (const element of reader.select(selector, undefined, MAX_ELEMENTS)) {
      const text = isOfOthers(element) ? '' : visibleText(element);
      if (text !== '') return unmasked(text);
    }
  }
  return null;
}

const MAX_ELEMENTS = 50;
const MAX_DEPTH = 60;

/** `People also viewed` is a list beside the profile, with names and headlines in each of its items. */
function isOfOthers(element: DomElement): boolean {
  let parent = element.parent;
  for (let steps = 0; parent && 'attribs' in parent && steps < MAX_DEPTH; steps += 1) {
    if (parent.name === 'li' || parent.name === 'aside' || BESIDE.test(namesOf(parent))) return true;
    parent = parent.parent;
  }
  return false;
}

const BESIDE = /\b(?:right-rail|aside|also-viewed|browse-?map|similar-profiles)/i;

const namesOf = ({ attribs }: DomElement): string => `${attribs.class ?? ''} ${attribs.id ?? ''}`.slice(0, 300);

/** The employer of the experience that is still going on; of several the first, which is how the site orders them. */
function currentCompany(reader: PageReader): string | null {
  const items = ['.experience-item', '.position'].flatMap((selector) => reader.select(selector));
  const item = items.find((each) => STILL.test(visibleText(each, 5_000)));
  if (!item) return null;
  const [subtitle] = EMPLOYER_SELECTORS.flatMap((selector) => reader.select(selector, item));
  return subtitle ? unmasked(visibleText(subtitle, 1_000)) : null;
}

const EMPLOYER_SELECTORS = ['.experience-item__subtitle', '.profile-section-card__subtitle', '.item-subtitle', '.org'];

/** The end of a position that has none, as the site's languages print it. */
const STILL =
  /(?:^|[^\p{L}])(?:present|heute|aujourd[’']hui|actualidad|o momento|presente|heden|nu|i dag|současnost|obecnie|现在|現在)(?:$|[^\p{L}])/iu;

/** The employer beside the name, where it is one. */
function topCardCompany(reader: PageReader): string | null {
  const texts = COMPANY_SELECTORS.flatMap((selector) => reader.select(selector)).map((each) => visibleText(each, 500));
  const names = new Set(texts.filter((text) => text !== ''));
  return names.size === 1 ? ([...names][0] ?? null) : null;
}
