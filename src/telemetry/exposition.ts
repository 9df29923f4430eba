import type { Scrubber } from './scrubber.js';

/**
 * The metrics text without secrets. Labels were scrubbed when they came in, so this changes something only if a secret
 * became known later. Only what stands in label values is touched (a name that looks like a secret stays a name), and
 * series that became equal are printed once: a second one would make the whole text invalid.
 */
export function scrubExposition(text: string, scrubber: Scrubber): string {
  if (!scrubber.suspects(text)) return text;
  const seen = new Set<string>();
  const lines = text.split('\n').map((line) => (line.startsWith('#') ? line : scrubLabels(line, scrubber)));
  return lines.filter((line) => line === '' || line.startsWith('#') || isFirst(line, seen)).join('\n');
}

const LABEL_VALUE = /"((?:[^"\\]|\\.)*)"/g;

const scrubLabels = (line: string, scrubber: Scrubber): string =>
  line.replace(LABEL_VALUE, (_, value: string) => `"${escaped(scrubber.scrub(unescaped(value)))}"`);

const unescaped = (value: string): string => value.replace(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign));
const escaped = (value: string): string => value.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n');

function isFirst(line: string, seen: Set<string>): boolean {
  const series = line.slice(0, line.lastIndexOf(' '));
  if (seen.has(series)) return false;
  seen.add(series);
  return true;
}
