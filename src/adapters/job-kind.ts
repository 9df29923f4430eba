import type { PageNote } from '../domain/adapter.js';
import { isListOfJobs, speaksOfOneJob } from './job-list.js';
import { readJobPage } from './job-page.js';
import { statedJob } from './job-state.js';
import { oncePerPage } from './readers/once.js';
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

/** `enough` and `extract` ask for the same. */
export const subjectOf = oncePerPage((reader): JobSubject => {
  const subject = findSubject(reader, (things) => theOne(things.filter(isJob), reader, 'title'));
  const isGiven = Object.values(subject).some(Boolean);
  return { subject, note: isGiven ? null : noteOf(reader) };
});

const isJob = (thing: Thing): boolean => isA(thing, JOB_TYPES);

function noteOf(reader: PageReader): PageNote | null {
  const things = [...reader.jsonLd, ...reader.microdata, ...reader.rdfa];
  if (things.some(isJob) || isListOfJobs(reader)) return 'several_items';
  const isOther = headsAnotherKind(reader, isJob) || things.some((thing) => isA(thing, OTHER_SUBJECT_TYPES));
  if (isOther && !speaksOfOneJob(readJobPage(reader))) return 'other_subject';
  // A heading alone is of any page.
  const isSilent = reader.headings.length > 0 && !readJobPage(reader).hasSigns() && statedJob(reader) === null;
  return isSilent ? 'other_subject' : null;
}
