import type { Adapter } from '../domain/adapter.js';
import { LinkedInProfileResult } from '../domain/records.js';
import {
  printedCompany,
  printedHeadline,
  printedName,
  printedPlace,
  printedSummary,
  unmasked,
} from './linkedin-printed.js';
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
import { scriptSign } from './script-sign.js';
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
          says('selector', () => printedHeadline(reader)),
          ...structured(subject, (person) => unmasked(onlyText(person, 'jobTitle'))),
        ],
        sameness: 'never',
      },
      current_company: {
        candidates: [
          ...structured(subject, (person) => unmasked(onlyText(person, 'worksFor'))),
          says('selector', () => printedCompany(reader)),
        ],
      },
      location: {
        candidates: [
          ...structured(subject, (person) => unmaskedPlace(person)),
          says('selector', () => printedPlace(reader)),
        ],
        sameness: 'never',
      },
      summary: {
        candidates: [
          says('selector', () => printedSummary(reader)),
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
    const key = (): unknown => resolveField({ candidates: nameCandidates(reader, subject) });
    return isFilled(reader, { structured: isDescribed(subject, (person) => textOf(person, 'name')), key });
  },

  scriptSign: (page) => scriptSign(readPage(page)),
};

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
    says('selector', () => printedName(reader)),
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

function unmaskedPlace(person: Thing) {
  const place = placeOf(person, 'address');
  return JSON.stringify(place).includes('**') ? null : place;
}
