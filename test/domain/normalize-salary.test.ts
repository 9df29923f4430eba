import { Value } from '@sinclair/typebox/value';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSalary, type SalaryHints } from '../../src/domain/normalize/salary.js';
import { printedSalary } from '../../src/domain/normalize/salary-phrase.js';
import { Salary } from '../../src/domain/records.js';

/** `min–max currency period`, with `?` for what is open. */
const said = (text: string, hints: SalaryHints = {}): string | null => {
  const salary = parseSalary(text, hints);
  if (salary === null) return null;
  const { min, max, currency, period } = salary;
  return `${min ?? '?'}–${max ?? '?'} ${currency ?? '?'} ${period ?? '?'}`;
};

describe('a salary', () => {
  it.each([
    ['$65,000 - $75,000', '65000–75000 ? ?'],
    ['£85k - 110k', '85000–110000 GBP ?'],
    ['$75k - 125k', '75000–125000 ? ?'],
    ['45–55k €', '45000–55000 EUR ?'],
    ['50 000 \u200d–\u200d 80 000 CZK', '50000–80000 CZK ?'],
    ['$45.00 - $65.00 /hour', '45–65 ? HOUR'],
    ['£35,000 - £45,000 per annum', '35000–45000 GBP YEAR'],
    ['60000–90000 EUR per YEAR', '60000–90000 EUR YEAR'],
    ['$120K–$150K/yr', '120000–150000 ? YEAR'],
    ['between £30,000 and £40,000 DOE', '30000–40000 GBP ?'],
    ['USD $90,000.00 - $110,000.00', '90000–110000 USD ?'],
    ['CHF 100’000 – 120’000', '100000–120000 CHF ?'],
    ['₹5,00,000 - ₹8,00,000 P.A.', '500000–800000 INR YEAR'],
    ['5-8 LPA', '500000–800000 ? YEAR'],
    ['年収 500万円 ~ 700万円', '5000000–7000000 JPY YEAR'],
    ['45–55 T€ p.a.', '45000–55000 EUR YEAR'],
    ['40-50k€', '40000–50000 EUR ?'],
    ['€2.500,00 bis €3.000,00 brutto pro Monat', '2500–3000 EUR MONTH'],
    ['35.000 € - 45.000 € brut/an', '35000–45000 EUR YEAR'],
    ['35 000 - 45 000 zł miesięcznie brutto', '35000–45000 PLN MONTH'],
    ['от 100 000 до 150 000 руб. в месяц', '100000–150000 RUB MONTH'],
    ['$20.00 - $24.00 (Yearly Salary)', '20–24 ? YEAR'],
    ['50000 - 60000', '50000–60000 ? ?'],
    ['月給25万円〜30万円', '250000–300000 JPY MONTH'],
    ['年収400万円~600万円', '4000000–6000000 JPY YEAR'],
    ['時給1200円～1500円', '1200–1500 JPY HOUR'],
    ['₹3 - 5 Lacs P.A.', '300000–500000 INR YEAR'],
    ['15 000 - 18 000 PLN B2B', '15000–18000 PLN ?'],
  ])('%s is a range: %s', (text, expected) => {
    expect(said(text)).toBe(expected);
  });

  it.each([
    ['USD 100000', '100000–100000 USD ?'],
    ['€ 3.500 brutto/Monat', '3500–3500 EUR MONTH'],
    ['$20 an hour', '20–20 ? HOUR'],
    ['15,50 € / Std.', '15.5–15.5 EUR HOUR'],
    ['kr 45 000 per måned', '45000–45000 ? MONTH'],
    ['500 EUR a week', '500–500 EUR WEEK'],
    ['60k', '60000–60000 ? ?'],
    ['from 40 000 Kč', '40000–? CZK ?'],
    ['od 30 000 Kč/měsíc', '30000–? CZK MONTH'],
    ['$100k+ equity', '100000–? ? ?'],
    ['up to €70k', '?–70000 EUR ?'],
    ['bis zu 70.000 € jährlich', '?–70000 EUR YEAR'],
  ])('%s is one amount, exact or with one end open: %s', (text, expected) => {
    expect(said(text)).toBe(expected);
  });

  it.each([
    '',
    'DOE',
    'Open',
    'Not specified',
    'N/A',
    'competitive',
    'DOE + bonus 10%',
    '401k',
    '401(k) matching',
    'up to 10% bonus',
    '$500 sign-on bonus',
    '3-5 years',
    '2 positions',
    '40 hours per week',
    '2024',
    '100000',
    '$2 million',
    '$90,000 - $80,000',
    '$0 - $0',
    '-$50,000',
    '£30,000 - 40,000 EUR',
    '30-35 000 Kč',
    'K€ 40-50',
    '£400 per day or £45,000 per year',
    '$1, $2 or $3',
    'Rp 5 - 7 juta',
    '₫10-15 triệu',
    '$3 a $4 millones',
    '₺50 bin/ay',
    '₹3-5L',
    'R$ 3 mil a R$ 4 mil',
    'bruttó 500-600 ezer Ft',
    'N150,000 - N200,000',
    'VB50.000 - 60.000 €',
    '2 x $500',
    `$5 ${'x'.repeat(300)}`,
  ])('is not said in %j', (text) => {
    expect(parseSalary(text)).toBeNull();
  });

  it('is what is paid for the work, not what is paid beside it', () => {
    expect(said('£30k + £5k bonus')).toBe('30000–30000 GBP ?');
    expect(said('$100,000 plus $20,000 in shares')).toBe('100000–100000 ? ?');
    expect(said('$80,000 - $90,000, 401k')).toBe('80000–90000 ? ?');
  });

  it('has the period of the pay, not of the working time', () => {
    expect(said('$20/hr for 40 hours per week')).toBe('20–20 ? HOUR');
    expect(said('3.500 € im Monat, 38,5 Stunden pro Woche')).toBe('3500–3500 EUR MONTH');
    expect(said('£30,000 a year, £2,500 a month')).toBeNull();
  });

  it.each([
    ...['$2,500 bi-weekly', '$2,500 semi-monthly', '$2,500 bi-monthly', '$2,500 twice a month', '$25 paid weekly'],
    ...['€3.000 (14x jährlich)', '$2,500 every two weeks', '$2,500 per pay period', 'Base pay $2,500'],
  ])('has no period in %j, which says how often it is paid or nothing', (text) => {
    expect(parseSalary(text)?.period).toBeNull();
  });

  it('takes currency and period from who knows, unless the text says otherwise', () => {
    expect(said('$65,000 - $75,000', { country: 'US', period: 'YEAR' })).toBe('65000–75000 USD YEAR');
    expect(said('$65,000', { currency: 'CAD', country: 'US' })).toBe('65000–65000 CAD ?');
    expect(said('60000', { currency: 'EUR', period: 'ANN' })).toBe('60000–60000 EUR YEAR');
    expect(said('£5', { currency: 'EUR', period: 'per hour' })).toBe('5–5 GBP HOUR');
    expect(said('$5', { currency: 'EUR' })).toBe('5–5 ? ?');
    expect(said('5 years of experience', { currency: 'EUR' })).toBeNull();
    expect(said('$50 per hour', { period: 'YEAR' })).toBe('50–50 ? ?');
  });

  it.each([
    ['HOUR', 'HOUR'],
    ['hourly', 'HOUR'],
    ['MON', 'MONTH'],
    ['per month', 'MONTH'],
    ['Year', 'YEAR'],
    ['week', 'WEEK'],
    ['fortnight', null],
    ['', null],
  ])('knows the unit %j of structured data', (unit, period) => {
    expect(parseSalary('$5', { period: unit })?.period).toBe(period);
  });

  it('never throws and always fits its schema, whatever the text', () => {
    const words = ['$', '€', 'k', ' ', '-', '–', ' to ', '5', '60', '000', '.', ',', 'per ', 'hour', 'from ', '+', '%'];
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.array(fc.constantFrom(...words), { maxLength: 14 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (given) => {
        const salary = parseSalary(given);
        expect(salary === null || Value.Check(Salary, salary)).toBe(true);
        if (salary?.min != null && salary.max !== null) expect(salary.min).toBeLessThanOrEqual(salary.max);
        printedSalary(given);
      }),
      { numRuns: 3000 },
    );
  });

  it.each(['1 ', '$1-', 'from ', '1 hour per week ', '+', '(', '1k'])('costs nothing in a megabyte of %j', (unit) => {
    const long = unit.repeat(1_000_000 / unit.length);
    const start = performance.now();
    for (const length of [290, 1990, 1_000_000]) {
      parseSalary(long.slice(0, length));
      printedSalary(long.slice(0, length));
    }
    expect(performance.now() - start).toBeLessThan(100);
  });
});

