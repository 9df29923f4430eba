import { canonicalUrl } from '../domain/normalize/canonical-url.js';
import { cleanText } from '../domain/normalize/text.js';
import type { PageReader } from './readers/page-reader.js';
import { type Thing, textOf } from './readers/thing.js';

/**
 * Which of several things of the wanted kind the page is about: the only one, or the only one that carries the page's
 * own address or its heading. A list of equals has no subject, and guessing the first would be wrong most of the time.
 */
export function theOne(things: readonly Thing[], reader: PageReader, nameProperty: string): Thing | null {
  if (things.length <= 1) return things[0] ?? null;
  if (things.length > MAX_EQUALS) return null;
  const nameOf = (thing: Thing) => fold(textOf(thing, nameProperty, 'name'));
  const names = new Set(things.map(nameOf));
  if (names.size === 1) return richest(things);
  const here = reader.ownUrl === null ? null : canonicalUrl(reader.ownUrl);
  const byUrl = here === null ? [] : things.filter((thing) => urlsOf(thing, reader).includes(here));
  if (byUrl.length === 1) return byUrl[0] ?? null;
  const heading = fold(reader.heading);
  const byHeading = heading === null ? [] : things.filter((thing) => nameOf(thing) === heading);
  return byHeading.length === 1 ? (byHeading[0] ?? null) : null;
}

/** Does the page's heading name a thing of another kind, such as the company on its own home page? */
export function headsAnotherKind(reader: PageReader, isWanted: (thing: Thing) => boolean): boolean {
  const heading = fold(reader.heading);
  if (heading === null) return false;
  const others = [...reader.jsonLd, ...reader.microdata].filter((thing) => !isWanted(thing));
  return others.some((thing) => fold(textOf(thing, 'name', 'title', 'headline')) === heading);
}

const MAX_EQUALS = 500;

/** Of several descriptions of the same thing the one that says most. */
export const richest = (things: readonly Thing[]): Thing | null =>
  things.reduce<Thing | null>(
    (best, thing) => (best !== null && best.props.size >= thing.props.size ? best : thing),
    null,
  );

const urlsOf = (thing: Thing, reader: PageReader): (string | null)[] =>
  [textOf(thing, 'url'), thing.id, textOf(thing, 'mainEntityOfPage')]
    .map((url) => reader.absolute(url))
    .map((url) => (url === null ? null : canonicalUrl(url)));

const fold = (text: string | null): string | null => (text === null ? null : (cleanText(text)?.toLowerCase() ?? null));
