import { type DomElement, isElement } from './dom.js';
import { columnValue } from './label-columns.js';
import { Labelled, type Place } from './labelled.js';
import type { Line, Outline, Span } from './lines.js';

export type { Labelled } from './labelled.js';

/**
 * Every label–value pair of the page, in document order. Any few words before some text may be a label: whoever asks
 * knows the names it wants, and what a value of that name looks like.
 */
export function readLabels(outline: Outline): Labelled[] {
  const found: Labelled[] = [];
  outline.lines.forEach((line, at) => {
    if (line.hasField) return;
    const within = pairsWithin(line, at);
    for (const pair of within.length > 0 ? within : pairBeside(outline, at)) found.push(pair);
  });
  return found;
}

const MAX_LABEL = 40;
const MAX_WORDS = 5;
const MAX_VALUE = 1_000;
const MAX_VALUE_LINES = 12;
const SHAPE = /^\p{L}[\p{L}\p{M}\s.()/&'’+*-]*$/u;
const COLON = /\s?[:：]\s?/u;

/** Could these words be the name of a value? */
const isLabel = (text: string): boolean => text.length <= MAX_LABEL && SHAPE.test(text) && isFewWords(text);

function isFewWords(text: string): boolean {
  let spaces = 0;
  for (let at = text.indexOf(' '); at !== -1; at = text.indexOf(' ', at + 1)) spaces += 1;
  return spaces < MAX_WORDS;
}

// Hardly any line has one, and every line of every page is asked.
const hasColon = (text: string): boolean => text.includes(':') || text.includes('：');

/** `Location: Oslo`, `Location: Oslo | Pay: 50k`, `<b>Pay</b> 50k` */
function pairsWithin(line: Line, at: number): readonly Labelled[] {
  if (hasColon(line.text)) {
    const pairs = pairsAtColons(line, at);
    if (pairs.length > 0) return pairs;
  }
  if (line.lead === null || !isLabel(line.lead)) return NONE;
  const rest = line.text.slice(line.lead.length).replace(/^[\s:–—-]+/u, '');
  return pair(line.lead, [rest], { at, element: line.block, isExplicit: false });
}

const NONE: readonly Labelled[] = [];

function pairsAtColons(line: Line, at: number): Labelled[] {
  const segments = line.parts.flatMap((part) => part.split(/\s[|•·]\s/));
  const pairs: Labelled[] = [];
  segments.forEach((segment, index) => {
    const [label, said] = atColon(segment);
    if (label === null) return;
    const next = segments[index + 1];
    const value = said !== '' || next === undefined || COLON.test(next) ? said : next;
    pairs.push(...pair(label, [value], { at, element: line.block, isExplicit: true }));
  });
  return pairs;
}

function atColon(text: string): [label: string | null, value: string] {
  const head = text.slice(0, MAX_LABEL + 3);
  const colon = COLON.exec(head);
  if (!colon) return [null, ''];
  const label = head.slice(0, colon.index);
  const value = text.slice(colon.index + colon[0].length);
  // `https://…` is an address, and `14:30` a time.
  return isLabel(label) && !value.startsWith('//') ? [label, value] : [null, ''];
}

/** The label is the whole line; its value is what comes next to it on the page. */
function pairBeside(outline: Outline, at: number): readonly Labelled[] {
  const line = outline.lines[at] as Line;
  const endsInColon = line.text.endsWith(':') || line.text.endsWith('：');
  // A link is a name of what it leads to.
  if (line.isLink && !endsInColon) return NONE;
  const text = endsInColon ? line.text.replace(/\s*[:：]$/u, '') : line.text;
  if (!isLabel(text)) return NONE;
  const own = wholeElement(outline, at);
  const isDefined = own !== null && (own.name === 'dt' || own.name === 'th');
  const place = { at, element: own, isExplicit: endsInColon || isDefined };
  if (own && CELLS.has(own.name)) return besideCell(outline, own, text, place);
  if (isLabelLine(outline.lines[at + 1])) return [];
  const lines = own ? linesAfter(outline, own, at) : linesBelow(outline, at);
  return pair(text, lines, place);
}

const CELLS: ReadonlySet<string> = new Set(['td', 'th', 'dt']);

/** An empty cell is an empty value: what stands behind it belongs to another label. */
function besideCell(outline: Outline, cell: DomElement, label: string, place: Place): Labelled[] {
  if (cell.name === 'dt' && following(cell)?.name !== 'dd') return [];
  const below = columnValue(outline, cell);
  const colon = below === undefined && isColon(outline, following(cell)) ? following(cell) : null;
  const holder = below === undefined ? following(colon ?? cell) : below;
  const span = spanOf(outline, holder);
  if (!span) return [];
  const to = cell.name === 'dt' ? endOfDefinition(outline, cell, span.to) : span.to;
  const isExplicit = place.isExplicit || colon !== null;
  return pair(label, printed(outline, span.from, to), { ...place, isExplicit, element: holder });
}

/** Some tables have a column for the colons. */
function isColon(outline: Outline, cell: DomElement | null): boolean {
  const span = spanOf(outline, cell);
  return span !== undefined && span.to === span.from + 1 && /^[:：]$/u.test(outline.lines[span.from]?.text ?? '');
}

/** A term may have several definitions. */
function endOfDefinition(outline: Outline, term: DomElement, end: number): number {
  let to = end;
  let next = following(following(term));
  for (let steps = 0; next?.name === 'dd' && steps < MAX_VALUE_LINES; steps += 1) {
    to = spanOf(outline, next)?.to ?? to;
    next = following(next);
  }
  return to;
}

/** The outermost element that holds this line and no other, but no more than one cell or item. */
function wholeElement({ spans, lines }: Outline, at: number): DomElement | null {
  let found: DomElement | null = null;
  let element: DomElement | null = lines[at]?.block ?? null;
  while (element) {
    const span: Span | undefined = spans.get(element);
    if (!span || span.from !== at || span.to !== at + 1) return found;
    found = element;
    if (CELLS.has(element.name) || element.name === 'li') return found;
    element = element.parent && 'attribs' in element.parent ? element.parent : null;
  }
  return found;
}

function linesAfter(outline: Outline, own: DomElement, at: number): string[] {
  const next = following(own);
  const span = spanOf(outline, next);
  // Text without an element of its own comes first: `<b>Pay</b><br>50k<p>…`.
  if (!span || span.from !== at + 1) return linesBelow(outline, at, own.parent);
  return printed(outline, span.from, span.to);
}

/** The lines behind it in the same block, or the whole of the block that comes next within it. */
function linesBelow(outline: Outline, at: number, around: unknown = outline.lines[at]?.block ?? null): string[] {
  const { lines, spans } = outline;
  const next = lines[at + 1];
  if (!next) return [];
  if (next.block !== around) {
    const holder = childHolding(next, around);
    const span = holder && spans.get(holder);
    return span ? printed(outline, span.from, span.to) : [];
  }
  let to = at + 1;
  while (lines[to]?.block === around && to - at <= MAX_VALUE_LINES && !isLabelLine(lines[to])) to += 1;
  return printed(outline, at + 1, to);
}

function childHolding(line: Line, around: unknown): DomElement | null {
  let element = line.block;
  while (element && element.parent !== around) {
    element = element.parent && 'attribs' in element.parent ? element.parent : null;
  }
  return element;
}

const isLabelLine = (line: Line | undefined): boolean =>
  line !== undefined && hasColon(line.text) && (atColon(line.text)[0] !== null || atColon(line.lead ?? '')[0] !== null);

const spanOf = (outline: Outline, element: DomElement | null): Span | undefined =>
  element ? outline.spans.get(element) : undefined;

/** The next element that can hold text at all. */
function following(element: DomElement | null): DomElement | null {
  let node = element?.next ?? null;
  while (node && (!isElement(node) || SKIPPED.has(node.name))) node = node.next;
  return node;
}

const SKIPPED: ReadonlySet<string> = new Set('br hr img svg script style wbr input meta link'.split(' '));

/** Buttons do, they do not say. */
function printed({ lines }: Outline, from: number, to: number): string[] {
  const found: string[] = [];
  for (let at = from; at < Math.min(to, from + MAX_VALUE_LINES); at += 1) {
    const line = lines[at];
    if (line?.hasField) return [];
    if (line && line.block?.name !== 'button') found.push(line.text);
  }
  return found;
}

function pair(label: string, lines: readonly string[], place: Place): Labelled[] {
  // `<h2>Place</h2><p>- Oslo</p>`: the dash is for the eye.
  const [first = '', ...others] = lines;
  const said = [first.replace(/^[-–—:]\s+/u, ''), ...others];
  const value = said.join(' ').trim();
  if (value === '' || value.length > MAX_VALUE) return [];
  return [new Labelled(label.toLowerCase(), { value, lines: lines.length === 0 ? lines : said }, place)];
}
