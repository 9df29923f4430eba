import type { PageReader } from './readers/page-reader.js';
import { shellSign } from './script-sign.js';

/**
 * Is raw HTML worth reading as it is? Structured data of the wanted kind is; a shell that scripts are to fill is not.
 * A page without scripts is all there is: a browser would bring the same for a hundred times the price.
 */
export function isFilled(reader: PageReader, found: { structured: boolean; key(): unknown }): boolean {
  if (reader.page.renderedBy === 'browser' || found.structured) return true;
  if (shellSign(reader) !== null) return false;
  return reader.index.scripts === 0 || found.key() !== null;
}
