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
  version: '2',
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
          says('selector', () => unmasked(reader.selectText('.top-card-layout__headline', '.top-card__headline'))),
          ...structured(subject, (person) => unmasked(onlyText(person, 'jobTitle'))),
        ],
        sameness: 'never',
      },
      current_company: {
        candidates: [
          ...structured(subject, (person) => unmasked(onlyText(person, 'worksFor'))),
          says('selector', () => currentCompany(reader)),
        ],
      },
      location: {
        candidates: [
          ...structured(subject, (person) => placeOf(person, 'address')),
          says('selector', () => reader.selectText('.top-card__subline-item', '.profile-info-subheader span')),
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

const SUMMARY_SELECTORS = [
  '[data-section="summary"] .core-section-container__content',
  '[data-section="about"] .core-section-container__content',
  'section.summary p',
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
    says('selector', () => unmasked(reader.selectText('.top-card-layout__title'))),
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

/** The employer of the one experience that is still going on. */
function currentCompany(reader: PageReader): string | null {
  const items = reader.select('.experience-item').filter((item) => /\bpresent\b/i.test(visibleText(item, 5_000)));
  const [item, ...others] = items;
  if (!item || others.length > 0) return null;
  const [subtitle] = reader.select('.experience-item__subtitle', item);
  return subtitle ? unmasked(visibleText(subtitle, 1_000)) : null;
}

const unmasked = (text: string | null): string | null => (text?.includes('**') ? null : text);
