import { decodeHTML } from 'entities';

/**
 * Reads the JSON values of a text as web pages write them: mostly one, sometimes several behind each other. Where
 * strict parsing fails, only what cannot change a value is repaired: wrappers (`<!-- -->`, CDATA), comments, commas and
 * semicolons too many, raw control characters in strings, values that are `undefined`, a closing bracket too many, and a
 * text whose every quote is `&quot;`. Nothing when it is still not JSON.
 */
export function parseLooseJson(text: string): unknown[] {
  const strict = parse(text);
  if (strict !== undefined) return [strict];
  if (text.length > MAX_REPAIRED) return [];
  const isEscaped = !text.includes('"') && /&(?:quot|#34|#x22);/i.test(text);
  return parseEach(repair(isEscaped ? decodeHTML(text) : text));
}

/** `undefined` when it is not JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Where the object, array or string that begins here ends; -1 when it does not. */
export function endOfValue(text: string, start: number): number {
  if (text[start] === '"') return endOfString(text, start);
  const marks = /["{}[\]]/g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    const [char] = mark;
    if (char === '"') {
      const end = endOfString(text, mark.index);
      if (end === -1) return -1;
      marks.lastIndex = end;
    } else {
      depth += char === '{' || char === '[' ? 1 : -1;
      if (depth === 0) return marks.lastIndex;
    }
  }
  return -1;
}

// Repair goes character by character; a block this large that is broken too is not worth it.
const MAX_REPAIRED = 1_000_000;
const MAX_VALUES = 1_000;

function parseEach(text: string): unknown[] {
  const values: unknown[] = [];
  let start = nextValue(text, 0);
  while (start !== -1 && values.length < MAX_VALUES) {
    const end = endOfValue(text, start);
    const value = end === -1 ? undefined : parse(text.slice(start, end));
    if (value === undefined) break;
    values.push(value);
    start = nextValue(text, end);
  }
  return values;
}

// Whatever else stands there is not JSON, and what follows it may be part of anything.
function nextValue(text: string, from: number): number {
  const separators = /[\s,;]*/y;
  separators.lastIndex = from;
  separators.test(text);
  const char = text[separators.lastIndex];
  return char === '{' || char === '[' ? separators.lastIndex : -1;
}

/** One pass, told apart by whether it is inside a string. */
function repair(text: string): string {
  const out: string[] = [];
  let at = 0;
  while (at < text.length) {
    const char = text[at] as string;
    if (char === '"') {
      const end = endOfString(text, at);
      const string = end === -1 ? text.slice(at) : text.slice(at, end);
      out.push(string.replace(MISWRITTEN, rewritten));
      at += string.length;
      continue;
    }
    const skipped = NOISY.has(char) ? afterNoise(text, at) : at;
    const missing = skipped > at ? undefined : MISSING.find((word) => text.startsWith(word, at));
    if (skipped === at) write(out, missing === undefined ? char : 'null');
    at = Math.max(skipped, at + (missing?.length ?? 1));
  }
  return out.join('');
}

function endOfString(text: string, start: number): number {
  let end = start;
  do {
    end = text.indexOf('"', end + 1);
    if (end === -1) return -1;
  } while (isEscapedAt(text, end));
  return end + 1;
}

/** Is there an odd number of backslashes before it? */
function isEscapedAt(text: string, at: number): boolean {
  let start = at;
  while (text[start - 1] === '\\') start -= 1;
  return (at - start) % 2 === 1;
}

const WRAPPERS = ['<!--', '-->', '<![CDATA[', ']]>'];
const NOISY: ReadonlySet<string> = new Set(['<', '-', ']', '/']);
const MISSING = ['undefined', 'NaN'];

/** Where the wrapper or comment that begins here ends; `at` itself when none does. */
function afterNoise(text: string, at: number): number {
  for (const wrapper of WRAPPERS) if (text.startsWith(wrapper, at)) return at + wrapper.length;
  if (text.startsWith('//', at)) return afterLineComment(text, at);
  if (!text.startsWith('/*', at)) return at;
  const end = text.indexOf('*/', at + 2);
  return end === -1 ? text.length : end + 2;
}

// `//<![CDATA[ {…}` on one line hides the data from whoever drops the whole line.
function afterLineComment(text: string, at: number): number {
  const rest = at + 2;
  if (/^\s{0,9}(?:<!\[CDATA\[|\]\]>|<!--|-->)/.test(text.slice(rest, rest + 20))) return rest;
  const end = text.indexOf('\n', rest);
  return end === -1 ? text.length : end;
}

/** Outside of strings: no comma before a bracket's end, after its beginning or after another, and only plain spaces. */
function write(out: string[], token: string): void {
  if (BLANK.test(token)) {
    if (out.at(-1) !== ' ') out.push(' ');
    return;
  }
  const last = out.at(-1) === ' ' ? out.length - 2 : out.length - 1;
  const before = out[last];
  if (token === ',' && (before === ',' || before === '[' || before === '{')) return;
  if ((token === '}' || token === ']') && before === ',') out.length = last;
  out.push(token);
}

const RANGE = `${String.fromCharCode(0)}-${String.fromCharCode(31)}`;
const BLANK = new RegExp(`[${RANGE}\\s\\ufeff\\u200b]`);

// `\'` and a backslash before a line break are JavaScript, where they stand for what follows the backslash.
const MISWRITTEN = new RegExp(`\\\\(?:'|[^])|[${RANGE}]`, 'g');

function rewritten(found: string): string {
  if (found === "\\'") return "'";
  const last = found.charCodeAt(found.length - 1);
  return last < 32 ? `\\u${last.toString(16).padStart(4, '0')}` : found;
}
