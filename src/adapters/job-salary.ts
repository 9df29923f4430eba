import { countryOf } from '../domain/normalize/countries.js';
import { currencyOf } from '../domain/normalize/currency.js';
import { normalizePlace } from '../domain/normalize/location.js';
import { regionOf } from '../domain/normalize/regions.js';
import { parseSalary, type SalaryHints } from '../domain/normalize/salary.js';
import { printedSalary } from '../domain/normalize/salary-phrase.js';
import { cleanText } from '../domain/normalize/text.js';
import type { Salary } from '../domain/records.js';
import { namedLines } from './job-names.js';
import { linesNear, theOnly } from './job-near.js';
import type { JobPage } from './job-page.js';
import { lazy } from './lazy.js';
import { givenSalary } from './readers/quantity.js';
import type { Thing } from './readers/thing.js';
import { type Candidate, says } from './resolve.js';

/** What is paid, as printed and as understood. What cannot be understood (`DOE`, `negotiable`) is no salary. */
export interface Pay {
  printed: string;
  salary: Salary;
  /** The words are ours, made of given numbers. */
  isComposed?: boolean;
}

/** As the page prints it. `place` tells which dollars are meant. */
export function payCandidates(
  page: JobPage,
  titleAt: () => number | null,
  place: () => unknown,
  given: () => string | null,
): Candidate[] {
  const hints = lazy((): SalaryHints => ({ country: countryIn(place()) }));
  return [
    says('label', () => labelledPay(page, true, hints())),
    says('label', () => labelledPay(page, false, hints()), WEAK_LABEL),
    says('selector', () => namedPay(page, hints())),
    says('text', () => payNear(page, titleAt(), hints())),
    says('text', () => payInProse(page, hints()), IN_PROSE),
    says('text', () => payInText(given(), hints()), IN_PROSE),
  ];
}

/** From structured data: its numbers where it gives numbers, and otherwise what its words say. */
export function givenPay(job: Thing): Pay | null {
  const given = givenSalary(job);
  if (given === null) return null;
  const { printed, amounts } = given;
  const read = readPay(printed, { currency: given.currency, period: given.period });
  if (amounts === null) return read;
  const salary = read?.salary ?? { ...amounts, currency: currencyOf(given.currency), period: null };
  return { printed, salary, isComposed: true };
}

const WEAK_LABEL = 0.7;
/** Of long text: it is asked only where nobody else speaks. */
export const IN_PROSE = 0.55;
const MAX_LINE = 80;

export function readPay(printed: string, hints: SalaryHints = {}): Pay | null {
  const salary = parseSalary(printed, hints);
  return salary === null ? null : { printed, salary };
}

function labelledPay(page: JobPage, isStrong: boolean, hints: SalaryHints): Pay | null {
  for (const label of page.labelled('salary')) {
    const text = label.lines[0] ?? '';
    const pay =
      label.isStrong === isStrong ? (readPay(text, hints) ?? (label.isExplicit ? bareNumber(text) : null)) : null;
    // `Salary (per year): 50,000`
    if (pay) return { ...pay, salary: { ...pay.salary, period: pay.salary.period ?? periodIn(label.label, pay) } };
  }
  return null;
}

/** `Salary: 42000`: the label says what the number is, though not in which money. */
function bareNumber(text: string): Pay | null {
  const pay = /^\d[\d., ]{3,11}$/.test(text) ? readPay(text, { currency: 'USD' }) : null;
  return pay && (pay.salary.min ?? 0) >= 1_000 ? { ...pay, salary: { ...pay.salary, currency: null } } : null;
}

const periodIn = (label: string, { printed }: Pay): Salary['period'] =>
  parseSalary(`${printed} ${label}`)?.period ?? null;

function namedPay(page: JobPage, hints: SalaryHints): Pay | null {
  const texts = namedLines(page, 'salary').map((at) => page.outline.lines[at]?.text ?? '');
  const printed = theOnly(texts.filter((text) => parseSalary(text, hints) !== null));
  return printed === null ? null : readPay(printed, hints);
}

/** A line by the title that is nothing but an amount of money. */
function payNear(page: JobPage, titleAt: number | null, hints: SalaryHints): Pay | null {
  if (!page.hasSigns()) return null;
  const texts = linesNear(page, titleAt).map(({ text }) => text);
  const printed = theOnly(texts.filter((text) => text.length <= MAX_LINE && isMarkedPay(text, hints)));
  return printed === null ? null : readPay(printed, hints);
}

/** An amount alone may be any price. */
function isMarkedPay(text: string, hints: SalaryHints): boolean {
  const salary = /\p{Sc}|\b[A-Z]{3}\b|Kč|zł/u.test(text) ? parseSalary(text, hints) : null;
  return salary !== null && (salary.period !== null || (salary.min !== null && salary.min !== salary.max));
}

/** `The salary range for this role is $90,000 – $110,000`: a range, said once in all of the text. */
function payInProse(page: JobPage, hints: SalaryHints): Pay | null {
  if (!page.hasSigns()) return null;
  const phrases = page.outline.lines.flatMap(({ text, isLink }, at) =>
    isLink || !page.isOwn(at) ? [] : (salaryIn(text) ?? []),
  );
  const printed = theOnly(phrases);
  return printed === null ? null : rangeOf(printed, hints);
}

/** The same, in a description that only structured data gives. */
function payInText(description: string | null, hints: SalaryHints): Pay | null {
  const sentences = (description ?? '')
    .slice(0, MAX_DESCRIPTION)
    .split(/<[^>]{0,200}>|\n|(?<=[a-z)]\.)\s+(?=\p{Lu})/u)
    .flatMap((sentence) => salaryIn(cleanText(sentence) ?? '') ?? []);
  const printed = theOnly(sentences);
  return printed === null ? null : rangeOf(printed, hints);
}

/** `for this position` says nothing, though `positions` beside an amount would mean how many there are. */
function salaryIn(text: string): string | null {
  const said = text.length > MAX_SAID ? text : text.replace(FOR_THIS, '');
  // The point ends the sentence, unless it belongs to `p.a.`
  const found =
    printedSalary(said) ?? (said.length > MAX_SAID ? null : theOnly(said.split(SENTENCE).flatMap(printedIn)));
  return found?.replace(/(?<=\p{L}{4})\.$/u, '') ?? null;
}

const printedIn = (sentence: string): string[] => {
  const found = printedSalary(sentence);
  return found === null ? [] : [found];
};

const SENTENCE = /(?<=[\p{Ll}\d)]\.)\s+(?=\p{Lu}\p{Ll})/u;
const MAX_SAID = 2_000;
const FOR_THIS = /\s(?:for|of|in) (?:this|the) (?:position|role|opening|job)\b/gi;

const MAX_DESCRIPTION = 50_000;

function rangeOf(printed: string, hints: SalaryHints): Pay | null {
  const pay = readPay(printed, hints);
  return pay && pay.salary.min !== null && pay.salary.max !== null && pay.salary.min < pay.salary.max ? pay : null;
}

/** Of the country, or of the state that only one country has: `$` in Texas are US dollars. */
function countryIn(place: unknown): string | null {
  const { country = null, state_region = null } = normalizePlace(place) ?? {};
  if (country !== null) return countryOf(country);
  const [only = null, ...others] = state_region === null ? [] : regionOf(state_region);
  return others.length === 0 ? only : null;
}
