import type { DomElement } from './dom.js';

/** Where a label stands, and what holds its value. */
export type Place = Pick<Labelled, 'element' | 'at' | 'isExplicit'>;

/**
 * A value the page prints beside or below the name of it: `Location: Oslo`, a table row, a definition. A class for the
 * same reason as lines are one.
 */
export class Labelled {
  /** Lower case, white space folded, without the colon. */
  readonly label: string;
  /** As printed, white space folded, lines joined by a space. */
  readonly value: string;
  /** The lines of the value, where it has several. */
  readonly lines: readonly string[];
  /** What holds the value. */
  readonly element: DomElement | null;
  /** Which line of the page the label stands in. */
  readonly at: number;
  /** By a colon, a definition or a header cell; otherwise only because the one stands before the other. */
  readonly isExplicit: boolean;

  constructor(label: string, { value, lines }: Pick<Labelled, 'value' | 'lines'>, { element, at, isExplicit }: Place) {
    this.label = label;
    this.value = value;
    this.lines = lines;
    this.element = element;
    this.at = at;
    this.isExplicit = isExplicit;
  }
}
