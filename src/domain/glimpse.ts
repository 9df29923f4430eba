import type { Format } from './adapter.js';
import { ownText } from './own-text.js';

/** How much a record says, without what it says: enough to tell later whether another one of the same page says more. */
export interface Glimpse {
  /** The beginning of the key field's value; `null` where that is not known. */
  key: string | null;
  /** Characters per field that is known. */
  sizes: Record<string, number>;
}

/** These differ with the way a page came, whatever it says. */
const WAY_OF_COMING: ReadonlySet<string> = new Set<Format>(['html', 'screenshot']);
const MAX_KEY = 200;

export function glimpseOf(record: Record<string, unknown>, keyField: string): Glimpse {
  const sizes: Record<string, number> = {};
  for (const [field, value] of Object.entries(record)) {
    if (isKnown(value) && !WAY_OF_COMING.has(field)) sizes[field] = written(value).length;
  }
  const key = record[keyField];
  return { key: isKnown(key) ? ownText(written(key).slice(0, MAX_KEY)) : null, sizes };
}

/**
 * Does the later one say more? A field more, another key (what stood there was not yet the page), or a field that has
 * grown by much: the words of a page come in one field, be they ten or ten thousand.
 */
export function saysMore(later: Glimpse, earlier: Glimpse): boolean {
  if (later.key !== null && later.key !== earlier.key) return true;
  return Object.entries(later.sizes).some(([field, size]) => {
    const before = earlier.sizes[field];
    return before === undefined || (size >= before * GROWTH && size >= before + MUCH);
  });
}

const GROWTH = 1.5;
const MUCH = 200;

const isKnown = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);

const written = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
