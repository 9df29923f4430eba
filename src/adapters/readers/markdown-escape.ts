import { cutWhole, foldRun } from './plain-text.js';

/** Text that can only be read as text: whatever would be markup or HTML in Markdown loses its meaning. */
export function escapeText(data: string): string {
  const text = foldRun(data);
  return MARKUP.test(text) ? text.replace(MARKUP_EACH, '\\$&') : text;
}

/** The same in at most `room` characters; no character takes more than two. */
export function escapeWithin(data: string, room: number): string {
  const text = escapeText(cutWhole(data, Math.max(0, room)));
  return text.length <= room ? text : escapeText(cutWhole(data, Math.floor(room / 2)));
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

/**
 * In a table a bar ends the cell, even inside code. Dialects disagree about a bar after an escaped backslash, so the
 * bar gets an odd number of them; code, where they are not in pairs, may then show one too many.
 */
export const escapeCell = (text: string): string =>
  text.replace(/\\+\|?|\|/g, (found) => {
    if (!found.endsWith('|')) return found;
    const slashes = found.slice(0, -1);
    return `${slashes}${slashes.length % 2 === 0 ? '\\' : '\\\\'}|`;
  });

/** An address that cannot end the brackets it stands in, nor begin code that would swallow them. */
export const escapeAddress = (url: string): string =>
  url.replace(/[\s<>()\\`]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

/** A mark of backticks that the code does not contain. */
export function fenceFor(code: string, atLeast: number): string {
  let longest = 0;
  for (const [run] of code.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return '`'.repeat(Math.max(atLeast, longest + 1));
}
