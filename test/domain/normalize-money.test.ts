import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exponentOf } from '../../src/domain/normalize/currency.js';
import { type MoneyHints, parseMoney, readMoney } from '../../src/domain/normalize/money.js';

interface Row {
  id: string;
  text: string | null;
  currency_hint?: string;
  amount?: string;
  currency?: string;
  currency_iso?: string;
  decimal_separator?: string;
  digit_group_separator?: string;
  xfail_in_price_parser?: true;
}

const { rows } = JSON.parse(readFileSync(new URL('../vectors/price_strings.json', import.meta.url), 'utf8')) as {
  rows: Row[];
};

/** Single letters that are units too, words that are words too, and marks that stand for one unit without a number. */
const HARD_MISSES = (
  'p1021 p1026 p1030 p1045 p1054 p1057 p1063 p1093 p1096 p1099 p1104 p1108 p1109 p1111 p1112 p1117 p1126 p1142 p1144 ' +
  'p1145 p1146 p1148 p1149 p1151 p1152 p1153'
).split(' ');

/** `amount currency`, such as `1299.5 EUR`; `?` where one is open. */
const said = (text: string, hints: MoneyHints = {}): string | null => {
  const money = parseMoney(text, hints);
  return money && `${money.amount} ${money.currency ?? '?'}`;
};

describe('real prices', () => {
  const isRight = (row: Row): boolean => {
    const { amount, symbol, currency } = readMoney(row.text, {
      hint: row.currency_hint,
      decimalSeparator: row.decimal_separator,
      groupSeparator: row.digit_group_separator,
    });
    const isSameCurrency = row.currency_iso === undefined || currency === row.currency_iso;
    return amount === (row.amount ?? null) && symbol === (row.currency ?? null) && isSameCurrency;
  };
  const missed = (wanted: readonly Row[]): string[] => wanted.filter((row) => !isRight(row)).map(({ id }) => id);

  it('are read as people do, but for the misses named here', () => {
    const plain = rows.filter((row) => !row.xfail_in_price_parser);
    expect(plain).toHaveLength(613);
    expect(missed(plain)).toEqual([]);
  });

  it('are mostly read also where their own parser fails', () => {
    const hard = rows.filter((row) => row.xfail_in_price_parser);
    expect(hard).toHaveLength(78);
    expect(missed(hard)).toEqual(HARD_MISSES);
  });

  it('never get a currency for a mark that many countries use', () => {
    const open = rows.filter(({ currency }) => /^(?:\$|kr|Rs|¥|Br|ƒ|CFA|FCFA)$/.test(currency ?? ''));
    expect(open.length).toBeGreaterThan(100);
    const guessed = open.filter((row) => readMoney(row.text, { hint: row.currency_hint }).currency !== null);
    expect(guessed).toEqual([]);
  });
});

