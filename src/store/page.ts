import type { PageOf } from '../ports/store.js';
import { encodeCursor } from './cursor.js';
import type { SqlValue } from './database.js';

/** One more than asked for was read: if it is there, there is a next page. */
export function pageOf<T>(found: T[], limit: number, placeOf: (item: T) => string | number): PageOf<T> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: found.length > limit && last !== undefined ? encodeCursor(placeOf(last)) : null };
}

/** A condition and what stands in its places; `undefined` if nobody wishes it. */
export type Wish = [text: string, value: SqlValue | readonly SqlValue[] | undefined];

/** `WHERE …` for the wishes that are there, and their values. */
export function whereOf(wishes: readonly Wish[]): { where: string; values: SqlValue[] } {
  const given = wishes.filter(([, value]) => value !== undefined);
  const where = given.length ? `WHERE ${given.map(([text]) => text).join(' AND ')}` : '';
  return { where, values: given.flatMap(([, value]) => value as SqlValue | SqlValue[]) };
}
