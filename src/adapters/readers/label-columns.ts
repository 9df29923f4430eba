import { type DomElement, isElement } from './dom.js';
import type { Outline } from './lines.js';

/**
 * The cell below, where a whole row names what stands in the next row. `undefined` where the row is no such row;
 * `null` where it is, and nothing stands below.
 */
export function columnValue(outline: Outline, cell: DomElement): DomElement | null | undefined {
  const row = cell.parent;
  if (!row || !('attribs' in row) || row.name !== 'tr') return undefined;
  const columns = columnsOf(outline, row);
  return columns === null ? undefined : (columns.get(cell) ?? null);
}

/** What stands below each cell of a row. */
export type Columns = ReadonlyMap<DomElement, DomElement>;

/** A wide row is looked at once, and not once for each of its cells. */
function columnsOf(outline: Outline, row: DomElement): Columns | null {
  const before = outline.columns.get(row);
  if (before !== undefined) return before;
  const columns = readColumns(outline, row);
  outline.columns.set(row, columns);
  return columns;
}

function readColumns(outline: Outline, row: DomElement): Columns | null {
  const names = cellsOf(row);
  const values = cellsOf(nextRow(row));
  if (names.length < 2 || names.length !== values.length) return null;
  if (!names.every((cell) => isHeader(outline, cell)) || values.some((cell) => isHeader(outline, cell))) return null;
  return new Map(names.map((cell, index) => [cell, values[index] as DomElement]));
}

/** `<thead>` and `<tbody>` may stand between the two. */
function nextRow(row: DomElement): DomElement | null {
  const next = nextElement(row);
  if (next) return next.name === 'tr' ? next : null;
  const body = row.parent && 'attribs' in row.parent && row.parent.name === 'thead' ? nextElement(row.parent) : null;
  return body?.children.find((child): child is DomElement => isElement(child) && child.name === 'tr') ?? null;
}

function nextElement(element: DomElement): DomElement | null {
  let node = element.next;
  while (node && !isElement(node)) node = node.next;
  return node;
}

const cellsOf = (row: DomElement | null): DomElement[] =>
  (row?.children ?? []).filter(
    (child): child is DomElement => isElement(child) && (child.name === 'td' || child.name === 'th'),
  );

function isHeader({ lines, spans }: Outline, cell: DomElement): boolean {
  if (cell.name === 'th') return true;
  const span = spans.get(cell);
  const line = span && span.to === span.from + 1 ? lines[span.from] : undefined;
  if (!line) return false;
  return /[:：]$/u.test(line.text) || (line.lead === null && isStrong(line.start.parent));
}

function isStrong(parent: unknown): boolean {
  let element = parent as DomElement | null;
  while (element?.isInline) {
    if (element.name === 'b' || element.name === 'strong') return true;
    element = element.parent as DomElement | null;
  }
  return false;
}
