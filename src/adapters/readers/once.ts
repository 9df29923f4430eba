import type { PageReader } from './page-reader.js';

/** A reading of the whole page that `enough`, `extract` and several fields ask for: done once, kept with the page. */
export function oncePerPage<T extends object>(read: (reader: PageReader) => T): (reader: PageReader) => T {
  const known = new WeakMap<PageReader, T>();
  return (reader) => {
    const value = known.get(reader) ?? read(reader);
    known.set(reader, value);
    return value;
  };
}
