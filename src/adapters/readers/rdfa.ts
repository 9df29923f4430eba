import type { DomDocument } from './dom.js';
import type { Thing } from './thing.js';

/** The page's top-level RDFa items (Lite: `vocab`, `typeof`, `property`, `resource`, `prefix`). */
export function readRdfa(_root: DomDocument): Thing[] {
  return [];
}
