import type { DomDocument, DomElement } from './dom.js';

/** A value the page prints beside or below the name of it: `Location: Oslo`, a table row, a definition. */
export interface Labelled {
  /** Lower case, white space folded, without the colon. */
  label: string;
  /** As printed, white space folded, lines joined by a space. */
  value: string;
  /** The lines of the value, where it has several. */
  lines: readonly string[];
  /** What holds the value. */
  element: DomElement | null;
}

/** Every label–value pair of the page, in document order. */
export function readLabels(_root: DomDocument): Labelled[] {
  return [];
}
