import { currencyOf, exponentOf, findCurrencies, isMarkOf, localCurrency } from './currency.js';
import { findAmounts, joins, type PrintedAmount } from './money-amounts.js';
import { decimal, plainText, readNumber, type Separators } from './money-number.js';
import { isNewPrice, isOldPrice, isSaved, isSoleOldPrice } from './money-words.js';

/** A printed price. Never a floating-point number: those are not money. */
export interface Money {
  /** Exact decimal: `1299.5`. */
  amount: string;
  /** The amount in the smallest unit of the currency; `null` where the currency is open or the amount is finer. */
  minor: number | null;
  /** Decimals of the currency: 2 for EUR, 0 for JPY. `null` where the currency is open. */
  exponent: number | null;
  /** ISO 4217; `null` where nothing is printed or several countries print the same (`$`, `kr`, `Rs`). */
  currency: string | null;
  /** The mark as printed. */
  symbol: string | null;
}

/** What a text says of money: either part may be missing. */
export type MoneyReading = Omit<Money, 'amount'> & { amount: string | null };

export interface MoneyHints extends Separators {
  /** Another text of the same page that may hold the mark the price lacks. What the price says itself goes first. */
  hint?: string | null;
  /** ISO 4217, known for certain: decides what `$` means, and stands in where nothing is printed. */
  currency?: string | null;
  /** Two letters, known for certain: decides what `$` means there. */
  country?: string | null;
}

/** The price a text prints, or `null` where it prints none or may be read in two ways. */
export function parseMoney(text: string, hints: MoneyHints = {}): Money | null {
  const { amount, ...rest } = readMoney(text, hints);
  return amount === null ? null : { amount, ...rest };
}

/** As `parseMoney`, for those who want to know the currency even without an amount. */
export function readMoney(text: string | null, hints: MoneyHints = {}): MoneyReading {
  const plain = text === null || text.length > MAX_LENGTH ? '' : plainText(text);
  const amounts = findAmounts(plain);
  const chosen = choose(plain, amounts);
  const mark = chosen?.mark ?? loneMark(plain) ?? loneMark(shortened(hints.hint));
  const currency = settle(mark, hints);
  const exponent = currency === null ? null : exponentOf(currency);
  const amount = chosen ? exactValue(plain, chosen, exponent, hints) : FREE.test(plain) ? '0' : null;
  const minor = amount === null || exponent === null ? null : minorUnits(amount, exponent);
  return { amount, minor, exponent, currency, symbol: mark?.symbol ?? null };
}

// No price fills a page; a text that long is something else.
const MAX_LENGTH = 1000;

const FREE =
  /^[\s!.*]*(?:free|gratis|kostenlos|gratuit|gratuito|gratuita|grátis|zdarma|zadarmo|za darmo|ingyenes|бесплатно|безкоштовно|ücretsiz|ilmainen|無料|免费|무료)[\s!.*]*$/iu;

const shortened = (hint: string | null | undefined): string => plainText((hint ?? '').slice(0, MAX_LENGTH));

/** The first amount that is marked as money or looks like a price; but what it costs now, not what it did cost. */
function choose(plain: string, amounts: readonly PrintedAmount[]): PrintedAmount | null {
  const chosen = amounts[0]?.isNegative ? null : candidate(plain, amounts);
  if (chosen === null || chosen.isDoubtful || isSaved(plain, chosen)) return null;
  const next = amounts[amounts.indexOf(chosen) + 1];
  if (next === undefined || !joins(plain, chosen, next)) return chosen;
  // `5–10k €`: the multiplier may be meant for both ends.
  return isSaved(plain, next) || (next.factor !== null && chosen.factor === null) ? null : chosen;
}

function candidate(plain: string, amounts: readonly PrintedAmount[]): PrintedAmount | null {
  const [first, second, ...more] = amounts.filter(({ mark }) => mark !== null);
  if (first === undefined) return withoutMark(plain, amounts[0]);
  if (FROM_WHICH.test(plain.slice(0, first.start))) return null;
  if (second === undefined && isSoleOldPrice(plain, first)) return null;
  if (second && isNewPrice(plain, second) && !isNewPrice(plain, first)) return second;
  if (second && isOldPrice(plain, first)) return more.length > 0 || isOldPrice(plain, second) ? null : second;
  const [earliest, other] = amounts;
  const isRange = other === first && earliest && joins(plain, earliest, other) && isLess(earliest, other);
  return earliest && (isRange || /\d[.,]\d\d$/.test(earliest.number.text)) ? earliest : first;
}

