import type { PageNote } from '../domain/adapter.js';
import { comparable, readJobPage } from './job-page.js';
import { statedJob } from './job-state.js';
import { isDescriptionHeading, isListHeading } from './job-words.js';
import { findCards } from './readers/listing.js';
import type { PageReader } from './readers/page-reader.js';
import { isA, type Thing } from './readers/thing.js';
import { JOB_TYPES, OTHER_SUBJECT_TYPES } from './readers/vocabulary.js';
import { findSubject, type Subject } from './resolve.js';
import { headsAnotherKind, theOne } from './the-one.js';

/** What a page that was expected to be one job is about: the job as structured data gives it, or what it is instead. */
export interface JobSubject {
  subject: Subject;
  note: PageNote | null;
}

export function subjectOf(reader: PageReader): JobSubject {
  const known = subjects.get(reader);
  if (known) return known;
  const subject = findSubject(reader, (things) => theOne(things.filter(isJob), reader, 'title'));
  const isGiven = Object.values(subject).some(Boolean);
  const found = { subject, note: isGiven ? null : noteOf(reader) };
  subjects.set(reader, found);
  return found;
}

// `enough` and `extract` ask for the same.
const subjects = new WeakMap<PageReader, JobSubject>();

const isJob = (thing: Thing): boolean => isA(thing, JOB_TYPES);

function noteOf(reader: PageReader): PageNote | null {
  const things = [...reader.jsonLd, ...reader.microdata, ...reader.rdfa];
  if (things.some(isJob) || isListOfJobs(reader)) return 'several_items';
  const isOther = headsAnotherKind(reader, isJob) || things.some((thing) => isA(thing, OTHER_SUBJECT_TYPES));
  if (isOther && !speaksOfOneJob(reader)) return 'other_subject';
  // A heading alone is of any page.
  const isSilent = reader.headings.length > 0 && !readJobPage(reader).hasSigns() && statedJob(reader) === null;
  return isSilent ? 'other_subject' : null;
}

const MUCH = 600;
const SENTENCE = 60;

/** Many cards, and hardly anything to read beside them. One advertisement with a list of others has its own text. */
function isListOfJobs(reader: PageReader): boolean {
  const page = readJobPage(reader);
  const { outline, similar, folded } = page;
  const cards = findCards(outline, similar);
  if (cards === null || speaksOfOneJob(reader)) return false;
  if (isListHeading(comparable(reader.heading ?? ''))) return true;
  let beside = 0;
  for (const [at, line] of outline.lines.entries()) {
    if (at >= cards.from && at < cards.to) continue;
    if (isDescriptionHeading(folded(at))) return false;
    if (line.text.length >= SENTENCE && !line.isLink && page.isOwn(at)) beside += line.text.length;
  }
  return beside < MUCH;
}

/** Two labels of an advertisement, each with one value: a page about another thing has none of them. */
function speaksOfOneJob(reader: PageReader): boolean {
  const page = readJobPage(reader);
  const said = (['title', 'company', 'location', 'salary'] as const).filter((field) =>
    page.labelled(field).some(({ isStrong, isExplicit }) => isStrong && isExplicit),
  );
  return said.length >= 2;
}
