import { foldLetters, foldSpace } from '../domain/normalize/text.js';
import { type JobLabel, knownLabel } from './job-labels.js';
import { isAboutWork, isApply, isDescriptionHeading, isJobAddress, isNotSaid, isSimilarJobs } from './job-words.js';
import { lazy } from './lazy.js';
import type { Labelled } from './readers/labels.js';
import type { Line, Outline, Span } from './readers/lines.js';
import { isIn, isProse, sectionUnder } from './readers/listing.js';
import { oncePerPage } from './readers/once.js';
import type { PageReader } from './readers/page-reader.js';
import { sameWords } from './resolve.js';

/** A label whose name we know. */
export interface JobLabelled extends Labelled {
  isStrong: boolean;
}

/** What of a page's visible text belongs to the one job it is about. */
export interface JobPage {
  readonly reader: PageReader;
  readonly outline: Outline;
  /** Lists of other jobs. */
  readonly similar: readonly Span[];
  labelled(field: JobLabel): readonly JobLabelled[];
  /** Is this line about the job, as far as its place on the page tells? */
  isOwn(at: number): boolean;
  /** The line without case and marks, for comparing; empty for what is too long to be a name or a heading. */
  folded(at: number): string;
  /** Does anything but its shape say that this is about a job? Without that, only what is marked as such is believed. */
  hasSigns(): boolean;
}

/** `enough` and `extract` ask for the same. */
export const readJobPage = oncePerPage(buildJobPage);

const MAX_NAME = 150;

/** Case and marks do not tell two names apart, nor do the spaces between their words. */
export function comparable(text: string): string {
  // Most text is plain, and taking marks off costs.
  if (/^[ -~]*$/.test(text)) return foldSpace(text.toLowerCase());
  return foldSpace(foldLetters(text.replace(/[\u00AD\u200B\u2060\uFEFF]/g, '')).replace(/[‐-―−]/g, '-'));
}

function buildJobPage(reader: PageReader): JobPage {
  const { outline } = reader;
  const folded = lazy(() => outline.lines.map(({ text }) => (text.length > MAX_NAME ? '' : comparable(text))));
  const similar = similarJobs(outline, folded(), reader);
  const isOwn = (at: number): boolean => {
    const region = outline.lines[at]?.region;
    return region !== 'foot' && region !== 'navigation' && !isIn(similar, at);
  };
  let byField: Map<JobLabel, JobLabelled[]> | null = null;
  const labelled = (field: JobLabel): readonly JobLabelled[] => {
    byField ??= knownLabels(reader.labels, (at) => outline.lines[at]?.region !== 'foot' && !isIn(similar, at));
    return byField.get(field) ?? [];
  };
  const hasSigns = lazy(() => similar.length > 0 || hasLabels(labelled) || hasSign(outline, folded(), reader));
  return { reader, outline, similar, labelled, isOwn, folded: (at) => folded()[at] ?? '', hasSigns };
}

const LABELS = ['title', 'company', 'location', 'salary', 'city', 'state'] as const;

/** One that is surely a label, or two that look like labels. */
function hasLabels(labelled: JobPage['labelled']): boolean {
  const strong = LABELS.map((field) => labelled(field).filter(({ isStrong }) => isStrong)).filter(
    ({ length }) => length > 0,
  );
  return (
    strong.length >= 2 ||
    LABELS.slice(0, 4).some((field) => labelled(field).some((label) => label.isStrong && label.isExplicit))
  );
}

const hasSign = ({ lines }: Outline, folded: readonly string[], reader: PageReader): boolean =>
  isJobAddress(reader.address) ||
  [reader.title, reader.meta('og:title'), reader.heading].some((text) => text !== null && isAboutWork(text)) ||
  lines.some((line, at) => isApply(folded[at] ?? '') || (!line.isLink && isDescriptionHeading(folded[at] ?? '')));

function knownLabels(labels: readonly Labelled[], isOwn: (at: number) => boolean): Map<JobLabel, JobLabelled[]> {
  const byField = new Map<JobLabel, JobLabelled[]>();
  for (const labelled of labels) {
    const known = knownLabel(labelled.label);
    if (!known || !isOwn(labelled.at) || saysNothing(labelled)) continue;
    const list = byField.get(known.field) ?? [];
    byField.set(known.field, list);
    list.push({ ...labelled, isStrong: known.isStrong });
  }
  for (const [field, list] of byField) byField.set(field, withoutCards(list));
  return byField;
}

/** Left open, or the next label: the value between them is empty. */
function saysNothing({ lines }: Labelled): boolean {
  const first = lines[0] ?? '';
  return isNotSaid(first) || knownLabel(first.replace(/\s*:$/, '')) !== undefined;
}

const MANY = 3;
const MAX_COMPARED = 20;

/** The same label again and again, each time with another value, belongs to a list and not to the page. */
function withoutCards(list: JobLabelled[]): JobLabelled[] {
  const byLook = new Map<string, JobLabelled[]>();
  for (const labelled of list) {
    const look = `${labelled.label}|${labelled.element?.name}|${labelled.element?.attribs.class}`;
    const group = byLook.get(look);
    if (group) group.push(labelled);
    else byLook.set(look, [labelled]);
  }
  const cards = new Set([...byLook.values()].filter((group) => distinct(group) >= MANY).flat());
  return list.filter((labelled) => !cards.has(labelled));
}

function distinct(group: readonly JobLabelled[]): number {
  const seen: string[] = [];
  for (const { value } of group.slice(0, MAX_COMPARED))
    if (!seen.some((other) => sameWords(other, value))) seen.push(value);
  return seen.length;
}

const MAX_SECTIONS = 20;

function similarJobs(outline: Outline, folded: readonly string[], reader: PageReader): Span[] {
  const { lines } = outline;
  const headings = lines.flatMap((line, at) => (!line.isLink && isSimilarJobs(folded[at] ?? '') ? [at] : []));
  if (headings.length === 0) return [];
  const own = countBefore(lines, ownLines(folded, reader));
  const belongsElsewhere = (from: number, to: number): boolean => (own[to] ?? 0) > (own[from] ?? 0);
  return headings
    .slice(0, MAX_SECTIONS)
    .filter((at) => lines.slice(at + 1, at + 12).filter(({ isLink }) => isLink).length >= 2)
    .map((at) => sectionUnder(outline, at, belongsElsewhere));
}

/** Lines that are surely about this job, or about the page: no list of others reaches over them. */
function ownLines(folded: readonly string[], reader: PageReader): (line: Line, at: number) => boolean {
  const title = comparable(reader.title ?? '');
  const labels = singleLabels(reader.labels);
  return (line, at) => {
    if (isProse(line) || line.block?.name === 'h1' || labels.has(at)) return true;
    const text = folded[at] ?? '';
    return isDescriptionHeading(text) || (text.length > 5 && !line.isLink && title.includes(text));
  };
}

/** In a list each of the others has its labels too; one that stands only once is the page's own. */
function singleLabels(labels: readonly Labelled[]): Set<number> {
  const byName = new Map<string, number[]>();
  for (const { label, at, isExplicit } of labels) {
    if (!isExplicit || !knownLabel(label)?.isStrong) continue;
    const lines = byName.get(label);
    if (lines) lines.push(at);
    else byName.set(label, [at]);
  }
  return new Set([...byName.values()].filter((lines) => lines.length === 1).flat());
}

function countBefore(lines: readonly Line[], is: (line: Line, at: number) => boolean): number[] {
  const counts = [0];
  for (const [at, line] of lines.entries()) counts.push((counts.at(-1) ?? 0) + Number(is(line, at)));
  return counts;
}
