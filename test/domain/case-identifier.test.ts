import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  caseIdentifier,
  MAX_CASE_NUMBER,
  parseCase,
  parseCaseRange,
  printCaseRange,
} from '../../src/domain/case-identifier.js';

const prefix = fc.stringMatching(/^[A-Z][A-Z0-9]{0,9}$/);
const year = fc.stringMatching(/^[0-9]{2}$/);
const number = fc.integer({ min: 0, max: MAX_CASE_NUMBER });

describe('an identifier of a case', () => {
  it('is read back from what it prints, whatever its parts', () => {
    fc.assert(
      fc.property(prefix, number, year, (series, one, two) => {
        const printed = caseIdentifier(series, one, two);
        expect(parseCase(printed.id)).toEqual(printed);
      }),
    );
  });

  it('is printed in one way, however it was written', () => {
    fc.assert(
      fc.property(prefix, number, year, fc.integer({ min: 0, max: 3 }), (series, one, two, zeros) => {
        const written = ` ${series.toLowerCase()}-${'0'.repeat(zeros)}${one}-${two} `;
        expect(parseCase(written)).toEqual(caseIdentifier(series, one, two));
      }),
    );
  });

  it('has no leading zeros in its number, whatever was written', () => {
    expect(caseIdentifier('IMM', 231, '25').id).toBe('IMM-231-25');
    expect(caseIdentifier('IMM', 0, '05').id).toBe('IMM-0-05');
    expect(parseCase('imm-0231-25')).toEqual({ id: 'IMM-231-25', prefix: 'IMM', number: 231, year: '25' });
  });

  it.each([
    '',
    'IMM',
    'IMM-1',
    'IMM-1-2',
    'IMM-1-256',
    'IMM-100000-25',
    'IMM--25',
    '-1-25',
    '1MM-1-25',
    'IMM-1.5-25',
    'IMM-1-25-1',
    'IMM 1 25',
    '../IMM-1-25',
    'IMM-١-25',
    'ABCDEFGHIJKL-1-25',
  ])('is not %j', (text) => {
    expect(parseCase(text)).toBeNull();
  });

  it('may be anything else: then it is none, or is canonical and safe as the name of a file', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const one = parseCase(text);
        if (one) expect(one.id).toMatch(/^[A-Z][A-Z0-9]{0,9}-(0|[1-9]\d{0,4})-\d{2}$/);
      }),
    );
  });
});

describe('a range of cases', () => {
  it('is read back from what it prints', () => {
    fc.assert(
      fc.property(prefix, year, number, number, (series, two, a, b) => {
        const range = { prefix: series, year: two, from: Math.min(a, b), to: Math.max(a, b) };
        expect(parseCaseRange(printCaseRange(range))).toEqual(range);
      }),
    );
  });

  it.each([
    ['IMM-5-25..IMM-1-25', /upwards, and not from 5 to 1/],
    ['IMM-1-24..IMM-5-25', /one year, and not from 24 to 25/],
    ['IMM-1-25..T-5-25', /one series, and not from IMM to T/],
    ['IMM-1-25..', /must end with a case, and "" is none/],
    ['IMM-1-25..IMM-100000-25', /"IMM-100000-25" is none: it must be like .* 0 to 99999/],
    ['..', /must begin with a case/],
    ['IMM-1-25..x..y', /one range/],
  ])('is not %j, and it says why', (text, why) => {
    expect(parseCaseRange(text)).toMatch(why);
  });
});
