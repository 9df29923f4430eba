import type { Adapter, PageNote } from '../domain/adapter.js';
import { JobPostingResult } from '../domain/records.js';
import { companyCandidates } from './job-company.js';
import { describing, descriptionCandidates, fullerDescription } from './job-description.js';
import { subjectOf } from './job-kind.js';
import { readOnce } from './job-once.js';
import { comparable, type JobPage, readJobPage } from './job-page.js';
import { decidePay } from './job-pay.js';
import { placeCandidates } from './job-place.js';
import { givenPay, payCandidates } from './job-salary.js';
import { samePlace } from './job-sameness.js';
import { stateCandidate, statedJob } from './job-state.js';
import { titleCandidates } from './job-title.js';
import { townIn } from './job-town.js';
import { isWithheld, withoutTail } from './job-words.js';
import { lazy } from './lazy.js';
import { type PageReader, readPage } from './readers/page-reader.js';
import { placeOf, type RawPlace } from './readers/place.js';
import { type Thing, textOf } from './readers/thing.js';
import {
  type FieldRule,
  isDescribed,
  resolveField,
  resolveFields,
  type Subject,
  says,
  structured,
  TRUST,
} from './resolve.js';
import { isFilled } from './script-shell.js';
import { scriptSign } from './script-sign.js';

/**
 * One advertisement of one job. Search engines list only what carries JobPosting, so most boards do; older boards and
 * many employers print labels instead (`Location: Oslo`), under a heading that the page's title repeats. Lists of jobs
 * and pages about something else give nothing but their address and a note.
 */
export const jobPosting: Adapter = {
  targetType: 'job_posting',
  version: '5',
  schema: JobPostingResult,
  keyField: 'job_title',
  waitFor: {
    selectors: ['script[type="application/ld+json"]', '[itemtype*="JobPosting"]', 'h1'],
    timeoutMs: 3_000,
  },

  extract(page) {
    const reader = readPage(page);
    const { subject, note } = subjectOf(reader);
    return note === null ? readPosting(reader, subject) : onlyAddress(reader, note);
  },

  enough(page) {
    const reader = readPage(page);
    const { subject, note } = subjectOf(reader);
    return isFilled(reader, {
      structured: isDescribed(subject, titleOf) || (note === null && statedJob(reader) !== null),
      key: () => (note === null ? resolveField(titleRule(readJobPage(reader), subject)) : null),
    });
  },

  scriptSign: (page) => scriptSign(readPage(page)),
};

const titleOf = (job: Thing): string | null => textOf(job, 'title', 'name');

function readPosting(reader: PageReader, subject: Subject) {
  const page = readJobPage(reader);
  const titles = titleRule(page, subject);
  const title = resolveField(titles);
  const at = lazy(() => titleAt(page, title?.value));
  const places = placeRule(page, subject, at);
  const given = () =>
    Object.values(subject)
      .map((job) => textOf(job, 'description'))
      .find(Boolean) ?? null;
  const pay = decidePay(
    [
      ...structured(subject, givenPay),
      stateCandidate(reader, 'pay'),
      ...payCandidates(page, at, () => resolveField(places)?.value, given),
    ],
    page,
  );
  const found = resolveFields({
    job_title: titles,
    company_name: {
      candidates: isKeptBack(subject)
        ? []
        : [...structured(subject, employerOf), stateCandidate(reader, 'company'), ...companyCandidates(page, at)],
    },
    location: places,
    salary_range: paid(pay?.printed),
    salary: paid(pay?.salary),
    description: {
      candidates: [
        says('text', () => fullerDescription(page, given()), TRUST['json-ld']),
        ...structured(subject, (job) => describing(textOf(job, 'description'))),
        stateCandidate(reader, 'description'),
        ...descriptionCandidates(page, typeof title?.value === 'string' ? title.value : null),
      ],
      sameness: 'never',
    },
    posting_url: addressRule(reader),
  });
  return pay === null ? found : { ...found, provenance: { ...found.provenance, ...pay.provenance } };
}

/** Decided already, words and numbers together. */
const paid = (value: unknown): FieldRule => ({ candidates: [says('label', () => value ?? null, 1)] });

const employerOf = (job: Thing): string | null => textOf(job, 'hiringOrganization');

/** Who says that the name is not to be said, is not to be guessed. */
const isKeptBack = (subject: Subject): boolean =>
  Object.values(subject).some((job) => job !== null && isWithheld(employerOf(job) ?? ''));

/** `enough` and `extract` ask for the same. */
const titleRule = (page: JobPage, subject: Subject): FieldRule =>
  page.reader.kept(titleCandidates, () => {
    const given = [...structured(subject, titleOf), stateCandidate(page.reader, 'title')];
    return { candidates: readOnce([...given, ...titleCandidates(page)]) };
  });

const placeRule = (page: JobPage, subject: Subject, at: () => number | null): FieldRule => ({
  candidates: readOnce([
    ...structured(subject, (job) => givenTown(placeOf(job, 'jobLocation'))),
    stateCandidate(page.reader, 'place'),
    ...placeCandidates(page, at),
  ]),
  sameness: samePlace,
});

const givenTown = (place: RawPlace | null): RawPlace | null => (place === null ? null : townIn(place));

const addressRule = (reader: PageReader): FieldRule => ({ candidates: [says('url', () => reader.ownUrl)] });

const NOTHING: FieldRule = { candidates: [] };

function onlyAddress(reader: PageReader, note: PageNote) {
  const rules = Object.fromEntries(Object.keys(JobPostingResult.properties).map((field) => [field, NOTHING]));
  return resolveFields({ ...rules, posting_url: addressRule(reader) }, [note]);
}

/** The line with the job's title; a heading before other lines that say the same. */
function titleAt({ outline, isOwn, folded }: JobPage, title: unknown): number | null {
  if (typeof title !== 'string') return null;
  const wanted = comparable(title);
  let found: number | null = null;
  let begun: number | null = null;
  for (const [at, { block }] of outline.lines.entries()) {
    if (!folded(at).startsWith(wanted) || !isOwn(at)) continue;
    const isWhole = withoutTail(folded(at)) === wanted;
    if (/^h[1-6]$/.test(block?.name ?? '')) {
      if (isWhole) return at;
      // `Baker (Old Town)`
      begun ??= at;
    } else if (isWhole) found ??= at;
  }
  return begun ?? found;
}
