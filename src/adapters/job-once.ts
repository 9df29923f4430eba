import { lazy } from './lazy.js';
import type { Candidate } from './resolve.js';

/** The title, the place and the pay are asked for more than once. */
export const readOnce = (candidates: readonly Candidate[]): Candidate[] =>
  candidates.map((candidate) => ({ ...candidate, read: lazy(candidate.read) }));
