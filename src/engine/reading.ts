import type { Adapter, ReadingOptions } from '../domain/adapter.js';
import { GleanerError } from '../domain/errors.js';
import { normalizeRecord } from '../domain/normalize/index.js';
import type { Page } from '../domain/page.js';
import { valueKind } from '../domain/records.js';
import type { Quality } from '../domain/task.js';
import type { Reading } from '../ports/reader.js';

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
    throw adapterFailed(adapter, error);
  }
}

export const adapterFailed = ({ targetType }: Adapter, cause?: unknown): GleanerError =>
  new GleanerError('extraction_failed', `The ${targetType} adapter failed on this page.`, { cause });

function qualityOf(adapter: Adapter, record: Record<string, unknown>, dropped: readonly string[]): Quality {
  if (!Object.entries(record).some(([field, value]) => value !== null && saysSomething(adapter, field))) return 'empty';
  return record[adapter.keyField] === null || dropped.length > 0 ? 'partial' : 'ok';
}

/** Every page has an address; knowing only that is knowing nothing of it. */
const saysSomething = (adapter: Adapter, field: string): boolean => valueKind(adapter.schema, field) !== 'url';
