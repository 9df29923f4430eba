import type { Adapter } from '../domain/adapter.js';
import { LinkedInProfileResult } from '../domain/records.js';
import { visibleText } from './readers/dom-text.js';
import { type PageReader, readPage } from './readers/page-reader.js';
import { placeOf } from './readers/place.js';
import { isA, type Thing, textOf, thingsOf, valuesOf } from './readers/thing.js';
import { PERSON_TYPES } from './readers/vocabulary.js';
import {
  type Candidate,
  findSubject,
  isDescribed,
  resolveField,
  resolveFields,
  type Subject,
  says,
  structured,
} from './resolve.js';
import { isFilled } from './script-shell.js';
import { theOne } from './the-one.js';

/**
 * A public LinkedIn profile as a guest sees it. The JSON-LD is a Person in a `@graph`, often with masked values
 * (`***`), and its job titles are positions, not the headline: the top card is asked first for that. What the
 * description metas say is composed by the site ("View …'s profile") and is nobody's summary.
 */
export const linkedinProfile: Adapter = {
  targetType: 'linkedin_profile',
  version: '3',
  schema: LinkedInProfileResult,
  keyField: 'name',
  waitFor: {
    selectors: ['.top-card-layout__title', 'script[type="application/ld+json"]', 'h1'],
    timeoutMs: 3_000,
    // The sections below the top card are loaded when they come into view.
    scrolls: 3,
  },
  provider: { name: 'linkedin', sites: ['linkedin.com'] },

  extract(page) {
    const reader = readPage(page);
    const subject = findPerson(reader);
    return resolveFields({
      name: { candidates: nameCandidates(reader, subject) },
      headline: {
        candidates: [
          says('selector', () => unmasked(reader.selectText(...HEADLINE_SELECTORS))),
          ...structured(subject, (person) => unmasked(onlyText(person, 'jobTitle'))),
        ],
        sameness: 'never',
      },
      current_company: {
        candidates: [
          ...structured(subject, (person) => unmasked(onlyText(person, 'worksFor'))),
          says('selector', () => unmasked(topCardCompany(reader)) ?? currentCompany(reader)),
        ],
      },
      location: {
        candidates: [
          ...structured(subject, (person) => unmaskedPlace(person)),
          says('selector', () => unmasked(printedPlace(reader))),
        ],
        sameness: 'never',
      },
      summary: {
        candidates: [
          says('selector', () => unmasked(reader.selectText(...SUMMARY_SELECTORS))),
          ...structured(subject, (person) => unmasked(textOf(person, 'description'))),
        ],
        sameness: 'never',
      },
      profile_url: { candidates: [says('url', () => reader.ownUrl)] },
    });
  },

  enough(page) {
    const reader = readPage(page);
    const subject = findPerson(reader);
    const key = resolveField({ candidates: nameCandidates(reader, subject) });
    return isFilled(reader, { structured: isDescribed(subject, (person) => textOf(person, 'name')), key });
  },
};

// The guest page of today first, then the public profiles of earlier years.
const HEADLINE_SELECTORS = [
  '.top-card-layout__headline',
  '.top-card__headline',
  '.profile-overview .headline',
  'p.headline',
  '.headline-title',
];
const PLACE_SELECTORS = [
  '.top-card-layout__first-subline .top-card__subline-item',
  '.top-card__subline-item',
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
];

const findPerson = (reader: PageReader) =>
  findSubject(reader, (things) =>
    theOne(
      things.filter((thing) => isA(thing, PERSON_TYPES)),
      reader,
      'name',
    ),
  );

function nameCandidates(reader: PageReader, subject: Subject): Candidate[] {
  return [
    ...structured(subject, (person) => unmasked(textOf(person, 'name'))),
    says('meta', () => fullName(reader)),
    says('selector', () => unmasked(reader.selectText('.top-card-layout__title', '.top-card__title', '.full-name'))),
    says('heading', () => (isProfile(reader) ? unmasked(reader.titledHeading) : null)),
  ];
}

/** A heading is a person's name only where the page says that it is about a person. */
const isProfile = (reader: PageReader): boolean =>
  reader.meta('og:type') === 'profile' || /^https?:\/\/([\w-]+\.)*linkedin\.com\/in\//i.test(reader.ownUrl ?? '');

function fullName(reader: PageReader): string | null {
  const [first, last] = [reader.meta('profile:first_name'), reader.meta('profile:last_name')];
  return first !== null && last !== null ? `${first} ${last}` : null;
}

/** One text, or none: of several positions or employers none is known to be the present one. */
function onlyText(person: Thing, name: string): string | null {
  const employers = thingsOf(person, name).filter((thing) => !hasEnded(thing));
  if (employers.length > 0) return employers.length === 1 ? textOf(employers[0] ?? null, 'name') : null;
  const texts = new Set(valuesOf(person, name).filter((value) => typeof value === 'string'));
  return texts.size === 1 ? textOf(person, name) : null;
}

const hasEnded = (employer: Thing): boolean =>
  textOf(employer, 'endDate') !== null || thingsOf(employer, 'member').some((role) => textOf(role, 'endDate') !== null);

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

/** The line of the top card that is a place: followers and connections are counted in the same row. */
function printedPlace(reader: PageReader): string | null {
  const text = reader.selectText(...PLACE_SELECTORS);
  return text === null || /\d/.test(text) ? null : text.replace(/\s*(?:Contact info|\|.*)$/i, '');
}

function unmaskedPlace(person: Thing) {
  const place = placeOf(person, 'address');
  return JSON.stringify(place).includes('**') ? null : place;
}

const unmasked = (text: string | null): string | null => (text?.includes('**') ? null : text);
