import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { judgePage } from '../../src/adapters/page-verdict.js';
import { createRegistry } from '../../src/adapters/registry.js';
import type { Format } from '../../src/domain/adapter.js';
import { readRecord } from '../../src/engine/reading.js';
import { pageOf, READING } from './page.js';

interface Golden {
  target_type: string;
  url: string;
  /** Contents that are asked for, where it is not the text alone. */
  formats?: Format[];
  record: Record<string, unknown>;
  provenance: Record<string, string>;
}

const folder = new URL('./pages/', import.meta.url);
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.html'))
  .map((file) => file.slice(0, -'.html'.length));

describe('saved pages', () => {
  it.each(names)('%s gives the record saved beside it', (name) => {
    const golden = JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as Golden;
    const page = pageOf(readFileSync(new URL(`${name}.html`, folder), 'utf8'), { url: golden.url });
    const adapter = createRegistry().get(golden.target_type);
    if (!adapter) throw new Error(`no adapter for ${golden.target_type}`);

    const wish = golden.formats === undefined ? READING : { ...READING, formats: new Set(golden.formats) };
    const reading = readRecord(adapter, page, wish);

    expect(reading.record).toEqual(golden.record);
    const sources = Object.entries(reading.provenance).map(([field, { source }]) => [field, source]);
    expect(Object.fromEntries(sources)).toEqual(golden.provenance);
    expect(reading.dropped).toEqual([]);
    expect(judgePage(page)).toEqual({ kind: 'content' });
    expect(readRecord(adapter, pageOf(page.html, { url: golden.url }), wish)).toEqual(reading);
  });
});
