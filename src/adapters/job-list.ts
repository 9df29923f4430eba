import { knownLabel } from './job-labels.js';
import { comparable, type JobPage, readJobPage } from './job-page.js';
import { type JobSections, jobSections } from './job-sets.js';
import { isDescriptionHeading, isListHeading } from './job-words.js';
import type { Span } from './readers/lines.js';
import { findCards, isIn } from './readers/listing.js';
import type { PageReader } from './readers/page-reader.js';
import { isA, isThing, type Thing, thingsOf, type Value, valuesOf } from './readers/thing.js';
import { JOB_TYPES } from './readers/vocabulary.js';

const MUCH = 600;
const SENTENCE = 60;
const FEW = 2;
// Two links of one look are on any page.
const SOME = 3;

/** Many jobs, and hardly anything to read beside them. One advertisement with a list of others has its own text. */
export function isListOfJobs(reader: PageReader): boolean {
  const page = readJobPage(reader);
  const isHeaded = isListHeading(comparable(reader.heading ?? ''));
  const listed = listedIn(reader);
  const isListed = listed.length >= FEW;
  const cards = findCards(page.outline, page.similar, isHeaded ? FEW : isListed ? SOME : undefined);
  const sections = ownSections(page, isHeaded);
  const others = [cards, sections].filter((span) => span !== null);
  const isGiven = listed.filter(isListedJob).length >= FEW;
  if ((others.length === 0 && !isGiven) || speaksOfOneJob(page, others)) return false;
  return isHeaded || isGiven || !hasOwnText(page, others);
}

/** Two labels of an advertisement, each with one value: a page about another thing has none of them. */
export function speaksOfOneJob(page: JobPage, others: readonly Span[] = []): boolean {
  const times = new Map<string, number>();
  for (const { label, at } of page.reader.labels) {
    if (knownLabel(label) && page.isOwn(at)) times.set(label, (times.get(label) ?? 0) + 1);
  }
  const said = (['title', 'company', 'location', 'salary'] as const).filter((field) =>
    page
      .labelled(field)
      .some(
        ({ isStrong, isExplicit, label, at }) =>
          isStrong && isExplicit && (!isIn(others, at) || (times.get(label) ?? 0) < 2),
      ),
  );
  return said.length >= 2;
}

/** Under the heading of a list all that repeats is part of it. Otherwise the facts of one job may stand twice. */
function ownSections(page: JobPage, isHeaded: boolean): JobSections | null {
  const sections = jobSections(page);
  if (sections === null || isHeaded) return sections;
  return sections.areBeside || !(sections.areDifferent || sections.count > 2) ? null : sections;
}

function hasOwnText(page: JobPage, others: readonly Span[]): boolean {
  let beside = 0;
  for (const [at, line] of page.outline.lines.entries()) {
    if (isIn(others, at)) continue;
    if (isDescriptionHeading(page.folded(at))) return true;
    if (line.text.length >= SENTENCE && !line.isLink && page.isOwn(at)) beside += line.text.length;
  }
  return beside >= MUCH;
}

const isJob = (thing: Thing): boolean => isA(thing, JOB_TYPES);

const LISTS: ReadonlySet<string> = new Set(['ItemList', 'OfferCatalog', 'SearchResultsPage', 'CollectionPage']);

/** What the lists of structured data hold: things, or only addresses. */
const listedIn = ({ jsonLd, microdata, rdfa }: PageReader): Value[] =>
  [...jsonLd, ...microdata, ...rdfa].filter((thing) => isA(thing, LISTS)).flatMap(itemsOf);

const itemsOf = (list: Thing): readonly Value[] => valuesOf(list, 'itemListElement');

const isListedJob = (item: Value): boolean => isThing(item) && (isJob(item) || thingsOf(item, 'item').some(isJob));
