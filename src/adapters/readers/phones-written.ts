import type { Line } from './lines.js';
import { labelOf, type PhoneLabel } from './phones-labels.js';
import { isPhoneLike, SHAPES } from './phones-shapes.js';

export interface WrittenPhone {
  /** As printed, without its label. */
  printed: string;
  start: number;
  end: number;
  label: PhoneLabel | null;
}

/** The numbers of a line of the page; whoever asks first pays for the reading. */
export function phonesOf(line: Line): readonly WrittenPhone[] {
  line.phones ??= phonesIn(line.text);
  return line.phones;
}

/** The phone numbers in a line of text, in order. Without a label only what can hardly be anything else. */
export function phonesIn(text: string): WrittenPhone[] {
  const line = text.slice(0, MAX_LINE);
  if (!hasDigits(line, FEWEST_DIGITS)) return [];
  const found: WrittenPhone[] = [];
  for (const { pattern, isPlain } of SHAPES) {
    for (const match of line.matchAll(pattern)) {
      const span = { start: match.index, end: match.index + match[0].length };
      if (isPhoneLike(match[0]) && !found.some((known) => overlap(known, span))) {
        const label = labelOf(line, span);
        if (isPlain || (label !== null && label !== 'other')) found.push({ printed: match[0].trim(), ...span, label });
      }
    }
  }
  found.sort((a, b) => a.start - b.start);
  return inherited(found, line);
}

const MAX_LINE = 1_000;

const FEWEST_DIGITS = 6;

/** Counted by hand: it is asked of every line of every page, and most have none. */
export function hasDigits(text: string, wanted: number): boolean {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 48 && code <= 57) {
      count += 1;
      if (count >= wanted) return true;
    }
  }
  return false;
}

const overlap = (a: { start: number; end: number }, b: { start: number; end: number }): boolean =>
  a.start < b.end && b.start < a.end;

/** `Fax: 555 0100 / 555 0101`: a label speaks for the next number too, where only a comma or a slash stands between. */
function inherited(found: WrittenPhone[], line: string): WrittenPhone[] {
  return found.map((phone, at) => {
    const previous = found[at - 1];
    if (phone.label !== null || !previous) return phone;
    const between = line.slice(previous.end, phone.start);
    return /^\s{0,2}(?:[,/&;]|or|and|und|y|e|et)\s{0,2}$/i.test(between) ? { ...phone, label: previous.label } : phone;
  });
}
