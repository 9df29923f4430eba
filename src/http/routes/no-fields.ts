import { fieldError } from '../../domain/errors.js';

/** Nothing can be said in the body; somebody who says something expects it to matter. */
export function refuseFields(body: unknown): void {
  const names = Object.keys((body ?? {}) as object);
  const faults = names.slice(0, 10).map((field) => ({ field, message: 'is not a known field; there are none here.' }));
  if (faults.length > 0) throw fieldError(faults);
}
