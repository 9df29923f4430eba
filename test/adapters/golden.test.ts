import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { judgePage } from '../../src/adapters/page-verdict.js';
import { createRegistry } from '../../src/adapters/registry.js';
import { normalizeRecord } from '../../src/domain/normalize/index.js';
import { pageOf } from './page.js';

interface Golden {
  target_type: string;
  url: string;
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

    const extraction = adapter.extract(page);
    const { record, quality } = normalizeRecord(adapter.schema, extraction.fields);

    expect(record).toEqual(golden.record);
    expect(extraction.provenance).toEqual(golden.provenance);
    expect(quality).toBe('ok');
    expect(judgePage(page)).toBe('content');
    expect(adapter.extract(pageOf(page.html, { url: golden.url }))).toEqual(extraction);
  });
});
