import { Value } from '@sinclair/typebox/value';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRegistry } from '../../src/adapters/registry.js';
import { fieldsOf } from '../../src/domain/adapter.js';
import { normalizeRecord } from '../../src/domain/normalize/index.js';
import { jsonLd, pageOf, READING } from '../adapters/page.js';

const FINAL_URL = 'https://acme-tools.test/page';

/** How one field is written on a page in one syntax, and what it must then be in the record. */
interface Spot {
  syntax: 'json-ld' | 'microdata' | 'meta';
  field: string;
  /** A property of the described thing, or a whole meta element. */
  written: { property: string; value: unknown; html: string } | { meta: string };
  expected: unknown;
  /** What else the same words say. */
  also?: Record<string, unknown>;
}

const plain = (field: string, property: string, value: string): Spot[] => [
  spot('json-ld', field, { property, value, html: '' }, value),
  spot('microdata', field, { property, value: '', html: `<p itemprop="${property}">${value}</p>` }, value),
];
const meta = (field: string, name: string, value: string): Spot =>
  spot('meta', field, { meta: `<meta property="${name}" content="${value}">` }, value);
const spot = (syntax: Spot['syntax'], field: string, written: Spot['written'], expected: unknown): Spot => ({
  syntax,
  field,
  written,
  expected,
});

const place = (field: string, property: string): Spot[] => {
  const expected = { city: 'Oslo', state_region: null, country: 'NO', raw: 'Oslo, NO' };
  const value = { '@type': 'PostalAddress', addressLocality: 'Oslo', addressCountry: 'NO' };
  const html = `<div itemprop="${property}" itemscope><b itemprop="addressLocality">Oslo</b><b itemprop="addressCountry">NO</b></div>`;
  return [
    spot('json-ld', field, { property, value, html: '' }, expected),
    spot('microdata', field, { property, value: '', html }, expected),
  ];
};

const PAGES: Record<string, { type: string; urlField: string; spots: Spot[] }> = {
  job_posting: {
    type: 'JobPosting',
    urlField: 'posting_url',
    spots: [
      ...plain('job_title', 'title', 'Tool Grinder'),
      ...plain('company_name', 'hiringOrganization', 'Acme Tools'),
      ...plain('description', 'description', 'Grind tools all day.'),
      ...plain('salary_range', 'baseSalary', '500 EUR a week').map((each) => ({
        ...each,
        also: { salary: { min: 500, max: 500, currency: 'EUR', period: 'WEEK' } },
      })),
      ...place('location', 'jobLocation'),
    ],
  },
  company_website: {
    type: 'Organization',
    urlField: 'website_url',
    spots: [
      // Beside another name the structured one would win, so the page prints both alike.
      meta('company_name', 'og:site_name', 'Acme Tools'),
      meta('description', 'og:description', 'Tools for all.'),
      ...plain('industry', 'industry', 'Tool making'),
      ...plain('employee_count_range', 'numberOfEmployees', '11-50'),
      ...plain('contact_email', 'email', 'hello@acme-tools.test'),
      ...plain('contact_phone', 'telephone', '+47 22 12 34 56').map((each) => ({
        ...each,
        also: { contact_phone_e164: '+4722123456' },
      })),
      ...place('headquarters', 'address'),
    ],
  },
  linkedin_profile: {
    type: 'Person',
    urlField: 'profile_url',
    spots: [
      ...plain('name', 'name', 'Ida Berg'),
      ...plain('headline', 'jobTitle', 'Tool Grinder'),
      ...plain('current_company', 'worksFor', 'Acme Tools'),
      ...plain('summary', 'description', 'I grind tools.'),
      ...place('location', 'address'),
    ],
  },
};

/** The spots of one page: any of them, and each in one syntax or several. */
const pages = fc.constantFrom(...Object.keys(PAGES)).chain((targetType) =>
  fc.record({
    targetType: fc.constant(targetType),
    spots: fc.subarray(PAGES[targetType]?.spots ?? []),
    hasName: fc.boolean(),
    noise: fc.constantFrom('', '<p>Some text</p>', '<script>run()</script><div id="root"></div>'),
  }),
);

describe('extraction', () => {
  it('Property 13: fields that are not found on the page are null, and extraction does not fail', () => {
    const registry = createRegistry();
    fc.assert(
      fc.property(pages, ({ targetType, spots, hasName, noise }) => {
        const adapter = registry.get(targetType);
        const kind = PAGES[targetType];
        if (!adapter || !kind) throw new Error(targetType);
        const isCompany = targetType === 'company_website';

        const page = pageOf(printPage(kind.type, spots, isCompany && hasName) + noise, { url: FINAL_URL });
        const { fields, provenance } = adapter.extract(page, READING);
        const { record, dropped } = normalizeRecord(adapter.schema, fields);

        const expected: Record<string, unknown> = Object.fromEntries(fieldsOf(adapter).map((field) => [field, null]));
        for (const each of spots) Object.assign(expected, { [each.field]: each.expected }, each.also);
        if (isCompany && hasName) expected.company_name = 'Acme Tools';
        expected[kind.urlField] = FINAL_URL;
        expect(record).toEqual(expected);
        expect(dropped).toEqual([]);
        expect(Value.Check(adapter.schema, record)).toBe(true);
        const found = Object.keys(record).filter((field) => record[field] !== null);
        expect(Object.keys(provenance).sort()).toEqual(found.sort());
      }),
      { numRuns: 300 },
    );
  });
});

function printPage(type: string, spots: Spot[], isNamed: boolean): string {
  const name = isNamed ? { name: 'Acme Tools' } : {};
  const thing: Record<string, unknown> = { '@type': type, ...name };
  let items = isNamed ? '<p itemprop="name">Acme Tools</p>' : '';
  let head = '';
  for (const { syntax, written } of spots) {
    if ('meta' in written) head += written.meta;
    else if (syntax === 'json-ld') thing[written.property] = written.value;
    else items += written.html;
  }
  return `${head}${jsonLd(thing)}<div itemscope itemtype="https://schema.org/${type}">${items}</div>`;
}
