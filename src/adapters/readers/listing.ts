import type { DomElement } from './dom.js';
import type { Line, Outline, Span } from './lines.js';

/** A long line of plain words is about something; names in a list are not. */
const PROSE = 200;
const MIN_CARDS = 4;
const MAX_NAME = 150;

export const isProse = (line: Line): boolean => line.text.length >= PROSE && !line.isLink;

export const isIn = (spans: readonly Span[], at: number): boolean =>
  spans.some(({ from, to }) => at >= from && at < to);

/**
 * Where the page's largest list of cards lies: names that are links, look alike, and each have something written below
 * them. A menu is a list of links too, but nothing stands between them. `null` where there is none. Where the
 * page says itself that it is a list, `least` may be fewer.
 */
export function findCards({ lines }: Outline, skipped: readonly Span[], least = MIN_CARDS): Span | null {
  const groups = new Map<string, number[]>();
  lines.forEach((line, at) => {
    if (!line.isLink || line.text.length > MAX_NAME || FRAME.has(line.region) || isIn(skipped, at)) return;
    const look = lookOf(line);
    const group = groups.get(look);
    if (group) group.push(at);
    else groups.set(look, [at]);
  });
  let largest: number[] = [];
  for (const group of groups.values())
    if (group.length > largest.length && isCards(group, lines, least)) largest = group;
  const [first, last] = [largest[0], largest.at(-1)];
  if (first === undefined || last === undefined) return null;
  return { from: first, to: Math.min(lines.length, last + usualGap(largest)) };
}

const FRAME: ReadonlySet<string> = new Set(['navigation', 'foot', 'aside']);

function isCards(group: readonly number[], lines: readonly Line[], least: number): boolean {
  if (group.length < least || usualGap(group) < 2) return false;
  return new Set(group.map((at) => lines[at]?.text)).size >= least;
}

/** How many lines from one to the next, in the middle of all. */
function usualGap(group: readonly number[]): number {
  const gaps = group.slice(1).map((at, index) => at - (group[index] ?? 0));
  return gaps.sort((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0;
}

function lookOf({ block, start }: Line): string {
  const link = start.parent && 'attribs' in start.parent ? start.parent : null;
  return [link, block, block?.parent].map(nameOf).join(' < ');
}

const nameOf = (element: unknown): string => {
  const { name, attribs } = (element ?? {}) as Partial<DomElement>;
  return attribs ? `${name}.${(attribs.class ?? '').slice(0, 60)}` : '-';
};

/**
 * What lies under a heading such as `Similar jobs`: the widest block around it that nothing else of the page is in,
 * and where page and list lie flat beside each other, the lines behind it as long as there are links among them.
 */
export function sectionUnder(
  outline: Outline,
  at: number,
  belongsElsewhere: (from: number, to: number) => boolean,
): Span {
  const { lines, spans } = outline;
  let widest: Span = { from: at, to: at + 1 };
  let element: DomElement | null = lines[at]?.block ?? null;
  while (element) {
    const span = spans.get(element);
    if (!span || belongsElsewhere(span.from, span.to)) break;
    widest = span;
    element = element.parent && 'attribs' in element.parent ? element.parent : null;
  }
  return linksIn(lines, widest) >= 2
    ? widest
    : { from: widest.from, to: endOfLinks(lines, widest.to, belongsElsewhere) };
}

const PATIENCE = 6;

function endOfLinks(
  lines: readonly Line[],
  from: number,
  belongsElsewhere: (from: number, to: number) => boolean,
): number {
  let end = from;
  for (let at = from; at < lines.length && at - end < PATIENCE; at += 1) {
    if (belongsElsewhere(at, at + 1)) return end;
    if (lines[at]?.isLink) end = at + 1;
  }
  return end;
}

const linksIn = (lines: readonly Line[], { from, to }: Span): number =>
  lines.slice(from, Math.min(to, from + 50)).filter(({ isLink }) => isLink).length;