describe('a price', () => {
  it.each([
    ['1.299,00 €', '1299 EUR'],
    ['1,299.00 €', '1299 EUR'],
    ['€12.', '12 EUR'],
    ['1.299,-', '1299 ?'],
    ['€ 12,–', '12 EUR'],
    ['1 299:-', '1299 ?'],
    ['1 234,56 Kč', '1234.56 CZK'],
    ["CHF 1'234.50", '1234.5 CHF'],
    ['CHF 1’234’567.50', '1234567.5 CHF'],
    ['R$ 1.234,56', '1234.56 BRL'],
    ['Rs. 500/-', '500 ?'],
    ['₹1,29,999', '129999 INR'],
    ['₹1,29,999.50', '129999.5 INR'],
    ['١٬٢٣٤٫٥٠ ر.س.', '1234.5 SAR'],
    ['۱۲۳٬۴۵۶ تومان', '123456 ?'],
    ['１２３円', '123 JPY'],
    ['12€50', '12.5 EUR'],
    ['12 € 50', '12.5 EUR'],
    ['1.298.00 €', '1298 EUR'],
    ['0.750 €', '0.75 EUR'],
    ['$10k', '10000 ?'],
    ['12.5k €', '12500 EUR'],
    ['R$1.299,90 à vista', '1299.9 BRL'],
    ['100 g 3,50 €', '3.5 EUR'],
    ['2 for $5', '5 ?'],
    ['Was £120.00 Now £60.00', '60 GBP'],
    ['$ 1,234.00 MXN', '1234 MXN'],
    ['1 234,50 $ US', '1234.5 USD'],
    ['Price (EUR): 12.50', '12.5 EUR'],
    ['12,50 € - 15,00 €', '12.5 EUR'],
    ['20% off 8,00 €', '8 EUR'],
    ['12.50 (15.00 € incl.)', '12.5 EUR'],
    ['£ 10.00 $ 8.00', '10 GBP'],
    ['10,00 € 8,00 $', '10 EUR'],
    ['TRY 100', '100 TRY'],
    ['Free', '0 ?'],
    ['Kostenlos!', '0 ?'],
  ])('%s is %s', (text, expected) => {
    expect(said(text)).toBe(expected);
  });

  it.each([
    '',
    'Call us',
    '40% OFF',
    '%20',
    '15.08.2017',
    '2024-05-01',
    '25-09',
    '12:30',
    '16.00 ft',
    '500 ml',
    '99¢',
    '50 cents',
    '-5,00 €',
    '-$5.00',
    '€ -5,00',
    '$1.5M',
    '3 million €',
    'MX924',
    '1.2.3',
    "5'11",
    'Free shipping',
    'Free shipping on orders over $49',
    '1250€600',
    // Three decimals are usual there, so it may be one and a quarter or a thousand.
    '1.250 KWD',
    '1,250 dinars',
    'x'.repeat(2000),
  ])('is not certain in %j', (text) => {
    expect(parseMoney(text)).toBeNull();
  });

  it('does not take words for currencies', () => {
    expect(said('TOP 10 prices')).toBe('10 ?');
    expect(said('2 рубашки')).toBe('2 ?');
    expect(readMoney('Ph. Eur. USP').symbol).toBeNull();
  });

  it('takes its mark from the text beside it only where it has none', () => {
    expect(said('12,50', { hint: 'Pris NOK 12,50' })).toBe('12.5 NOK');
    expect(said('12,50', { hint: 'DKK/stk' })).toBe('12.5 DKK');
    expect(said('12,50 €', { hint: '£' })).toBe('12.5 EUR');
    expect(said('12,50', { hint: 'Add to cart' })).toBe('12.5 ?');
  });

  it('takes the meaning of an ambiguous mark from who knows', () => {
    expect(said('$5', { currency: 'CAD' })).toBe('5 CAD');
    expect(said('$5', { country: 'au' })).toBe('5 AUD');
    expect(said('kr 5', { country: 'NO' })).toBe('5 NOK');
    // A dollar sign is not the Swiss franc, whoever says so.
    expect(said('$5', { currency: 'CHF' })).toBe('5 ?');
    expect(said('5', { currency: 'chf' })).toBe('5 CHF');
    expect(said('£5', { currency: 'CHF' })).toBe('5 GBP');
    expect(said('5 kr 7 USD')).toBe('5 ?');
    expect(said('£5 EUR')).toBe('5 ?');
  });

  it('is read with the separators of the caller', () => {
    expect(said('1.234', { decimalSeparator: '.' })).toBe('1.234 ?');
    expect(said('1.234', { groupSeparator: '.' })).toBe('1234 ?');
    expect(said('123,456.789 OMR', { decimalSeparator: '.', groupSeparator: ',' })).toBe('123456.789 OMR');
    expect(said('1,5', { decimalSeparator: '.' })).toBeNull();
    expect(said('1250€600', { decimalSeparator: '€' })).toBe('1250.6 EUR');
    expect(said('1250€ 600', { decimalSeparator: '€' })).toBe('1250 EUR');
  });

  it('is a whole number of the smallest units of its currency', () => {
    expect(parseMoney('1.234,56 €')).toEqual({
      amount: '1234.56',
      minor: 123456,
      exponent: 2,
      currency: 'EUR',
      symbol: '€',
    });
    expect(parseMoney('1,234円')).toMatchObject({ minor: 1234, exponent: 0 });
    expect(parseMoney('1.5 KWD')).toMatchObject({ minor: 1500, exponent: 3 });
    expect(parseMoney('$5')).toMatchObject({ minor: null, exponent: null });
    // Petrol: finer than a cent.
    expect(parseMoney('€ 1,8499')).toMatchObject({ amount: '1.8499', minor: null, exponent: 2 });
    expect(parseMoney(`€ ${'9'.repeat(30)}`)).toMatchObject({ amount: '9'.repeat(30), minor: null });
  });
});

