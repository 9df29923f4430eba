import type { DomElement } from './readers/dom.js';
import type { PageReader } from './readers/page-reader.js';

/**
 * Is raw HTML worth reading as it is? Structured data of the wanted kind is; a shell that scripts are to fill is not.
 * A page without scripts is all there is: a browser would bring the same for a hundred times the price.
 */
export function isFilled(reader: PageReader, found: { structured: boolean; key: unknown }): boolean {
  if (reader.page.renderedBy === 'browser' || found.structured) return true;
  if (reader.meta('refresh') !== null) return false;
  if (reader.index.scripts === 0) return true;
  return !isScriptShell(reader) && found.key !== null;
}

const HARDLY_ANY = 200;
const LITTLE = 1_000;
const MOUNTS = ['root', 'app', '__next', '__nuxt', 'app-root', 'react-root', 'svelte', 'main-app', 'application'];

function isScriptShell(reader: PageReader): boolean {
  const { opening, title } = reader;
  if (opening.length < HARDLY_ANY) return true;
  if (title !== null && /^loading\b/i.test(title.trim())) return true;
  return opening.length < LITTLE && mountsOf(reader).some(({ children }) => children.length === 0);
}

/** Where scripts put the page: by the usual ids, or elements of their own. */
function mountsOf(reader: PageReader): DomElement[] {
  const named = MOUNTS.flatMap((id) => reader.index.named.find(({ attribs }) => attribs.id === id) ?? []);
  return [...named, ...['app-root', 'my-app'].flatMap((tag) => reader.select(tag))];
}
