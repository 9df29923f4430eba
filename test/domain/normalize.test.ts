import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { normalizeRecord, selectFields } from '../../src/domain/normalize/index.js';
import {
  CompanyWebsiteResult,
  JobPostingResult,
  LinkedInProfileResult,
  valueKind,
  WebPageResult,
} from '../../src/domain/records.js';

describe('normalizing a record', () => {
  it('gives every field of the schema and no other', () => {
    const { record, dropped } = normalizeRecord(JobPostingResult, { job_title: 'Baker', colour: 'red' });
    expect(record).toEqual({
      job_title: 'Baker',
      company_name: null,
      location: null,
      salary_range: null,
      salary: null,
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
      contact_phone_e164: '+441353000111',
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
      contact_phone_e164: '+441353000111',
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

  it('keeps the lines of a page, and copies what is not text', () => {
    const structured = { '@type': 'Thing', n: -0, gone: undefined, list: [1, { a: null }] };
    const { record, dropped } = normalizeRecord(WebPageResult, {
      text: ' One\n\nTwo <b> ',
      markdown: '',
      structured_data: [structured],
      links: [{ url: 'https://a.test/?a=1&copy=2', text: null }],
    });
    expect(record.text).toBe(' One\n\nTwo <b> ');
    expect(record.markdown).toBeNull();
    expect(record.structured_data).toEqual([{ '@type': 'Thing', n: 0, list: [1, { a: null }] }]);
    expect(record.links).toEqual([{ url: 'https://a.test/?a=1&copy=2', text: null }]);
    expect(dropped).toEqual([]);
    structured['@type'] = 'Other';
    expect(record.structured_data).toMatchObject([{ '@type': 'Thing' }]);
  });

  it.each([
    ['a circle', circle()],
    ['a number JSON has not', { a: Number.NaN }],
    ['a date', { a: new Date(0) }],
    ['a function', { a: () => 1 }],
    ['a big integer', { a: 1n }],
    ['a map', { a: new Map() }],
    ['a hole', { a: [undefined] }],
    ['endless depth', nested(100_000)],
    ['shared parts that unfold without end', unfolding(60)],
    ['something that prints itself', { toJSON: () => 'text' }],
  ])('drops %s', (_, value) => {
    expect(normalizeRecord(WebPageResult, { structured_data: [value], title: 'T' })).toMatchObject({
      record: { structured_data: null, title: 'T' },
      dropped: ['structured_data'],
    });
  });

  it('keeps a property called __proto__ a property', () => {
    const given = JSON.parse('[{"__proto__":{"polluted":true}}]');
    const { record } = normalizeRecord(WebPageResult, { structured_data: given });
    expect(JSON.stringify(record.structured_data)).toBe('[{"__proto__":{"polluted":true}}]');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('takes a salary only whole and in its own shape', () => {
    const salary = { min: 1, max: 2.5, currency: 'EUR', period: 'MONTH' };
    expect(normalizeRecord(JobPostingResult, { salary }).record.salary).toEqual(salary);
    for (const wrong of [
      { ...salary, min: -1 },
      { ...salary, period: 'NIGHT' },
      { min: 1 },
      { ...salary, x: 1 },
      'much',
    ]) {
      expect(normalizeRecord(JobPostingResult, { salary: wrong })).toMatchObject({
        record: { salary: null },
        dropped: ['salary'],
      });
    }
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

function circle(): unknown {
  const round: Record<string, unknown> = {};
  round.self = { round };
  return round;
}

function nested(depth: number): unknown {
  let value: unknown = {};
  for (let level = 0; level < depth; level += 1) value = { value };
  return value;
}

/** Sixty objects, and more than all memory when they are printed. */
function unfolding(levels: number): unknown {
  let value: unknown = {};
  for (let level = 0; level < levels; level += 1) value = { left: value, right: value };
  return value;
}
