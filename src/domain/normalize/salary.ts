import type { Salary } from '../records.js';
import { currencyOf, exponentOf, isMarkOf, localCurrency } from './currency.js';
import { findAmounts, joins, type PrintedAmount } from './money-amounts.js';
import { plainText, readNumber } from './money-number.js';
import { FILLER, FROM, givenPeriod, NOT_SALARY, printedPeriod, UP_TO, WORKING_TIME } from './salary-words.js';

/** What is known from elsewhere: structured data, the place of the job. */
export interface SalaryHints {
  /** ISO 4217. Decides what an ambiguous mark (`$`) means, and stands in where none is printed. */
  currency?: string | null;
  /** What one payment is for, as structured data gives it (`YEAR`, `ANN`, `per hour`). */
  period?: string | null;
  /** Two letters; decides what an ambiguous mark means there. */
  country?: string | null;
}

/**
 * What a printed salary says: `$65,000 - $75,000`, `£85k - 110k`, `od 30 000 Kč/měsíc`. One exact amount is both ends
 * (`min` = `max`); `from` leaves `max` open, `up to` leaves `min` open. Period and currency only as printed or given:
 * `$` alone is no currency. `null` for everything that is not one amount or one range (`DOE`, `competitive`, `401k`),
 * and where the ends are the wrong way round.
 */
export function parseSalary(text: string, hints: SalaryHints = {}): Salary | null {
  if (text.length > MAX_LENGTH || !/\p{Nd}/u.test(text)) return null;
  const plain = withoutExtras(plainText(text).replace(NO_PAY, ' ').replace(WORKING_TIME, ' '));
  if (FACTOR_AHEAD.test(plain)) return null;
  const amounts = findAmounts(plain);
  const ends = readEnds(plain, amounts);
  if (ends === null || amounts.some((amount) => amount.isDoubtful) || NOT_SALARY.test(plain)) return null;
  const currency = currencyOfAll(amounts, hints);
  if (currency === undefined || !isMoney(plain, amounts, ends, hints)) return null;
  return { ...ends, currency, period: agreed(printedPeriod(plain), givenPeriod(hints.period)) };
}

const MAX_LENGTH = 300;
const WIDEST = 50;
/** A pension plan that looks like a thousand dollars. */
const NO_PAY = /401 ?\(?k\)?/gi;

/** `K€ 40-50`: rare, and easily read as forty euros. */
const FACTOR_AHEAD = /(?<![\p{L}\d] ?)[kKT] ?€ ?\d/u;

/** What stands behind `+` or `plus` is paid beside the salary. The `+` of `$100k+` stays: it is an open end. */
function withoutExtras(plain: string): string {
  const at = plain.search(/(?<=\d.{0,30})(?: \+|\+(?= ?\p{L})|[ ,]plus(?!\p{L}))/iu);
  return at === -1 ? plain : plain.slice(0, plain[at] === '+' ? at + 1 : at);
}

type Ends = Pick<Salary, 'min' | 'max'>;

function readEnds(plain: string, [first, second, ...more]: readonly PrintedAmount[]): Ends | null {
  if (first === undefined || first.isNegative || more.length > 0) return null;
  if (second !== undefined) return joins(plain, first, second) ? readRange(first, second) : null;
  const value = wholeUnits(first, null);
  if (value === null || value === 0) return null;
  const before = plain.slice(0, first.start);
  if (FROM.test(before) || plain[first.end] === '+') return { min: value, max: null };
  return UP_TO.test(before) ? { min: null, max: value } : { min: value, max: value };
}

function readRange(first: PrintedAmount, second: PrintedAmount): Ends | null {
  const [min, max] = [wholeUnits(first, second), wholeUnits(second, first)];
  if (min === null || max === null || min === 0 || min > max) return null;
  // `30-35 000`: the zeros of one end are meant for both, or the two are no range.
  return max / min > WIDEST ? null : { min, max };
}

/** In whole units. `k` at one end counts for both (`45–55k`), unless the other is in thousands as it stands. */
function wholeUnits(amount: PrintedAmount, other: PrintedAmount | null): number | null {
  const currency = amount.mark?.currency ?? other?.mark?.currency ?? null;
  const text = readNumber(amount.number.text, currency === null ? null : exponentOf(currency));
  if (text === null) return null;
  const value = Number(text);
  const borrowed = value < 1000 ? other?.factor : null;
  const zeros = (amount.factor ?? borrowed)?.zeros ?? 0;
  // `1.500k` is a slip of some kind.
  if (zeros === 3 && value >= 1000) return null;
  return Number((value * 10 ** zeros).toFixed(4));
}

/** `undefined` where the two ends are in two currencies. */
function currencyOfAll(amounts: readonly PrintedAmount[], hints: SalaryHints): string | null | undefined {
  const marks = amounts.flatMap(({ mark }) => (mark === null ? [] : [mark]));
  const named = new Set(marks.flatMap(({ currency }) => currency ?? []));
  if (named.size > 1) return undefined;
  const [printed] = named;
  const open = marks.filter(({ currency }) => currency === null).map(({ symbol }) => symbol);
  if (printed) return open.every((symbol) => isMarkOf(symbol, printed)) ? printed : undefined;

  const given = currencyOf(hints.currency);
  const symbol = open[0];
  if (symbol === undefined) return given;
  return given !== null && isMarkOf(symbol, given) ? given : localCurrency(symbol, hints.country);
}

/** Marked as money, or so plain that nothing else is said. */
function isMoney(plain: string, amounts: readonly PrintedAmount[], ends: Ends, hints: SalaryHints): boolean {
  if (amounts.some(({ mark, factor }) => mark !== null || (factor !== null && amounts.length === 2))) return true;
  const isGiven = currencyOf(hints.currency) !== null;
  const isBare = amounts.length === 1 && amounts[0]?.factor === null && printedPeriod(plain) === null;
  if (!isGiven && (isBare || (ends.min ?? ends.max ?? 0) < 1000)) return false;
  let rest = plain;
  for (const { start, end } of [...amounts].reverse()) rest = `${rest.slice(0, start)} ${rest.slice(end)}`;
  return printedPeriod(rest) !== null || !/\p{L}/u.test(rest.replace(FILLER, ''));
}

/** Printed and given must not contradict each other. */
function agreed<T>(printed: T | null, given: T | null): T | null {
  if (printed === null || given === null) return printed ?? given;
  return printed === given ? printed : null;
}
