import { fieldError } from '../../domain/errors.js';

/** Epoch milliseconds. The pattern of the schema cannot know that there is no 31st of February. */
export function timeOf(field: string, value: string): number {
  const ms = Date.parse(value);
  if (!Number.isNaN(ms)) return ms;
  throw fieldError([{ field, message: 'must be a date that exists.', value }]);
}
