import { decodeHTML } from 'entities';

/**
 * Reads JSON as web pages write it. Where strict parsing fails, only what cannot change a value is repaired: wrappers
 * (`<!-- -->`, CDATA), comments, trailing commas and semicolons, raw control characters in strings, and a text whose
 * every quote is `&quot;`. `undefined` when it is still not JSON.
 */
export function parseLooseJson(text: string): unknown {
  const strict = parse(text);
  if (strict !== undefined || text.length > MAX_REPAIRED) return strict;
  const unescaped = text.includes('"') || !text.includes('&quot;') ? text : decodeHTML(text);
  return parse(repair(unescaped));
}

// Repair goes character by character; a block this large that is broken too is not worth it.
const MAX_REPAIRED = 1_000_000;

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** One pass, told apart by whether it is inside a string. */
function repair(text: string): string {
  const out: string[] = [];
  let at = 0;
  while (at < text.length) {
    const char = text[at] as string;
    if (char === '"') {
      const end = endOfString(text, at);
      out.push(text.slice(at, end).replace(CONTROL, escaped));
      at = end;
      continue;
    }
    const skipped = afterNoise(text, at);
    if (skipped > at) {
      at = skipped;
      continue;
    }
    if (char === '}' || char === ']') dropTrailingComma(out);
    out.push(CONTROL_ONE.test(char) ? ' ' : char);
    at += 1;
  }
  return out.join('').trim().replace(/;$/, '');
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

const WRAPPERS = ['<!--', '-->', '<![CDATA[', ']]>', '\ufeff'];

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

function dropTrailingComma(out: string[]): void {
  let last = out.length - 1;
  while (last >= 0 && (out[last] as string).trim() === '') last -= 1;
  if (out[last] === ',') out.length = last;
}

const RANGE = `${String.fromCharCode(0)}-${String.fromCharCode(31)}`;
const CONTROL = new RegExp(`[${RANGE}]`, 'g');
const CONTROL_ONE = new RegExp(`[${RANGE}]`);
const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
