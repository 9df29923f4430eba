import type { FieldSource } from '../domain/adapter.js';
import { parseSalary } from '../domain/normalize/salary.js';
import { printedSalary } from '../domain/normalize/salary-phrase.js';
import type { Salary } from '../domain/records.js';
import { readOnce } from './job-once.js';
import type { JobPage } from './job-page.js';
import { IN_PROSE, type Pay } from './job-salary.js';
import { samePay } from './job-sameness.js';
import { type Candidate, resolveField, says } from './resolve.js';

/** What is paid, and who says so: of the words and of the numbers apart. */
export interface DecidedPay extends Pay {
  provenance: { salary_range: FieldSource; salary: FieldSource };
}

// Data for machines has numbers; the words for people are on the page.
const PRINTED: ReadonlySet<string> = new Set(['label', 'selector', 'text']);

/** Numbers of the most trusted place, in the words the page prints for them where it does. */
export function decidePay(given: readonly Candidate[], page: JobPage): DecidedPay | null {
  const said = readOnce(given);
  const composed = said.find(({ source, read }) => !PRINTED.has(source) && read() !== null);
  const short = said.filter(({ trust }) => trust !== IN_PROSE);
  // Looking through all lines costs; it is done only where no better place has words.
  const hasWords = short.some(({ source, read }) => PRINTED.has(source) && read() !== null);
  const line = says('text', () => (composed && !hasWords ? lineSaying(page, composed.read() as Pay | null) : null));
  const told = [...short, ...readOnce([line])];
  const candidates = told.some(({ read }) => read() !== null) ? told : said;
  const decided = resolveField({ candidates, sameness: samePay });
  if (decided === null) return null;
  const { printed, salary, isComposed = false } = decided.value as Pay;
  const { from } = decided;
  const words = isComposed ? candidates.find((candidate) => isPrinted(candidate, decided.value)) : undefined;
  if (!words) return { printed, salary, provenance: { salary_range: from, salary: from } };
  const agreeing = [from.source, ...from.agreeing].filter((source) => source !== words.source);
  return {
    printed: (words.read() as Pay).printed,
    salary,
    provenance: { salary_range: { ...from, source: words.source, agreeing }, salary: from },
  };
}

const isPrinted = ({ source, read }: Candidate, pay: unknown): boolean => PRINTED.has(source) && samePay(read(), pay);

const MAX_LINE = 80;
const MONEY = /\p{Sc}|\b[A-Z]{3}\b|Kč|zł|\bkr\b/u;

/** A line anywhere in the advertisement that says nothing but this amount of money. */
function lineSaying(page: JobPage, pay: Pay | null): Pay | null {
  if (pay === null) return null;
  for (const [at, { text, isLink }] of page.outline.lines.entries()) {
    if (
      isLink ||
      text.length > MAX_LINE ||
      !MONEY.test(text) ||
      !/\d/.test(text) ||
      text.includes(':') ||
      !page.isOwn(at)
    )
      continue;
    const salary: Salary | null = parseSalary(text, { currency: pay.salary.currency });
    if (salary !== null && samePay({ salary }, pay)) return { printed: amountIn(text, pay), salary };
  }
  return null;
}

/** `We pay £12 – £14 per hour`: the amount without the words around it, where they can be told apart. */
function amountIn(text: string, pay: Pay): string {
  const phrase = printedSalary(text);
  const salary = phrase === null ? null : parseSalary(phrase, { currency: pay.salary.currency });
  return phrase !== null && salary !== null && samePay({ salary }, pay) ? phrase : text;
}
