import type { TObject } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRegistry } from '../../src/adapters/registry.js';
import { normalizeRecord } from '../../src/domain/normalize/index.js';
import { normalizeLocation } from '../../src/domain/normalize/location.js';
import { cleanText } from '../../src/domain/normalize/text.js';
import { NormalizedLocation, SALARY_PERIODS, valueKind } from '../../src/domain/records.js';

const registry = createRegistry();
const schemas = registry.types().map((type) => registry.get(type)?.schema as TObject);
const anySchema = fc.constantFrom(...schemas);

/** Text as pages hold it: tags whole and broken, entities once and twice, white space and marks of every kind. */
const noisyText = fc
  .array(
    fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary', maxLength: 4 }),
      fc.constantFrom(...['<p>', '</p>', '<br/>', '<b', '<!--', '-->', '<script>', '</script>', ']]>', '>', '<']),
      fc.constantFrom(...['&lt;', '&gt;', '&amp;', '&amp;lt;', '&#60;', '&nbsp;', '\u200b', '\u200d', '\ud800', '\n']),
      fc.constantFrom(...[', ', 'UK', 'IN 46142', 'Ely', 'Remote', '10115 Berlin', 'N/A', '-', 'Georgia']),
    ),
    { maxLength: 12 },
  )
  .map((bits) => bits.join(''));

const rawValue = fc.oneof(
  noisyText,
  fc.webUrl(),
  fc.emailAddress(),
  fc.anything({ withDate: true, withMap: true, withSet: true, withBigInt: true, withSparseArray: true }),
  fc.record({ city: noisyText, state_region: noisyText, country: noisyText }, { requiredKeys: [] }),
  fc.record({ min: fc.double(), max: fc.double(), currency: fc.string(), period: fc.string() }),
  fc.jsonValue(),
);

const fieldsOf = (schema: TObject): string[] => Object.keys(schema.properties);
const rawFields = (schema: TObject) =>
  fc.record(Object.fromEntries(fieldsOf(schema).map((field) => [field, rawValue])), { requiredKeys: [] });
const extractions = anySchema.chain((schema) => rawFields(schema).map((fields) => ({ schema, fields })));

/** Values that are already as a record holds them, one generator per kind of field. */
const word = fc.stringMatching(/^[A-Z][a-z]{4,8}$/);
const words = fc.array(word, { minLength: 1, maxLength: 4 }).map((list) => list.join(' '));
const place = fc.record({ city: words, state_region: fc.option(words), country: fc.option(words), raw: words });
const salary = fc.record({
  min: fc.option(fc.nat()),
  max: fc.option(fc.double({ min: 0, max: 1e9, noNaN: true }).map((value) => value + 0)),
  currency: fc.option(fc.constantFrom('EUR', 'USD')),
  period: fc.option(fc.constantFrom(...SALARY_PERIODS)),
});
const VALID: Record<string, fc.Arbitrary<unknown>> = {
  salary,
  contact_phone_e164: fc.stringMatching(/^\+[1-9]\d{6,12}$/),
  language: fc.constantFrom('en', 'pt-BR', 'zh-Hant'),
  published_at: fc.constantFrom('2024-05-01', '2024-05-01T10:00:00Z'),
  structured_data: fc.array(fc.dictionary(fc.string(), fc.jsonValue())),
  links: fc.array(fc.record({ url: fc.webUrl(), text: fc.option(words) })),
  text: fc.string({ minLength: 1 }),
  markdown: fc.string({ minLength: 1 }),
  html: fc.string({ minLength: 1 }),
};
const BY_KIND: Record<string, fc.Arbitrary<unknown>> = {
  text: words,
  url: fc.stringMatching(/^https:\/\/[a-z]{3,8}\.test\/[a-z]{1,8}$/),
  email: fc.stringMatching(/^[a-z]{1,8}@[a-z]{2,8}\.test$/),
  phone: fc.stringMatching(/^\+[1-9][0-9]{7,12}$/),
  location: place,
};
const validValue = (schema: TObject, field: string): fc.Arbitrary<unknown> => {
  const known = VALID[field] ?? BY_KIND[valueKind(schema, field)];
  if (!known) throw new Error(`There is no generator for ${field}.`);
  return known;
};
const validRecord = (schema: TObject): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(Object.fromEntries(fieldsOf(schema).map((field) => [field, fc.option(validValue(schema, field))])));

