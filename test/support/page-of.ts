import type { Page } from '../../src/domain/page.js';
import { type Detour, isDetour } from '../../src/ports/fetcher.js';

/** The page of a visit that nothing was to lead elsewhere. */
export function pageOf(fetched: Page | Detour): Page {
  if (isDetour(fetched)) throw new Error(`It led to ${fetched.to}.`);
  return fetched;
}
