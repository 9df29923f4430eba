import type { Adapter, FieldSource, PageNote, ReadingOptions } from '../domain/adapter.js';
import { GleanerError } from '../domain/errors.js';
import { normalizeRecord } from '../domain/normalize/index.js';
import type { Page } from '../domain/page.js';
import { valueKind } from '../domain/records.js';
import type { Quality } from '../domain/task.js';

/** What a page said, cleaned and valid, and why we believe it. */
export interface Reading {
  record: Record<string, unknown>;
  quality: Quality;
  provenance: Record<string, FieldSource>;
  dropped: string[];
  notes: PageNote[];
}

/** From a page to its record: extract → normalize. The service and the offline command both read through this. */
export function readRecord(adapter: Adapter, page: Page, options: ReadingOptions): Reading {
  try {
    const { fields, provenance, notes } = adapter.extract(page, options);
    const { record, dropped } = normalizeRecord(adapter.schema, fields);
    const known = Object.entries(provenance).filter(([field]) => record[field] !== null);
    return {
      record,
      quality: qualityOf(adapter, record, dropped),
      provenance: Object.fromEntries(known),
      dropped,
      notes: [...notes],
    };
  } catch (error) {
    throw new GleanerError('extraction_failed', `The ${adapter.targetType} adapter failed on this page.`, {
      cause: error,
    });
  }
}

function qualityOf(adapter: Adapter, record: Record<string, unknown>, dropped: readonly string[]): Quality {
  if (!Object.entries(record).some(([field, value]) => value !== null && saysSomething(adapter, field))) return 'empty';
  return record[adapter.keyField] === null || dropped.length > 0 ? 'partial' : 'ok';
}

/** Every page has an address; knowing only that is knowing nothing of it. */
const saysSomething = (adapter: Adapter, field: string): boolean => valueKind(adapter.schema, field) !== 'url';
