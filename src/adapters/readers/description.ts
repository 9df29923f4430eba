import type { Line, Outline, Span, Spans } from './lines.js';

export interface SectionWords {
  /** Where the section's text has ended for certain. */
  isAfterword(at: number): boolean;
  /** Lines that are no part of any text. */
  isLeftOut(at: number): boolean;
}

const MAX_SECTION_LINES = 600;

/** The text under a heading, up to what no longer belongs to it. The heading itself is not part of it. */
export function textUnder({ lines, spans }: Outline, at: number, words: SectionWords): string {
  const end = Math.min(endOfBlock(lines, spans, at), at + MAX_SECTION_LINES);
  const found: string[] = [];
  for (let next = at + 1; next < end; next += 1) {
    const line = lines[next] as Line;
    if (words.isAfterword(next)) break;
    if (!words.isLeftOut(next) && isText(line)) found.push(line.text);
  }
  return found.join('\n');
}

/** The text of one element, line by line. */
export function textIn({ lines }: Outline, { from, to }: Span, words: SectionWords): string {
  return lines
    .slice(from, to)
    .filter((line, index) => !words.isLeftOut(from + index) && isText(line))
    .map(({ text }) => text)
    .join('\n');
}

/** A link that is a line of its own leads away from the text, unless it stands in a list or a sentence. */
const isText = (line: Line): boolean =>
  line.block?.name !== 'button' && !(line.isLink && line.text.length < 40) && !line.hasField;

/** The innermost block around the heading that has text behind it. Where that ends, the section ends at the latest. */
function endOfBlock(lines: readonly Line[], spans: Spans, at: number): number {
  let element = lines[at]?.block ?? null;
  while (element) {
    const span = spans.get(element);
    if (span && hasTextBehind(lines, at, span.to)) return span.to;
    element = element.parent && 'attribs' in element.parent ? element.parent : null;
  }
  return lines.length;
}

const ENOUGH = 80;

function hasTextBehind(lines: readonly Line[], at: number, to: number): boolean {
  let length = 0;
  for (let next = at + 1; next < to && length < ENOUGH; next += 1) {
    const line = lines[next] as Line;
    if (!line.isLink) length += line.text.length;
  }
  return length >= ENOUGH;
}
