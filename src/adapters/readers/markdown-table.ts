import { type DomElement, isElement, walk } from './dom.js';
import { escapeCell } from './markdown-escape.js';
import type { MarkdownContext } from './markdown-inline.js';

const MAX_COLUMNS = 50;
const MAX_ROWS = 10_000;

interface Row {
  cells: DomElement[];
  isHead: boolean;
}

/** `null` for what is a table only to the eye: ragged rows, merged cells, one column, or more than lines in a cell. */
export function tableMarkdown(
  table: DomElement,
  context: MarkdownContext,
  lineOf: (cell: DomElement) => string,
): string | null {
  const rows = rowsOf(table, context);
  const columns = rows?.[0]?.cells.length ?? 0;
  if (rows === null || rows.length < 2 || columns < 2 || columns > MAX_COLUMNS) return null;
  if (rows.some((row) => row.cells.length !== columns || !row.cells.every(isPlain))) return null;
  const [first, ...others] = printRows(rows, context, lineOf);
  const rule = printRow(Array.from({ length: columns }, () => '---'));
  // A table of values has no head; Markdown wants one, and it stays empty.
  const lines = rows[0]?.isHead
    ? [first, rule, ...others]
    : [printRow(Array(columns).fill('')), rule, first, ...others];
  const caption = elementsOf(table, context).find(({ name }) => name === 'caption');
  const heading = caption ? lineOf(caption) : '';
  return (heading === '' ? lines : [heading, '', ...lines]).join('\n');
}

/** As many as there is room for. */
function printRows(rows: readonly Row[], context: MarkdownContext, lineOf: (cell: DomElement) => string): string[] {
  const printed: string[] = [];
  context.budget -= (rows[0]?.cells.length ?? 0) * HEAD_SIGNS;
  for (const { cells } of rows) {
    const row = printRow(cells.map((cell) => escapeCell(lineOf(cell))));
    context.budget -= cells.length * CELL_SIGNS;
    if (context.budget <= 0 && printed.length > 0) break;
    printed.push(row);
  }
  return printed;
}

const CELL_SIGNS = ' | '.length;
const HEAD_SIGNS = ' |  | --- | '.length;

const printRow = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const GROUPS: ReadonlySet<string> = new Set(['thead', 'tbody', 'tfoot']);

function rowsOf(table: DomElement, context: MarkdownContext): Row[] | null {
  const rows: Row[] = [];
  const parts = elementsOf(table, context);
  if (parts.length > MAX_ROWS || hasStrays(table)) return null;
  for (const part of parts) {
    const isGroup = GROUPS.has(part.name);
    if (isGroup && hasStrays(part)) return null;
    for (const row of isGroup ? elementsOf(part, context) : [part]) {
      if (BESIDE_ROWS.has(row.name)) continue;
      const cells = elementsOf(row, context);
      if (row.name !== 'tr' || hasStrays(row) || !cells.every(isCell)) return null;
      const isHead = part.name === 'thead' || cells.every(({ name }) => name === 'th');
      if (cells.length > 0) rows.push({ cells, isHead });
      if (rows.length > MAX_ROWS) return null;
    }
  }
  return rows;
}

const BESIDE_ROWS: ReadonlySet<string> = new Set(['caption', 'colgroup', 'col']);

const isCell = ({ name }: DomElement): boolean => name === 'td' || name === 'th';

/** Text that is in no cell would be lost. */
const hasStrays = (parent: DomElement): boolean =>
  parent.children.some((child) => 'data' in child && child.data.trim() !== '');

const elementsOf = (parent: DomElement, context: MarkdownContext): DomElement[] =>
  parent.children.filter(isElement).filter((child) => !context.isLeftOut(child));

const NOT_IN_A_LINE: ReadonlySet<string> = new Set('table ul ol dl pre blockquote h1 h2 h3 hr form'.split(' '));
const MAX_CELL_NODES = 100;

function isPlain(cell: DomElement): boolean {
  if (isMerged(cell.attribs.colspan) || isMerged(cell.attribs.rowspan)) return false;
  let nodes = 0;
  let isLine = true;
  walk(cell, {
    enter(node) {
      nodes += 1;
      isLine = nodes <= MAX_CELL_NODES && !(isElement(node) && NOT_IN_A_LINE.has(node.name));
      return isLine ? 'into' : 'stop';
    },
  });
  return isLine;
}

const isMerged = (span: string | undefined): boolean => span !== undefined && span.trim() !== '1';
