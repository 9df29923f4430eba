/** One case of a register: `IMM-231-25` is number 231 of the year 25 in the series IMM. */
export interface CaseIdentifier {
  /** As it is written everywhere: capital letters, no leading zeros in the number. */
  id: string;
  prefix: string;
  number: number;
  /** Two digits. */
  year: string;
}

export const MAX_CASE_NUMBER = 99_999;
export const CASE_PREFIX = /^[A-Z][A-Z0-9]{0,9}$/;
export const CASE_YEAR = /^\d{2}$/;

const WRITTEN = /^([A-Z][A-Z0-9]{0,9})-(\d{1,9})-(\d{2})$/;

export function caseIdentifier(prefix: string, number: number, year: string): CaseIdentifier {
  return { id: `${prefix}-${number}-${year}`, prefix, number, year };
}

/** As people write it, small letters, spaces around it and leading zeros included; `null` if it is none. */
export function parseCase(text: string): CaseIdentifier | null {
  const [, prefix, digits, year] = WRITTEN.exec(text.trim().toUpperCase()) ?? [];
  if (prefix === undefined || digits === undefined || year === undefined) return null;
  const number = Number(digits);
  return number <= MAX_CASE_NUMBER ? caseIdentifier(prefix, number, year) : null;
}

/** All cases of one series and year from one number to another, both included. */
export interface CaseRange {
  prefix: string;
  year: string;
  from: number;
  to: number;
}

/** What a case looks like, for whoever wrote one that does not. */
export const caseShape = (prefix: string): string =>
  `must be like ${caseIdentifier(prefix, 231, '25').id}: a series, a number from 0 to ${MAX_CASE_NUMBER} and a year of two digits`;

/** `IMM-1-25..IMM-500-25`; a text says what is wrong with it. */
export function parseCaseRange(text: string): CaseRange | string {
  const [first = '', last = '', ...more] = text.split('..');
  const [from, to] = [parseCase(first), parseCase(last)];
  if (more.length > 0) return 'must be one range, such as IMM-1-25..IMM-500-25';
  if (!from) return `must begin with a case, and ${JSON.stringify(first)} is none: it ${caseShape('IMM')}`;
  if (!to) return `must end with a case, and ${JSON.stringify(last)} is none: it ${caseShape('IMM')}`;
  if (from.prefix !== to.prefix) return `must be of one series, and not from ${from.prefix} to ${to.prefix}`;
  if (from.year !== to.year) return `must be of one year, and not from ${from.year} to ${to.year}`;
  if (from.number > to.number) return `must go upwards, and not from ${from.number} to ${to.number}`;
  return { prefix: from.prefix, year: from.year, from: from.number, to: to.number };
}

export const printCaseRange = ({ prefix, year, from, to }: CaseRange): string =>
  `${caseIdentifier(prefix, from, year).id}..${caseIdentifier(prefix, to, year).id}`;
