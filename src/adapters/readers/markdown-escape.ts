import { foldRun } from './plain-text.js';

/** Text that can only be read as text: whatever would be markup or HTML in Markdown loses its meaning. */
export function escapeText(data: string): string {
  const text = foldRun(data);
  return MARKUP.test(text) ? text.replace(MARKUP_EACH, '\\$&') : text;
}

// An underscore within a word is one in every dialect; `&` counts only where an entity begins.
const MARKUP = /[\\`*_[\]<~&]/;
const MARKUP_EACH = /[\\`*[\]<~]|&(?=[#a-z])|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/giu;

/** A line of a paragraph that cannot begin a heading, a list, a quote, a rule or a table. */
export function escapeLine(line: string): string {
  if (/^(?:#{1,6}(?: |$)|>|[-+](?: |$))/.test(line)) return `\\${line}`;
  if (/^[-=_|:+ ]+$/.test(line)) return `\\${line}`;
  return line.replace(/^(\d{1,9})([.)])(?= |$)/, '$1\\$2');
}

/** Trailing number signs would close the heading, and be lost. */
export const escapeHeading = (text: string): string => text.replace(/(^| )(#+)$/, '$1\\$2');

/** In a table a bar ends the cell, even inside code. */
export const escapeCell = (text: string): string => text.replaceAll('|', '\\|');

/** An address that cannot end the brackets it stands in. */
export const escapeAddress = (url: string): string =>
  url.replace(/[\s<>()\\]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

/** A mark of backticks that the code does not contain. */
export function fenceFor(code: string, atLeast: number): string {
  let longest = 0;
  for (const [run] of code.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return '`'.repeat(Math.max(atLeast, longest + 1));
}
