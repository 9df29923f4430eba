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

/** `IMM-1-25..IMM-500-25`, or one case alone; `null` if it is neither. */
export function parseCaseRange(text: string): CaseRange | null {
  const [first = '', last = first, ...more] = text.split('..');
  const [from, to] = [parseCase(first), parseCase(last)];
  if (!from || !to || more.length > 0 || from.prefix !== to.prefix || from.year !== to.year) return null;
  return from.number <= to.number ? { prefix: from.prefix, year: from.year, from: from.number, to: to.number } : null;
}

export const printCaseRange = ({ prefix, year, from, to }: CaseRange): string =>
  `${caseIdentifier(prefix, from, year).id}..${caseIdentifier(prefix, to, year).id}`;
