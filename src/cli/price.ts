import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type MoneyHints, readMoney } from '../domain/normalize/money.js';

/** A list of prices, one JSON line in, one JSON line out, in the same order. Resolves with what was wrong. */
export async function priceCases(file: string, print: (line: string) => void): Promise<string[]> {
  const faults: string[] = [];
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    if (line.trim() === '') continue;
    try {
      const { id, text, hints } = readCase(line);
      const { amount, currency, symbol, minor } = readMoney(text, hints);
      print(JSON.stringify({ id, amount, currency, symbol, minor }));
    } catch (error) {
      faults.push(`${file}:${number}: ${(error as Error).message}`);
    }
  }
  return faults;
}

function readCase(line: string): { id: unknown; text: string | null; hints: MoneyHints } {
  const given = JSON.parse(line) as Record<string, unknown>;
  const text = (name: string): string | null => {
    const value = given[name] ?? null;
    if (value !== null && typeof value !== 'string') throw new Error(`"${name}" must be a string or null.`);
    return value;
  };
  const hints = {
    hint: text('currency_hint'),
    decimalSeparator: text('decimal_separator'),
    groupSeparator: text('digit_group_separator'),
  };
  return { id: given.id, text: text('text'), hints };
}

/** One price, for people. */
export function showPrice(text: string, hints: MoneyHints, print: (line: string) => void): void {
  const { amount, currency, symbol, minor, exponent } = readMoney(text, hints);
  print(`amount: ${amount ?? 'not one that is certain'}`);
  print(`currency: ${currency ?? (symbol === null ? 'none printed' : 'not certain')}`);
  if (symbol !== null) print(`printed as: ${symbol}`);
  if (minor !== null) print(`smallest units: ${minor} (${exponent} decimals)`);
}
