import { isThing, type Thing, textOf, thingsOf, type Value, valuesOf } from './thing.js';

/** `10–50`, `25` or as printed, from a number, a text or a QuantitativeValue. */
export function printQuantity(values: readonly Value[]): string | null {
  for (const value of values) {
    const text = isThing(value) ? printRange(value) : value;
    if (text !== null && /\d/.test(text)) return text;
  }
  return null;
}

/** `60000–90000 EUR per YEAR` from `baseSalary`; a salary given as text stays as printed. */
export function printSalary(job: Thing): string | null {
  for (const value of valuesOf(job, 'baseSalary')) {
    const text = isThing(value) ? printMoney(value, job) : printPlain(value, job);
    if (text !== null) return text;
  }
  return null;
}

function printMoney(amount: Thing, job: Thing): string | null {
  const inner = thingsOf(amount, 'value')[0] ?? amount;
  const range = printRange(inner) ?? printRange(amount);
  if (range === null) return null;
  const currency = textOf(amount, 'currency') ?? textOf(inner, 'currency') ?? textOf(job, 'salaryCurrency');
  const unit = textOf(inner, 'unitText') ?? textOf(amount, 'unitText');
  return [range, currency, unit === null ? null : `per ${unit}`].filter(Boolean).join(' ');
}

function printPlain(text: string, job: Thing): string | null {
  if (!/[1-9]/.test(text)) return null;
  const currency = isAmount(text) ? textOf(job, 'salaryCurrency') : null;
  return currency === null ? text : `${text.trim()} ${currency}`;
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
