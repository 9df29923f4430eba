import { findAmounts, joins, type PrintedAmount } from './money-amounts.js';
import { plainText } from './money-number.js';
import { parseSalary } from './salary.js';
import { FROM, NOT_SALARY, PERIOD_BEHIND, UP_TO } from './salary-words.js';

/**
 * The salary inside a longer line, as printed: `The pay is £35,000 - £45,000 per annum, plus a car.` has one. Only marked
 * amounts count, with a period right behind them or a word for pay shortly before; `null` where there is none, or more
 * than one.
 */
export function printedSalary(text: string): string | null {
  if (text.length > MAX_LENGTH || !/\p{Nd}/u.test(text) || !MAY_BE_MONEY.test(text)) return null;
  const plain = plainText(text);
  const phrases = phrasesOf(plain, findAmounts(plain));
  const [phrase] = phrases;
  return phrase !== undefined && phrases.length === 1 && parseSalary(phrase) !== null ? phrase : null;
}

const MAX_LENGTH = 2000;
/** Most lines of a page have a number and no money; they are put aside before anything is looked up. */
const MAY_BE_MONEY =
  /[\p{Sc}円元원]|\b[A-Z]{3}\b|[Kk]č|[Zz]ł|\b[Kk]r\b|руб|грн|лв|\bFt\b|\blei\b|[Ee]uro|\bR[MPps]|\bTL\b|dollars|pounds/u;
/** How far before an amount a word still speaks of it. */
const NEAR = 40;

const SENTENCES = /^.*[.;!?] /;

const PAY =
  /(?<!\p{L})(?:salary|salaries|pay|wage|wages|compensation|remuneration|earn|gehalt|jahresgehalt|monatsgehalt|lohn|vergütung|plat|mzda|mzdy|salaire|rémunération|sueldo|salario|salário|stipendio|retribuzione|wynagrodzenie|loon|salaris|lön|løn|lønn|palkka|bér|fizetés|salariu|зарплата|оклад|maaş|給与|年収|年俸|月給|時給|日給|月薪|年薪|시급|일급|월급|연봉|급여)(?!\p{L})/iu;

/** Where no space parts words, the period goes before the amount. */
const PERIOD_AHEAD = /(?:時給|日給|週給|月給|年収|年俸|月薪|年薪|시급|일급|주급|월급|연봉)[ :：]{0,2}$/u;

function phrasesOf(plain: string, amounts: readonly PrintedAmount[]): string[] {
  const phrases: string[] = [];
  for (let index = 0; index < amounts.length; index += 1) {
    const first = amounts[index]!;
    const second = amounts[index + 1];
    const isRange = second !== undefined && joins(plain, first, second);
    if (isRange) index += 1;
    const phrase = readPhrase(plain, first, isRange ? second : first);
    if (phrase !== null) phrases.push(phrase);
  }
  return phrases;
}

function readPhrase(plain: string, first: PrintedAmount, last: PrintedAmount): string | null {
  if (first.mark === null && last.mark === null) return null;
  const before = plain.slice(Math.max(0, first.start - NEAR), first.start).replace(SENTENCES, '');
  const period = PERIOD_BEHIND.exec(plain.slice(last.end, last.end + NEAR))?.[0] ?? '';
  if (period === '' && !PAY.test(before)) return null;
  if (NOT_SALARY.test(before) || NOT_SALARY.test(plain.slice(last.end, last.end + NEAR / 2))) return null;
  // It is a salary, but one we cannot read: no other of the line stands in for it.
  if (first.isDoubtful) return '';
  const bound = first === last ? (FROM.exec(before) ?? UP_TO.exec(before)) : null;
  const start = first.start - (bound ?? PERIOD_AHEAD.exec(before) ?? [''])[0].length;
  const end = last.end + (period === '' && plain[last.end] === '+' ? 1 : period.trimEnd().length);
  return plain.slice(start, end).trim();
}
