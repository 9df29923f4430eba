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

  it('may be absent from its usual place, and only from there', () => {
    expect(readCaseRecords({ path: '/nowhere/cases.yaml', isChosen: false })).toEqual({ cases: [], faults: [] });
    expect(readCaseRecords({ path: '/nowhere/cases.yaml', isChosen: true }).faults).toHaveLength(1);
  });

  it('has an example that holds', () => {
    const text = readFileSync(new URL('../../config/case-records.example.yaml', import.meta.url), 'utf8');
    const { cases, faults } = parseCaseRecords(text, 'f');
    expect(faults).toEqual([]);
    expect(cases.map(({ name }) => name)).toEqual(['example_court']);
  });

  it.each([
    ['no YAML', '{', 'f'],
    ['another key at the top', 'cases: {}', 'f: cases'],
    ['a misspelt key', one('    prefx: IMM'), 'f: case_records.court.prefx'],
    ['a prefix in small letters', one('    prefix: imm'), 'f: case_records.court.prefix'],
    ['a URL without a place for the case', one('    url: https://c.example/'), 'f: case_records.court.url'],
    ['a case that chooses the host', one('    url: https://{id}.example/'), 'f: case_records.court.url'],
    ['a URL of another kind', one('    url: file:///{id}'), 'f: case_records.court.url'],
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
