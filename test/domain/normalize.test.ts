import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeRecord, selectFields } from '../../src/domain/normalize/index.js';
import { CompanyWebsiteResult, JobPostingResult, LinkedInProfileResult, valueKind } from '../../src/domain/records.js';

describe('normalizing a record', () => {
  it('gives every field of the schema and no other', () => {
    const { record, dropped } = normalizeRecord(JobPostingResult, { job_title: 'Baker', colour: 'red' });
    expect(record).toEqual({
      job_title: 'Baker',
      company_name: null,
      location: null,
      salary_range: null,
      description: null,
      posting_url: null,
    });
    expect(dropped).toEqual([]);
  });

  it('cleans each field by its kind', () => {
    const { record, dropped } = normalizeRecord(CompanyWebsiteResult, {
      company_name: ' <b>Crumb</b> &amp;\n Co ',
      description: '<p>Bread.</p><p>Cakes.</p>',
      industry: '',
      employee_count_range: 25,
      headquarters: { city: 'Ely', country: ' UK ', postal_code: 'CB7' },
      contact_email: 'mailto:Info@CRUMB.test?subject=x',
      contact_phone: 'Tel.: (01353) 000-111',
      website_url: 'HTTP://Crumb.test:80/?utm_source=x&copy=2#top',
    });
    expect(record).toEqual({
      company_name: 'Crumb & Co',
      description: 'Bread. Cakes.',
      industry: null,
      employee_count_range: '25',
      headquarters: { city: 'Ely', state_region: null, country: 'UK', raw: 'Ely, CB7, UK' },
      contact_email: 'Info@crumb.test',
      contact_phone: '(01353) 000-111',
      website_url: 'https://crumb.test/?copy=2',
    });
    expect(dropped).toEqual([]);
  });

  it('drops what cannot be made valid, names it, and keeps the rest', () => {
    const { record, dropped } = normalizeRecord(CompanyWebsiteResult, {
      company_name: 'x'.repeat(600),
      description: ['a list'],
      headquarters: 7,
      contact_email: 'write to us',
      contact_phone: 'call us',
      website_url: 'javascript:alert(1)',
      industry: 'Bread',
    });
    expect(dropped).toEqual(['company_name', 'description', 'contact_email', 'contact_phone', 'website_url']);
    expect(record).toMatchObject({ industry: 'Bread', company_name: null, website_url: null });
  });

  it('takes emptiness for a missing field, not for an invalid one', () => {
    const fields = {
      name: ' ',
      headline: '<p></p>',
      current_company: 'N/A',
      location: ' ',
      summary: '-',
      profile_url: '',
    };
    const { record, dropped } = normalizeRecord(LinkedInProfileResult, fields);
    expect(Object.values(record)).toEqual([null, null, null, null, null, null]);
    expect(dropped).toEqual([]);
    expect(normalizeRecord(LinkedInProfileResult, { location: { city: '-', raw: '' } }).record.location).toBeNull();
  });

  it('checks fields of other kinds as they are', () => {
    const schema = Type.Object({ price: Type.Union([Type.Integer(), Type.Null()]), tags: Type.Array(Type.String()) });
    expect(valueKind(schema, 'price')).toBe('other');
    expect(normalizeRecord(schema, { price: 5, tags: ['a'] }).record).toEqual({ price: 5, tags: ['a'] });
    expect(normalizeRecord(schema, { price: 'five' }).dropped).toEqual(['price']);
  });

  it('gives a valid record whatever the fields hold, and the same when it is given its own record', () => {
    const schemas = fc.constantFrom(JobPostingResult, CompanyWebsiteResult, LinkedInProfileResult);
    const text = fc.array(
      fc.oneof(
        fc.string(),
        fc.constantFrom('<p>', '</p>', '<br/>', '<b', '&lt;', '&gt;', '&amp;', '\u200b', ' , ', 'UK', 'IN 46142'),
      ),
    );
    const value = fc.oneof(
      fc.anything(),
      text.map((pieces) => pieces.join('')),
      fc.webUrl(),
    );
    fc.assert(
      fc.property(schemas, fc.array(value, { minLength: 8, maxLength: 8 }), (schema, values) => {
        const names = Object.keys(schema.properties);
        const fields = Object.fromEntries(names.map((name, index) => [name, values[index]]));
        const { record } = normalizeRecord(schema, fields);
        expect(Object.keys(record)).toEqual(names);
        expect(Value.Check(schema, record)).toBe(true);
        for (const each of texts(record)) {
          expect(each).not.toMatch(/<[a-z/!?][^>]*>/i);
          expect(each).toBe(each.trim());
        }
        expect(normalizeRecord(schema, record)).toEqual({ record, quality: 'ok', dropped: [] });
        expect(JSON.parse(JSON.stringify(record))).toEqual(record);
      }),
      { numRuns: 500 },
    );
  });
});

describe('selecting fields', () => {
  it('gives only what was asked for, or everything', () => {
    const record = { a: 1, b: null, c: 3 };
    expect(selectFields(record, null)).toEqual(record);
    expect(selectFields(record, ['c', 'b', 'toString'])).toEqual({ b: null, c: 3 });
    expect(selectFields(record, [])).toEqual({});
  });
});

const texts = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : value !== null && typeof value === 'object'
      ? Object.values(value).flatMap(texts)
      : [];
