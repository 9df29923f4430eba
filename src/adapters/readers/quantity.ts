import { isThing, type Thing, textOf, thingsOf, type Value, valuesOf } from './thing.js';

/** `10–50`, `25` or as printed, from a number, a text or a QuantitativeValue. */
export function printQuantity(values: readonly Value[]): string | null {
  for (const value of values) {
    const text = isThing(value) ? printRange(value) : value;
    if (text !== null && /\d/.test(text)) return text;
  }
  return null;
}

/** A salary as structured data gives it, with what it says beside the printed words. */
export interface GivenSalary {
  /** `60000–90000 EUR per YEAR`; a salary given as text stays as it is. */
  printed: string;
  currency: string | null;
  period: string | null;
  /** The numbers alone, where they are given as such. */
  amounts: { min: number | null; max: number | null } | null;
}

export function givenSalary(job: Thing): GivenSalary | null {
  for (const value of valuesOf(job, 'baseSalary')) {
    const given = isThing(value) ? givenMoney(value, job) : givenPlain(value, job);
    if (given !== null) return given;
  }
  return null;
}

function givenMoney(amount: Thing, job: Thing): GivenSalary | null {
  const inner = thingsOf(amount, 'value')[0] ?? amount;
  const source = printRange(inner) === null ? amount : inner;
  const range = printRange(source);
  if (range === null) return null;
  const currency = textOf(amount, 'currency') ?? textOf(inner, 'currency') ?? textOf(job, 'salaryCurrency');
  const period = textOf(inner, 'unitText') ?? textOf(amount, 'unitText');
  const printed = [range, currency, period === null ? null : `per ${period}`].filter(Boolean).join(' ');
  return { printed, currency, period, amounts: amountsOf(source) };
}

function givenPlain(text: string, job: Thing): GivenSalary | null {
  if (!/[1-9]/.test(text)) return null;
  const currency = textOf(job, 'salaryCurrency');
  if (!isAmount(text)) return { printed: text, currency, period: null, amounts: null };
  const amount = Number(text);
  const printed = [text.trim(), currency].filter(Boolean).join(' ');
  return { printed, currency, period: null, amounts: { min: amount, max: amount } };
}

function amountsOf(thing: Thing): GivenSalary['amounts'] {
  const number = (name: string): number | null => {
    const text = bound(thing, name);
    return text !== null && isAmount(text) ? Number(text) : null;
  };
  const [min, max, value] = [number('minValue'), number('maxValue'), number('value')];
  if (min === null && max === null) return value === null ? null : { min: value, max: value };
  return { min, max };
}

function printRange(thing: Thing): string | null {
  const [min, max] = [bound(thing, 'minValue'), bound(thing, 'maxValue')];
  if (min !== null && max !== null) return printSpan(min, max);
  if (min !== null) return `from ${min}`;
  return max === null ? bound(thing, 'value') : `up to ${max}`;
}

function printSpan(min: string, max: string): string | null {
  if (min === max) return min;
  // The wrong way round means that one of them is not what it says.
  return isAmount(min) && isAmount(max) && Number(min) > Number(max) ? null : `${min}–${max}`;
}

/** Zero is what forms send for "not said". */
function bound(thing: Thing, name: string): string | null {
  const text = textOf(thing, name)?.trim() ?? '';
  if (!/[1-9]/.test(text)) return null;
  // `60000.0` and `60000.00` are how programs print whole numbers.
  return isAmount(text) ? String(Number(text)) : text;
}

const isAmount = (text: string): boolean => /^\s{0,9}\d{1,12}(?:\.\d{1,4})?\s{0,9}$/.test(text);