/** `50 - $2.00` is a number of pieces and their price. */
const isLess = (first: PrintedAmount, second: PrintedAmount): boolean =>
  Number(readNumber(first.number.text, null) ?? NaN) < Number(readNumber(second.number.text, null) ?? NaN);

/** `Free shipping on orders over $49`: what one must spend, not what the thing costs. */
const FROM_WHICH =
  /(?<!\p{L})free (?:shipping|delivery|returns)(?!\p{L})[^\d]{0,20}(?:over|above|orders?|from)[ :]{0,3}$/iu;

/** Two whole numbers with a dash and nothing else (`25-09`, `12:30`) are a date, a time or a part number. */
function withoutMark(plain: string, amount: PrintedAmount | undefined): PrintedAmount | null {
  if (amount === undefined || amount.factor !== null) return null;
  return /^\d+$/.test(amount.number.text) && /^[-–/:]\d/.test(plain.slice(amount.end)) ? null : amount;
}

type Mark = NonNullable<PrintedAmount['mark']>;

/** A mark that stands for itself: beside any number, alone in the text, before a unit (`DKK/stk`), or a plain sign. */
function loneMark(plain: string): Mark | null {
  const beside = findAmounts(plain).find(({ mark }) => mark !== null)?.mark;
  if (beside) return beside;
  return (
    findCurrencies(plain).find(
      ({ start, end, kind }) =>
        kind === 'sign' || plain[end] === '/' || !/[\p{L}\p{N}]/u.test(plain.slice(0, start) + plain.slice(end)),
    ) ?? null
  );
}

function settle(mark: Mark | null, { currency, country }: MoneyHints): string | null {
  const given = currencyOf(currency);
  if (mark === null) return given;
  if (mark.currency !== null) return mark.currency;
  return given !== null && isMarkOf(mark.symbol, given) ? given : localCurrency(mark.symbol, country);
}

function exactValue(plain: string, amount: PrintedAmount, exponent: number | null, hints: MoneyHints): string | null {
  const { number, factor } = amount;
  const symbol = plain.slice(number.end, amount.end).trim();
  const isSign = symbol !== '' && hints.decimalSeparator === symbol;
  if (symbol !== '' && factor === null && /^\d+$/.test(number.text.replace(/[ '’٬]/g, ''))) {
    const cents = centsBehind(plain.slice(amount.end), isSign);
    if (cents !== null) return cents === '' ? null : decimal(number.text.replace(/\D/g, ''), cents);
  }
  const value = readNumber(number.text, exponent ?? doubtfulDecimals(plain, number.text), isSign ? {} : hints);
  return value === null || factor === null ? value : shifted(value, factor.zeros);
}

/** Dinars and rials of some countries have three decimals, of others two: `1.250` may then be either. */
function doubtfulDecimals(plain: string, number: string): number | null {
  if (/(?<!\p{L})(?:din|дин|dinara|динара)(?!\p{L})/iu.test(plain)) return null;
  if (/d[iıy]n[aáā]r|динар|دينار|دینار|দিনার|ዲናር|דינר/iu.test(plain)) return 3;
  return number.includes('.') && /r[iy]+al|риал|рыял|ريال/iu.test(plain) ? 3 : null;
}

/**
 * `12€50`, `12 € 50`: the sign stands where the decimal mark would. `null` where it does not, empty where it cannot be
 * told. A caller who knows of it may have other than two digits.
 */
function centsBehind(behind: string, isKnown: boolean): string | null {
  const [all = '', space, digits] = /^( ?)(\d+)/.exec(behind) ?? [];
  if (digits === undefined) return null;
  if (isKnown) return space === '' || digits.length === 2 ? digits : null;
  const rest = behind.slice(all.length);
  if (space !== '') return digits.length === 2 && rest.trim() === '' ? digits : null;
  return digits.length === 2 && !/^(?:[.,]\d| ?\p{Sc})/u.test(rest) ? digits : '';
}

/** Times a power of ten, exactly. */
function shifted(value: string, zeros: number): string {
  const [whole = '', fraction = ''] = value.split('.');
  const digits = fraction.padEnd(zeros, '0');
  const rest = digits.slice(zeros);
  const units = (whole + digits.slice(0, zeros)).replace(/^0+(?=\d)/, '');
  return rest === '' ? units : `${units}.${rest}`;
}

/** Finer than the smallest unit is no whole number of them. */
function minorUnits(amount: string, exponent: number): number | null {
  const minor = Number(shifted(amount, exponent));
  return Number.isSafeInteger(minor) ? minor : null;
}
