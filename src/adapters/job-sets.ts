import { type JobLabel, knownLabel } from './job-labels.js';
import type { JobPage } from './job-page.js';
import { isDescriptionHeading, isOverviewHeading, isPartName } from './job-words.js';
import type { Labelled } from './readers/labels.js';
import type { Line, Span } from './readers/lines.js';
import { sameWords } from './resolve.js';

/** Labels that stand together, each field once: the facts of one job. */
interface FactSet extends Span {
  /** The line that the facts stand under. */
  name: Line | null;
  /** The line right above them. */
  above: Line | null;
  facts: Map<JobLabel, string>;
}

/** Several jobs on one page, each with facts under a name of its own. */
export interface JobSections extends Span {
  count: number;
  /** Do they tell of different places, pays, employers? One job's facts may be printed twice. */
  areDifferent: boolean;
  /** Are there facts under the page's own heading too? */
  areBeside: boolean;
}

const FIELDS: ReadonlySet<JobLabel> = new Set(['title', 'company', 'location', 'salary']);
const MAX_COMPARED = 20;
const MAX_ABOVE = 12;

export function jobSections(page: JobPage): JobSections | null {
  const sets = factSets(page).filter(({ facts, name }) => facts.size >= 2 && name !== null && !isPart(name, page));
  const byLook = new Map<string, FactSet[]>();
  for (const set of sets) {
    const look = lookOf(set.name);
    const group = byLook.get(look);
    if (group) group.push(set);
    else byLook.set(look, [set]);
  }
  const [largest = []] = [...byLook.values()].sort((a, b) => b.length - a.length);
  const [first, last] = [largest[0], largest.at(-1)];
  const names = new Set(largest.map(({ name }) => name?.text));
  if (!first || !last || names.size < 2) return null;
  return {
    from: first.from,
    to: last.to,
    count: names.size,
    areDifferent: largest.slice(1, MAX_COMPARED).some((set) => differ(first, set)),
    areBeside: sets.some((set) => set.name?.block?.name === 'h1' && !largest.includes(set)),
  };
}

/** A label that was there already begins the facts of the next job. */
function factSets(page: JobPage): FactSet[] {
  const sets: FactSet[] = [];
  let current: FactSet | null = null;
  for (const label of page.reader.labels) {
    const field = fieldOf(label, page);
    if (field === null) continue;
    if (current === null || current.facts.has(field) || isParted(page, current.to, label.at)) {
      const name = nameAbove(page, label.at, current?.to ?? 0);
      current = {
        name: name === null ? null : (page.outline.lines[name] ?? null),
        above: page.outline.lines[label.at - 1] ?? null,
        from: name ?? label.at,
        to: 0,
        facts: new Map(),
      };
      sets.push(current);
    }
    current.facts.set(field, label.value);
    current.to = label.at + 1;
  }
  nameFirst(sets);
  return sets;
}

/** Above the first of all stands the heading of the page too; what the second is named by tells which line names it. */
function nameFirst([first, second]: readonly FactSet[]): void {
  if (first?.name?.block?.name !== 'h1' || !first.above || !second?.name || isHeading(second.name)) return;
  if (lookOf(first.above) === lookOf(second.name)) first.name = first.above;
}

function fieldOf({ label, at, isExplicit }: Labelled, page: JobPage): JobLabel | null {
  const known = isExplicit ? knownLabel(label) : undefined;
  return known?.isStrong && FIELDS.has(known.field) && page.isOwn(at) ? known.field : null;
}

const isHeading = (line: Line | undefined): boolean => /^h[1-6]$/.test(line?.block?.name ?? '');

function isParted({ outline }: JobPage, from: number, to: number): boolean {
  for (let at = from; at < Math.min(to, from + MAX_ABOVE); at += 1) if (isHeading(outline.lines[at])) return true;
  return to - from > MAX_ABOVE;
}

/** The nearest heading, or else the nearest link, or else the line right above. */
function nameAbove({ outline: { lines } }: JobPage, at: number, end: number): number | null {
  const nearest = (is: (line: Line | undefined) => boolean): number | null => {
    for (let above = at - 1; above >= Math.max(end, at - MAX_ABOVE); above -= 1) if (is(lines[above])) return above;
    return null;
  };
  return nearest(isHeading) ?? nearest((line) => line?.isLink === true) ?? (at > end ? at - 1 : null);
}

/** `Summary`, `About the job`: facts of the one job are repeated there. */
function isPart({ text }: Line, page: JobPage): boolean {
  const folded = text.toLowerCase();
  return isPartName(text) || isDescriptionHeading(folded) || isOverviewHeading(folded) || text === page.reader.title;
}

const lookOf = (name: Line | null): string => `${name?.block?.name}.${name?.block?.attribs.class ?? ''}`;

const differ = (a: FactSet, b: FactSet): boolean =>
  [...a.facts].some(([field, value]) => {
    const other = b.facts.get(field);
    return other !== undefined && !sameWords(value, other);
  });
