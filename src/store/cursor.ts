import { GleanerError } from '../domain/errors.js';

/** Where a listing goes on. Opaque to callers, so that what is inside may change. */
export const encodeCursor = (place: string | number): string =>
  Buffer.from(JSON.stringify(place)).toString('base64url');

export function decodeCursor<T extends 'string' | 'number'>(
  cursor: string | null,
  kind: T,
): (T extends 'string' ? string : number) | null {
  if (cursor === null) return null;
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (typeof place === kind) return place as T extends 'string' ? string : number;
  } catch {
    // Falls through to the one answer for every cursor we did not hand out.
  }
  throw new GleanerError('validation_failed', 'The cursor is not one of ours.', {
    fields: [{ field: 'cursor', message: 'must be a next_cursor of the same listing.', value: cursor.slice(0, 100) }],
  });
}
