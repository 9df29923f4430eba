import { fieldError } from '../../src/domain/errors.js';
import type { PageOf } from '../../src/ports/store.js';

/** The cursor is the number of items before the page. */
export function pageOf<T>(items: T[], { limit, cursor }: { limit: number; cursor: string | null }): PageOf<T> {
  const start = cursor === null ? 0 : Number(cursor);
  if (!Number.isInteger(start) || start < 0) {
    throw fieldError([{ field: 'cursor', message: 'must be the next_cursor of the page before.', value: cursor }]);
  }
  const end = start + limit;
  return { items: items.slice(start, end), nextCursor: end < items.length ? String(end) : null };
}
