import { endOfValue, parse, parseLooseJson } from './json-repair.js';

/**
 * The JSON that scripts assign to globals as their framework's state: `window.__INITIAL_STATE__ = {…}`. Nothing is ever
 * run: a right side that is an expression, or an object that is not JSON, is not read.
 */
export function assignedValues(scripts: readonly string[], maxCharacters: number): unknown[] {
  const found: unknown[] = [];
  let left = maxCharacters;
  for (const script of scripts) {
    let at = nextAssignment(script, 0);
    while (at !== null && left > 0) {
      const reach = Math.min(script.length, at.start + left);
      const end = endOfValue(script.slice(0, reach), at.start);
      left -= MIN_COST + (end === -1 ? reach : end) - at.start;
      if (end !== -1) found.push(...valuesOf(script.slice(at.start, end), at.isPrinted));
      at = nextAssignment(script, end === -1 ? at.start : end);
    }
  }
  return found;
}

// State stands at the beginning of its script or right behind other state; searching programs for it is not worth it.
const WINDOW = 2_000;
const MIN_COST = 1_000;

const ASSIGNMENT =
  /\b(?:(?:window|self|globalThis)(?:\.|\[["'])|(?:var|let|const)\s{1,9})([\w$]{1,60})(?:["']\])?\s{0,9}=\s{0,9}(JSON\.parse\(\s{0,9})?(?=[{["])/g;

// Frameworks keep out of the way with underscores. What else is in globals was written for trackers, in their words.
const STATE_NAME = /^_|initial|preload/i;

interface Assignment {
  start: number;
  /** Is it JSON within a string, for `JSON.parse`? */
  isPrinted: boolean;
}

function nextAssignment(script: string, from: number): Assignment | null {
  for (const match of script.slice(from, from + WINDOW).matchAll(ASSIGNMENT)) {
    const [whole, name = '', parser] = match;
    const start = from + match.index + whole.length;
    const isPrinted = script[start] === '"';
    const isState = STATE_NAME.test(name) && isPrinted === (parser !== undefined);
    if (isState && isQuoted(script.slice(start, start + 100))) return { start, isPrinted };
  }
  return null;
}

function valuesOf(text: string, isPrinted: boolean): unknown[] {
  if (!isPrinted) return parseLooseJson(text);
  const printed = parse(text);
  return typeof printed === 'string' ? parseLooseJson(printed) : [];
}

/** An object whose first name has no quotes is a program's, and no repair would make JSON of it. */
const isQuoted = (beginning: string): boolean => beginning[0] !== '{' || /^\{\s*["}]/.test(beginning);
