import { type CurrencyMark, findCurrencies, isMarkOf, isWordlike } from './currency.js';
import { isDoubtful } from './money-doubt.js';
import { findNumbers, type PrintedNumber } from './money-number.js';
import { BETWEEN } from './salary-words.js';

/** A number that may be money, with the marks of money beside it. */
export interface PrintedAmount {
  number: PrintedNumber;
  /** Where the amount begins and ends, its marks and its `k` included. */
  start: number;
  end: number;
  /** 1000 for `k`, 100000 for `lakh`. */
  factor: Factor | null;
  /** Without a mark: `null`. Two that contradict each other leave the currency open. */
  mark: Pick<CurrencyMark, 'symbol' | 'currency'> | null;
  /** Money taken off, or not money at all; what follows it is doubtful too. */
  isNegative: boolean;
  /** Something beside it changes what it means, and cannot be read: this amount is not to be believed. */
  isDoubtful: boolean;
}

export interface Factor {
  /** How many zeros it stands for. */
  zeros: number;
  end: number;
}

/**
 * All amounts of a plain text, in reading order. Left out is what is certainly no amount of money: percentages, cents,
 * measures, part numbers (`MX924`).
 */
export function findAmounts(text: string): PrintedAmount[] {
  const numbers = findNumbers(text);
  const marks = clusters(
    text,
    findCurrencies(text).filter((mark) => isBelieved(mark, text)),
  );
  const owned = assign(text, numbers, marks);
  const amounts: PrintedAmount[] = [];
  let lastEnd = Number.NEGATIVE_INFINITY;
  for (const [index, number] of numbers.entries()) {
    const beside = owned[index] ?? [];
    const start = Math.min(number.start, ...beside.map((cluster) => cluster.start));
    const end = Math.max(endOfNumber(text, number), ...beside.map((cluster) => cluster.end));
    const isNegative = isMinus(text.slice(Math.max(0, start - 12), start), start - lastEnd);
    const found = { number, start, end, factor: factorBehind(text, number), mark: theMark(beside), isNegative };
    const amount = { ...found, isDoubtful: isDoubtful(text, found) || isGlued(text, found) };
    if (isAmount(text, amount)) amounts.push(amount);
    else if (amounts.length > 0 && joins(text, amounts.at(-1)!, amount)) amounts.at(-1)!.isDoubtful = true;
    lastEnd = end;
  }
  return withSharedDoubt(text, amounts);
}

/** Are these two the ends of one range? */
export const joins = (text: string, first: Ends, second: Ends): boolean =>
  second.start - first.end < 12 && BETWEEN.test(text.slice(first.end, second.start));

type Ends = Pick<PrintedAmount, 'start' | 'end'>;

/** `5 - 7 juta`: what is wrong with one end of a range is wrong with both. */
function withSharedDoubt(text: string, amounts: PrintedAmount[]): PrintedAmount[] {
  for (const [index, second] of amounts.entries()) {
    const first = amounts[index - 1];
    if (first === undefined || first.isDoubtful === second.isDoubtful || !joins(text, first, second)) continue;
    first.isDoubtful = true;
    second.isDoubtful = true;
  }
  return amounts;
}

/** Part of a word (`MX924`). Scripts that part no words have their numbers right behind letters: `月給25万円`. */
const isGlued = (text: string, { start, number }: Pick<PrintedAmount, 'start' | 'number'>): boolean =>
  start === number.start &&
  /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]$/u.test(text.slice(Math.max(0, start - 2), start));

/** Marks that stand together: `NZD $`, `F CFA`. */
interface Cluster {
  start: number;
  end: number;
  marks: CurrencyMark[];
}

function clusters(text: string, marks: readonly CurrencyMark[]): Cluster[] {
  const found: Cluster[] = [];
  for (const mark of marks) {
    const last = found.at(-1);
    if (last && /^ ?$/.test(text.slice(last.end, mark.start))) {
      last.end = mark.end;
      last.marks.push(mark);
    } else found.push({ start: mark.start, end: mark.end, marks: [mark] });
  }
  return found;
}

// `TOP 10` is no price in pa'anga.
const isBelieved = (mark: CurrencyMark, text: string): boolean =>
  !isWordlike(mark.symbol) || !/\p{L}/u.test(text.slice(0, mark.start) + text.slice(mark.end));