describe('a salary inside a line', () => {
  it.each([
    ['The pay is £35,000 - £45,000 per annum, plus a car.', '£35,000 - £45,000 per annum'],
    ['We raised $20 million. Salary up to $120k + equity', 'up to $120k'],
    ['Earn $20 - $25 per hour and a $500 bonus', '$20 - $25 per hour'],
    ['Salary: 50 000 – 80 000 CZK', '50 000 – 80 000 CZK'],
    ['€50.000 - €60.000 bruto per jaar', '€50.000 - €60.000 bruto per jaar'],
    ['Gehalt: 3.500 € brutto/Monat bei 40 Std. pro Woche', '3.500 € brutto/Monat'],
    ['【給与】月給25万円〜30万円＋賞与', '月給25万円〜30万円'],
    ['Compensation: $100,000-$120,000 plus benefits (401k)', '$100,000-$120,000'],
  ])('%s', (line, expected) => {
    expect(printedSalary(line)).toBe(expected);
  });

  it.each([
    'Our phones cost $20 - $30',
    'Revenue: $50,000 per year from sales',
    '£400 per day or £45,000 per year',
    'Salary: 30 days of holiday',
    'Salary depends on experience',
    'Salary Rp 5 - 7 juta or $500 per month',
    'A budget of $5,000 per month is yours',
  ])('is not certain in %j', (line) => {
    expect(printedSalary(line)).toBeNull();
  });
});