describe('a price that something beside it changes', () => {
  it.each([
    ['15만원', '150000 KRW'],
    ['5億円', '500000000 JPY'],
    ['5千円', '5000 JPY'],
    ['₹3 Lakhs', '300000 INR'],
    ['税込3,980円', '3980 JPY'],
    ['1.500–2.000 €', '1500 EUR'],
    ['€5–10', '5 EUR'],
    ['50 - $2.00', '2 ?'],
    ['IR£5', '5 ?'],
    ['statt 19,99 € nur 9,99 €', '9.99 EUR'],
    ['UVP 19,99 € 9,99 €', '9.99 EUR'],
    ['Regular price $29.99 Sale price $19.99', '19.99 ?'],
    ['Regular price $29.99', '29.99 ?'],
    ['de R$ 199,90 por R$ 149,90', '149.9 BRL'],
    ['12,99 € zzgl. 0,25 € Pfand', '12.99 EUR'],
  ])('%s is still %s', (text, expected) => {
    expect(said(text)).toBe(expected);
  });

  it.each([
    ...['1億2000万円', '2万5000円', '3만5천원', '€2 mln', 'R$ 2 milhões', '₹5 Cr', '$2.5MM', '€2.3B', 'Rp2jt'],
    ...['$5 trillion', '5 тысяч ₽', '5 ล้านบาท', '5 אלף ₪', '10 € Mio.', 'M€ 5', '€5–10 million', '5–10k €'],
  ])('is not read without its multiplier: %j', (text) => {
    expect(parseMoney(text)).toBeNull();
  });

  it.each([
    ...['12 99 €', '€ 12 99', '12⁹⁹ €', '99:95 kr', '1,,5 €', '1..5 €', '1½ €', '1/2 €', '10^3 €', '1e5 €'],
    ...['49 zł 90 gr', '£1 50p', '5 dollars and 50 cents', '5 рублей 50 копеек'],
  ])('is not half of a number: %j', (text) => {
    expect(parseMoney(text)).toBeNull();
  });

  it.each([
    ...['You save: $10', '20 € off', 'Save 20 €: 80 €', '€10 - €20 off', 'was £9.99', 'zzgl. 4,99 € Versand'],
    ...['12x R$ 99,90', '+49 30 1234567', '(030) 12345'],
  ])('is not what else is printed: %j', (text) => {
    expect(parseMoney(text)).toBeNull();
  });
});

describe('a price printed by a program', () => {
  const locales = (
    'ar-EG bg cs da de de-AT de-CH el en en-CA en-GB en-IN en-ZA es es-MX et fa fi fr fr-CA fr-CH he hi hr hu id it ' +
    'ja ko lt lv mr ms nb nl pl pt-BR pt-PT ro ru sk sl sr sv th tr uk ur vi zh'
  ).split(' ');
  const currencies =
    'EUR USD GBP CHF CZK PLN HUF SEK NOK DKK JPY KRW INR BRL RUB UAH TRY ILS AUD CAD KWD BHD TND VND IDR'.split(' ');
  const printed = fc.record({
    locale: fc.constantFrom(...locales),
    currency: fc.constantFrom(...currencies),
    currencyDisplay: fc.constantFrom('symbol' as const, 'code' as const),
    minor: fc.integer({ min: -1e11, max: 10 ** 13 }),
  });

  it('means the same amount, or nothing; and never another currency', () => {
    let understood = 0;
    fc.assert(
      fc.property(printed, ({ locale, currency, currencyDisplay, minor }) => {
        const exponent = exponentOf(currency);
        const value = minor / 10 ** exponent;
        const text = new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay }).format(value);
        const money = parseMoney(text);
        if (money === null) return;
        understood += 1;
        expect(Number(money.amount), text).toBe(value);
        if (money.currency !== null) expect([money.currency, money.minor], text).toEqual([currency, minor]);
      }),
      { numRuns: 2000 },
    );
    expect(understood).toBeGreaterThan(1500);
  });

  it('means the same in words', () => {
    const display = { style: 'currency', currencyDisplay: 'name' } as const;
    fc.assert(
      fc.property(fc.constantFrom('EUR', 'USD', 'JPY', 'CAD'), fc.nat({ max: 10 ** 9 }), (currency, minor) => {
        const value = minor / 10 ** exponentOf(currency);
        const money = parseMoney(new Intl.NumberFormat('en', { ...display, currency }).format(value));
        expect(Number(money?.amount)).toBe(value);
        expect([currency, null]).toContain(money?.currency);
      }),
    );
  });
});

describe('any text', () => {
  it('never throws, and gives only what fits together', () => {
    const piece = fc.constantFrom(
      '1',
      '99',
      ' ',
      '.',
      ',',
      '-',
      '€',
      '$',
      'USD',
      'kr',
      'k',
      '%',
      "'",
      '٫',
      '٣',
      'free',
      '\u200d',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece, { maxLength: 30 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, fc.option(fc.string()), (given, hint) => {
        const money = parseMoney(given, { hint });
        if (money === null) return;
        expect(money.amount).toMatch(/^(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/);
        if (money.minor !== null) expect(Number.isSafeInteger(money.minor)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it.each(['1', '1 ', '1.', '1,', '$', '1 000', '.1', 'Rs', '1 000.', '-', '€ 1, '])(
    'of a megabyte of %j is put aside at once',
    (unit) => {
      const long = unit.repeat(1_000_000 / unit.length);
      const start = performance.now();
      expect(parseMoney(long)).toBeNull();
      expect(parseMoney('5', { hint: long })?.amount).toBe('5');
      parseMoney(long.slice(0, 1000));
      expect(performance.now() - start).toBeLessThan(100);
    },
  );
});