/** Gives every cluster to the number it is nearer to; between two as near, to the side on which the text has its first. */
function assign(text: string, numbers: readonly PrintedNumber[], marks: readonly Cluster[]): Cluster[][] {
  const owned: Cluster[][] = numbers.map(() => []);
  const isPrefixed = (marks[0]?.start ?? 0) < (numbers[0]?.start ?? 0);
  let next = 0;
  for (const cluster of marks) {
    while (next < numbers.length && numbers[next]!.start < cluster.end) next += 1;
    const before = numbers[next - 1];
    const after = numbers[next];
    const behind = before ? gap(text.slice(endOfNumber(text, before), cluster.start), BEHIND) : FAR;
    const ahead = after ? gap(text.slice(cluster.end, after.start), AHEAD) : FAR;
    if (ahead < behind || (ahead === behind && isPrefixed)) {
      if (ahead < FAR) owned[next]?.push(cluster);
    } else if (behind < FAR) owned[next - 1]?.push(cluster);
  }
  return owned;
}

const FAR = 9;
const BEHIND = /^(?: |\/- ?|[.*] ?)?$/;
const AHEAD = /^(?: |: ?|\. ?| ?\(|\):? ?)?$/;

const gap = (between: string, allowed: RegExp): number =>
  between.length < FAR && allowed.test(between) ? between.length : FAR;

function theMark(beside: readonly Cluster[]): PrintedAmount['mark'] {
  const all = beside.flatMap((cluster) => cluster.marks);
  const sure = all.filter((mark) => mark.kind !== 'word');
  const marks = sure.length > 0 ? sure : all;
  const first = marks[0];
  if (first === undefined) return null;
  const named = marks.filter((mark) => mark.currency !== null);
  const one = named[0];
  if (one === undefined) return { symbol: first.symbol, currency: null };
  const agrees = (mark: CurrencyMark) =>
    mark.currency === one.currency || (mark.currency === null && isMarkOf(mark.symbol, one.currency ?? ''));
  return { symbol: one.symbol, currency: marks.every(agrees) ? one.currency : null };
}

const FACTORS: readonly (readonly [zeros: number, words: RegExp])[] = [
  [3, /^ ?(?:(?:[kK]|tis\.?|tys\.?|Tsd\.?|тыс\.?)(?!\p{L})|[kKT] ?(?=€|EUR))/u],
  [3, /^[千천]/],
  [4, /^ ?[万萬만]/],
  [5, /^ ?(?:lakhs?|lacs?|lpa)(?!\p{L})/iu],
  [7, /^ ?crores?(?!\p{L})/iu],
  [8, /^[億亿억]/],
];

/** `k` and its like behind a number, and where it ends. */
function factorBehind(text: string, { end }: PrintedNumber): Factor | null {
  const behind = text.slice(end, end + 12);
  for (const [zeros, words] of FACTORS) {
    const word = words.exec(behind)?.[0];
    if (word !== undefined) return { zeros, end: end + word.length };
  }
  return null;
}

const endOfNumber = (text: string, number: PrintedNumber): number => factorBehind(text, number)?.end ?? number.end;

function isAmount(text: string, amount: PrintedAmount): boolean {
  const { number, mark, factor } = amount;
  const behind = text.slice(number.end, number.end + 12);
  if (/^ ?(?:[%٪‰¢°]|cents?\b|ct\b)/i.test(behind) || /[%٪] ?$/.test(text.slice(0, number.start))) return false;
  if (mark === null && factor === null && MEASURE.test(behind)) return false;
  // A part number is none; but a glued one that is marked, or begins a range, is an amount we cannot read.
  if (mark !== null || factor !== null || !isGlued(text, amount)) return true;
  return /^ ?[-–—~〜～] ?\P{L}{0,3}\d/u.test(text.slice(amount.end, amount.end + 8));
}

/** Behind another amount a dash makes a range; otherwise it is a minus, with or without a word we do not know. */
const isMinus = (before: string, distance: number): boolean =>
  distance > 2 && /(?:^|[ (\p{L}\p{M}\p{Sc}.])[-−–](?:[^\s\d]{0,6} ?)$/u.test(before);

const MEASURE =
  /^ ?(?:kg|g|mg|lbs?|oz|ml|cl|l|cm|mm|m|km|m2|m²|ft|in|inch|inches|"|″|[kMGT]B|mAh|[kM]?W|[kMG]?Hz|V|x|×)(?![\p{L}\d])/iu;
