import { cleanText } from '../domain/normalize/text.js';
import { comparable, type JobPage } from './job-page.js';
import { isAfterword, isDescriptionHeading, isNotSaid, isOverviewHeading, isSimilarJobs } from './job-words.js';
import { type SectionWords, textIn, textUnder } from './readers/description.js';
import { type DomElement, isElement, walk } from './readers/dom.js';
import type { Labelled } from './readers/labels.js';
import { mainContent } from './readers/main-content.js';
import { type Candidate, says } from './resolve.js';

/** What is said about the job, where structured data does not say it: an element of that name, a section, the main text. */
export function descriptionCandidates(page: JobPage, title: string | null): Candidate[] {
  return [
    says('selector', () => namedDescription(page)),
    says('label', () => headedDescription(page)),
    says('text', () => (title === null || !page.hasSigns() ? null : mainText(page, title))),
  ];
}

/** A text, and not only the name of one. */
export const describing = (text: string | null): string | null =>
  text === null || isDescriptionHeading(comparable(text.slice(0, 200))) || isNotSaid(text) ? null : text;

const BRIEF = 300;
const SAME_START = 25;

/** What machines are given may be the beginning of what people can read: then the page has the rest. */
export function fullerDescription(page: JobPage, given: string | null): string | null {
  const brief = given === null || given.length > BRIEF * 2 ? null : cleanText(given);
  if (brief === null || brief.length < SAME_START || brief.length > BRIEF) return null;
  const start = comparable(brief.slice(0, SAME_START));
  const isFuller = (text: string | null): text is string => text !== null && text.length > brief.length * 1.5;
  for (const text of [namedDescription(page), mainContent(page.reader).text]) {
    const full = isFuller(text) ? fromStart(text, start) : null;
    if (isFuller(full)) return full;
  }
  return null;
}

/** The title and the labels before it are said elsewhere. */
function fromStart(text: string, start: string): string | null {
  const lines = text.split('\n');
  const at = lines.findIndex((line) =>
    comparable(line.slice(0, SAME_START * 2)).startsWith(start.slice(0, SAME_START - 5)),
  );
  return at === -1 ? null : lines.slice(at).join('\n');
}

const MIN_SECTION = 80;
const MIN_TEXT = 250;

const words = (page: JobPage): SectionWords => ({
  isAfterword: (at) => isAfterword(page.folded(at)) || isSimilarJobs(page.folded(at)),
  isLeftOut: (at) => !page.isOwn(at),
});

const NAME =
  /(?:^|[^a-z])(?:job|position|vacancy|posting|role|offer|stellen|jd)(?:posting|ad|offer|detail|details|view)?[^a-z\s]{0,2}(?:desc|description|beschreibung|text)(?:[^a-z]|$)/i;
const MAX_NAMED = 3;

/** The outermost elements called `job-description`, `jobDescription`, `vacancy_desc`: one with text, or none. */
function namedDescription(page: JobPage): string | null {
  const found: DomElement[] = [];
  // The same few names stand at hundreds of elements.
  const known = new Map<string, boolean>();
  walk(page.reader.root, {
    enter(node) {
      if (!isElement(node)) return 'over';
      if (!page.outline.spans.get(node) || !isCalledDescription(node, known)) return 'into';
      found.push(node);
      return found.length > MAX_NAMED * 3 ? 'stop' : 'over';
    },
  });
  const texts = found
    .map((element) => page.outline.spans.get(element))
    .filter((span) => span !== undefined && page.isOwn(span.from))
    .flatMap((span) => (span ? [textIn(page.outline, span, words(page))] : []))
    .filter((text) => text !== '');
  if (texts.length === 0 || texts.length > MAX_NAMED) return null;
  return texts.reduce((longest, text) => (text.length > longest.length ? text : longest));
}

function isCalledDescription({ attribs }: DomElement, known: Map<string, boolean>): boolean {
  for (const name of ['id', 'class', 'data-testid', 'data-automation', 'data-automation-id', 'data-qa', 'data-test']) {
    const value = attribs[name];
    if (value === undefined || value.length >= 300) continue;
    const isCalled = known.get(value) ?? NAME.test(value);
    known.set(value, isCalled);
    if (isCalled) return true;
  }
  return false;
}

function headedDescription(page: JobPage): string | null {
  return textHeaded(page, isDescriptionHeading) ?? textHeaded(page, isOverviewHeading);
}

function textHeaded(page: JobPage, isHeading: (folded: string) => boolean): string | null {
  const { lines } = page.outline;
  let tried = 0;
  for (let at = 0; at < lines.length && tried < MAX_HEADINGS; at += 1) {
    if (lines[at]?.isLink || !isHeading(page.folded(at)) || !page.isOwn(at)) continue;
    tried += 1;
    const text = textUnder(page.outline, at, words(page));
    if (isWorded(text)) return text;
  }
  return null;
}

/** Has it sentences? A table below the heading has names and values only. */
const isWorded = (text: string): boolean =>
  text.split('\n').reduce((sum, line) => sum + (line.length >= SENTENCE ? line.length : 0), 0) >= MIN_SECTION;

const SENTENCE = 40;
const MAX_HEADINGS = 10;

/** What the page is there for, without the job's title and the labels around it. */
function mainText(page: JobPage, title: string): string | null {
  const labels = new Set(page.reader.labels.filter(isFact).map(({ label, value }) => comparable(`${label}: ${value}`)));
  const isSaidElsewhere = (line: string): boolean =>
    line.length <= MAX_FACT && (labels.has(comparable(line)) || comparable(line) === comparable(title));
  const lines = mainContent(page.reader).text.split('\n');
  const text = lines.filter((line) => !isSaidElsewhere(line)).join('\n');
  return text.length >= MIN_TEXT ? text : null;
}

const MAX_FACT = 150;
const isFact = ({ isExplicit, value }: Labelled): boolean => isExplicit && value.length <= MAX_FACT;
