import type { Thing } from './thing.js';

/** Objects of the state that a page hands to its own scripts (`__NEXT_DATA__`, `application/json`), outermost first. */
export function readHydration(_blocks: readonly string[]): Thing[] {
  return [];
}