/** What no field can be made of, whatever its kind. */
const spoiled = fc.constantFrom<unknown>(true, Number.NaN, () => 1, Symbol('x'), 1n, ['a', ['b', 1n]]);

describe('the normalizer', () => {
  it('Property 31: any raw extraction becomes a record of its schema, its texts without tags and trimmed', () => {
    fc.assert(
      fc.property(extractions, ({ schema, fields }) => {
        const { record } = normalizeRecord(schema, fields);
        expect(Value.Check(schema, record)).toBe(true);
        expect(Object.keys(record)).toEqual(fieldsOf(schema));
        for (const field of fieldsOf(schema)) {
          if (valueKind(schema, field) === 'other') continue;
          for (const text of textsIn(record[field])) {
            expect(text).not.toMatch(/<[a-z/!?][^>]*>/i);
            expect(text).toBe(text.trim());
          }
        }
        // Cleaned once, it is clean: its own record is what it makes of it.
        expect(normalizeRecord(schema, record)).toEqual({ record, dropped: [] });
      }),
      { numRuns: 500 },
    );
  });

  it('Property 32: a record with invalid fields keeps exactly the valid ones, and names the others', () => {
    const cases = anySchema.chain((schema) =>
      fc.record({
        schema: fc.constant(schema),
        valid: validRecord(schema),
        wrong: fc.subarray(fieldsOf(schema)),
        by: spoiled,
      }),
    );
    fc.assert(
      fc.property(cases, ({ schema, valid, wrong, by }) => {
        const given = { ...valid, ...Object.fromEntries(wrong.map((field) => [field, by])) };
        const expected = { ...valid, ...Object.fromEntries(wrong.map((field) => [field, null])) };
        // JSON knows no negative zero.
        const plain = JSON.parse(JSON.stringify(expected)) as typeof expected;
        expect(normalizeRecord(schema, given)).toEqual({ record: plain, dropped: wrong });
      }),
      { numRuns: 300 },
    );
  });

  it('Property 34: any location becomes four fields, with its text as it was given', () => {
    const piece = fc.constantFrom(
      ...[
        'London',
        'UK',
        'Dayton',
        'OH',
        '45402',
        'Georgia',
        'Praha 4',
        'Remote',
        '(US)',
        'Berlin',
        'DE',
        '10115',
        'US-OH-',
      ],
      ...['Île-de-France', 'kraj', 'New York', '12 Elm St', 'or', ' - ', ', ', ' ', ';', '|', '  ', '日本', 'Plzeňský'],
    );
    const locations = fc.oneof(
      fc.array(piece, { maxLength: 8 }).map((bits) => bits.join('')),
      fc.array(piece, { maxLength: 8 }).map((bits) => bits.join(' ')),
      noisyText,
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(locations, (raw) => {
        const location = normalizeLocation(raw);
        expect(Object.keys(location).sort()).toEqual(['city', 'country', 'raw', 'state_region']);
        expect(location.raw).toBe(raw);
        expect(Value.Check(NormalizedLocation, location)).toBe(true);
        // Nothing is made up: every part is in the text as a reader sees it.
        const seen = cleanText(raw) ?? '';
        for (const part of [location.city, location.state_region, location.country]) {
          if (part !== null) expect(seen).toContain(part);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('Property 35: a record of any kind is the same after a journey through JSON', () => {
    const records = anySchema.chain((schema) =>
      fc
        .oneof(validRecord(schema), rawFields(schema))
        .map((fields) => ({ schema, record: normalizeRecord(schema, fields).record })),
    );
    fc.assert(
      fc.property(records, ({ schema, record }) => {
        const returned = JSON.parse(JSON.stringify(record));
        expect(returned).toStrictEqual(record);
        expect(Value.Check(schema, returned)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : [];
};
