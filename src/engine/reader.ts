import { createHash } from 'node:crypto';
import type { Adapter, AdapterRegistry } from '../domain/adapter.js';
import { GleanerError } from '../domain/errors.js';
import type { Page, PageVerdict } from '../domain/page.js';
import type { PageReading, Reader, Reading, ReadingWish } from '../ports/reader.js';
import { lackIn } from './lack.js';
import { readRecord } from './reading.js';

export interface ReaderParts {
  adapters: AdapterRegistry;
  /** Tells content from everything that may come in its place. */
  judgePage: (page: Page) => PageVerdict;
}

/** Reads on the thread it is called on. */
export const createReader = (parts: ReaderParts): Reader => ({
  read: async (page, wish) => readPage(parts, page, wish),
});

function readPage({ adapters, judgePage }: ReaderParts, page: Page, wish: ReadingWish): PageReading {
  const adapter = adapterFor(adapters, wish.targetType);
  const contentHash = hashOf(page);
  const verdict = adapter.judge?.(page) ?? judgePage(page);
  const lack = wish.mayEscalate ? lackIn(verdict, adapter, page) : null;
  const read = (): Reading => readRecord(adapter, page, { now: wish.now, formats: new Set(wish.formats) });
  if (verdict.kind === 'refusal') return { contentHash, verdict, lack, reading: null };
  return { contentHash, verdict, lack, reading: lack ? orNothing(read) : read() };
}

/** An adapter that fails on half a page may still read the whole one. */
function orNothing(read: () => Reading): Reading | null {
  try {
    return read();
  } catch {
    return null;
  }
}

export function adapterFor(adapters: AdapterRegistry, targetType: string): Adapter {
  const adapter = adapters.get(targetType);
  // Accepted by an earlier version that knew this kind of page.
  if (!adapter) throw new GleanerError('extraction_failed', `No adapter reads ${targetType} any more.`);
  return adapter;
}

export const hashOf = ({ html }: Page): string => createHash('sha256').update(html).digest('hex');
