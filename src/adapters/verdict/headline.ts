import { cored, type Head } from './head.js';
import type { PageFace } from './page-face.js';

/** What refusals of one kind are headed by. */
export interface Headline {
  /** Said in so many words: found in any part of the title, or in a heading. */
  long: ReadonlySet<string>;
  /** Words that may be a name as well: they must be the whole title or heading, or stand behind a status (`403 Forbidden`). */
  short: ReadonlySet<string>;
  /** The statuses it may be headed by alone. */
  statuses: ReadonlySet<string>;
}

interface HeadlineWords {
  long: string;
  short?: string;
  statuses?: string;
}

/** Phrases between bars or line ends, statuses between spaces. */
export const headline = ({ long, short = '', statuses = '' }: HeadlineWords): Headline => ({
  long: phraseSet(long),
  short: phraseSet(short),
  statuses: new Set(statuses.split(' ')),
});

const phraseSet = (text: string): Set<string> =>
  new Set(
    text
      .split(/[\n|]/)
      .map((phrase) => cored(phrase.trim()).core)
      .filter((phrase) => phrase !== ''),
  );

/** How much the page itself may say below such a title, and below such a heading when the title says something else. */
export interface Reach {
  title: number;
  heading: number;
}

export function isHeaded(face: PageFace, wanted: Headline, reach: Reach): boolean {
  if (face.titles.some((head) => names(head, wanted))) return face.ownLength < reach.title;
  if (face.headings.some((head) => names(head, wanted))) return face.ownLength < reach.heading;
  return face.onlyLine !== null && names(face.onlyLine, wanted);
}

function names({ core, status, isError, isWhole }: Head, { long, short, statuses }: Headline): boolean {
  if (core === '') return status !== null && statuses.has(status) && (isWhole || isError || status === '404');
  return long.has(core) || ((isWhole || status !== null) && short.has(core));
}
