import type { Scrubber } from './scrubber.js';

const OTHER = 'other';
const MAX_LABEL = 128;

/**
 * Bounds how many series a label can make: the first `max` distinct values keep their name, all later ones are `other`.
 * Values are scrubbed on their way in, not only when the text is printed: two of them that differ in nothing but a
 * secret must be one series from the start.
 */
export function createLabelCap(max: number, scrubber: Scrubber): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    const name = scrubber.scrubCut(value, MAX_LABEL) || OTHER;
    if (known.has(name)) return name;
    if (known.size >= max) return OTHER;
    known.add(name);
    return name;
  };
}
