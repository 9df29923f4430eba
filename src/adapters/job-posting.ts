import type { Adapter } from '../domain/adapter.js';
import { foldSpace } from '../domain/normalize/text.js';
import { JobPostingResult } from '../domain/records.js';
import { type PageReader, readPage } from './readers/page-reader.js';
import { placeOf } from './readers/place.js';
import { printSalary } from './readers/quantity.js';
import { isA, type Thing, textOf } from './readers/thing.js';
import { JOB_TYPES, OTHER_SUBJECT_TYPES } from './readers/vocabulary.js';
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
import { headsAnotherKind, theOne } from './the-one.js';

/**
 * One advertisement of one job. Employers and boards nearly all carry JobPosting, because search engines list only
 * what does; the headings are for those that do not. The name of the site is never taken for the employer: boards.
 */
export const jobPosting: Adapter = {
  targetType: 'job_posting',
  version: '1',
  schema: JobPostingResult,
  keyField: 'job_title',
  waitFor: {
    selectors: ['script[type="application/ld+json"]', '[itemtype*="JobPosting"]', 'h1'],
    timeoutMs: 3_000,
  },

  extract(page) {
    const reader = readPage(page);
    const subject = findJob(reader);
    return resolveFields({
      job_title: { candidates: titleCandidates(reader, subject) },
      company_name: { candidates: structured(subject, (job) => textOf(job, 'hiringOrganization')) },
      location: { candidates: structured(subject, (job) => placeOf(job, 'jobLocation')), sameness: 'never' },
      salary_range: { candidates: structured(subject, printSalary), sameness: 'never' },
      salary: { candidates: [] },
      description: {
        candidates: [
          ...structured(subject, (job) => textOf(job, 'description')),
          says('selector', () => (isElsewhere(reader, subject) ? null : reader.selectText(...DESCRIPTION_SELECTORS))),
        ],
        sameness: 'never',
      },
      posting_url: { candidates: [says('url', () => reader.ownUrl)] },
    });
  },

  enough(page) {
    const reader = readPage(page);
    const subject = findJob(reader);
    const key = resolveField({ candidates: titleCandidates(reader, subject) });
    return isFilled(reader, {
      structured: isDescribed(subject, (job) => textOf(job, 'title', 'name')),
      key,
    });
  },
};

const DESCRIPTION_SELECTORS = [
  '#job-description',
  '#jobDescription',
  '#jobDescriptionText',
  '.job-description',
  '.jobDescription',
  '.job__description',
  '[data-testid="job-description"]',
];

const findJob = (reader: PageReader) => findSubject(reader, (things) => theOne(things.filter(isJob), reader, 'title'));

const isJob = (thing: Thing): boolean => isA(thing, JOB_TYPES);

function titleCandidates(reader: PageReader, subject: Subject): Candidate[] {
  return [
    ...structured(subject, (job) => textOf(job, 'title', 'name')),
    says('meta', () => (isElsewhere(reader, subject) ? null : sharedTitle(reader))),
    says('heading', () => (isElsewhere(reader, subject) ? null : reader.titledHeading)),
  ];
}

/** `og:title` where the page's title is the same with the site's name behind it; alone it is as often a slogan. */
function sharedTitle(reader: PageReader): string | null {
  const shared = foldSpace(reader.meta('og:title') ?? '');
  const title = reader.title ?? '';
  const [first = ''] = title.split(SEPARATOR, 1);
  return shared !== '' && first === shared && title !== shared ? shared : null;
}

const SEPARATOR = /\s[-–—|·:]\s|\|/;

/** The page says itself that it is about something else, or about many jobs: its heading is then no job's title. */
function isElsewhere(reader: PageReader, subject: Subject): boolean {
  if (Object.values(subject).some(Boolean)) return false;
  if (headsAnotherKind(reader, isJob)) return true;
  return [...reader.jsonLd, ...reader.microdata].some((thing) => isJob(thing) || isA(thing, OTHER_SUBJECT_TYPES));
}
