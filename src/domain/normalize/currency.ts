import { FORMER_CODES, LOCAL_CURRENCIES, SIGNS, SMALL_CODES, WORDLIKE_CODES, WORDS } from './currency-table.js';

/** A mark of money in a text. */
export interface CurrencyMark {
  start: number;
  end: number;
  /** As printed. */
  symbol: string;
  /** ISO 4217, `null` where several countries use the mark. */
  currency: string | null;
  /** A character (`€`), a code (`EUR`) or a word (`euro`): the less it looks like a word, the surer it is money. */
  kind: 'sign' | 'code' | 'word';
}

/** All marks of money in a text, in reading order. A word may be one by chance; whoever asks looks what is beside it. */
export function findCurrencies(text: string): CurrencyMark[] {
  const marks: CurrencyMark[] = [];
  for (const match of text.matchAll(MARKS)) {
    const symbol = match[0];
    const mark = readMark(symbol);
    if (mark === null) continue;
    // `IR£5`: capitals right before a sign make another of it.
    const isOther =
      /^[$£￡¥￥₤₨]$/.test(symbol) &&
      /(?<!\p{L})\p{Lu}{1,3}$/u.test(text.slice(Math.max(0, match.index - 4), match.index));
    const currency = isOther ? null : mark.currency;
    marks.push({ start: match.index, end: match.index + symbol.length, symbol, ...mark, currency });
  }
  return marks;
}

/** The currency of a code (`eur`) or mark (`€`) that is given as such; `null` where it is none, or more than one. */
export function currencyOf(given: string | null | undefined, country?: string | null): string | null {
  const text = (given ?? '').trim();
  if (text === '' || text.length > 12) return null;
  if (codes().has(text.toUpperCase())) return text.toUpperCase();
  return readMark(text)?.currency ?? localCurrency(text, country);
}

/** What an ambiguous mark means in a country (`$` in `CA`), where that leaves no doubt. */
export function localCurrency(symbol: string, country: string | null | undefined): string | null {
  const key = symbol.replace(/\.$/, '').toLowerCase();
  return LOCAL_CURRENCIES[key]?.[country?.toUpperCase() ?? ''] ?? null;
}

/** Is this one of the marks of that currency? `$` is one of CAD; `kr` is not. */
export function isMarkOf(symbol: string, currency: string): boolean {
  const key = symbol.replace(/\.$/, '').toLowerCase();
  if (Object.values(LOCAL_CURRENCIES[key] ?? {}).includes(currency)) return true;
  return formatOf(currency)
    .formatToParts(0)
    .some((part) => part.type === 'currency' && part.value.toLowerCase() === key);
}

/** Codes that are words too (`TOP`, `ALL`). */
export const isWordlike = (symbol: string): boolean => WORDLIKE_CODES.has(symbol);

/** How many decimals a currency has: 2 for EUR, 0 for JPY, 3 for KWD. */
export function exponentOf(currency: string): number {
  const known = exponents.get(currency);
  if (known !== undefined) return known;
  const digits = formatOf(currency).resolvedOptions().maximumFractionDigits ?? 2;
  exponents.set(currency, digits);
  return digits;
}

const exponents = new Map<string, number>();

const formatOf = (currency: string): Intl.NumberFormat =>
  new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'narrowSymbol' });

type Meaning = Pick<CurrencyMark, 'currency' | 'kind'>;

function readMark(symbol: string): Meaning | null {
  const bare = symbol.replace(/\.$/, '');
  const sign = SIGNS.get(bare);
  if (sign !== undefined) return { currency: sign, kind: 'sign' };
  const word = WORDS.get(bare) ?? WORDS.get(symbol);
  if (word !== undefined || WORDS.has(bare)) return { currency: word ?? null, kind: 'word' };
  if (codes().has(bare)) return { currency: bare, kind: 'code' };
  return SMALL_CODES.has(bare) ? { currency: bare.toUpperCase(), kind: 'code' } : null;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
const longestFirst = (marks: Iterable<string>): string =>
  [...marks]
    .sort((a, b) => b.length - a.length)
    .map(escaped)
    .join('|');

const isLettered = (mark: string): boolean => /^\p{L}/u.test(mark) && !/^[円원元圆圓]/u.test(mark);

const isFollowed = (mark: string): boolean => /^[$£]./.test(mark);

// Signs that begin with a letter (`US$`) may not begin inside a word; those that do not may stand anywhere.
const MARKS = new RegExp(
  [
    `(?<!\\p{L})(?:${longestFirst([...SIGNS.keys()].filter(isLettered))})\\.?`,
    `(?:${longestFirst([...SIGNS.keys()].filter(isFollowed))})(?!\\p{L})`,
    longestFirst([...SIGNS.keys()].filter((mark) => !isLettered(mark) && !isFollowed(mark))),
    // A word that goes on as Russian inflects it; only the part that is always there is read.
    '(?<!\\p{L})(?:[Рр]уб|РУБ)(?:\\.|(?=л|Л))',
    `(?<!\\p{L})(?:${longestFirst([...WORDS.keys(), ...SMALL_CODES])})(?!\\p{L})\\.?`,
    `(?<!\\p{L})[A-Z]{3}(?!\\p{L})`,
  ].join('|'),
  'gu',
);

let known: ReadonlySet<string> | null = null;

/** ISO 4217 as Intl knows it, and what went before the euro; built on first use. */
function codes(): ReadonlySet<string> {
  known ??= new Set([...Intl.supportedValuesOf('currency'), ...FORMER_CODES]);
  return known;
}
