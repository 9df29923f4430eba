import type { PageReader } from './page-reader.js';

/** A reading of the whole page that `enough`, `extract` and several fields ask for: done once, kept with the page. */
export const oncePerPage =
  <T>(read: (reader: PageReader) => T): ((reader: PageReader) => T) =>
  (reader) =>
    reader.kept(read, () => read(reader));
