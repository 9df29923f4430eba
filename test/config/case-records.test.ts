import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseCaseRecords, readCaseRecords } from '../../src/case-records.js';
import { COURT, courtYaml } from '../support/court.js';

const faultsOf = (text: string): string[] => parseCaseRecords(text, 'f').faults.map(({ key }) => key);
const one = (changes: string): string => `case_records:\n  court:\n${changes}`;

describe('the file of case records', () => {
  it('describes registers', () => {
    const { cases, faults } = parseCaseRecords(courtYaml('http://127.0.0.1'), 'f');
    expect(faults).toEqual([]);
    expect(cases).toEqual([COURT]);
  });

  it('describes registers behind a form, as addresses', () => {
    const form = (more: string): string =>
      one(
        `    form: { action: "https://c.example/find?lang=en", fields: { "ct$no": "No {number5}/{year}", court: 7 }${more} }`,
      );
    const [posted, got] = ['', ', method: get'].map((more) => {
      const text = `${form(more)}\n${courtYaml('').split('\n').slice(4).join('\n')}\n    prefix: IMM`;
      const { cases, faults } = parseCaseRecords(text, 'f');
      expect(faults).toEqual([]);
      return cases[0];
    });
    const url = 'https://c.example/find?lang=en&ct%24no=No%20{number5}%2F{year}&court=7';
    expect(posted).toEqual({ ...COURT, url, form: ['ct$no', 'court'] });
    expect(got).toEqual({ ...COURT, url, form: null });
  });

  it('may be absent from its usual place, and only from there', () => {
    expect(readCaseRecords({ path: '/nowhere/cases.yaml', isChosen: false })).toEqual({ cases: [], faults: [] });
    expect(readCaseRecords({ path: '/nowhere/cases.yaml', isChosen: true }).faults).toHaveLength(1);
  });

  it('has an example that holds', () => {
    const text = readFileSync(new URL('../../config/case-records.example.yaml', import.meta.url), 'utf8');
    const { cases, faults } = parseCaseRecords(text, 'f');
    expect(faults).toEqual([]);
    expect(cases.map(({ name }) => name)).toEqual(['example_court', 'example_registry']);
  });

  it.each([
    ['no YAML', '{', 'f'],
    ['another key at the top', 'cases: {}', 'f: cases'],
    ['a misspelt key', one('    prefx: IMM'), 'f: case_records.court.prefx'],
    ['a prefix in small letters', one('    prefix: imm'), 'f: case_records.court.prefix'],
    ['a URL without a place for the case', one('    url: https://c.example/'), 'f: case_records.court.url'],
    ['a URL that cases of two years share', one('    url: https://c.example/{number}'), 'f: case_records.court.url'],
    ['a URL that all cases of a year share', one('    url: https://c.example/{year}'), 'f: case_records.court.url'],
    ['a case that chooses the host', one('    url: https://{id}.example/'), 'f: case_records.court.url'],
    ['a URL of another kind', one('    url: file:///{id}'), 'f: case_records.court.url'],
    [
      'both a URL and a form',
      one('    url: https://c.example/{id}\n    form: { action: "https://c.example/", fields: { id: "{id}" } }'),
      'f: case_records.court.form',
    ],
    ['a form that is none', one('    form: https://c.example/{id}'), 'f: case_records.court.form.action'],
    ['a form with another key', one('    form: { actoin: 1 }'), 'f: case_records.court.form.actoin'],
    ['a form that is put', one('    form: { method: put }'), 'f: case_records.court.form.method'],
    [
      'a case that chooses where its form goes',
      one('    form: { action: "https://c.example/{id}" }'),
      'f: case_records.court.form.action',
    ],
    [
      'a form without a place for the case',
      one('    form: { action: "https://c.example/", fields: { id: 1 } }'),
      'f: case_records.court.form.fields',
    ],
    [
      'a form that cases of two years share',
      one('    form: { action: "https://c.example/", fields: { no: "{number5}" } }'),
      'f: case_records.court.form.fields',
    ],
    [
      'a field that is a list',
      one('    form: { action: "https://c.example/", fields: { id: ["{id}"] } }'),
      'f: case_records.court.form.fields.id',
    ],
    [
      'a field that is in the address, too',
      one('    form: { action: "https://c.example/?id=1", fields: { id: "{id}" } }'),
      'f: case_records.court.form.fields.id',
    ],
    [
      'a status that is no refusal',
      one('    no_record: { statuses: [200] }'),
      'f: case_records.court.no_record.statuses',
    ],
    ['no sign of a record', one('    found: {}'), 'f: case_records.court.found'],
    ['no fields', one('    fields: {}'), 'f: case_records.court.fields'],
  ])('with %s is refused by name', (_what, text, key) => {
    expect(faultsOf(text)).toContain(key);
  });
});
