import { fieldError } from '../../domain/errors.js';

/** Epoch milliseconds. The pattern of the schema cannot know that there is no 31st of February, and `Date` makes it March. */
export function timeOf(field: string, value: string): number {
  const ms = Date.parse(value);
  const day = value.slice(0, 10);
  if (!Number.isNaN(ms) && new Date(Date.parse(day)).toISOString().startsWith(day)) return ms;
  throw fieldError([{ field, message: 'must be a date that exists.', value }]);
}
